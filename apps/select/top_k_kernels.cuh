/*
 * Top-k on CUDA. Of a large array a sample gives a limit that the k first pass, and few others; one read of the array
 * lists these candidates, and they are sorted. All that depends on the elements is decided on the device. The
 * result does not depend on the sample: if too few or too many pass its limit, the candidates are found by
 * counting (top_k_choose.cuh), by one block, since that happens in a few of 10^8 calls.
 *
 * Lower bound: one read of the array.
 *
 * Source: R. W. Floyd, R. L. Rivest, Expected Time Bounds for Selection, 1975 (the limit from a sample).
 */
#ifndef PARSCAN_APPS_TOP_K_KERNELS_CUH
#define PARSCAN_APPS_TOP_K_KERNELS_CUH

#include "apps/segments/segment_search.cuh"
#include "apps/select/select_chunks.cuh"
#include "apps/select/top_k_choose.cuh"
#include "apps/select/top_k_cuda.h"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

enum { CHOOSE_THREADS = 512, TOP_THREADS = 1024, TOP_FLAT_THREADS = 256 };

/* Where results go. */
template <typename BITS>
struct top_results {
    const BITS *in;
    BITS *values;
    void *indices;
    bool wide;
    size_t k;
    uint64_t *counts, *count;
    uint64_t segments; /* what *count becomes without offsets */

    /* Result j of a segment that starts with element `begin`, and has `length`. */
    __device__ __forceinline__ void store(size_t segment, size_t j, size_t begin, size_t length,
                                          size_t place) const
    {
        /* An array that another kernel changes meanwhile may have left places that are none. */
        const size_t at = place < length ? place : 0;
        store_index(indices, wide, segment * k + j, at);
        if (values != NULL)
            values[segment * k + j] = in[begin + at];
    }
};

template <typename BITS, typename CODE>
struct top_params {
    typedef typename code_of<CODE>::PART PART;
    element_source<BITS, CODE> elements;
    size_t n, samples, room;
    size_t shortest; /* warps take segments of fewer elements */
    top_results<BITS> to;
    segment_offsets offsets;
    CODE *sampled;
    top_k_state *state;
    PART *ranks, *places;
    const PART *sorted;
    uint32_t *segment_of;
    tile_chain chain;
    device_length length;

    __host__ __device__ void set_length(size_t elements) { n = elements; }
    /* The results of the array. */
    __device__ __forceinline__ size_t results() const { return to.k < n ? to.k : n; }
    __device__ __forceinline__ code_bits bits() const
    {
        return code_bits::of(8 * (unsigned)sizeof(BITS), n);
    }
};

/* ---- a block for each segment ---- */

struct segment_range {
    size_t begin, length;
    bool right; /* its offsets are */
};

/* Reads the offsets of a segment. tells: leaves an error if they are wrong. */
static __device__ __forceinline__ segment_range range_of(const segment_offsets &offsets,
                                                         size_t segment, bool tells)
{
    const auto at = [&](size_t k) -> size_t {
        return offsets.wide ? ((const uint64_t *)offsets.data)[k]
                            : ((const uint32_t *)offsets.data)[k];
    };
    const size_t begin = at(segment), end = at(segment + 1);
    const bool wrong_first = segment == 0 && offset_is_wrong(offsets, 0, begin, 0);
    const bool wrong = wrong_first || offset_is_wrong(offsets, segment + 1, end, begin);
    if (wrong && tells)
        leave_error(offsets, wrong_first ? 0 : segment + 1);
    return {begin, end - begin, !wrong};
}

/* Stores the number of segments. Without segments nobody has read the only offset. By one thread. */
template <typename BITS>
static __device__ __forceinline__ void end_segments(const segment_offsets &offsets,
                                                    const top_results<BITS> &to)
{
    if (offsets.data != NULL && offsets.count == 0) {
        const size_t first =
            offsets.wide ? *(const uint64_t *)offsets.data : *(const uint32_t *)offsets.data;
        if (offset_is_wrong(offsets, 0, first, 0))
            leave_error(offsets, 0);
    }
    if (to.count != NULL)
        *to.count = offsets.data != NULL ? offsets.count : to.segments;
}

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

