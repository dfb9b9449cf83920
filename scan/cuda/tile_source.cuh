/*
 * A tile's bytes of one array on CUDA, on their way into a stage of shared memory. Stages take in what lies
 * around a tile, so that copies begin and end at aligned places: those are the fastest.
 */
#ifndef PARSCAN_SCAN_TILE_SOURCE_CUH
#define PARSCAN_SCAN_TILE_SOURCE_CUH

#include <stddef.h>
#include <stdint.h>

/* Bytes of a stage, which begins at an aligned place of memory, at or before its tile. */
struct tile_bytes {
    unsigned whole_begin, whole_end; /* the pieces of 16 bytes that the array has, in one run */
    unsigned begin, end;             /* of the tile and its surroundings, what the array has */
    bool whole;                      /* the array has all */
};

struct tile_source {
    unsigned char *to;
    const char *from; /* where the stage would begin in memory */
    tile_bytes bytes;
};

/* A stage of `span` bytes from byte `at` on, of an array that has the bytes begin to end - 1. */
static __device__ __forceinline__ tile_bytes cut_bytes(size_t begin, size_t end, size_t at,
                                                       unsigned span)
{
    const size_t rest = end - at;
    tile_bytes bytes;
    bytes.begin = at < begin ? (unsigned)(begin - at) : 0;
    bytes.end = rest < span ? (unsigned)rest : span;
    bytes.whole = bytes.begin == 0 && bytes.end == span;
    bytes.whole_begin = (bytes.begin + 15) / 16 * 16;
    bytes.whole_end = bytes.end / 16 * 16;
    if (bytes.whole_begin >= bytes.whole_end)
        bytes.whole_begin = bytes.whole_end = bytes.end;
    return bytes;
}

/* Tile `at` of TILE elements, of an array of n elements of `size` bytes that begins `head_padding` positions behind its
   first tile, which begins `misalignment` bytes behind an aligned place. */
template <unsigned TILE>
static __device__ __forceinline__ tile_source source_in(const void *array, unsigned size,
                                                        unsigned misalignment,
                                                        unsigned head_padding, size_t n, size_t at,
                                                        unsigned char *to)
{
    const unsigned span = (misalignment + TILE * size + 127) / 128 * 128;
    const size_t begin = misalignment + head_padding * size, first = at * (TILE * size);
    return tile_source{to, (const char *)array - begin + first,
                       cut_bytes(begin, begin + n * size, first, span)};
}

static __device__ __forceinline__ unsigned whole_bytes(const tile_source &source)
{
    return source.bytes.whole_end - source.bytes.whole_begin;
}

/* The whole pieces, by THREADS threads, several of a thread on their way at once. */
template <unsigned THREADS>
static __device__ __forceinline__ void load_whole(const tile_source &source)
{
    const unsigned AT_ONCE = 4, STEP = THREADS * 16, end = source.bytes.whole_end;
#pragma unroll 1
    for (unsigned byte = source.bytes.whole_begin + threadIdx.x * 16; byte < end;
         byte += AT_ONCE * STEP) {
        uint4 raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (byte + k * STEP < end)
                raw[k] = __ldcs((const uint4 *)(source.from + byte + k * STEP));
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (byte + k * STEP < end)
                *(uint4 *)(source.to + byte + k * STEP) = raw[k];
    }
}

/* What the array has beside whole pieces, in units of its elements or their parts. */
template <typename Unit>
static __device__ __forceinline__ void load_ends(const tile_source &source, unsigned thread,
                                                 unsigned threads)
{
    const tile_bytes &bytes = source.bytes;
#pragma unroll 1
    for (unsigned b = bytes.begin + thread * sizeof(Unit); b < bytes.whole_begin;
         b += threads * sizeof(Unit))
        *(Unit *)(source.to + b) = *(const Unit *)(source.from + b);
#pragma unroll 1
    for (unsigned b = bytes.whole_end + thread * sizeof(Unit); b < bytes.end;
         b += threads * sizeof(Unit))
        *(Unit *)(source.to + b) = *(const Unit *)(source.from + b);
}

#endif
