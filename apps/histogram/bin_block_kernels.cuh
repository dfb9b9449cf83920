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
                                                    const block_elements<S> &here, const RAW *in,
                                                    typename S::Bits (&bins)[S::ITEMS])
{
    RAW raw[S::ITEMS];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        raw[i] = here.has(i) ? in[here.first() + i * 32] : (RAW)0;
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
    as_given<typename S::Bits>(params.bins.size, params.sort.keys_in,
                               [&](auto *in) { load_bins_as(params, here, in, bins); });
}

template <typename VALUE, typename S>
static __device__ __forceinline__ void sort_by_bins(const bin_block_params<S> &params,
                                                    block_sort_shared<S> &shared, unsigned n)
{
    typedef typename S::Bits Bits;
    const block_elements<S> here(n);
    const VALUE *const values = (const VALUE *)params.sort.values_in;
    const auto load = [&](Bits(&bins)[S::ITEMS]) { load_bins(params, here, bins); };
    const auto emit = [&](unsigned place, Bits, unsigned index) {
        ((VALUE *)params.sort.values_out)[place] = values == NULL ? (VALUE)index : values[index];
    };
    if (n > 0)
        order_elements<true>(params.sort, shared, here, load, emit);
    if (threadIdx.x == 0 && params.kept != NULL)
        *params.kept = n > 0 ? shared.present : 0;
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, 1)
    bin_in_block(const __grid_constant__ bin_block_params<S> params)
{
    extern __shared__ __align__(16) unsigned char memory[];
    static_assert(S::THREADS == BIN_RANGE_THREADS, "a block may count a range of bins");
    bin_block_shared<S> &shared = *(bin_block_shared<S> *)memory;
    wait_for_previous_kernel();
    const unsigned n = (unsigned)length_of(params.sort.length, params.sort.n);
    if (blockIdx.x != 0)
        as_given<typename S::Bits>(params.bins.size, params.sort.keys_in, [&](auto *in) {
            count_range(params.bins, blockIdx.x - 1, in, n, shared.range);
        });
    else if (params.sort.values_out != NULL && params.sort.value_size == 4)
        sort_by_bins<uint32_t>(params, shared.sort, n);
    else if (params.sort.values_out != NULL)
        sort_by_bins<uint64_t>(params, shared.sort, n);
}

#endif
