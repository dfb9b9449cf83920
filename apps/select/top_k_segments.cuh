/*
 * Top-k of segments on CUDA: a block chooses for each, one after another (top_k_choose.cuh); a short array is one
 * segment. Segments of which many elements are wanted are sorted as a whole, by rank and then by segment: kernels
 * here divide the sorted elements among segments, and write the results.
 */
#ifndef PARSCAN_APPS_TOP_K_SEGMENTS_CUH
#define PARSCAN_APPS_TOP_K_SEGMENTS_CUH

#include "apps/select/top_k_params.cuh"

enum { CHOOSE_THREADS = 512 };

template <typename CODE>
struct segments_shared {
    choose_shared<CODE> chosen;
    segment_range range;
    unsigned listed;
    uint16_t list[CHOOSE_THREADS]; /* of the block's segments: those that it takes */
};

/* Stores the results of one segment. By all threads. */
template <typename BITS, typename CODE>
static __device__ __forceinline__ void
choose_by_block(const choose_block<CHOOSE_THREADS, CODE> &block,
                const top_params<BITS, CODE> &params, size_t segment, const segment_range &range)
{
    const top_results<BITS> &to = params.to;
    const size_t results = to.k < range.length ? to.k : range.length;
    if (to.counts != NULL && threadIdx.x == 0)
        to.counts[segment] = results;
    if (results == 0)
        return;
    element_source<BITS, CODE> elements = params.elements;
    elements.in += range.begin;
    const code_bits bits = code_bits::of(8 * (unsigned)sizeof(BITS), range.length);
    block.sort(block.choose(elements, range.length, results, bits));
    for (size_t j = threadIdx.x; j < results; j += CHOOSE_THREADS)
        to.store(segment, j, range.begin, range.length,
                 (size_t)code_of<CODE>::place(block.shared.codes[j]));
}

/* Without offsets the array is one segment. A block looks at up to CHOOSE_THREADS segments at once. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(CHOOSE_THREADS,
                                         BLOCKS_HELD(CHOOSE_THREADS, sizeof(CODE) > 8 ? 1 : 2))
    top_k_choose(const __grid_constant__ top_params<BITS, CODE> given)
{
    __shared__ segments_shared<CODE> shared;
    const choose_block<CHOOSE_THREADS, CODE> block = {shared.chosen};
    wait_for_previous_kernel();
    if (given.offsets.data == NULL) {
        choose_by_block(block, given, 0, segment_range{0, length_of(given.length, given.n), true});
        if (threadIdx.x == 0)
            end_segments(given.offsets, given.to);
        return;
    }
    const segment_offsets offsets = at_their_lengths(given.offsets);
    const size_t each = offsets.count / gridDim.x + 1;
    const unsigned batch = each < CHOOSE_THREADS ? (unsigned)each : CHOOSE_THREADS;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        end_segments(offsets, given.to);
#pragma unroll 1
    for (size_t first = blockIdx.x * (size_t)batch; first < offsets.count;
         first += gridDim.x * (size_t)batch) {
        if (threadIdx.x == 0)
            shared.listed = 0;
        __syncthreads();
        if (threadIdx.x < batch && first + threadIdx.x < offsets.count) {
            const segment_range range = range_of(offsets, first + threadIdx.x, true);
            if (range.right && range.length >= given.shortest)
                shared.list[atomicAdd(&shared.listed, 1u)] = (uint16_t)threadIdx.x;
        }
        __syncthreads();
        const unsigned listed = shared.listed;
        __syncthreads(); /* it has been read */
        for (unsigned k = 0; k < listed; k++) {
            const size_t segment = first + shared.list[k];
            if (threadIdx.x == 0)
                shared.range = range_of(offsets, segment, false);
            __syncthreads();
            const segment_range range = shared.range;
            if (range.right) /* nobody has changed it since */
                choose_by_block(block, given, segment, range);
            __syncthreads();
        }
    }
}
/* ---- results of what is sorted ---- */

/* The results of segments whose elements are sorted, a warp each. The places are those of the whole array. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(TOP_FLAT_THREADS)
    top_k_write_segments(const __grid_constant__ top_params<BITS, CODE> given)
{
    const segment_offsets offsets = at_their_lengths(given.offsets);
    wait_for_previous_kernel();
    const top_results<BITS> &to = given.to;
    const size_t warps = (size_t)gridDim.x * (TOP_FLAT_THREADS / 32);
    const size_t first = ((size_t)blockIdx.x * TOP_FLAT_THREADS + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
    for (size_t segment = first; segment < offsets.count; segment += warps) {
        const segment_range range = range_of(offsets, segment, lane == 0);
        if (!range.right)
            continue;
        const size_t results = to.k < range.length ? to.k : range.length;
        if (to.counts != NULL && lane == 0)
            to.counts[segment] = results;
        for (size_t j = lane; given.sorted != NULL && j < results; j += 32)
            to.store(segment, j, range.begin, range.length,
                     (size_t)given.sorted[range.begin + j] - range.begin);
    }
    if (first == 0 && lane == 0)
        end_segments(offsets, to);
}

/* segment_of[i]: the segment of element sorted[i]: the last one that starts at or before it. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(TOP_FLAT_THREADS)
    top_k_divide(const __grid_constant__ top_params<BITS, CODE> given)
{
    const segment_offsets offsets = at_their_lengths(given.offsets);
    wait_for_previous_kernel();
    const size_t threads = (size_t)gridDim.x * TOP_FLAT_THREADS;
    for (size_t i = (size_t)blockIdx.x * TOP_FLAT_THREADS + threadIdx.x; i < offsets.n;
         i += threads) {
        const size_t place = (size_t)given.sorted[i];
        size_t low = 0, high = offsets.count; /* the segment is one of low to high - 1 */
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            const size_t begin = offsets.wide ? ((const uint64_t *)offsets.data)[middle]
                                              : ((const uint32_t *)offsets.data)[middle];
            low = begin <= place ? middle : low;
            high = begin <= place ? high : middle;
        }
        given.segment_of[i] = (uint32_t)low;
    }
}
#endif
