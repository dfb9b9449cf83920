/*
 * The bytes of a tile of one array on CUDA, on their way to a stage of shared memory. A stage also
 * takes what lies around the tile, so that copies start and end at aligned addresses. Aligned
 * copies are fastest.
 */
#ifndef PARSCAN_SCAN_TILE_SOURCE_CUH
#define PARSCAN_SCAN_TILE_SOURCE_CUH

#include <stddef.h>
#include <stdint.h>

/* Bytes of a stage. The stage starts at an aligned address of memory, at or before its tile. */
struct tile_bytes {
    unsigned whole_begin, whole_end; /* the whole 16-byte pieces that the array has, one range */
    unsigned begin, end;             /* the bytes of the stage that the array has */
    bool whole;                      /* the array has all bytes of the stage */
};

struct tile_source {
    unsigned char *to; /* the stage */
    const char *from;  /* the address in memory that belongs to the first byte of the stage */
    tile_bytes bytes;
};

/* The bytes of a stage that starts at byte `at` and has `span` bytes, of an array that has the
   bytes begin to end - 1. */
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

/* The source of tile `at`, with TILE elements of `size` bytes. The array of n elements starts
   `head_padding` elements after the start of its first tile. The first tile starts `misalignment`
   bytes after an aligned address. */
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

/* Loads the whole pieces with THREADS threads. Each thread has several loads in flight. */
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

/* Loads what the array has beside the whole pieces, in units of elements or of parts of them. */
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
