/* One tile through a block algorithm on the GPU, for elements of a non-commutative operator. */
#ifndef PARSCAN_TESTS_BLOCK_ON_CUDA_H
#define PARSCAN_TESTS_BLOCK_ON_CUDA_H

#include "scan/block/block_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The map x -> a x + b modulo 2^32; combine(f, g) is g after f. */
typedef struct affine {
    uint32_t a, b;
} affine;

static inline
#ifdef __CUDACC__
    __host__ __device__
#endif
        affine
        affine_after(affine earlier, affine later)
{
    const affine both = {later.a * earlier.a, later.a * earlier.b + later.b};
    return both;
}

typedef enum block_result { BLOCK_DONE, BLOCK_NO_DEVICE, BLOCK_FAILED } block_result;

/* Scans in[0..n) to out[0..n), host memory, in one block of the GPU. */
block_result block_scan_affine_on_cuda(parscan_block_shape shape, bool exclusive, bool reverse,
                                       const affine *in, affine *out, unsigned n);

/* The same for doubles and their maximum, by the operators of tables.h. */
block_result block_scan_max_on_cuda(parscan_block_shape shape, bool exclusive, bool reverse,
                                    const double *in, double *out, unsigned n);

#ifdef __cplusplus
}
#endif
#endif
