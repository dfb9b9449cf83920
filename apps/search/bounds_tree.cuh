/*
 * The tree of samples of sorted keys, which kernels of a search (bounds_kernels.cuh) descend. Keys are compared by
 * ranks (apps/merge/key_ranks.cuh).
 *
 * Level 0 has the rank of the last key of each block of keys, 128 bytes; each further level has the last
 * rank of each node of the level below it. A node is read by one or two loads. The last level fits shared
 * memory.
 */
#ifndef PARSCAN_APPS_BOUNDS_TREE_CUH
#define PARSCAN_APPS_BOUNDS_TREE_CUH

#include <type_traits>

#include "apps/merge/key_ranks.cuh"
#include "apps/search/bounds_cuda.h"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

struct bounds_at_length : bounds_params {
    device_length sorted_length, values_length;

    /* What stream_bounds() has left to the tree: whether there is something, of each block, and of each tile. */
    __device__ __forceinline__ unsigned char *left() const
    {
        return (unsigned char *)tree + plan.left_at;
    }
    __device__ __forceinline__ unsigned char *left_of_tiles() const
    {
        return left() + BOUNDS_STREAM_BLOCKS;
    }
    /* Whether the tree is needed. By all lanes of a warp. */
    __device__ __forceinline__ bool is_left(unsigned lane) const
    {
        bool any = plan.stream_needles == 0;
        for (unsigned k = lane; k < BOUNDS_STREAM_BLOCKS / 16 && plan.stream_needles > 0; k += 32) {
            const uint4 of_blocks = ((const uint4 *)left())[k];
            any = any || (of_blocks.x | of_blocks.y | of_blocks.z | of_blocks.w) != 0;
        }
        return __any_sync(~0u, any);
    }
};

enum : unsigned { BOUNDS_BUILD_THREADS = 256 };

/* The order in which -0 is +0. */
template <typename KEYS>
struct by_value : KEYS {
    static __device__ __forceinline__ typename KEYS::key rank(const key_order &order,
                                                              typename KEYS::key key)
    {
        return KEYS::rank_of_value(order, key);
    }
};

template <typename RANKS>
struct bounds_shape {
    typedef typename RANKS::key key;
    static const unsigned SIZE = sizeof(key), FANOUT_BITS = SIZE > 4 ? 2 : 3,
                          FANOUT = 1u << FANOUT_BITS, STAGE = BOUNDS_STAGE_BYTES / SIZE,
                          BLOCK_BITS = SIZE == 1   ? 7
                                       : SIZE == 2 ? 6
                                       : SIZE == 4 ? 5
                                                   : 4,
                          TOGETHER = BOUNDS_BATCH_OF(SIZE), EACH = TOGETHER * BOUNDS_BATCHES,
                          SECTOR = BOUNDS_NODE_BYTES / SIZE; /* keys */
    static const key GREATEST = (key) ~(key)0;
    typedef typename std::conditional<(FANOUT * SIZE < 16), uint2, uint4>::type vector;
    static_assert(SIZE << BLOCK_BITS == BOUNDS_BLOCK_BYTES, "");
    static_assert(FANOUT == BOUNDS_MOST_FANOUT || FANOUT * SIZE == BOUNDS_NODE_BYTES, "");
};

/* The keys, in blocks of 1 << block_bits, and their samples. */
template <typename RANKS>
struct bounds_view : bounds_shape<RANKS> {
    typedef bounds_shape<RANKS> S;
    typedef typename S::key key;
    const bounds_at_length &params;
    size_t count;
    unsigned block_bits, blocks;

    __device__ __forceinline__ bounds_view(const bounds_at_length &given, size_t keys)
        : params(given), count(keys), block_bits(S::BLOCK_BITS)
    {
        if (params.plan.variant == BOUNDS_DIRECT)
            for (block_bits = 0; (count - 1) >> block_bits >= params.plan.top && count > 0;)
                block_bits++;
        blocks = count > 0 ? (unsigned)((count - 1) >> block_bits) + 1 : 0;
    }
    /* Keys that do not fit L2 are read once or twice, and must not take the place of samples there. */
    template <typename T>
    __device__ __forceinline__ T load(const T *from) const
    {
        return params.plan.far ? __ldcs(from) : *from;
    }
    __device__ __forceinline__ key rank_at(size_t i) const
    {
        return RANKS::rank(params.order, load((const key *)params.sorted + i));
    }
    /* The rank of a block's last key. */
    __device__ __forceinline__ key sample(unsigned block) const
    {
        const size_t end = ((size_t)block + 1) << block_bits;
        return rank_at((end < count ? end : count) - 1);
    }
    __device__ __forceinline__ unsigned length_of_level(unsigned level) const
    {
        return ((blocks - 1) >> S::FANOUT_BITS * level) + 1;
    }
    __device__ __forceinline__ key *level(unsigned number) const
    {
        return (key *)params.tree + params.plan.level_at[number];
    }
};

/* What nobody has as a sample is after all needles. */
template <typename RANKS>
static __device__ __forceinline__ void fill_nodes(const bounds_view<RANKS> &view)
{
    typedef bounds_shape<RANKS> S;
    for (unsigned l = 0; l < view.params.plan.levels; l++) {
        const unsigned at = view.length_of_level(l) + threadIdx.x;
        if (threadIdx.x < S::FANOUT && at % S::FANOUT > threadIdx.x)
            view.level(l)[at] = S::GREATEST;
    }
}

template <typename RANKS>
static __global__ void __launch_bounds__(BOUNDS_BUILD_THREADS)
    build_tree(const __grid_constant__ bounds_at_length params)
{
    typedef bounds_shape<RANKS> S;
    wait_for_previous_kernel();
    if (!params.is_left(threadIdx.x % 32))
        return;
    const bounds_view<RANKS> view(params, length_of(params.sorted_length, params.count));
    const size_t step = (size_t)gridDim.x * BOUNDS_BUILD_THREADS;
    size_t block = (size_t)blockIdx.x * BOUNDS_BUILD_THREADS + threadIdx.x;
    if (blockIdx.x == 0 && view.blocks > 0)
        fill_nodes(view);
    for (; block < view.blocks; block += step) {
        const typename S::key last = view.sample((unsigned)block);
        for (unsigned l = 0; l < params.plan.levels; l++) {
            const unsigned place = (unsigned)block >> S::FANOUT_BITS * l;
            if (block + 1 < view.blocks && (block + 1) % ((size_t)1 << S::FANOUT_BITS * l) != 0)
                break;
            view.level(l)[place] = last;
        }
    }
}
#endif
