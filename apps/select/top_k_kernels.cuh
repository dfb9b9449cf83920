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

#include "apps/select/top_k_params.cuh"

enum { TOP_THREADS = 1024 };

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
        tile_wait<uint32_t>(params.chain, epoch, threadIdx.x);
    if (is_last) {
        __threadfence();
        __syncthreads();
        CODE limit = code_of<CODE>::last();
        if (!all) {
            const size_t at = sample_limit(params.results(), params.n, params.samples, 6);
            limit = block{shared}.template counted_limit < sizeof(CODE) == 8
                        ? 8
                        : 4 > (typename block::sampled{params.sampled}, params.samples, at,
                               at + at / 8, params.bits());
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
        array.each(chunk, [&](unsigned, unsigned place, BITS key) {
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
        array.each(chunk, [&](unsigned, unsigned place, BITS key) {
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

typedef uint32_t top_sums[TOP_THREADS / 32];

/* Lists the candidates anew, in order, if the limit was wrong, by one that is counted. One block. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(TOP_THREADS, 1)
    top_k_repair(const __grid_constant__ top_params<BITS, CODE> given)
{
    __shared__ choose_shared<CODE> shared;
    __shared__ top_sums sums;
    const choose_block<TOP_THREADS, CODE> block = {shared};
    const top_params<BITS, CODE> params = at_its_length(given);
    wait_for_previous_kernel();
    if (params.results() == 0 || are_listed(params))
        return;
    const CODE limit = block.counted_limit(params.elements, params.n, params.results(), params.room,
                                           params.bits());
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t count = 0;
#pragma unroll 1
    for (size_t base = 0; base < params.n; base += TOP_THREADS) {
        const size_t i = base + threadIdx.x;
        const CODE code = i < params.n ? params.elements.get(i) : code_of<CODE>::last();
        const bool passes = i < params.n && code <= limit;
        if (!__syncthreads_or(passes))
            continue;
        const uint32_t through = prefix_in_warp((uint32_t)passes, sums, warp, lane);
        __syncthreads();
        const uint64_t at = count + with_warps_before(through, sums, warp) - passes;
        for (unsigned w = 0; w < TOP_THREADS / 32; w++)
            count += sums[w];
        if (passes && at < params.room) {
            params.ranks[at] = code_of<CODE>::rank(code);
            params.places[at] = code_of<CODE>::place(code);
        }
    }
    if (threadIdx.x == 0)
        params.state->count = count < params.room ? count : params.room;
}

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
#endif
