/*
 * A reduction to an extreme and its index on CUDA, in one launch. The array is cut into chunks. A thread keeps the
 * least rank that it has seen, and the first chunk in which it was: so in the loop an element costs its rank and one
 * minimum. Blocks publish the least of both. The last block looks back over all of them, and then reads the
 * chunk that has won once more, for the first element with the least rank.
 *
 * Lower bound: one read of the array.
 */
#ifndef PARSCAN_APPS_ARG_REDUCE_KERNELS_CUH
#define PARSCAN_APPS_ARG_REDUCE_KERNELS_CUH

#include "apps/select/select_chunks.cuh"
#include "apps/select/select_ranks.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

template <typename BITS>
struct arg_params {
    const BITS *in;
    size_t n;
    key_ranks<BITS> ranks;
    BITS empty; /* the value of no elements */
    BITS *value;
    void *index;
    bool wide;
    uint64_t *count; /* receives the number of results; NULL: not wanted */
    tile_chain chain;
    device_length length;

    __host__ __device__ void set_length(size_t elements) { n = elements; }
    __host__ __device__ select_chunks<BITS> chunks() const { return {in, n}; }
};

template <typename RANK>
struct arg_shared {
    located<RANK> least[CHUNK_THREADS / 32];
    located<RANK> of_all;
    unsigned place; /* in its chunk */
    uint32_t epoch;
};

/* The least rank of this block's chunks, and the first chunk that has it, at lane 0 of warp 0. */
template <typename BITS, typename RANK>
static __device__ __forceinline__ located<RANK> least_of_block(const arg_params<BITS> &params,
                                                               arg_shared<RANK> &shared)
{
    const parscan_operator_FIRST first;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    /* An array of last ranks alone has its extreme in chunk 0. */
    located<RANK> best = {blockIdx.x, (RANK) ~(RANK)0};
    const select_chunks<BITS> array = params.chunks();
    const size_t chunks = array.count();
#pragma unroll 1
    for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        RANK least = best.rank;
        array.each(chunk, [&](unsigned, unsigned, BITS key) {
            const RANK rank = params.ranks.rank(key);
            least = rank < least ? rank : least;
        });
        if (least < best.rank)
            best = {chunk, least};
    }
    best = warp_reduce(first, best);
    if (lane == 0)
        shared.least[warp] = best;
    __syncthreads();
    best = identity(first);
    if (warp == 0 && lane < CHUNK_THREADS / 32)
        best = shared.least[lane];
    return warp == 0 ? warp_reduce(first, best) : best;
}

/* Finds the first element of the rank in its chunk, and stores the results. By all threads of a block. */
template <typename BITS, typename RANK>
static __device__ __forceinline__ void store_first(const arg_params<BITS> &params,
                                                   arg_shared<RANK> &shared)
{
    const located<RANK> best = shared.of_all;
    unsigned found = ~0u;
    if (params.n > 0)
        params.chunks().each(best.at, [&](unsigned, unsigned place, BITS key) {
            found = params.ranks.rank(key) == best.rank && place < found ? place : found;
        });
    if (found != ~0u)
        atomicMin(&shared.place, found);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const size_t index = params.n == 0 ? 0 : params.chunks().index(best.at, shared.place);
    /* An array that another kernel changes meanwhile may have no such element. */
    const bool there = params.n > 0 && index < params.n;
    store_index(params.index, params.wide, 0, there ? index : 0);
    if (params.value != NULL)
        *params.value = there ? params.in[index] : params.empty;
    if (params.count != NULL)
        *params.count = 1;
}

/* A single block has no chain. */
template <typename BITS>
static __global__ void __launch_bounds__(CHUNK_THREADS, BLOCKS_HELD(CHUNK_THREADS, 2))
    arg_reduce_blocks(const __grid_constant__ arg_params<BITS> given)
{
    typedef typename rank_type<BITS>::RANK RANK;
    const arg_params<BITS> params = at_its_length(given);
    const parscan_operator_FIRST first;
    __shared__ arg_shared<RANK> shared;
    const bool chained = gridDim.x > 1, is_last = blockIdx.x + 1 == gridDim.x;
    wait_for_previous_kernel();
    if (threadIdx.x == 0) {
        shared.place = ~0u;
        if (chained)
            shared.epoch = tile_chain_begin(params.chain);
    }
    located<RANK> best = least_of_block(params, shared);
    if (threadIdx.x < 32) {
        if (chained && threadIdx.x == 0)
            tile_publish(params.chain, shared.epoch, blockIdx.x, best);
        if (chained && is_last)
            best = tile_look_back<parscan_operator_FIRST, located<RANK>>(
                first, params.chain, shared.epoch, 0, gridDim.x, threadIdx.x);
        if (is_last && threadIdx.x == 0)
            shared.of_all = best;
    }
    __syncthreads();
    if (is_last)
        store_first(params, shared);
    if (chained)
        tile_chain_end(params.chain, shared.epoch);
}

#endif
