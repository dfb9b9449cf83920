/*
 * The shape of a block of a sort of segments (segment_tile_kernels.cuh), its shared memory, and the
 * parameters of a launch.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_TILE_SHAPE_CUH
#define PARSCAN_APPS_SORT_SEGMENT_TILE_SHAPE_CUH

#include "apps/radix/digit_keys.cuh"
#include "apps/sort/segments_cuda.h"
#include "scan/cuda/length.cuh"

/* Short segments are listed by their lengths: segment_short_kernels.cuh. */
#define SHORT_LENGTHS 4u

/* WARPS warps a block, ITEMS elements a lane, BLOCKS blocks a multiprocessor. TOGETHER: the blocks of
   a cooperative launch have several windows each, and sort long segments together. SHORT: blocks first
   try to sort all segments of a window as short ones (segment_short_kernels.cuh). */
template <typename KEY, unsigned WARPS_, unsigned ITEMS_, unsigned BLOCKS_, bool TOGETHER_ = false,
          bool SHORT_ = false>
struct segment_tile_shape {
    typedef KEY Key;
    typedef typename KEY::Bits Bits;
    static const unsigned WARPS = WARPS_, THREADS = 32 * WARPS, MATCHED = 4, MASKED = 0;
    static const unsigned ITEMS = ITEMS_, TILE = THREADS * ITEMS, WORDS = TILE / 32;
    static const unsigned BLOCKS = BLOCKS_;
    static const bool READS_AGAIN = true, TOGETHER = TOGETHER_;
    static const bool SHORT = SHORT_;
    /* One word holds a place, a digit, and a rank among the warp's elements. */
    static const unsigned PLACE_BITS = 14, RANK_AT = PLACE_BITS + SORT_DIGIT_BITS;
    static_assert(TILE <= 1u << PLACE_BITS && ITEMS * 32 <= 1u << (32 - RANK_AT) &&
                      ITEMS % MATCHED == 0,
                  "a word must hold place, digit and rank");
};

template <typename S>
struct segment_tile_shared {
    alignas(16) typename S::Bits keys[S::TILE];
    alignas(16) uint16_t order[S::TILE];
    union {
        alignas(16) uint32_t rows[S::WARPS][SORT_DIGITS];
        uint32_t starts[2 * S::THREADS]; /* of segments, while the block searches for them */
    };
    uint32_t warp_sums[SORT_DIGITS / 32];
    /* heads: a bit for each place where a segment starts. For each word of heads: the last head
       before it, the first head after it, and the number of heads before it. */
    uint32_t heads[S::WORDS];
    uint16_t before[S::WORDS], after[S::WORDS], number[S::WORDS];
    uint32_t counts[SHORT_LENGTHS]; /* of short segments, by their lengths */
    uint32_t first, last; /* the places of the tile that are in use are first to last - 1 */
    uint32_t segments;    /* the number of segments in the tile */
    uint32_t comparisons;
    uint32_t closed;                  /* not 0: `last`, long_begin and long_length are known */
    uint64_t long_begin, long_length; /* 0: there is no long segment */
    uint64_t taken; /* of the long segments in the windows before: their number and elements */
};

/* How many elements and segments there are. Only the device may know it. */
struct segment_sizes {
    size_t n, count;
};

/* Of all kernels that sort the segments of an array. */
template <typename KEY>
struct segment_params {
    typedef typename KEY::Bits Bits;
    const Bits *keys_in;
    Bits *keys_out;
    const void *values_in, *offsets;
    void *values_out;
    size_t n, count; /* at most */
    device_length n_there, count_there;
    parscan_deferred deferred;
    bool wide;
    unsigned value_size, window, passes;
    digit_of<KEY> digit[sizeof(Bits)];
    Bits flip, keep, beyond;
    segment_list list;
    unsigned most_listed; /* sorted together: the most segments that a block lists, */
    uint32_t *counts;     /* and two rows for each block */
    Bits *spare_keys[2];
    void *spare_values;
    uint32_t *spare_indices[2];

    __device__ __forceinline__ uint64_t offset_given(size_t k) const
    {
        return wide ? ((const uint64_t *)offsets)[k] : ((const uint32_t *)offsets)[k];
    }
    /* Where segment k starts. Wrong offsets lead nowhere beyond the array. */
    __device__ __forceinline__ uint64_t offset(size_t k, const segment_sizes &sizes) const
    {
        const uint64_t given = k < sizes.count ? offset_given(k) : sizes.n;
        return given < sizes.n ? given : sizes.n;
    }
    /* After wait_for_previous_kernel(). Both are loaded at once. */
    __device__ __forceinline__ segment_sizes sizes() const
    {
        const uint64_t elements = n_there.at != NULL ? load_length(n_there.at) : n;
        const uint64_t segments = count_there.at != NULL ? load_length(count_there.at) : count;
        return {uniform(length_within(n_there, elements, n)),
                uniform(length_within(count_there, segments, count))};
    }
    /* The bits of a key that are compared. */
    __device__ __forceinline__ Bits compared(Bits code) const
    {
        return KEY::rank(code, KEY::IS_FLOAT ? flip : 0) & keep;
    }
};

#endif