/* ---- a sample, one read, the candidates ---- */

/* Stores the limit, and that there are no candidates yet. By one thread. */
template <typename CODE>
static __device__ __forceinline__ void set_limit(top_k_state *state, CODE limit)
{
    state->rank = code_of<CODE>::rank(limit);
    state->place = code_of<CODE>::place(limit);
    state->count = 0;
}

/* Each block takes its part of the sample; the last one waits for all, and finds the limit. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(TOP_THREADS, 1)
    top_k_sample(const __grid_constant__ top_params<BITS, CODE> given)
{
    __shared__ choose_shared<CODE> shared;
    __shared__ uint32_t epoch;
    typedef choose_block<TOP_THREADS, CODE> block;
    const bool chained = gridDim.x > 1, is_last = blockIdx.x + 1 == gridDim.x;
    const top_params<BITS, CODE> params = at_its_length(given);
    wait_for_previous_kernel();
    if (chained && threadIdx.x == 0)
        epoch = tile_chain_begin(params.chain);
    const bool all = params.n <= params.room; /* then all elements are candidates */
    for (unsigned i = threadIdx.x; !all && i < TOP_K_SAMPLES_OF_BLOCK; i += TOP_THREADS) {
        const size_t s = blockIdx.x * TOP_K_SAMPLES_OF_BLOCK + i;
        params.sampled[s] = params.elements.get(sample_place(params.n, params.samples, s));
    }
    __threadfence();
    __syncthreads();
    if (chained && threadIdx.x == 0)
        tile_publish(params.chain, epoch, blockIdx.x, (uint32_t)1);
    if (is_last && chained && threadIdx.x < gridDim.x)
        tile_wait(params.chain, epoch, threadIdx.x);
    if (is_last) {
        __threadfence();
        __syncthreads();
        CODE limit = code_of<CODE>::last();
        if (!all) {
            const size_t at = sample_limit(params.results(), params.n, params.samples, 6);
            limit = block{shared}.counted_limit(typename block::sampled{params.sampled},
                                                params.samples, at, at + at / 8, params.bits());
        }
        if (threadIdx.x == 0)
            set_limit(params.state, limit);
    }
    if (chained)
        tile_chain_end(params.chain, epoch);
}

/* Lists the elements that pass the limit. A warp without one, as nearly all are, only compares. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(CHUNK_THREADS, BLOCKS_HELD(CHUNK_THREADS, 2))
    top_k_filter(const __grid_constant__ top_params<BITS, CODE> given)
{
    typedef typename code_of<CODE>::PART PART;
    const top_params<BITS, CODE> params = at_its_length(given);
    wait_for_previous_kernel();
    const select_chunks<BITS> array = {params.elements.in, params.n};
    const PART limit = (PART)params.state->rank, last = (PART)params.state->place;
    const unsigned lane = threadIdx.x % 32;
    const size_t chunks = array.count();
#pragma unroll 1
    for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const auto passes = [&](PART rank, unsigned place) {
            return rank <= limit && (rank < limit || array.index(chunk, place) <= last);
        };
        unsigned mine = 0;
        array.each(chunk, [&](unsigned place, BITS key) {
            mine += passes((PART)params.elements.ranks.rank(key), place);
        });
        if (!__any_sync(0xffffffffu, mine != 0))
            continue;
        const unsigned through = warp_scan(parscan_operator_SUM(), mine, lane);
        unsigned long long at = 0;
        if (lane == 31)
            at = atomicAdd((unsigned long long *)&params.state->count, (unsigned long long)through);
        at = warp_shuffle(at, 31) + through - mine;
        const unsigned long long end = at + mine < params.room ? at + mine : params.room;
        array.each(chunk, [&](unsigned place, BITS key) {
            const PART rank = (PART)params.elements.ranks.rank(key);
            if (!passes(rank, place) || at >= end)
                return;
            params.ranks[at] = rank;
            params.places[at] = (PART)array.index(chunk, place);
            at++;
        });
    }
}

template <typename CODE>
struct candidate_source {
    const typename code_of<CODE>::PART *ranks, *places;
    __device__ __forceinline__ CODE get(size_t i) const
    {
        return code_of<CODE>::make(ranks[i], places[i]);
    }
};

/* Whether the k first are among the candidates, and all of those are listed. */
template <typename BITS, typename CODE>
static __device__ __forceinline__ bool are_listed(const top_params<BITS, CODE> &params)
{
    const uint64_t count = params.state->count;
    return count >= params.results() && count <= params.room;
}

