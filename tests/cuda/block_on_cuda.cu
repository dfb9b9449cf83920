/*
 * The CUDA meaning of every block algorithm: one kernel an algorithm, each scans one tile. Where
 * there is no GPU, that this compiles is the test.
 */
#include "scan/cuda/cuda_block.cuh"
#include "tests/cuda/block_on_cuda.h"

struct after {
};
static __device__ affine combine(after, affine a, affine b)
{
    return affine_after(a, b);
}
static __device__ void identity_of(after, affine *value)
{
    *value = affine{1, 0};
}

#include "scan/block/block_scan.h"

template <parscan_algorithm ALGORITHM, typename T, typename OPERATOR>
static __global__ void scan_one_tile(parscan_block_shape shape, bool exclusive, VIEW in, VIEW out)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const OPERATOR op = OPERATOR();
    const unsigned n = (unsigned)in.n;
    T *const tile = (T *)shared;
    shape.algorithm = ALGORITHM; /* a constant: only this algorithm is compiled in */
    block_load(shape.threads, &in, 0, n, exclusive, (T)identity(op), tile);
    const T *const result = block_scan(op, shape, tile, n);
    block_store(shape.threads, &out, 0, n, result);
}

template <typename T, typename OPERATOR>
static void launch_one_tile(parscan_block_shape shape, bool exclusive, VIEW in, VIEW out)
{
    const size_t bytes = block_shared_size(shape) * sizeof(T);
    switch (shape.algorithm) {
#define X(ctx, NAME, ...)                                             \
    case PARSCAN_##NAME:                                              \
        scan_one_tile<PARSCAN_##NAME, T, OPERATOR>                    \
            <<<1, shape.threads, bytes>>>(shape, exclusive, in, out); \
        break;
        PARSCAN_BLOCK_ALGORITHMS(X, )
#undef X
    default:
        scan_one_tile<PARSCAN_SEQUENTIAL, T, OPERATOR>
            <<<1, shape.threads, bytes>>>(shape, exclusive, in, out);
    }
}

template <typename T, typename OPERATOR>
static block_result scan_on_cuda(parscan_block_shape shape, bool exclusive, bool reverse,
                                 const T *in, T *out, unsigned n)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return BLOCK_NO_DEVICE;
    T *device = NULL;
    const size_t bytes = n * sizeof(T);
    if (cudaMalloc(&device, 2 * bytes) != cudaSuccess)
        return BLOCK_FAILED;
    bool done = cudaMemcpy(device, in, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    const parscan_device_view<T> from = {device, n, reverse}, to = {device + n, n, reverse};
    launch_one_tile<T, OPERATOR>(shape, exclusive, from, to);
    done = cudaGetLastError() == cudaSuccess && done;
    done = cudaMemcpy(out, device + n, bytes, cudaMemcpyDeviceToHost) == cudaSuccess && done;
    cudaFree(device);
    return done ? BLOCK_DONE : BLOCK_FAILED;
}

block_result block_scan_affine_on_cuda(parscan_block_shape shape, bool exclusive, bool reverse,
                                       const affine *in, affine *out, unsigned n)
{
    return scan_on_cuda<affine, after>(shape, exclusive, reverse, in, out, n);
}

block_result block_scan_max_on_cuda(parscan_block_shape shape, bool exclusive, bool reverse,
                                    const double *in, double *out, unsigned n)
{
    return scan_on_cuda<double, parscan_operator_MAX>(shape, exclusive, reverse, in, out, n);
}
