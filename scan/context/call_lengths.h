/*
 * The lengths that parscan_set_lengths() has given for a call. Every public function with a context
 * takes them first, so that they never reach a later call:
 *
 *     call_lengths lengths;
 *     parscan_status status = parscan_take_lengths(context, LENGTH_N, &lengths);
 *     if (status == PARSCAN_OK)
 *         status = ...checks of the arguments, with the n of the argument...
 *     n = parscan_length(&lengths, LENGTH_N, n);
 *     ...
 *     return parscan_end_lengths(context, &lengths, status);
 */
#ifndef PARSCAN_SCAN_CONTEXT_CALL_LENGTHS_H
#define PARSCAN_SCAN_CONTEXT_CALL_LENGTHS_H

#include "scan/context/context_state.h"

typedef enum length_field {
    LENGTH_N = 1,
    LENGTH_N2 = 2,
    LENGTH_SEGMENT_COUNT = 4,
    LENGTH_OUT_CAPACITY = 8
} length_field;

typedef struct call_lengths {
    parscan_lengths given;
    size_t capacity; /* given.out_capacity; SIZE_MAX: no limit */
    /* The first length that was above its argument. NULL: there is none. */
    const char *above;
    uint64_t length;
    size_t most;
} call_lengths;

/* Takes the lengths out of the context. accepts: the fields that the call has, LENGTH_... Errors:
   INVALID_ARGUMENT, context is NULL, or the host cannot read a length; UNSUPPORTED, the call does not
   have a length that is given. */
parscan_status parscan_take_lengths(parscan_context *context, unsigned accepts,
                                    call_lengths *lengths);

/* For a function that has none. Errors: as above; UNSUPPORTED, in which `name` stands. */
parscan_status parscan_refuse_lengths(parscan_context *context, const char *name);

/* The length in place of an argument: at most that. */
size_t parscan_length(call_lengths *lengths, length_field field, size_t argument);

/* The status of a call whose own is `status`: CAPACITY, if that is OK and a length was above its
   argument. */
parscan_status parscan_end_lengths(parscan_context *context, const call_lengths *lengths,
                                   parscan_status status);

/* Fails with CAPACITY if there are more results than out_capacity. */
parscan_status parscan_check_capacity(parscan_context *context, uint64_t count, size_t capacity);

#endif
