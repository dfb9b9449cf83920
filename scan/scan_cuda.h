/*
 * A call of a scan or a reduction on CUDA. The host code (scan_cuda.c) passes it to the launches of
 * one element type (.cu files, compiled once for each type).
 */
#ifndef PARSCAN_SCAN_SCAN_CUDA_H
#define PARSCAN_SCAN_SCAN_CUDA_H

#include <cuda_runtime_api.h>

#include "scan/cuda/cuda_context.h"
#include "scan/scan_plan.h"

/* The smallest tile of any kernel but those of few_tiles.cuh, in bytes of the accumulated type. From it the host
   computes how many status words a call may need. */
#define PARSCAN_LEAST_TILE_BYTES ((size_t)16384)

typedef struct parscan_cuda_call {
    const parscan_scan_call *call; /* its in and out may be host memory */
    scan_plan plan;                /* of scans and reductions without segments */
    const void *in; /* device memory: the caller's array, or the context's copy of it */
    void *out;      /* device memory, the same */
    cudaStream_t stream;
    parscan_chain_memory chain; /* of the context; enough words for every kernel of the call */
    void *scratch; /* of the context; the sums of all levels of the hierarchical scan */
    void
        *unrounded; /* device memory for the result of a reduction to floats of 16 bits, as a float;
                        NULL: not wanted */
} parscan_cuda_call;

/* One level of a hierarchical scan: an array, and memory for the sum of each of its tiles. */
typedef struct parscan_cuda_level {
    void *in, *out; /* device memory; out has elements of the engine's type */
    parscan_type in_type;
    size_t tiles;
    size_t span, tile_span; /* how many elements of the call are one of the level, and one tile */
    bool exclusive, reverse;
    bool starts; /* the call's init comes before the first element */
    void *sums;  /* one for each tile; NULL if the level has one tile, whose sum is not needed */
} parscan_cuda_level;

typedef cudaError_t parscan_cuda_launch(const parscan_cuda_call *call);
typedef cudaError_t parscan_cuda_level_launch(const parscan_cuda_call *call,
                                              const parscan_cuda_level *level);

/* The carry of a call, if it has one (scan_carry_cuda.c): start before the launch, since the input
   may be overwritten, and end after it. in, out: in device memory. Errors: UNSUPPORTED, the stream
   is captured; DEVICE. */
typedef struct parscan_cuda_carry {
    unsigned char last[sizeof(double)]; /* the last element of the input, for an exclusive scan */
    bool minus_zero;                    /* it is -0, whose sign a sum keeps if nothing is added */
    bool alone; /* neither init nor an element comes before it (in its segment: the caller looks) */
} parscan_cuda_carry;
#ifdef __cplusplus
extern "C" {
#endif
parscan_status parscan_cuda_begin_carry(const parscan_scan_call *call, const void *in,
                                        parscan_cuda_carry *carry);
parscan_status parscan_cuda_end_carry(const parscan_scan_call *call, const void *out,
                                      const parscan_cuda_carry *carry);

/* Runs a call with a tree, from which a kernel cannot start: the CPU evaluates it, with the
   context's threads. The arrays may be in device memory. */
parscan_status parscan_cuda_scan_tree(const parscan_scan_call *call);

/* Launches a scan or a reduction of one line whose arrays are in device memory: its plan, chain and scratch are set
   here. Errors: OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_scan_launch(parscan_cuda_call *on_device);
#ifdef __cplusplus
}
#endif

/* The launches for one output type. */
typedef struct parscan_cuda_scan_engine {
    parscan_cuda_launch *single_pass, *reduce, *sequential, *reproducible;
    parscan_cuda_level_launch *reduce_tiles, *scan_tiles;
} parscan_cuda_scan_engine;

#ifdef __cplusplus
extern "C" {
#endif
#define X(ctx, NAME, number, name, ...)                         \
    parscan_cuda_launch parscan_single_pass_cuda_##name;        \
    parscan_cuda_launch parscan_reduce_cuda_##name;             \
    parscan_cuda_launch parscan_sequential_cuda_##name;         \
    parscan_cuda_launch parscan_reproducible_cuda_##name;       \
    parscan_cuda_level_launch parscan_reduce_tiles_cuda_##name; \
    parscan_cuda_level_launch parscan_scan_tiles_cuda_##name;
PARSCAN_TYPES(X, )
#undef X
#ifdef __cplusplus
}
#endif

/* The hierarchical scan (hierarchical_cuda.c). The first function returns the bytes of the sums of
   all levels. The second expects that much memory in call->scratch and launches all levels. of_sums:
   the engine of the type of sums, for the levels above the lowest. */
size_t parscan_hierarchical_cuda_scratch(const parscan_cuda_call *call);
cudaError_t parscan_hierarchical_cuda(const parscan_cuda_scan_engine *engine,
                                      const parscan_cuda_scan_engine *of_sums,
                                      const parscan_cuda_call *call);

#endif
