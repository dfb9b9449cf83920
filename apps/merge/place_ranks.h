/* Ranks for places.h in a file that CMake compiles once for each class of keys. */
#ifndef PARSCAN_APPS_MERGE_PLACE_RANKS_H
#define PARSCAN_APPS_MERGE_PLACE_RANKS_H

#include "apps/merge/class_rank.h"
#include "apps/merge/places.h"

#if KEY_BITS == 64
typedef int64_t place_rank;
typedef int64_t signed_key;
#define LAST_RANK INT64_MAX
#else
typedef int32_t place_rank;
typedef PARSCAN_PASTE(PARSCAN_PASTE(int, KEY_BITS), _t) signed_key;
#define LAST_RANK INT32_MAX
#endif

/* The rank of a key whose rank by key_rank.h is r. */
KERNEL place_rank place_rank_of(KEY r)
{
    return (signed_key)(KEY)(r ^ KEY_TOP);
}

/* Ranks of keys, each of which is read once; by rank_of_value() with equal_zeros. */
KERNEL void read_ranks(const place_kernels *kernels, const key_order *order, const bool equal_zeros,
                       const char *keys, size_t n, place_rank *ranks)
{
#if KEY_BITS >= 32
    const uint64_t top = KEY_FLOAT ? 0 : KEY_TOP;
    const place_order by = {.flip = order->flip ^ top,
                            .infinity = KEY_FLOAT ? (uint64_t)KEY_INFINITY : 0,
                            .equal_zeros = equal_zeros};
    kernels->ranks(&by, keys, n, ranks);
#else
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        const KEY k = key(keys, i);
        ranks[i] = place_rank_of(equal_zeros ? rank_of_value(order, k) : rank(order, k));
    }
    __asm__ volatile("" : : : "memory"); /* what was read is not read again */
#endif
}

#endif
