/*
 * A sort of segments of a few hundred elements or more on CUDA: each block sorts one segment after
 * another in its registers (apps/radix/block_order_kernels.cuh), without a search for what starts in
 * its window.
 *
 * A segment with more elements than a block has room for is sorted as in segment_tile_kernels.cuh: by
 * the block, or, if the launch is cooperative, by all blocks together.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_BLOCK_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_BLOCK_KERNELS_CUH

#include "apps/radix/block_order_kernels.cuh"
#include "apps/sort/segment_tile_kernels.cuh"

/* Blocks of 512 threads. Most segments are short: a lane has at most 8 elements. */
template <typename KEY, bool HAS_VALUES>
struct one_by_one : block_sort_shape<KEY, HAS_VALUES, 16, 8, 1> {
    static const unsigned MANY = sizeof(typename KEY::Bits) == 8 ? 16 : 32;
    typedef block_sort_shape<KEY, HAS_VALUES, 16, 8, 1> usual;
    typedef block_sort_shape<KEY, HAS_VALUES, 16, MANY, 1> large;
    typedef segment_tile_shape<KEY, 16, MANY, 1> tile;

    struct shared {
        union {
            block_sort_shared<usual> usual_sort;
            block_sort_shared<large> large_sort;
            segment_tile_shared<tile> tile_sort;
            long_segments_shared<one_by_one> long_ones;
        };
        uint64_t taken;                 /* of the long segments so far: their number and elements */
        uint64_t begins[2], lengths[2]; /* of the segment that is sorted and of the next one */
    };
};

/* Reads the offsets of segment k. One thread does it for all, which must agree on the length also where
   another kernel changes the offsets meanwhile. A barrier follows. */
template <typename S>
static __device__ __forceinline__ void
read_segment(const segment_params<typename S::Key> &params, typename S::shared &shared,
             const segment_sizes &sizes, size_t k, unsigned turn)
{
    if (threadIdx.x != 0 || k >= sizes.count)
        return;
    const uint64_t begin = params.offset(k, sizes);
    const uint64_t end = params.offset(k + 1, sizes);
    shared.begins[turn] = begin;
    shared.lengths[turn] = end > begin ? end - begin : 0;
}

/* Sorts a segment as a tile of a single segment, whose keys are not in registers. Not inline: ptxas ran out of
   predicates for compute capability 10 and 12. */
template <typename S>
static __device__ __noinline__ void sort_as_tile(const segment_params<typename S::Key> &params,
                                                 segment_tile_shared<typename S::tile> &shared,
                                                 uint64_t begin, unsigned n)
{
    make_tile_of_one(shared, n);
    __syncthreads();
    sort_tile(params, shared, begin);
}

/* Sorts a segment that is larger than usual: by buckets, or else as a tile. */
template <typename S>
static __device__ __forceinline__ void
sort_large_segment(const segment_params<typename S::Key> &params, typename S::shared &shared,
                   uint64_t begin, unsigned n)
{
    if (sort_in_block<false>(params, shared.large_sort, begin, n))
        return;
    __syncthreads();
    sort_as_tile<S>(params, shared.tile_sort, begin, n);
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    sort_segments_one_by_one(const __grid_constant__ segment_params<typename S::Key> params)
{
    typedef typename S::usual usual;
    typedef typename S::large large;
    extern __shared__ __align__(16) unsigned char memory[];
    typename S::shared &shared = *(typename S::shared *)memory;
    wait_for_previous_kernel();
    const segment_sizes sizes = params.sizes();
    if (params.deferred.words != NULL)
        check_offsets(params, sizes);
    if (threadIdx.x == 0)
        shared.taken = 0;
    unsigned turn = 0;
    read_segment<S>(params, shared, sizes, blockIdx.x, turn);
    __syncthreads();
    for (size_t k = blockIdx.x; k < sizes.count; k += gridDim.x, turn ^= 1) {
        const uint64_t begin = shared.begins[turn], length = shared.lengths[turn];
        read_segment<S>(params, shared, sizes, k + gridDim.x, turn ^ 1);
        if (length <= usual::MOST && length > 0)
            sort_in_block<true>(params, shared.usual_sort, begin, (unsigned)length);
        else if (length <= large::MOST && length > 0)
            sort_large_segment<S>(params, shared, begin, (unsigned)length);
        else if (length > 0 && params.list.taken == NULL)
            sort_long_segment(params, shared.long_ones, begin, length);
        else if (length > 0 && threadIdx.x == 0)
            list_for_all(params, &shared.taken, begin, length);
        __syncthreads();
    }
    if (params.list.taken == NULL)
        return;
    if (threadIdx.x == 0)
        params.list.taken[blockIdx.x] = shared.taken;
    cooperative_groups::this_grid().sync();
    sort_long_segments(params, shared.long_ones);
}

#endif
