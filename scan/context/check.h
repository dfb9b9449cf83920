/*
 * The argument checks that calls share. Each returns OK, or keeps words that name the argument and
 * its value and returns the status: `status = parscan_check_...; if (status != PARSCAN_OK) return`.
 */
#ifndef PARSCAN_SCAN_CONTEXT_CHECK_H
#define PARSCAN_SCAN_CONTEXT_CHECK_H

#include "parscan/context.h"

#define PARSCAN_MAX_THREADS 1024u

/* size, the struct_size of an options struct, is what this library was built with. */
parscan_status parscan_check_struct_size(parscan_context *context, const char *name, size_t size,
                                         size_t expected);

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