/* One block chooses from the candidates, or else from all elements. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(TOP_THREADS, 1)
    top_k_finish(const __grid_constant__ top_params<BITS, CODE> given)
{
    __shared__ choose_shared<CODE> shared;
    const choose_block<TOP_THREADS, CODE> block = {shared};
    const top_params<BITS, CODE> params = at_its_length(given);
    wait_for_previous_kernel();
    const size_t results = params.results();
    if (results > 0) {
        const candidate_source<CODE> candidates = {params.ranks, params.places};
        const bool listed = are_listed(params);
        const unsigned found =
            listed ? block.choose(candidates, (size_t)params.state->count, results, params.bits())
                   : block.choose(params.elements, params.n, results, params.bits());
        block.sort(found);
        for (size_t j = threadIdx.x; j < results; j += TOP_THREADS)
            params.to.store(0, j, 0, params.n, (size_t)code_of<CODE>::place(shared.codes[j]));
    }
    if (threadIdx.x != 0)
        return;
    if (params.to.counts != NULL)
        *params.to.counts = results;
    end_segments(params.offsets, params.to);
}

/* Lists the candidates anew, if the limit was wrong, by one that is counted. One block. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(TOP_THREADS, 1)
    top_k_repair(const __grid_constant__ top_params<BITS, CODE> given)
{
    __shared__ choose_shared<CODE> shared;
    __shared__ unsigned long long count;
    const choose_block<TOP_THREADS, CODE> block = {shared};
    const top_params<BITS, CODE> params = at_its_length(given);
    wait_for_previous_kernel();
    if (params.results() == 0 || are_listed(params))
        return;
    const CODE limit = block.counted_limit(params.elements, params.n, params.results(), params.room,
                                           params.bits());
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (size_t i = threadIdx.x; i < params.n; i += TOP_THREADS) {
        const CODE code = params.elements.get(i);
        if (code > limit)
            continue;
        const unsigned long long at = atomicAdd(&count, 1ull);
        if (at >= params.room)
            continue;
        params.ranks[at] = code_of<CODE>::rank(code);
        params.places[at] = code_of<CODE>::place(code);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        params.state->count = count < params.room ? count : params.room;
}

/* ---- results of what is sorted ---- */

/* Of elements that are sorted. k may be 0: then only counts are stored. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(TOP_FLAT_THREADS)
    top_k_write(const __grid_constant__ top_params<BITS, CODE> given)
{
    const top_params<BITS, CODE> params = at_its_length(given);
    wait_for_previous_kernel();
    const size_t results = params.results(), threads = (size_t)gridDim.x * TOP_FLAT_THREADS;
    const size_t first = (size_t)blockIdx.x * TOP_FLAT_THREADS + threadIdx.x;
    for (size_t j = first; params.sorted != NULL && j < results; j += threads)
        params.to.store(0, j, 0, params.n, (size_t)params.sorted[j]);
    if (first != 0)
        return;
    if (params.to.counts != NULL)
        *params.to.counts = results;
    end_segments(params.offsets, params.to);
}

/* The same of segments, a warp each. The places are those of the whole array. */
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
