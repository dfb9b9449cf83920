/*
 * The host side of every call on CUDA. A primitive describes its call in a parscan_cuda_operation;
 * parscan_cuda_run() does what all calls do, in this order:
 *
 *     begin     the context's device is current, an NVTX range is open
 *     describe  the call's arrays: names, sizes, read or written
 *     room      whether the copies of host arrays fit the device
 *     lengths   those in device memory stay there, or the host reads them: then describe and room
 *               again
 *     check     what the primitive refuses, before anything is written
 *     chunks    if they do not fit, the host arrays go through the device in pieces (cuda_chunks.h)
 *     place     host arrays are copied to the device, device arrays stay where they are
 *     launch    the primitive takes its scratch and launches its kernels
 *     finish    the primitive reads what the host must know, such as a count of outputs
 *     return    outputs in host memory are copied back
 *     report    errors that the device has told
 *     end       the device of before is current again
 *
 * Every step but end is left out after an error, and where the operation has NULL for it.
 */
#ifndef PARSCAN_SCAN_CUDA_DRIVER_H
#define PARSCAN_SCAN_CUDA_DRIVER_H

#include "scan/context/call_lengths.h"
#include "scan/cuda/cuda_arrays.h"
#include "scan/cuda/cuda_chunks.h"

typedef struct parscan_cuda_operation parscan_cuda_operation;

/* A call whose host arrays do not fit the device. */
typedef struct parscan_cuda_passage {
    parscan_context *context;
    const parscan_cuda_operation *operation;
    parscan_cuda_array *arrays; /* described, and looked up: `staged` is known */
    unsigned count;
    size_t room; /* bytes of device memory that the call may use */
} parscan_cuda_passage;

/* A length of a call that may be in device memory: *at, NULL if it is not. *n is the most that it can
   be. A length that the host has read is in *n, and *at is NULL. */
typedef struct parscan_cuda_length {
    length_field field;
    size_t *n;
    const uint64_t **at;
} parscan_cuda_length;

struct parscan_cuda_operation {
    /* Describes the arrays of the call. Returns their number, at most PARSCAN_CUDA_ARRAYS. */
    unsigned (*describe)(const void *call, parscan_cuda_array *arrays);
    /* The lengths of the call, at most CALL_LENGTHS; returns their number. NULL: none is in device memory. */
    unsigned (*lengths)(void *call, parscan_cuda_length *lengths);
    /* Whether the kernels of this call read them there (length.cuh). The host has to know them where
       an array is in host memory too: nothing past them may be written. NULL: they do. */
    bool (*reads_lengths)(const void *call);
    parscan_status (*check)(const void *call, const parscan_cuda_array *arrays);
    /* The bytes of scratch that the call needs beside copies of its arrays. NULL: few. */
    size_t (*scratch)(const void *call);
    /* A call in chunks. NULL: the primitive has none. can_pass: whether this call has them; NULL: it
       has. in_chunks() runs the operation again on calls of chunks, in device memory. */
    bool (*can_pass)(const void *call, const parscan_cuda_passage *passage);
    parscan_status (*in_chunks)(const void *call, const parscan_cuda_passage *passage);
    /* The arrays are in device memory: arrays[k].device. */
    parscan_status (*launch)(void *call, parscan_cuda_array *arrays);
    /* It may lower arrays[k].bytes: only so much is copied to the host. */
    parscan_status (*finish)(void *call, parscan_cuda_array *arrays);
    parscan_status (*report)(void *call, const parscan_cuda_array *arrays);
};

/* Runs a call. name: of the public function, for the NVTX range. Errors: those of the operation's
   steps, of parscan_cuda_place_found() and of parscan_cuda_run_chunks(). */
parscan_status parscan_cuda_run(parscan_context *context, const char *name,
                                const parscan_cuda_operation *operation, void *call);

/* The most elements of a chunk of the arrays that have elements; 0: not one fits. scratch: the bytes
   that the work on a chunk needs for each element. */
size_t parscan_cuda_passage_length(const parscan_cuda_passage *passage, size_t scratch);

/* Takes the arrays that have elements through the device. chunk->device[k] is where arrays[k] is.
   how: n, run, work, and what else is not 0; context, flows and count are set here, and `most` if it is
   0. */
parscan_status parscan_cuda_pass_in_chunks(const parscan_cuda_passage *passage,
                                           parscan_cuda_chunks how);

/* Descriptions of arrays of n elements: read, written; one number, or a few, that are written and
   never go through the device in chunks. With NULL they have no bytes. */
static inline parscan_cuda_array parscan_cuda_input(const char *name, const void *given, size_t n,
                                                    size_t element)
{
    return (parscan_cuda_array){.name = name,
                                .given = given,
                                .bytes = given != NULL ? n * element : 0,
                                .alignment = element,
                                .access = PARSCAN_READ,
                                .element = given != NULL ? element : 0};
}

static inline parscan_cuda_array parscan_cuda_output(const char *name, void *given, size_t n,
                                                     size_t element)
{
    parscan_cuda_array array = parscan_cuda_input(name, given, n, element);
    array.access = PARSCAN_WRITE;
    return array;
}

static inline parscan_cuda_array parscan_cuda_result(const char *name, void *given, size_t n,
                                                     size_t element)
{
    parscan_cuda_array array = parscan_cuda_output(name, given, n, element);
    array.element = 0;
    return array;
}

/* A count or a total; most: the most that it can be. */
static inline parscan_cuda_array parscan_cuda_count(const char *name, uint64_t *given,
                                                    uint64_t most)
{
    parscan_cuda_array array = parscan_cuda_result(name, given, 1, sizeof *given);
    array.counts = true;
    array.most = most;
    return array;
}

#endif
