/*
 * The argument checks that calls share. Each returns OK, or stores a message that names the
 * argument and its value, and returns the error:
 *     status = parscan_check_...;
 *     if (status != PARSCAN_OK)
 *         return status;
 */
#ifndef PARSCAN_SCAN_CONTEXT_CHECK_H
#define PARSCAN_SCAN_CONTEXT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/context.h"

#define PARSCAN_MAX_THREADS 1024u

/*
 * The sizes of the public structs in parscan 0.1.0, or in the first later version that has the
 * struct. A smaller struct_size is refused. These numbers never change. They hold for 64-bit
 * pointers; with other pointers the size of today's struct is used.
 */
#define PARSCAN_OLDEST_SIZE(type, bytes) (sizeof(void *) == 8 ? (size_t)(bytes) : sizeof(type))
#define PARSCAN_OLDEST_CONTEXT_OPTIONS PARSCAN_OLDEST_SIZE(parscan_context_options, 80)
#define PARSCAN_OLDEST_DEVICE_ALLOCATOR PARSCAN_OLDEST_SIZE(parscan_device_allocator, 32)
#define PARSCAN_OLDEST_MEASURED_DEVICE PARSCAN_OLDEST_SIZE(parscan_measured_device, 32)
#define PARSCAN_OLDEST_LENGTHS PARSCAN_OLDEST_SIZE(parscan_lengths, 40)
#define PARSCAN_OLDEST_SCAN_OPTIONS PARSCAN_OLDEST_SIZE(parscan_scan_options, 48)
#define PARSCAN_OLDEST_OPERATOR_OPTIONS PARSCAN_OLDEST_SIZE(parscan_operator_options, 224)
#define PARSCAN_OLDEST_SHAPE PARSCAN_OLDEST_SIZE(parscan_shape, 40)
#define PARSCAN_OLDEST_SEGMENTS PARSCAN_OLDEST_SIZE(parscan_segments, 32)
#define PARSCAN_OLDEST_ARG_REDUCE_OPTIONS PARSCAN_OLDEST_SIZE(parscan_arg_reduce_options, 24)
#define PARSCAN_OLDEST_TOP_K_OPTIONS PARSCAN_OLDEST_SIZE(parscan_top_k_options, 40)
#define PARSCAN_OLDEST_SORT_OPTIONS PARSCAN_OLDEST_SIZE(parscan_sort_options, 24)
#define PARSCAN_OLDEST_COLUMN PARSCAN_OLDEST_SIZE(parscan_column, 32)
#define PARSCAN_OLDEST_SORT_COLUMNS_OPTIONS PARSCAN_OLDEST_SIZE(parscan_sort_columns_options, 40)
#define PARSCAN_OLDEST_PREDICATE PARSCAN_OLDEST_SIZE(parscan_predicate, 32)
#define PARSCAN_OLDEST_HISTOGRAM_OPTIONS PARSCAN_OLDEST_SIZE(parscan_histogram_options, 24)
#define PARSCAN_OLDEST_ALLOCATE_OPTIONS PARSCAN_OLDEST_SIZE(parscan_allocate_options, 24)
#define PARSCAN_OLDEST_SCATTER_OPTIONS PARSCAN_OLDEST_SIZE(parscan_scatter_options, 16)
#define PARSCAN_OLDEST_RECURRENCE_OPTIONS PARSCAN_OLDEST_SIZE(parscan_recurrence_options, 16)
#define PARSCAN_OLDEST_CHUNK PARSCAN_OLDEST_SIZE(parscan_chunk, 56)
#define PARSCAN_OLDEST_CHUNKED_END PARSCAN_OLDEST_SIZE(parscan_chunked_end, 40)
#define PARSCAN_OLDEST_SORTER_OPTIONS PARSCAN_OLDEST_SIZE(parscan_sorter_options, 56)
#define PARSCAN_OLDEST_COMM_FUNCTIONS PARSCAN_OLDEST_SIZE(parscan_comm_functions, 56)
#define PARSCAN_OLDEST_COMM_OPTIONS PARSCAN_OLDEST_SIZE(parscan_comm_options, 40)

