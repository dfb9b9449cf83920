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
 *
 * A length in device memory is read at once, which waits for the stream; but a call that accepts
 * LENGTH_ON_DEVICE has parscan_length_at() too, and hands it to its kernels (scan/cuda/driver.h).
 */
#ifndef PARSCAN_SCAN_CONTEXT_CALL_LENGTHS_H
#define PARSCAN_SCAN_CONTEXT_CALL_LENGTHS_H

#include "scan/context/context_state.h"

typedef enum length_field {
    LENGTH_N = 1,
    LENGTH_N2 = 2,
    LENGTH_SEGMENT_COUNT = 4,
    LENGTH_OUT_CAPACITY = 8,
    /* What CUDA can do of it. */
    LENGTH_ON_DEVICE = 16,       /* the call takes lengths in device memory as they are there */
    LENGTH_CAPACITY_ON_CUDA = 32 /* out_capacity */
} length_field;

enum { CALL_LENGTHS = 3 }; /* n, n2, segment_count */

typedef struct call_lengths {
    parscan_lengths given;
    size_t capacity;                  /* given.out_capacity; SIZE_MAX: no limit */
    const uint64_t *at[CALL_LENGTHS]; /* those in device memory, which the kernels read */
    uint64_t fetched[CALL_LENGTHS];   /* those that were there; `given` points to them */
    /* The first length that was above its argument. NULL: there is none. */
    const char *above;
    uint64_t length;
    size_t most;
} call_lengths;

/* Takes the lengths out of the context. accepts: the fields that the call has, LENGTH_... Errors:
   INVALID_ARGUMENT, context is NULL, or the host cannot read a length; UNSUPPORTED, the call does not
   have a length that is given, or it is in device memory, is read at once, and the stream is captured.
   *lengths is not to be copied. */
parscan_status parscan_take_lengths(parscan_context *context, unsigned accepts,
                                    call_lengths *lengths);

/* For a function that has none. Errors: as above; UNSUPPORTED, in which `name` stands. */
parscan_status parscan_refuse_lengths(parscan_context *context, const char *name);

/* The length in place of an argument: at most that. Of one with parscan_length_at(): the argument. */
size_t parscan_length(call_lengths *lengths, length_field field, size_t argument);

/* The same of a length that has been read. */
size_t parscan_clamped_length(call_lengths *lengths, length_field field, uint64_t length,
                              size_t argument);

/* Where the kernels read the length; NULL: it is what parscan_length() returns. */
const uint64_t *parscan_length_at(const call_lengths *lengths, length_field field);

/* Reads a length from device memory, after what the stream does. Errors: UNSUPPORTED, the stream is
   captured; DEVICE. */
parscan_status parscan_fetch_length(parscan_context *context, length_field field,
                                    const uint64_t *at, uint64_t *length);

/* The status of a call whose own is `status`: CAPACITY, if that is OK and a length was above its
   argument. */
parscan_status parscan_end_lengths(parscan_context *context, const call_lengths *lengths,
                                   parscan_status status);

/* Fails with CAPACITY if there are more results than out_capacity. */
parscan_status parscan_check_capacity(parscan_context *context, uint64_t count, size_t capacity);

#endif
