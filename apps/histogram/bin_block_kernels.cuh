/*
 * Counting sorts by bins of arrays that fit one block, in one launch. The first block sorts
 * (block_sort_kernels.cuh). Each other block computes the offsets of a range of bins: it counts the
 * elements of the range and those before it.
 */
#ifndef PARSCAN_APPS_BIN_BLOCK_KERNELS_CUH
#define PARSCAN_APPS_BIN_BLOCK_KERNELS_CUH

#include "apps/radix/block_sort_kernels.cuh"
#include "apps/radix/digit_histogram_kernels.cuh"

/* The number of bins of a block. */
#define BIN_RANGE 4096u

template <typename S>
union bin_block_shared {
    block_sort_shared<S> sort;
    uint32_t counters[BIN_RANGE];
};

template <typename S>
struct bin_block_params {
    block_sort_params<S> sort;
    sort_bins bins;
    uint64_t *kept; /* receives the number of elements that have a bin; may be NULL */
};

template <typename S, typename RAW>
static __device__ __forceinline__ void load_bins_as(const bin_block_params<S> &params,
                                                    unsigned first, unsigned step,
                                                    typename S::Bits (&bins)[S::ITEMS])
{
    const RAW *const in = (const RAW *)params.sort.keys_in;
    const unsigned items = block_elements<S>(params.sort.n).items;
    RAW raw[S::ITEMS];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        raw[i] = i < items && first + i * step < params.sort.n ? in[first + i * step] : (RAW)0;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        bins[i] = i < items && first + i * step < params.sort.n && raw[i] < params.bins.count
                      ? raw[i]
                      : S::Key::ABSENT;
}

/* Loads the bins of the elements first, first + step, ... */
template <typename S>
static __device__ __forceinline__ void load_bins(const bin_block_params<S> &params, unsigned first,
                                                 unsigned step, typename S::Bits (&bins)[S::ITEMS])
{
    if (params.bins.size == sizeof(typename S::Bits))
        load_bins_as<S, typename S::Bits>(params, first, step, bins);
    else if (sizeof(typename S::Bits) == 8 || params.bins.size == 4)
        load_bins_as<S, uint32_t>(params, first, step, bins);
    else if (params.bins.size == 2)
        load_bins_as<S, uint16_t>(params, first, step, bins);
    else
        load_bins_as<S, uint8_t>(params, first, step, bins);
}

template <typename VALUE, typename S>
static __device__ __forceinline__ void sort_by_bins(const bin_block_params<S> &params,
                                                    block_sort_shared<S> &shared)
{
    typedef typename S::Bits Bits;
    const block_elements<S> here(params.sort.n);
    const VALUE *const values = (const VALUE *)params.sort.values_in;
    order_elements<true>(
        params.sort, shared, here,
        [&](Bits(&bins)[S::ITEMS]) { load_bins(params, here.first(), 32, bins); },
        [&](unsigned place, Bits, unsigned index) {
            ((VALUE *)params.sort.values_out)[place] =
                values == NULL ? (VALUE)index : values[index];
        });
    if (threadIdx.x == 0 && params.kept != NULL)
        *params.kept = shared.present;
}

/* Returns the sum over the threads before this one, and the sum over all threads. */
static __device__ __forceinline__ uint2 sums_of_block(uint32_t *warp_sums, uint32_t mine)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t through = warp_scan(parscan_operator_SUM(), mine, lane);
    uint32_t before = 0, all = 0;
    __syncthreads();
    if (lane == 31)
        warp_sums[warp] = through;
    __syncthreads();
    for (unsigned w = 0; w < blockDim.x / 32; w++) {
        before += w < warp ? warp_sums[w] : 0;
        all += warp_sums[w];
    }
    return make_uint2(before + through - mine, all);
}

template <typename S>
static __device__ __forceinline__ void count_range(const bin_block_params<S> &params,
                                                   uint32_t *counters, uint32_t *warp_sums)
{
    const uint64_t begin = (uint64_t)(blockIdx.x - 1) * BIN_RANGE,
                   left = params.bins.bins + 1 - begin;
    const unsigned range = left < BIN_RANGE ? (unsigned)left : BIN_RANGE;
    const unsigned each = (range + S::THREADS - 1) / S::THREADS, mine = threadIdx.x * each;
    typename S::Bits bins[S::ITEMS];
    uint32_t before = 0, sum = 0;
    load_bins(params, threadIdx.x, S::THREADS, bins);
    for (unsigned k = threadIdx.x; k < range; k += S::THREADS)
        counters[k] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if (is_absent<typename S::Key>(bins[i]))
            continue;
        if (bins[i] < begin)
            before++;
        else if (bins[i] - begin < range)
            atomicAdd(&counters[bins[i] - begin], 1u);
    }
    before = sums_of_block(warp_sums, before).y;
    for (unsigned k = mine; k < mine + each && k < range; k++)
        sum += counters[k];
    before += sums_of_block(warp_sums, sum).x;
    for (unsigned k = mine; k < mine + each && k < range; k++) {
        const uint32_t count = counters[k];
        counters[k] = before;
        before += count;
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < range; k += S::THREADS)
        set_offset(params.bins, begin + k, counters[k]);
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, 1)
    bin_in_block(const __grid_constant__ bin_block_params<S> params)
{
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ uint32_t warp_sums[S::WARPS];
    bin_block_shared<S> &shared = *(bin_block_shared<S> *)memory;
    wait_for_previous_kernel();
    if (blockIdx.x != 0)
        count_range(params, shared.counters, warp_sums);
    else if (params.sort.values_out != NULL && params.sort.value_size == 4)
        sort_by_bins<uint32_t>(params, shared.sort);
    else if (params.sort.values_out != NULL)
        sort_by_bins<uint64_t>(params, shared.sort);
}

#endif
