/* What the CUDA engine's host code uses of a context. For files that are compiled with CUDA alone. */
#ifndef PARSCAN_SCAN_CONTEXT_CUDA_CONTEXT_H
#define PARSCAN_SCAN_CONTEXT_CUDA_CONTEXT_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "scan/context/context_state.h"
#include "scan/cuda/kernel_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pieces in which host memory that is not pinned goes to the device and back. */
#define PARSCAN_PINNED_BYTES ((size_t)4 << 20)

/* Device memory that grows. A graph may hold what it was before: that is freed with the context. */
typedef struct parscan_device_buffer {
    void *data;
    size_t size;
    bool fresh;  /* nothing has been written to it */
    bool in_use; /* by the call that is being made */
    struct parscan_device_buffer *retired;
} parscan_device_buffer;

/* Host arrays that one call may have. */
#define PARSCAN_CUDA_ARRAYS 10u

typedef struct parscan_cuda {
    int device, multiprocessors;
    cudaStream_t stream;
    bool own_stream;
    int device_before;                 /* of the thread that makes the call */
    parscan_device_buffer chain;       /* the tile chain's control and status words */
    parscan_device_buffer scratch;     /* what one call keeps on the device */
    unsigned depth;                    /* of calls that call others */
    void *staged[PARSCAN_CUDA_ARRAYS]; /* copies of host arrays */
    size_t staged_size[PARSCAN_CUDA_ARRAYS];
    uint32_t staged_in_use; /* a bit a copy: by the call that is being made */
    uint64_t *deferred;     /* an error that only the device knew of: status, value */
    bool captured;          /* a graph may hold what the context's memory is, or was */
    bool may_defer;         /* a call that has been made, or a graph of it, may leave one */
    void *pinned[2];        /* two pieces: one travels while the other is filled or emptied */
    cudaEvent_t travelled[2];
    parscan_cuda_kernel known[PARSCAN_KERNELS_KNOWN];
} parscan_cuda;

/* Keeps CUDA's words for a failure, and clears it where it can be cleared. */
parscan_status parscan_cuda_fail(parscan_context *context, cudaError_t error, const char *what);

/* The same, unless there is none. */
parscan_status parscan_cuda_check(parscan_context *context, cudaError_t error, const char *what);

/* The device has none of that size. */
parscan_status parscan_cuda_no_memory(parscan_context *context, size_t size);

/* What an allocation of that size came to. */
parscan_status parscan_cuda_check_size(parscan_context *context, cudaError_t error, size_t size);

/* UNSUPPORTED while the context's stream is captured. */
parscan_status parscan_cuda_refuse_in_capture(parscan_context *context, const char *what);

/* begin: the status; end returns the status that it is given. */
parscan_status parscan_cuda_begin(parscan_context *context, const char *range);
parscan_status parscan_cuda_end(parscan_context *context, parscan_status status);

/* At least size bytes that stay where they are as long as no more are asked for. The context's limit holds
   for them, the chain's words, and what graphs may hold of both, together. */
parscan_status parscan_cuda_scratch(parscan_context *context, size_t size, void **pointer);

/* The tile chain's memory (tile_prefix.cuh), with at least so many status words. Each piece that a graph
   may hold counts epochs of its own, so that the launch with the last epoch has all words to clear. */
typedef struct parscan_chain_memory {
    void *control;
    uint64_t *status;
    size_t words;
} parscan_chain_memory;
parscan_status parscan_cuda_chain_memory(parscan_context *context, size_t words,
                                         parscan_chain_memory *chain);

/* A kernel as it is launched with so many threads and so many bytes of dynamic shared memory a block, which
   it is allowed to have from here on. When it fails *kernel is as it was. */
cudaError_t parscan_cuda_kernel_of(parscan_cuda *cuda, const void *function, unsigned threads,
                                   size_t shared_bytes, parscan_cuda_kernel *kernel);

/* Where a kernel leaves the status of an error, OVERFLOW, CAPACITY or INVALID_ARGUMENT, if there is none
   yet, and after it the value that is wrong: parscan_synchronize() returns it. */
uint64_t *parscan_cuda_deferred(parscan_context *context);

/* Whether the engine's kernels can use the memory; otherwise it is the host's, and to be staged. */
parscan_status parscan_cuda_on_device(parscan_context *context, const char *name,
                                      const void *pointer, bool *on_device);

/* A copy of host memory on the device; from NULL: only the room for it. which: below PARSCAN_CUDA_ARRAYS. */
parscan_status parscan_cuda_stage(parscan_context *context, unsigned which, const void *from,
                                  size_t size, void **device);

/* The engine's parscan_copy(). */
parscan_status parscan_cuda_copy(parscan_context *context, void *to, const void *from, size_t size);

/* Frees the copies that no call works on. Scratch is not given up for copies: a graph may need it. */
void parscan_cuda_release_copies(parscan_cuda *cuda);

/* Frees scratch and the chain's words. */
void parscan_cuda_release_scratch(parscan_context *context);

/* Device memory back to the host. Waits for all that was asked for before. */
parscan_status parscan_cuda_unstage(parscan_context *context, void *to, const void *device,
                                    size_t size);

#ifdef __cplusplus
}
#endif
#endif
