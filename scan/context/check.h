/*
 * The argument checks that calls share. Each returns OK, or keeps words that name the argument and
 * its value and returns the status: `status = parscan_check_...; if (status != PARSCAN_OK) return`.
 */
#ifndef PARSCAN_SCAN_CONTEXT_CHECK_H
#define PARSCAN_SCAN_CONTEXT_CHECK_H

#include <stddef.h>

#include "parscan/context.h"

#define PARSCAN_MAX_THREADS 1024u

/*
 * The sizes of the public structs in parscan 0.1.0, the oldest ones that are accepted. They never
 * change. They are those of 64-bit pointers; with other pointers today's struct is the oldest.
 */
#define PARSCAN_OLDEST_SIZE(type, bytes) (sizeof(void *) == 8 ? (size_t)(bytes) : sizeof(type))
#define PARSCAN_OLDEST_CONTEXT_OPTIONS PARSCAN_OLDEST_SIZE(parscan_context_options, 80)
#define PARSCAN_OLDEST_SCAN_OPTIONS PARSCAN_OLDEST_SIZE(parscan_scan_options, 48)
#define PARSCAN_OLDEST_SEGMENTS PARSCAN_OLDEST_SIZE(parscan_segments, 32)
#define PARSCAN_OLDEST_SORT_OPTIONS PARSCAN_OLDEST_SIZE(parscan_sort_options, 24)
#define PARSCAN_OLDEST_PREDICATE PARSCAN_OLDEST_SIZE(parscan_predicate, 32)
#define PARSCAN_OLDEST_HISTOGRAM_OPTIONS PARSCAN_OLDEST_SIZE(parscan_histogram_options, 24)
#define PARSCAN_OLDEST_ALLOCATE_OPTIONS PARSCAN_OLDEST_SIZE(parscan_allocate_options, 24)

/* A larger struct_size is taken for memory that the caller has not initialised. */
#define PARSCAN_LARGEST_STRUCT 4096u

/* Stands beside the code that reads a public struct. `last` is its last field. There must be no
   padding behind it: it may hold any bytes, and a later version would read them as a new field. */
#define PARSCAN_STRUCT_CAN_GROW(type, last, oldest)                                  \
    _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type), \
                   #type " has padding at its end: add a reserved field");           \
    _Static_assert(sizeof(type) >= (oldest), #type " is smaller than in parscan 0.1.0")

/*
 * Copies a public struct of the caller, which begins with struct_size, into *local, which has the
 * size bytes of this library's struct. Nothing beyond the caller's struct_size is read, and callers
 * of this function read *local alone.
 *   name     what the words call the struct: "options", "segments", "keep"
 *   given    the caller's struct; NULL: all defaults
 *   oldest   the smallest size accepted, PARSCAN_OLDEST_...
 * The fields that a smaller struct does not have are zero in *local, whose struct_size is `size`.
 * Errors: INVALID_ARGUMENT, struct_size is below oldest or above PARSCAN_LARGEST_STRUCT: *local is
 * all defaults; UNSUPPORTED, a byte beyond this library's struct is not zero: *local holds the
 * rest.
 */
parscan_status parscan_read_struct(parscan_context *context, const char *name, const void *given,
                                   size_t oldest, void *local, size_t size);

/* type is one of the element types. */
parscan_status parscan_check_type(parscan_context *context, const char *name, parscan_type type);

/* type is u32 or u64: offsets, indices, counts; or any unsigned type: sizes, bins. */
parscan_status parscan_check_u32_or_u64(parscan_context *context, const char *name,
                                        parscan_type type);
parscan_status parscan_check_unsigned(parscan_context *context, const char *name,
                                      parscan_type type);

/* n elements of element_size bytes at pointer: not NULL unless n = 0, no more than an address space
   holds, and for the CPU engine not memory of a device. */
parscan_status parscan_check_array(parscan_context *context, const char *name, const void *pointer,
                                   size_t n, size_t element_size);

/* op is an operator that type has. */
parscan_status parscan_check_op(parscan_context *context, parscan_op op, parscan_type type);

/* A sum may read `from` and accumulate in `to`. */
parscan_status parscan_check_out_type(parscan_context *context, parscan_op op, parscan_type from,
                                      parscan_type to);

#endif
