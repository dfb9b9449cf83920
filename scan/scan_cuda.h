/* A call of a scan or a reduction as the CUDA engine's host code (scan_cuda.c) hands it to the launches
   of one element type (the .cu files, compiled once a type). */
#ifndef PARSCAN_SCAN_SCAN_CUDA_H
#define PARSCAN_SCAN_SCAN_CUDA_H

#include <cuda_runtime_api.h>

#include "scan/cuda/cuda_context.h"
#include "scan/scan_call.h"

/* The least bytes of the accumulated type in a tile of any kernel: the host makes room for status words
   by it. */
#define PARSCAN_LEAST_TILE_BYTES ((size_t)16384)

typedef struct parscan_cuda_call {
    const parscan_scan_call *call; /* its `in` and `out` may be host memory */
    const void *in;                /* on the device, like all that follows but init */
    void *out;
    cudaStream_t stream;
    parscan_chain_memory chain; /* for any tile of the call */
    void *scratch;              /* for block algorithms */
} parscan_cuda_call;

/* One level of a hierarchical scan: an array, and room for a sum of each of its tiles. */
typedef struct parscan_cuda_level {
    void *in, *out; /* out: of the accumulated type */
    parscan_type in_type;
    size_t n, tiles;
    bool exclusive, reverse;
    bool starts; /* with the call's init */
    void *sums;  /* NULL: of the one tile none is needed */
} parscan_cuda_level;

typedef cudaError_t parscan_cuda_launch(const parscan_cuda_call *call);
typedef cudaError_t parscan_cuda_level_launch(const parscan_cuda_call *call,
                                              const parscan_cuda_level *level);

/* The call in the types of the kernels that do it: where a sign makes no difference to the results,
   those of unsigned types. A sum that widens still reads its own type. */
parscan_scan_call parscan_cuda_signless(const parscan_scan_call *call);

/* Built once an element type, the one that is accumulated. */
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

/* All levels of a hierarchical scan (hierarchical_cuda.c), in call->scratch. */
size_t parscan_hierarchical_cuda_scratch(const parscan_scan_call *call);
cudaError_t parscan_hierarchical_cuda(const parscan_cuda_scan_engine *engine,
                                      const parscan_cuda_call *call);

#endif
