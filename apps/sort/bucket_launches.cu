/* The kernels of a sort in buckets: ranks of keys, counts of buckets, indices. They keep up with the
   copies from the host, which is all that they must. */
#include "apps/merge/key_ranks.cuh"
#include "apps/sort/bucket_sort_cuda.h"
#include "scan/cuda/launch.cuh"

enum { THREADS = 256, BLOCKS_EACH = 8 };

/* Keys in device memory are aligned, so no memcpy() of bytes is needed to read one. */
static __device__ __forceinline__ uint64_t rank_of(const bucket_keys &in, size_t i)
{
    switch (in.key) {
#define X(ctx, NAME, bits, name, ...) \
    case KEY_##NAME:                  \
        return rank_of_##name(&in.order, ((const uint##bits##_t *)in.keys)[i]);
        PARSCAN_KEY_CLASSES(X, )
#undef X
    default:
        return 0;
    }
}

struct ranks_params {
    bucket_keys in;
    uint64_t *ranks;
};

static __global__ void rank_keys(const ranks_params params)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < params.in.n; i += step)
        params.ranks[i] = rank_of(params.in, i);
}

static __global__ void __launch_bounds__(THREADS) count_buckets(const bucket_counts params)
{
    __shared__ uint64_t splitters[MOST_SPLITTERS + 1];
    __shared__ uint32_t counts[MOST_SPLITTERS + 1];
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (unsigned b = threadIdx.x; b <= params.count; b += THREADS) {
        counts[b] = 0;
        splitters[b] = b < params.count ? params.splitters[b] : UINT64_MAX;
    }
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < params.in.n; i += step) {
        const uint64_t rank = rank_of(params.in, i);
        unsigned low = 0, high = params.count;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (splitters[middle] <= rank)
                low = middle + 1;
            else
                high = middle;
        }
        atomicAdd(&counts[low], 1u);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b <= params.count; b += THREADS)
        if (counts[b] != 0)
            atomicAdd((unsigned long long *)&params.counts[b], (unsigned long long)counts[b]);
}

struct indices_params {
    void *indices;
    size_t size, n;
    uint64_t begin;
};

static __global__ void make_indices(const indices_params params)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < params.n; i += step)
        if (params.size == sizeof(uint32_t))
            ((uint32_t *)params.indices)[i] = (uint32_t)(params.begin + i);
        else
            ((uint64_t *)params.indices)[i] = params.begin + i;
}

static size_t blocks_for(const parscan_cuda *cuda, size_t n)
{
    const size_t most = (size_t)cuda->multiprocessors * BLOCKS_EACH;
    const size_t all = (n + THREADS - 1) / THREADS;
    return all < most ? all : most;
}

cudaError_t parscan_bucket_ranks(const parscan_cuda *cuda, const bucket_keys *keys, uint64_t *ranks)
{
    return launch_blocks(rank_keys, cuda, blocks_for(cuda, keys->n), THREADS, 0,
                         ranks_params{*keys, ranks});
}

cudaError_t parscan_bucket_count(const parscan_cuda *cuda, const bucket_counts *params)
{
    return launch_blocks(count_buckets, cuda, blocks_for(cuda, params->in.n), THREADS, 0, *params);
}

cudaError_t parscan_bucket_indices(const parscan_cuda *cuda, void *indices, size_t size,
                                   uint64_t begin, size_t n)
{
    return launch_blocks(make_indices, cuda, blocks_for(cuda, n), THREADS, 0,
                         indices_params{indices, size, n, begin});
}
