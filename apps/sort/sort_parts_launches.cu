/* The kernels of a sort in parts for one class of keys. Compiled once a class, with
   PARSCAN_ELEMENT_NAME (u8, f16). */
#include "apps/sort/sort_cuts_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/tables.h"

enum { THREADS = 256, BLOCKS_EACH = 8 };

typedef NAMED(key) KEY;
typedef KEY::Bits Bits;

static __device__ __forceinline__ uint64_t rank_of(const parts_keys &in, size_t i)
{
    return key_rank<KEY>(in.order, ((const Bits *)in.keys)[i]);
}

/* out[0 .. 2) are 0 before. */
static __global__ void __launch_bounds__(THREADS) find_key_bits(const parts_keys in)
{
    const size_t step = (size_t)gridDim.x * blockDim.x * in.stride;
    uint64_t ones = 0, zeros = 0;
    for (size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * in.stride; i < in.n;
         i += step) {
        const uint64_t rank = rank_of(in, i);
        ones |= rank;
        zeros |= ~rank;
    }
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        ones |= __shfl_xor_sync(0xffffffffu, ones, lanes);
        zeros |= __shfl_xor_sync(0xffffffffu, zeros, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr((unsigned long long *)&in.out[0], (unsigned long long)ones);
        atomicOr((unsigned long long *)&in.out[1], (unsigned long long)zeros);
    }
}

/* A thread for each bound. */
static __global__ void find_digit_bounds(const parts_keys in)
{
    const uint64_t d = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t digits = (uint64_t)1 << in.bits;
    if (d > digits)
        return;
    size_t low = 0, high = in.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((rank_of(in, middle) >> in.low & (digits - 1)) < d)
            low = middle + 1;
        else
            high = middle;
    }
    in.out[d] = low;
}

static cudaError_t find_bits(const parscan_cuda *cuda, const parts_keys *keys)
{
    const size_t most = (size_t)cuda->multiprocessors * BLOCKS_EACH;
    const size_t all = (keys->n / keys->stride + THREADS) / THREADS;
    const cudaError_t error = cudaMemsetAsync(keys->out, 0, 2 * sizeof *keys->out, cuda->stream);
    return error != cudaSuccess
               ? error
               : launch_blocks(find_key_bits, cuda, all < most ? all : most, THREADS, 0, *keys);
}

static cudaError_t find_bounds(const parscan_cuda *cuda, const parts_keys *keys)
{
    const size_t threads = ((size_t)1 << keys->bits) + 1;
    return launch_blocks(find_digit_bounds, cuda, (threads + THREADS - 1) / THREADS, THREADS, 0,
                         *keys);
}

static cudaError_t find_cuts(parscan_cuda *cuda, const parts_cuts *cuts)
{
    return launch_dependent(find_key_cuts<KEY>, cuda, cuts->of.count, CUT_THREADS, 0, *cuts);
}

extern "C" const parts_launches NAMED(parscan_sort_parts) = {find_bits, find_bounds, find_cuts};
