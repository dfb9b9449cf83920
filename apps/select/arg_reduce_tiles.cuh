/*
 * A reduction of a short array to an extreme and its index on CUDA: a block for each tile, whose elements are read once. Each
 * publishes the code of the first of its least ones, and the last block finds the least code.
 *
 * Lower bound: two round trips to memory and two to L2, some 2 us.
 */
#ifndef PARSCAN_APPS_ARG_REDUCE_TILES_CUH
#define PARSCAN_APPS_ARG_REDUCE_TILES_CUH

#include "apps/select/arg_reduce_kernels.cuh"
#include "apps/select/top_k_codes.cuh"

template <typename CODE>
struct arg_tile_shared {
    CODE least[CHUNK_THREADS / 32];
    uint32_t epoch;
};

template <typename BITS>
struct arg_tile {
    typedef typename rank_type<BITS>::RANK RANK;
    typedef typename code_of_rank<RANK>::CODE CODE;
    typedef code_of<CODE> of;
    typedef select_chunks<BITS, 2> tiles;
    const arg_params<BITS> &params;
    arg_tile_shared<CODE> &shared;

    /* The least code of the warp's lanes. */
    static __device__ __forceinline__ CODE least_of_warp(CODE code)
    {
#if __CUDA_ARCH__ >= 800
        if constexpr (sizeof(CODE) == 8) {
            const uint32_t rank = __reduce_min_sync(0xffffffffu, of::rank(code));
            const uint32_t place = of::rank(code) == rank ? of::place(code) : ~0u;
            return of::make(rank, __reduce_min_sync(0xffffffffu, place));
        } else
#endif
        {
#pragma unroll
            for (unsigned step = 16; step > 0; step /= 2) {
                const CODE other = warp_shuffle_xor(code, step);
                code = other < code ? other : code;
            }
            return code;
        }
    }

    /* At warp 0. The caller waits before the next use. */
    __device__ __forceinline__ CODE least_of_block(CODE code) const
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        code = least_of_warp(code);
        if (lane == 0)
            shared.least[warp] = code;
        __syncthreads();
        if (warp == 0)
            code = least_of_warp(lane < CHUNK_THREADS / 32 ? shared.least[lane] : of::last());
        return code;
    }

    __device__ __forceinline__ CODE least_of_thread() const
    {
        const tiles array = {params.in, params.n};
        RANK least = (RANK) ~(RANK)0;
        unsigned at = ~0u;
        array.each(blockIdx.x, [&](unsigned, unsigned place, BITS key) {
            const RANK rank = params.ranks.rank(key);
            if (rank < least || at == ~0u) {
                least = rank;
                at = place;
            }
        });
        return at == ~0u ? of::last()
                         : of::make(least, (typename of::PART)array.index(blockIdx.x, at));
    }

    /* The least of what all blocks have published, at warp 0. By the last block. */
    __device__ __forceinline__ CODE least_of_blocks(uint32_t epoch) const
    {
        CODE least = of::last();
#pragma unroll 1
        for (unsigned block = threadIdx.x; block < gridDim.x; block += CHUNK_THREADS) {
            const CODE code = tile_wait<CODE>(params.chain, epoch, block);
            least = code < least ? code : least;
        }
        __syncwarp();
        return least_of_block(least);
    }

    __device__ __forceinline__ void store(CODE code) const
    {
        const size_t index = params.n > 0 ? (size_t)of::place(code) : 0;
        const RANK rank = (RANK)of::rank(code);
        store_index(params.index, params.wide, 0, index);
        if (params.value != NULL)
            *params.value = params.n == 0               ? params.empty
                            : params.ranks.is_nan(rank) ? params.in[index]
                                                        : params.ranks.key(rank);
        if (params.count != NULL)
            *params.count = 1;
    }
};

template <typename BITS>
static __global__ void __launch_bounds__(CHUNK_THREADS)
    arg_reduce_tiles(const __grid_constant__ arg_params<BITS> given)
{
    typedef typename arg_tile<BITS>::CODE CODE;
    const arg_params<BITS> params = at_its_length(given);
    __shared__ arg_tile_shared<CODE> shared;
    const arg_tile<BITS> tile = {params, shared};
    wait_for_previous_kernel();
    unsigned long long entered = 0;
    if (threadIdx.x == 0)
        entered = tile_chain_enter(params.chain);
    CODE code = tile.least_of_block(tile.least_of_thread());
    if (threadIdx.x == 0) {
        shared.epoch = tile_chain_epoch(params.chain, entered);
        tile_publish(params.chain, shared.epoch, blockIdx.x, code);
    }
    __syncthreads();
    const uint32_t epoch = shared.epoch;
    if (blockIdx.x + 1 == gridDim.x) {
        if (gridDim.x > 1)
            code = tile.least_of_blocks(epoch);
        if (threadIdx.x == 0)
            tile.store(code);
    }
    tile_chain_end(params.chain, epoch);
}

#endif
