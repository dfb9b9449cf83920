/*
 * The prefixes of a sort's digits where each block has one tile. All tiles then publish their counts at
 * about the same time, so a look-back finds few prefixes and takes many round trips to L2. Here a tile
 * adds the counts of the tiles before it in its group. The last tile of a group publishes the sum of the
 * group. Then each tile adds the sums of the groups before its own.
 *
 * The words are those of digit_chain. The sums of groups lie in the rows after the rows of the tiles.
 * add_rows() is not digit_look_back(): called twice, that one is slower (bench/notes/sort-cuda.md).
 *
 * Forward progress: a tile's counts wait for no other tile, a group's sum for the counts of its tiles.
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_GROUPS_CUH
#define PARSCAN_APPS_RADIX_DIGIT_GROUPS_CUH

#include "scan/cuda/tile_prefix.cuh"

#define DIGIT_GROUP 16u

/* The rows of `tiles` tiles, which have the first `rows`, and of their groups. */
static inline unsigned digit_group_rows(unsigned rows, unsigned tiles)
{
    return rows + tiles / DIGIT_GROUP;
}

/* Adds the counts of one pair of digits in `count` rows. Waits for each row. Loads AT_ONCE words at
   once. */
template <unsigned AT_ONCE, unsigned PAIRS>
static __device__ __forceinline__ void add_rows(const digit_chain<PAIRS> &digits, uint32_t row,
                                                uint32_t count, unsigned pair, uint32_t (&sum)[2])
{
    const uint64_t *from = digits.words + (size_t)row * PAIRS + pair;
#pragma unroll 1
    while (count > 0) {
        uint64_t words[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (k < count)
                words[k] = status_load(from + k * PAIRS);
        unsigned taken = 0;
        bool going = true;
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            going =
                going && k < count && (uint32_t)words[k] >> (DIGIT_WORD_BITS + 2) == digits.launch;
            if (going) {
                sum[0] += (uint32_t)words[k] & DIGIT_WORD_MASK;
                sum[1] += (uint32_t)(words[k] >> 32) & DIGIT_WORD_MASK;
                taken++;
            }
        }
        from += taken * PAIRS;
        count -= taken;
    }
}

/* Returns the counts of all tiles before `tile`, whose own are `sums` and have been published. */
template <unsigned AT_ONCE, unsigned PAIRS>
static __device__ __forceinline__ digit_prefix digit_group_prefix(const digit_chain<PAIRS> &digits,
                                                                  uint32_t tile, unsigned pair,
                                                                  const uint32_t (&sums)[2])
{
    const uint32_t group = tile / DIGIT_GROUP, first = group * DIGIT_GROUP;
    uint32_t before[2] = {};
    add_rows<AT_ONCE>(digits, first, tile - first, pair, before);
    if (tile - first == DIGIT_GROUP - 1) {
        const uint32_t mark = digits.launch << (DIGIT_WORD_BITS + 2);
        const uint32_t low = mark | (before[0] + sums[0]), high = mark | (before[1] + sums[1]);
        status_store(digits.words + (size_t)(digits.rows + group) * PAIRS + pair,
                     (uint64_t)high << 32 | low);
    }
    add_rows<AT_ONCE>(digits, digits.rows, group, pair, before);
    return {{before[0], before[1]}};
}

#endif
