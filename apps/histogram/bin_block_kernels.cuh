/*
 * Counting sorts by bins of arrays that fit one block, in one launch. The first block sorts
 * (block_sort_kernels.cuh). Each other block computes the offsets of a range of bins: it counts the
 * elements of the range and those before it.
 */
#ifndef PARSCAN_APPS_BIN_BLOCK_KERNELS_CUH
#define PARSCAN_APPS_BIN_BLOCK_KERNELS_CUH

#include "apps/radix/bin_range.cuh"
#include "apps/radix/block_sort_kernels.cuh"

template <typename S>
union bin_block_shared {
    block_sort_shared<S> sort;
    alignas(16) uint32_t range[BIN_RANGE_WORDS];
};

template <typename S>
struct bin_block_params {
    block_sort_params<S> sort;
    sort_bins bins;
    uint64_t *kept; /* receives the number of elements that have a bin; may be NULL */
};

template <typename RAW, typename S>
static __device__ __forceinline__ void load_bins_as(const bin_block_params<S> &params,
                                                    const block_elements<S> &here,
                                                    typename S::Bits (&bins)[S::ITEMS])
{
    const RAW *const in = (const RAW *)params.sort.keys_in + here.first();
    RAW raw[S::ITEMS];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        raw[i] = here.has(i) ? in[i * 32] : (RAW)0;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        bins[i] = here.has(i) && raw[i] < params.bins.count ? raw[i] : S::Key::ABSENT;
}

/* Loads the bins of this thread's elements. */
template <typename S>
static __device__ __forceinline__ void load_bins(const bin_block_params<S> &params,
                                                 const block_elements<S> &here,
                                                 typename S::Bits (&bins)[S::ITEMS])
{
    if (params.bins.size == sizeof(typename S::Bits))
        load_bins_as<typename S::Bits>(params, here, bins);
    else if (sizeof(typename S::Bits) == 8 || params.bins.size == 4)
        load_bins_as<uint32_t>(params, here, bins);
    else if (params.bins.size == 2)
        load_bins_as<uint16_t>(params, here, bins);
    else
        load_bins_as<uint8_t>(params, here, bins);
}

template <typename VALUE, typename S>
static __device__ __forceinline__ void sort_by_bins(const bin_block_params<S> &params,
                                                    block_sort_shared<S> &shared)
{
    typedef typename S::Bits Bits;
    const block_elements<S> here(params.sort.n);
    const VALUE *const values = (const VALUE *)params.sort.values_in;
    order_elements<true>(
        params.sort, shared, here, [&](Bits(&bins)[S::ITEMS]) { load_bins(params, here, bins); },
        [&](unsigned place, Bits, unsigned index) {
            ((VALUE *)params.sort.values_out)[place] =
                values == NULL ? (VALUE)index : values[index];
        });
    if (threadIdx.x == 0 && params.kept != NULL)
        *params.kept = shared.present;
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, 1)
    bin_in_block(const __grid_constant__ bin_block_params<S> params)
{
    extern __shared__ __align__(16) unsigned char memory[];
    static_assert(S::THREADS == BIN_RANGE_THREADS, "a block may count a range of bins");
    bin_block_shared<S> &shared = *(bin_block_shared<S> *)memory;
    wait_for_previous_kernel();
    if (blockIdx.x != 0)
        count_range_of(params.bins, blockIdx.x - 1, params.sort.keys_in, params.sort.n,
                       shared.range);
    else if (params.sort.values_out != NULL && params.sort.value_size == 4)
        sort_by_bins<uint32_t>(params, shared.sort);
    else if (params.sort.values_out != NULL)
        sort_by_bins<uint64_t>(params, shared.sort);
}

#endif
