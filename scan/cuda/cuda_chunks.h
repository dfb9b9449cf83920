/*
 * Host arrays that are larger than the device's memory go through it in chunks. Three chunks are
 * there at a time, each in a slot: one comes, one is worked on, one goes. The copies up, the kernels
 * and the copies down have a stream each, so both directions and the kernels work at once. A
 * primitive says what one chunk does:
 *
 *     const parscan_cuda_flow flows[] = {{"in", in, NULL, 4}, {"out", NULL, out, 4}};
 *     const parscan_cuda_chunks chunks = {context, flows, 2, n, most, .run = run, .work = &work};
 *     status = parscan_cuda_run_chunks(&chunks);
 *
 * run() launches on the context's stream, on the chunk's arrays in device memory, and continues from
 * what the chunk before left in `work`. It may wait for a small result: the next chunk is on its way
 * up meanwhile, and the one before on its way down.
 *
 * Events order the streams: a chunk is computed when it has arrived, leaves when it is computed, and
 * the next one takes its slot when it has left. A carry or a count goes to the host between two chunks
 * (fetch.cu), while both copy engines are busy. A reverse scan takes the last chunk first. Segments by
 * offsets become flags, made on the host for each chunk. A partition counts in a pass of its own. Counts
 * of a histogram stay on the device until the end.
 *
 * Arrays in pinned memory and in device memory are copied directly. Others travel through pinned
 * pieces of PARSCAN_PINNED_BYTES, two in each direction.
 */
#ifndef PARSCAN_SCAN_CUDA_CUDA_CHUNKS_H
#define PARSCAN_SCAN_CUDA_CUDA_CHUNKS_H

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array, or two, whose elements are in one place of the device: what comes from `from` and what
   goes to `to`. */
typedef struct parscan_cuda_flow {
    const char *name; /* of the argument, for messages */
    const void *from; /* NULL: nothing comes */
    void *to;         /* NULL: nothing goes */
    size_t size;      /* bytes of an element */
    /* If not NULL: it makes the bytes that come, from what `from` points to. at and n count bytes
       of the whole array. */
    parscan_cuda_fill *fill;
    unsigned shares; /* its elements are in the place of flow shares - 1; 0: they have their own */
} parscan_cuda_flow;

/* n elements from element `from` of the chunk go to element `to` of the array. */
typedef struct parscan_cuda_piece {
    size_t from, to, n;
} parscan_cuda_piece;

typedef struct parscan_cuda_chunk {
    size_t number, begin, n;           /* begin: in the array */
    void *device[PARSCAN_CUDA_ARRAYS]; /* the elements of each flow, in device memory */
    /* What goes back of every flow with `to`. At first all elements, to where they came from; run()
       may change it. If pieces is not NULL, it has the pieces, and the caller keeps it. */
    parscan_cuda_piece piece;
    const parscan_cuda_piece *pieces;
    size_t count;
} parscan_cuda_chunk;

typedef struct parscan_cuda_chunks {
    parscan_context *context;
    const parscan_cuda_flow *flows;
    unsigned count; /* of the flows, at most PARSCAN_CUDA_ARRAYS */
    size_t n;       /* elements of the arrays, not 0 */
    size_t most;    /* the most elements of a chunk (parscan_cuda_chunk_length()) */
    bool reverse;   /* the last chunk comes first */
    bool overlaps;  /* a chunk but the first starts with the last element of the chunk before */
    /* Chunks of other lengths: chunk k starts with element begins[k] and has lengths[k] elements, at
       most `most`. NULL: all have `most`, but the last one. */
    const size_t *begins, *lengths;
    size_t number;
    parscan_status (*run)(void *work, parscan_cuda_chunk *chunk);
    void *work;
} parscan_cuda_chunks;

/* How many elements a chunk may have if a call may use `room` bytes of device memory. 0: not one.
   scratch: the bytes that run() needs for each element; half of the room is left to what it needs
   beside them. */
size_t parscan_cuda_chunk_length(const parscan_cuda_flow *flows, unsigned count, size_t room,
                                 size_t scratch);

/* Runs all chunks, and waits for the end: no copy is under way when it returns, and the arrays are
   complete, unless it fails. Errors: those of run(); OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_cuda_run_chunks(const parscan_cuda_chunks *chunks);

#ifdef __cplusplus
}
#endif
#endif
