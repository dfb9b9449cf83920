/*
 * parscan/columns.h: rows in the order of several columns.
 *
 *     const parscan_column by[] = {PARSCAN_COLUMN(.type = PARSCAN_U32, .data = group),
 *                                  PARSCAN_COLUMN(.type = PARSCAN_F64, .data = price, .descending = 1)};
 *     parscan_sort_columns(context, by, 2, PARSCAN_U32, order, n);
 *     parscan_gather(context, 8, price, n, PARSCAN_U32, order, sorted, n);    a column in that order
 *
 * Groups of equal rows, and their sums ("group by"), where `heads` are n flags and `sorted` n values:
 *
 *     parscan_sort_columns_with(context, by, 2, PARSCAN_U32, order, n,
 *                               &PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = heads, .value_size = 8,
 *                                                             .values_in = price, .values_out = sorted));
 *     parscan_compact(context, 4, order, heads, first, n, &count);            the first row of each group
 *     parscan_segmented_reduce(context, PARSCAN_F64, sorted, sums, n, &PARSCAN_SEGMENTS(.data = heads),
 *                              &count, NULL);
 *
 * Rows are compared by the first column, rows that are equal there by the second one, and so on.
 * Memory, errors and streams: parscan/context.h.
 *
 * The bits of each column that are not the same in all rows are found by one read. The first 64 of
 * them make a key, from the first column on, and one radix sort (parscan/sort.h) brings the rows in
 * the order of the keys. If there are more bits, rows with equal keys are sorted further: their key is
 * the number of their group and the next bits, and so on, until no rows are equal or no bits are left.
 * So columns of few values cost one sort in all, and columns that tell nearly all rows apart
 * in their first bits do too, whatever follows. On the CPU, of 2^20 rows and more, up to four columns (or words of 8
 * bytes of strings) in which 28 bits or more vary, but which have at most 4096 values, have the numbers of these values in
 * keys: 1000 strings take 10 bits.
 *
 * Source: as for parscan/sort.h; the groups are those of N. J. Larsson, K. Sadakane, Faster Suffix
 * Sorting, 2007.
 */
#ifndef PARSCAN_COLUMNS_H
#define PARSCAN_COLUMNS_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a column whose elements are strings of `width` bytes. */
#define PARSCAN_BYTES ((parscan_type)0)

/* One column. Make one with PARSCAN_COLUMN(...). Since parscan 0.3 */
typedef struct parscan_column {
    size_t struct_size; /* sizeof(parscan_column), the same in all columns, see parscan/options.h */

    /* The type of the elements, any, in the order of parscan_sort_keys(): -0 is before +0, and every
       NaN, whatever its sign, after +infinity; NaNs are equal to each other. Or PARSCAN_BYTES: strings
       of `width` bytes, in the order of memcmp(). */
    parscan_type type;

    int descending; /* non-zero: the largest first; NaNs too then */

    const void *data; /* n elements; strings have any alignment on both engines */

    size_t width; /* bytes of a string, 1 to 64; of any other type 0 */
} parscan_column;

/* A parscan_column with struct_size set: PARSCAN_COLUMN(.type = PARSCAN_U32, .data = a). */
#define PARSCAN_COLUMN(...) PARSCAN_WITH_SIZE(parscan_column, __VA_ARGS__)

/*
 * The permutation that sorts rows: row indices_out[0] is the first one in the order of the columns,
 * and so on. The indices of equal rows ascend. Columns are not written.
 *   columns        column_count columns, the most significant first; in host memory, their data as
 *                  all arrays. NULL if there are none: all rows are equal then
 *   column_count   0 to 64
 *   index_type     PARSCAN_U32 (n <= 2^32, else INVALID_ARGUMENT), U64, I32 (n <= 2^31) or I64
 *   indices_out    n indices, which parscan_gather() takes; must not overlap the data of a column,
 *                  else INVALID_ARGUMENT
 *   n              the number of rows
 * Errors: INVALID_ARGUMENT; OUT_OF_MEMORY, nothing has been written.
 * Results are the same to the bit on every engine and with every number of threads.
 * Cost: one read of the columns, one to make keys, and a sort of n pairs of a key, of 4 bytes if 32 bits
 * are enough, else of 8, and an index. Then, if bits are left, for each round a sort of such pairs of the
 * rows that are still equal, and a read of the columns that their bits come from, in the order of the
 * keys. Bits that are the same in all rows cost nothing. One column alone costs what
 * parscan_argsort() does, without keys of its own, unless it has strings.
 * On CUDA the first keys of many rows have 4 bytes. They have the last bits if many rows of a sample are equal in
 * their first 64; all rows are then sorted by 64 bits before those, and so on. The device alone knows how many rows
 * are equal. As many rounds are launched as the types of the columns may need, for 2^24 rows one for each 41 bits
 * beyond the first 32, whatever the rows are; a round without rows takes some tens of microseconds. Host arrays are
 * copied whole.
 * Scratch: what parscan_argsort() takes for keys of 8 bytes, and, if all columns together have more
 * than 64 bits, three indices a row; on CUDA four, and a third key. On the CPU 544 KiB for numbers of values, which are not
 * made if there is no memory for them, or a scratch_limit.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_sort_columns(parscan_context *context,
                                                const parscan_column *columns, size_t column_count,
                                                parscan_type index_type, void *indices_out,
                                                size_t n);

/* Options of parscan_sort_columns_with(): what is written beside the indices. Make one with
   PARSCAN_SORT_COLUMNS_OPTIONS(...). Since parscan 0.3 */
typedef struct parscan_sort_columns_options {
    size_t struct_size; /* sizeof(parscan_sort_columns_options), see parscan/options.h */

    /* n flags: 1 for the first row of the order, and for each that is not equal to the one before, as the
       order compares rows (NaNs are equal, zeros of two signs are not); else 0. So they are flags of segments
       (PARSCAN_SEGMENTS_FLAGS), a segment for each group of equal rows. NULL: not wanted. */
    uint8_t *heads_out;

    /* Bytes of a value, 1 or more; elements are moved whole and not interpreted. 0: there are no values. Not a
       parscan_type: PARSCAN_U32 would be 5 bytes (parscan/types.h). */
    size_t value_size;

    /* n values each, of any alignment: values_out[i] is the value of row indices_out[i]. It is as if
       parscan_gather() took the indices, but values of 4 and 8 bytes move with the rows on the CPU if the bits of a key
       and of an index have room in 64 together. NULL if value_size is 0. */
    const void *values_in;
    void *values_out;
} parscan_sort_columns_options;

/* A parscan_sort_columns_options with struct_size set: PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = heads). */
#define PARSCAN_SORT_COLUMNS_OPTIONS(...) \
    PARSCAN_WITH_SIZE(parscan_sort_columns_options, __VA_ARGS__)

/*
 * parscan_sort_columns() with options.
 *   options   NULL: as parscan_sort_columns()
 * No output may overlap another array, else INVALID_ARGUMENT. One column costs what several do if heads or
 * values are asked for. On CUDA heads cost a read of the keys, and one more of those of each round.
 * Scratch: as for parscan_sort_columns(), and on the CPU an array of values if they have 8 bytes.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_sort_columns_with(parscan_context *context,
                                                     const parscan_column *columns,
                                                     size_t column_count, parscan_type index_type,
                                                     void *indices_out, size_t n,
                                                     const parscan_sort_columns_options *options);

#ifdef __cplusplus
}
#endif
#endif
