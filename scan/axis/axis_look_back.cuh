/*
 * What comes before a tile in each of its columns. A tile publishes the sums of its columns (tile_prefix.cuh tells
 * how words are marked with an epoch). Its block keeps what comes before the block's own last tile of the same
 * columns, and with it; to that it adds the sums of the tiles between, which other blocks work on. So nobody
 * waits for anything but the loads of other blocks, and how sums are grouped depends on the number of blocks
 * alone: floats repeat on one device.
 *
 * Where a block has tiles of other columns each time (the number of blocks is no multiple of that of the sets of
 * columns, which are more than the blocks), a tile publishes its sums with everything before them, and waits for
 * the tile before it, which was taken long ago.
 *
 * Both wait for tiles of lower index only, all of which resident blocks work on.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_LOOK_BACK_CUH
#define PARSCAN_SCAN_AXIS_AXIS_LOOK_BACK_CUH

#include "scan/axis/axis_params.cuh"

#define AXIS_LOADS 4u /* that a thread has in flight */

/* In dynamic shared memory: a row for each tile, the farthest first. */
struct axis_window {
    enum : unsigned { WORDS = 8192 };
    uint32_t words[WORDS];
};

/* The values of a tile's columns: 32 bits of them go into a word. */
template <typename T>
static __host__ __device__ __forceinline__ unsigned axis_parts(unsigned width)
{
    return (unsigned)((width * sizeof(T) + 3) / 4);
}

/* Publishes the values of a tile, of which there are `parts` words. By all threads; `values` lie in shared
   memory. */
template <typename T>
static __device__ __forceinline__ void axis_publish(const tile_chain &chain, uint32_t epoch,
                                                    size_t tile, unsigned parts, unsigned width,
                                                    const T *values)
{
    for (unsigned p = threadIdx.x; p < axis_parts<T>(width); p += blockDim.x)
        status_store(chain.status + tile * parts + p,
                     (uint64_t)epoch << 32 | ((const uint32_t *)values)[p]);
}

/* Waits for the first `used` of the `parts` words of each of `tiles` tiles, from `first` on, each `spacing` after
   the other. By all threads. */
static __device__ __forceinline__ void axis_read(const tile_chain &chain, uint32_t epoch,
                                                 size_t first, size_t spacing, unsigned tiles,
                                                 unsigned parts, unsigned used, axis_window &window)
{
    const unsigned all = tiles * used;
#pragma unroll 1
    for (unsigned from = threadIdx.x; from < all; from += AXIS_LOADS * blockDim.x) {
        uint64_t words[AXIS_LOADS][1];
        bool missing[AXIS_LOADS], any;
#pragma unroll
        for (unsigned k = 0; k < AXIS_LOADS; k++)
            missing[k] = from + k * blockDim.x < all;
        do {
            any = false;
#pragma unroll
            for (unsigned k = 0; k < AXIS_LOADS; k++) {
                const unsigned at = from + k * blockDim.x;
                status_load_tile(chain, (first + at / used * spacing) * parts + at % used,
                                 missing[k], words[k]);
            }
#pragma unroll
            for (unsigned k = 0; k < AXIS_LOADS; k++) {
                missing[k] = missing[k] && (uint32_t)(words[k][0] >> 32) != epoch;
                any = any || missing[k];
            }
        } while (any);
#pragma unroll
        for (unsigned k = 0; k < AXIS_LOADS; k++)
            if (from + k * blockDim.x < all)
                window.words[from + k * blockDim.x] = (uint32_t)words[k][0];
    }
}

/* sums[c] becomes the sum of the window's tiles in column c, in their order; sums has room for a value of every
   thread. By all threads; before it and after it the block is synchronised. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ void fold_window(OPERATOR op, const axis_window &window,
                                                   unsigned tiles, unsigned parts, unsigned width,
                                                   T *sums)
{
    const unsigned c = threadIdx.x % width, group = threadIdx.x / width,
                   groups = blockDim.x / width, each = (tiles + groups - 1) / groups,
                   used = (tiles + each - 1) / each;
    const unsigned first = group * each, end = first + each < tiles ? first + each : tiles;
    if (group < used) {
        T sum = ((const T *)(window.words + first * parts))[c];
#pragma unroll 2
        for (unsigned k = first + 1; k < end; k++)
            sum = combine(op, sum, ((const T *)(window.words + k * parts))[c]);
        sums[threadIdx.x] = sum;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = 1; stride < used; stride *= 2) {
        if (group % (2 * stride) == 0 && group + stride < used)
            sums[threadIdx.x] = combine(op, sums[threadIdx.x], sums[threadIdx.x + stride * width]);
        __syncthreads();
    }
}

/* before[c] becomes what comes before `tile` in column c; `depth` tiles of its lines are before it, each `spacing`
   before the next one. known: how many tiles before it the block's last one is, through which `through` tells
   what there is; 0: it has had none. By all threads; before it and after it the block is synchronised. */
template <typename T, typename X, typename OPERATOR>
static __device__ __forceinline__ void
axis_look_back(OPERATOR op, const tile_chain &chain, uint32_t epoch, size_t tile, size_t spacing,
               size_t depth, size_t known, unsigned parts, unsigned width, axis_window &window,
               T *sums, const X *through, X *before)
{
    const unsigned used = axis_parts<T>(width), room = axis_window::WORDS / used;
    const bool joins = known != 0 && depth >= known;
    size_t left = joins ? known - 1 : depth;
    bool begun = joins;
    if (joins)
        for (unsigned c = threadIdx.x; c < width; c += blockDim.x)
            before[c] = through[c];
    __syncthreads();
#pragma unroll 1
    while (left > 0) {
        const unsigned tiles = left < room ? (unsigned)left : room;
        axis_read(chain, epoch, tile - left * spacing, spacing, tiles, parts, used, window);
        __syncthreads();
        fold_window(op, window, tiles, used, width, sums);
        for (unsigned c = threadIdx.x; c < width; c += blockDim.x)
            before[c] = begun ? advance(op, before[c], sums[c]) : whole<X>(op, sums[c]);
        begun = true;
        left -= tiles;
        __syncthreads();
    }
}

/* The same from the tile before, which tells what there is through it. */
template <typename X>
static __device__ __forceinline__ void axis_follow(const tile_chain &chain, uint32_t epoch,
                                                   size_t previous, unsigned parts, unsigned width,
                                                   axis_window &window, X *before)
{
    axis_read(chain, epoch, previous, 0, 1, parts, axis_parts<X>(width), window);
    __syncthreads();
    for (unsigned c = threadIdx.x; c < width; c += blockDim.x)
        before[c] = ((const X *)window.words)[c];
    __syncthreads();
}

#endif
