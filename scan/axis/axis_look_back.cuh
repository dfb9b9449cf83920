/*
 * What comes before a tile in each of its columns. A tile publishes the sums of its columns, and later these
 * with everything before them in their lines, in words of their own (tile_prefix.cuh tells how words are
 * marked with an epoch). A look-back reads the nearest tiles at once, waits until one of them has the second,
 * and adds the sums after that, from the first to the last. So each result is ((first tile + second) + third)
 * ..., however far other blocks are: float sums do not depend on timing.
 *
 * It waits for tiles of lower index only, all of which resident blocks work on, and these publish their sums
 * without waiting. The first tile of a line waits for none, so the nearest tiles get what comes before them in
 * turn.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_LOOK_BACK_CUH
#define PARSCAN_SCAN_AXIS_AXIS_LOOK_BACK_CUH

#include "scan/axis/axis_params.cuh"

#define AXIS_WINDOW 64u /* tiles that are looked at, at most */
#define AXIS_LOADS 4u   /* that a thread has in flight */

/* In dynamic shared memory: a row for each tile, the nearest first. */
template <typename T>
struct axis_window {
    enum : unsigned { WORDS = sizeof(T) > 8 ? 4096 : 1536 };
    uint32_t sums[WORDS], through[WORDS];
    uint8_t has_through[WORDS];
};

/* The sums of a tile's columns: 32 bits of them go into a word. */
template <typename T>
static __host__ __device__ __forceinline__ unsigned axis_parts(unsigned width)
{
    return (unsigned)((width * sizeof(T) + 3) / 4);
}

/* kind: 0, the sums; 1, with what comes before, which has no more words. A tile has `parts` words of both.
   By all threads; `values` lie in shared memory. */
template <typename X>
static __device__ __forceinline__ void axis_publish(const tile_chain &chain, uint32_t epoch,
                                                    size_t tile, unsigned parts, unsigned width,
                                                    unsigned kind, const X *values)
{
    for (unsigned p = threadIdx.x; p < axis_parts<X>(width); p += blockDim.x)
        status_store(chain.status + (tile * parts + p) * 2 + kind,
                     (uint64_t)epoch << 32 | ((const uint32_t *)values)[p]);
}

/* Waits for the sums of `tiles` tiles, the nearest of which is `nearest`, each `spacing` before the other. */
template <typename T>
static __device__ __forceinline__ void read_window(const tile_chain &chain, uint32_t epoch,
                                                   size_t nearest, size_t spacing, unsigned tiles,
                                                   unsigned parts, axis_window<T> &window)
{
    const unsigned all = tiles * parts;
#pragma unroll 1
    for (unsigned from = threadIdx.x; from < all; from += AXIS_LOADS * blockDim.x) {
        uint64_t words[AXIS_LOADS][2];
        bool missing[AXIS_LOADS], any;
#pragma unroll
        for (unsigned k = 0; k < AXIS_LOADS; k++)
            missing[k] = from + k * blockDim.x < all;
        do {
            any = false;
#pragma unroll
            for (unsigned k = 0; k < AXIS_LOADS; k++) {
                const unsigned at = from + k * blockDim.x;
                status_load_tile(chain, (nearest - at / parts * spacing) * parts + at % parts,
                                 missing[k], words[k]);
            }
#pragma unroll
            for (unsigned k = 0; k < AXIS_LOADS; k++) {
                missing[k] = missing[k] && (uint32_t)(words[k][0] >> 32) != epoch;
                any = any || missing[k];
            }
        } while (any);
#pragma unroll
        for (unsigned k = 0; k < AXIS_LOADS; k++) {
            const unsigned at = from + k * blockDim.x;
            if (at >= all)
                continue;
            window.sums[at] = (uint32_t)words[k][0];
            window.through[at] = (uint32_t)words[k][1];
            window.has_through[at] = (uint32_t)(words[k][1] >> 32) == epoch;
        }
    }
}

/* What comes before a tile in column c. False: no tile of the window knows it yet. */
template <typename T, typename X, typename OPERATOR>
static __device__ __forceinline__ bool fold_window(OPERATOR op, const axis_window<T> &window,
                                                   unsigned tiles, unsigned parts, unsigned c,
                                                   X *before)
{
    const unsigned first = c * (unsigned)sizeof(X) / 4,
                   last = ((c + 1) * (unsigned)sizeof(X) - 1) / 4;
    unsigned k = 0;
    while (k < tiles &&
           !(window.has_through[k * parts + first] && window.has_through[k * parts + last]))
        k++;
    if (k == tiles)
        return false;
    X sum = ((const X *)(window.through + k * parts))[c];
#pragma unroll 1
    while (k-- > 0)
        sum = advance(op, sum, ((const T *)(window.sums + k * parts))[c]);
    *before = sum;
    return true;
}

/* before[c] becomes what comes before `tile` in column c; `depth` tiles of its lines are before it. By all
   threads; before it and after it the block is synchronised. */
template <typename T, typename X, typename OPERATOR>
static __device__ __forceinline__ void
axis_look_back(OPERATOR op, const tile_chain &chain, uint32_t epoch, size_t tile, size_t spacing,
               size_t depth, unsigned width, axis_window<T> &window, X *before)
{
    const unsigned parts = axis_parts<T>(width), room = axis_window<T>::WORDS / parts;
    const unsigned most = room < AXIS_WINDOW ? room : AXIS_WINDOW;
    const unsigned tiles = depth < most ? (unsigned)depth : most;
    int missing;
    do {
        read_window(chain, epoch, tile - spacing, spacing, tiles, parts, window);
        __syncthreads();
        missing = 0;
        for (unsigned c = threadIdx.x; c < width; c += blockDim.x)
            missing |= !fold_window(op, window, tiles, parts, c, &before[c]);
        missing = __syncthreads_or(missing);
    } while (missing);
}

#endif
