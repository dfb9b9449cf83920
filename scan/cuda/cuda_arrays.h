/*
 * The arrays of a call in device memory. An array that the caller has in device memory is used as
 * it is. An array in host memory is copied to device memory that the context owns and keeps.
 * The driver (driver.h) calls these functions for every primitive. Expand and pack call them once more, when
 * they know the sizes of their outputs.
 */
#ifndef PARSCAN_SCAN_CUDA_CUDA_ARRAYS_H
#define PARSCAN_SCAN_CUDA_CUDA_ARRAYS_H

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum parscan_cuda_access {
    PARSCAN_READ = 1,
    PARSCAN_WRITE = 2,
    PARSCAN_READ_WRITE = 3
} parscan_cuda_access;

typedef struct parscan_cuda_array {
    const char *name;  /* of the argument, for messages */
    const void *given; /* by the caller, host or device memory; may be NULL with 0 bytes */
    size_t bytes;
    size_t alignment; /* that device memory must have: the size of an element */
    parscan_cuda_access access;
    bool lent; /* device memory of another rank, which kernels of this device can read */
    /* Of a count or a total, a uint64_t: the most that it can be. A context that measures takes it for
       host memory, and stores this there. */
    uint64_t most;
    bool counts; /* it is one */
    /* For a call in chunks (driver.h): */
    size_t element;          /* bytes of an element; 0: the array does not go through in chunks */
    unsigned shares;         /* a chunk of it takes the place of array shares - 1, if elements have
                                the same size; 0: it has its own place */
    parscan_cuda_fill *fill; /* as in parscan_cuda_flow */
    void *device;            /* out: where the kernels find the array */
    bool staged;             /* out: `device` is the context's copy of host memory */
} parscan_cuda_array;

/* Errors: INVALID_ARGUMENT, device memory is not aligned to so many bytes. */
parscan_status parscan_cuda_check_alignment(parscan_context *context, const char *name,
                                            const void *array, size_t alignment);

/* Sets `device` and `staged` of every array and copies the inputs in host memory to the device.
   count is at most PARSCAN_CUDA_ARRAYS; inputs come first. If two arrays are the same host memory
   (in == out, of the same bytes), they share one copy. Errors: INVALID_ARGUMENT (alignment, memory
   of another device), OUT_OF_MEMORY (the message gives the bytes needed), UNSUPPORTED (host memory
   while the stream is captured), DEVICE. */
parscan_status parscan_cuda_place(parscan_context *context, parscan_cuda_array *arrays,
                                  unsigned count);

/* The first part of it: finds out where the arrays are, and sets `staged`. Errors: INVALID_ARGUMENT,
   DEVICE. */
parscan_status parscan_cuda_look_up(parscan_context *context, parscan_cuda_array *arrays,
                                    unsigned count);

/* The other part of it, after parscan_cuda_look_up() or parscan_cuda_find_room(). */
parscan_status parscan_cuda_place_found(parscan_context *context, parscan_cuda_array *arrays,
                                        unsigned count);

/* A scratch_limit below this limits scratch alone: copies of host arrays may be larger. */
#define PARSCAN_LEAST_ROOM ((size_t)1 << 20)

/* The one place that decides whether a call's host arrays are copied to the device whole, or go
   through it in chunks (cuda_chunks.h). *room is 0 if their copies fit, or if no array is in host
   memory: with `scratch` bytes beside them they are within scratch_limit and within what the device
   has. Otherwise it is how many bytes of device memory a call in chunks may use. Called before
   parscan_cuda_place_found(), which need not be called for a call in chunks. Errors: INVALID_ARGUMENT, as
   there; UNSUPPORTED, host memory in chunks while the stream is captured; DEVICE. */
parscan_status parscan_cuda_find_room(parscan_context *context, parscan_cuda_array *arrays,
                                      unsigned count, size_t scratch, size_t *room);

/* Copies staged outputs back to the caller's host memory. If there are any, waits for the stream.
   The caller may have reduced array->bytes: then only so many bytes are copied. Errors:
   OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_cuda_return(parscan_context *context, const parscan_cuda_array *arrays,
                                   unsigned count);

#ifdef __cplusplus
}
#endif
#endif
