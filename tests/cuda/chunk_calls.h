/*
 * Calls on host arrays that are larger than the memory that a context may take on the device, which
 * scratch_limit makes small.
 */
#ifndef PARSCAN_TESTS_CHUNK_CALLS_H
#define PARSCAN_TESTS_CHUNK_CALLS_H

#include "parscan/parscan.h"
#include "tests/cuda/both_engines.h"

#define MIB ((size_t)1 << 20)

/* The inputs of a call: any bits; flags; runs; offsets of chunk_segments(n) segments. */
enum { BITS, FLAGS, RUNS, OFFSETS };

size_t chunk_segments(size_t n);

/* The bytes of each array of a call on n elements. */
size_t chunk_bytes(size_t n);

void fill_chunks(void *const in[CALL_INPUTS], size_t n);

/* Defines a call. */
#define CALL(name) \
    static parscan_status name(parscan_context *context, const call_arrays *a, size_t n)

/* Copies an input to the first output, for a call in place. */
void copy_input(const call_arrays *a, size_t k, size_t bytes);

/* A context with two threads and a limit; 0: none. */
parscan_context *chunks_context(parscan_backend backend, size_t limit);

/* Where the arrays of a call lie. Mixed: every second one on the device, the others pageable. */
typedef enum place { PAGEABLE, PINNED, MIXED, PLACES } place;
typedef enum memory { HOST, HOST_PINNED, ON_DEVICE } memory;

/* The arrays of one engine. */
typedef struct side {
    call_arrays arrays;
    void *out[CALL_OUTPUTS];
    memory in_memory[CALL_INPUTS], out_memory[CALL_OUTPUTS];
} side;

side side_create(void *const in[CALL_INPUTS], size_t n, place where);
void side_destroy(side *s);

/* Makes a call on both engines: outputs are the same, inputs are what they were, and the device has
   held no more than the limit. */
void expect_call(const engine_call *call, parscan_context *cpu, parscan_context *cuda,
                 side *expected, side *found, size_t n, place where);

/* Makes the calls on a CUDA context with a limit, on pageable, pinned and mixed arrays: outputs are what
   the CPU writes, to the bit; inputs are what they were; the device holds no more than the limit. */
void expect_in_chunks(const engine_calls *calls, size_t n, size_t limit);

#endif
