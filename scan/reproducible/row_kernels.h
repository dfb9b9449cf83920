/* What the reproducible scan on the CPU does to the rows of a tile, for floats (row_kernels.c). The
   caller owns all memory. */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H
#define PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H

#include <stdint.h>

#include "scan/cpu/element.h"
#include "scan/reproducible/tree_carry.h"

/* Columns next to each other are taken by as many as a cache line has. */
#define LINE_COLUMNS (64 / sizeof(T))

/* A row of the tree in each of `width` neighbouring columns. Where width is no multiple of LINE_COLUMNS, the sums of
   the columns have room for whole lines: the last line has those of the last LINE_COLUMNS columns. */
typedef struct row_columns {
    const char *in;          /* elements of T; the columns of one element lie next to each other */
    char *out;               /* of a scan; may equal in, with the same stride */
    int64_t in_row, out_row; /* bytes from an element of a column to the next one */
    unsigned count;          /* elements of each column, 1 to ROW */
    size_t width;            /* at least LINE_COLUMNS */
    size_t room;             /* width, rounded up to whole lines */
} row_columns;

/* What a scan of columns keeps of the rows of their tile, `room` elements each: the sums through the first 64 rows and
   the last one, then the sums of the last 2^k rows through each of the last 2^k, for k = 0 to 5. */
enum { SUMS_THROUGH = 65, TILE_SUMS = SUMS_THROUGH + 63 };

typedef struct row_kernels row_kernels;
struct row_kernels {
    /* Scans each row of in[0..n), n > 0, to `local`, which has room for whole rows, and then the
       sums of the rows. `work` has ROW_WORK elements. Returns a pointer into work: its element
       [PADDED_INDEX(r)] is the sum of the rows up to r. Prefetches n elements of `next`; NULL:
       none. */
    const T *(*scan_rows)(OPERATOR op, const T *in, size_t n, T *local, T *work, const void *next);
    /* Adds their prefixes to the rows that scan_rows() left in local[0..n). The prefix of row r is
       `before`, the tile's prefix, combined with rows[PADDED_INDEX(r - 1)]; of row 0 it is
       `before`. */
    void (*add_rows)(OPERATOR op, T *local, size_t n, const T *rows, T before, bool exclusive);
    /* The sum of a tree tile in[0..n), 0 < n <= TREE_TILE; for operators that round only. */
    T (*sum_tile)(OPERATOR op, const T *in, size_t n);
    /* Both for operators that round only.
       Sums a row of each column, combines it with levels[0], [1], ... [up - 1], which come before it, and stores
       that to `to`; each has `room` elements. */
    void (*sum_columns)(OPERATOR op, const row_columns *columns, const T *levels, unsigned up,
                        T *to);
    /* Scans row r of a tile of each column. `before`: what comes before the tile; NULL: nothing. sums[TILE_SUMS] has
       the rows of the tile before this one, and then this one too: element [(r < 64 ? r : 64) * room] is the sum
       through row r. */
    void (*scan_columns)(OPERATOR op, const row_columns *columns, const T *before, T *sums,
                         unsigned r, bool exclusive);
};

extern const row_kernels NAMED(parscan_row_kernels_portable);
extern const row_kernels NAMED(parscan_row_kernels_avx2);
extern const row_kernels NAMED(parscan_row_kernels_avx512);

#endif
