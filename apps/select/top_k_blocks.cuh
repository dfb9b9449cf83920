/*
 * Top-k of an array in one launch on CUDA, if k is few: each block finds the k first of its chunks (top_k_stream.cuh) and
 * publishes them. The last block chooses from what all blocks have published. And the same of long rows, a block each.
 *
 * Lower bound: one read of the array.
 */
#ifndef PARSCAN_APPS_TOP_K_BLOCKS_CUH
#define PARSCAN_APPS_TOP_K_BLOCKS_CUH

#include "apps/select/top_k_params.cuh"
#include "apps/select/top_k_stream.cuh"

/* Reads published codes from + t of `count`, t for each thread; those behind are last codes. */
template <unsigned AT_ONCE, typename CODE, typename PLACE>
static __device__ __forceinline__ void read_published(const tile_chain &chain, uint32_t epoch,
                                                      unsigned count, PLACE place,
                                                      CODE (&codes)[AT_ONCE])
{
    const unsigned WORDS = tile_words<CODE>::count;
    uint64_t words[AT_ONCE][WORDS];
    bool missing[AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < AT_ONCE; k++)
        missing[k] = place(k) < count;
    status_await_tiles(chain, epoch, place, missing, words);
#pragma unroll
    for (unsigned k = 0; k < AT_ONCE; k++)
        codes[k] = place(k) < count ? status_aggregate<CODE>(words[k]) : code_of<CODE>::last();
}

/* Leaves what can be among the first of the codes that all blocks have published in the last block's list. Each block's
   codes are in order. Returns their number. */
template <typename BITS, typename CODE>
static __device__ __forceinline__ unsigned list_published(const stream_block<BITS, CODE> &stream,
                                                          const tile_chain &chain, uint32_t epoch)
{
    const unsigned AT_ONCE = 4, THREADS = CHUNK_THREADS, k = (unsigned)stream.k,
                   all = gridDim.x * k;
    CODE limit = code_of<CODE>::last();
    if (all > THREADS && k <= gridDim.x && gridDim.x <= THREADS) {
        CODE first[1];
        read_published(
            chain, epoch, all,
            [&](unsigned) { return threadIdx.x < gridDim.x ? threadIdx.x * k : all; }, first);
        limit = stream.limit_of_groups(first[0]);
    }
    if (threadIdx.x == 0)
        stream.block.shared.count = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned from = threadIdx.x; from - threadIdx.x < all; from += AT_ONCE * THREADS) {
        CODE codes[AT_ONCE];
        read_published(
            chain, epoch, all, [&](unsigned i) { return from + i * THREADS; }, codes);
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++)
            if (codes[i] <= limit && codes[i] != code_of<CODE>::last()) {
                const unsigned at = atomicAdd(&stream.block.shared.count, 1u);
                if (at < code_of<CODE>::ROOM)
                    stream.codes()[at] = codes[i];
            }
    }
    __syncthreads();
    const unsigned count = stream.block.shared.count;
    __syncthreads();
    return count < code_of<CODE>::ROOM ? count : code_of<CODE>::ROOM;
}

/* Finds the first codes of the block's chunks, and puts them in order. Returns how many are listed. */
template <typename BITS, typename CODE>
static __device__ __forceinline__ unsigned list_first(const stream_block<BITS, CODE> &stream)
{
    const size_t chunks = stream.array().count();
    const bool own = chunks <= gridDim.x; /* one each, or none */
    if (blockIdx.x >= chunks)
        return 0;
    return stream.list(blockIdx.x, gridDim.x,
                       own ? code_of<CODE>::last() : stream.sampled_limit(blockIdx.x), own);
}

/* Publishes the block's first codes, and last ones if it has fewer. */
template <typename BITS, typename CODE>
static __device__ __forceinline__ void publish_first(const stream_block<BITS, CODE> &stream,
                                                     unsigned count, const tile_chain &chain,
                                                     uint32_t epoch)
{
    const unsigned k = (unsigned)stream.k;
    stream.finish(count, [&](unsigned j, CODE code) {
        tile_publish(chain, epoch, blockIdx.x * k + j, code);
    });
    for (unsigned j = count + threadIdx.x; j < k; j += CHUNK_THREADS)
        tile_publish(chain, epoch, blockIdx.x * k + j, code_of<CODE>::last());
    __syncthreads();
}

/* The array of a launch. */
template <typename BITS, typename CODE>
static __device__ __forceinline__ stream_block<BITS, CODE>
stream_of(const top_params<BITS, CODE> &params, stream_shared<CODE> &shared, size_t begin,
          size_t length)
{
    element_source<BITS, CODE> elements = params.elements;
    elements.in += begin;
    const size_t results = params.to.k < length ? params.to.k : length;
    return {{shared.chosen}, shared.stages, elements,
            length,          results,       code_bits::of(8 * (unsigned)sizeof(BITS), length)};
}

template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(CHUNK_THREADS,
                                         BLOCKS_HELD(CHUNK_THREADS, sizeof(CODE) > 8 ? 1 : 2))
    top_k_by_blocks(const __grid_constant__ top_params<BITS, CODE> given)
{
    extern __shared__ __align__(16) unsigned char stream_memory[];
    stream_shared<CODE> &shared = *(stream_shared<CODE> *)stream_memory;
    const top_params<BITS, CODE> params = at_its_length(given);
    const size_t results = params.results();
    wait_for_previous_kernel();
    unsigned long long entered = 0;
    if (threadIdx.x == 0)
        entered = tile_chain_enter(params.chain);
    const stream_block<BITS, CODE> stream = stream_of(params, shared, 0, params.n);
    const unsigned count = results > 0 ? list_first(stream) : 0;
    if (threadIdx.x == 0)
        shared.epoch = tile_chain_epoch(params.chain, entered);
    __syncthreads();
    const uint32_t epoch = shared.epoch;
    if (results > 0)
        publish_first(stream, count, params.chain, epoch);
    if (blockIdx.x + 1 == gridDim.x) {
        if (results > 0)
            stream.finish(list_published(stream, params.chain, epoch), [&](unsigned j, CODE code) {
                params.to.store_code(0, j, 0, params.n, code, params.elements.ranks);
            });
        if (threadIdx.x == 0) {
            if (params.to.counts != NULL)
                *params.to.counts = results;
            end_segments(params.offsets, params.to);
        }
    }
    tile_chain_end(params.chain, epoch);
}

/* Rows of params.row elements, a block each. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(CHUNK_THREADS,
                                         BLOCKS_HELD(CHUNK_THREADS, sizeof(CODE) > 8 ? 1 : 2))
    top_k_rows_by_blocks(const __grid_constant__ top_params<BITS, CODE> params)
{
    extern __shared__ __align__(16) unsigned char stream_memory[];
    stream_shared<CODE> &shared = *(stream_shared<CODE> *)stream_memory;
    const size_t length = params.row, rows = params.n / length;
    wait_for_previous_kernel();
    if (blockIdx.x == 0 && threadIdx.x == 0 && params.to.count != NULL)
        *params.to.count = rows;
#pragma unroll 1
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const stream_block<BITS, CODE> stream = stream_of(params, shared, row * length, length);
        stream.finish(stream.list_all(), [&](unsigned j, CODE code) {
            params.to.store_code(row, j, row * length, length, code, params.elements.ranks);
        });
        if (params.to.counts != NULL && threadIdx.x == 0)
            params.to.counts[row] = stream.k;
        __syncthreads();
    }
}

#endif