/* A larger struct_size is refused: it is taken for memory that the caller has not initialised. */
#define PARSCAN_LARGEST_STRUCT 4096u

/* Write this beside the code that reads a public struct; `last` is its last field. It asserts that
   the struct has no padding at its end: padding may hold any bytes, and a later version of the
   library would read them as a new field. */
#define PARSCAN_STRUCT_CAN_GROW(type, last, oldest)                                  \
    _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type), \
                   #type " has padding at its end: add a reserved field");           \
    _Static_assert(sizeof(type) >= (oldest), #type " is smaller than its first version")

/*
 * Copies a public struct of the caller, which starts with struct_size, into *local, a struct of
 * `size` bytes as this library knows it. Reads at most struct_size bytes of the caller's struct.
 * The calling function then reads *local only.
 *   name     the name of the struct in messages: "options", "segments", "keep"
 *   given    the caller's struct; NULL: *local gets the defaults
 *   oldest   the smallest accepted struct_size, PARSCAN_OLDEST_...
 * Fields that a smaller struct lacks are zero in *local. local->struct_size is `size`.
 * Errors: INVALID_ARGUMENT, struct_size is below oldest or above PARSCAN_LARGEST_STRUCT: *local has
 * the defaults; UNSUPPORTED, a byte after the fields that this library knows is not zero: *local
 * has the fields that it knows.
 */
parscan_status parscan_read_struct(parscan_context *context, const char *name, const void *given,
                                   size_t oldest, void *local, size_t size);

/* Checks that type is one of the element types. */
parscan_status parscan_check_type(parscan_context *context, const char *name, parscan_type type);

/* Checks that type is u32 or u64 (offsets, indices, counts), or any unsigned type (sizes, bins). */
parscan_status parscan_check_u32_or_u64(parscan_context *context, const char *name,
                                        parscan_type type);
parscan_status parscan_check_unsigned(parscan_context *context, const char *name,
                                      parscan_type type);

/* Checks that type is one of those of indices and offsets. A signed one is read as the unsigned one of
   its size, so a negative number is too large. */
parscan_status parscan_check_index_type(parscan_context *context, const char *name,
                                        parscan_type type);

/* The largest number that such a type holds. */
uint64_t parscan_most_index(parscan_type type);

/* The type as engines know it, if its values are checked: u32 or u64. */
parscan_type parscan_unsigned_index(parscan_type type);

/* Checks an array of n elements of element_size bytes. It must not be NULL unless n = 0, and must
   fit the address space. For the CPU engine it must not be device memory. */
parscan_status parscan_check_array(parscan_context *context, const char *name, const void *pointer,
                                   size_t n, size_t element_size);

/* The same for an array whose number of elements is another argument: count_name. */
parscan_status parscan_check_counted_array(parscan_context *context, const char *name,
                                           const void *pointer, const char *count_name,
                                           size_t count, size_t element_size);

/* The memory of an array, for the two checks below. bytes: what the call reads or writes of it for
   certain. Of an output whose length only the call finds out that is its first element, or its
   first byte if it may stay empty: then an array that it starts in is seen, one further behind is
   not. */
typedef struct parscan_extent {
    const char *name;
    const void *data;
    size_t bytes;
} parscan_extent;

/* Checks that an output and another array of a checked call do not overlap. A NULL or an empty array
   overlaps nothing; arrays that touch do not overlap. */
parscan_status parscan_check_apart(parscan_context *context, parscan_extent out,
                                   parscan_extent other);

/* The same for an output that may also be the other array: both then start at the same place. */
parscan_status parscan_check_same_or_apart(parscan_context *context, parscan_extent out,
                                           parscan_extent other);

/* Checks that each of the first `leading` arrays overlaps none of those after it. */
parscan_status parscan_check_all_apart(parscan_context *context, const parscan_extent *arrays,
                                       unsigned leading, unsigned count);

/* Checks that op is an operator of that type. */
parscan_status parscan_check_op(parscan_context *context, parscan_op op, parscan_type type);

/* Checks that op may read elements of type `from` and accumulate in type `to`: the types are equal,
   or a sum may widen so. */
parscan_status parscan_check_out_type(parscan_context *context, parscan_op op, parscan_type from,
                                      parscan_type to);

#endif
