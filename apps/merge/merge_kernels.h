/*
 * The kernels of a merge, compiled once for each class of keys.
 */
#ifndef PARSCAN_APPS_MERGE_MERGE_KERNELS_H
#define PARSCAN_APPS_MERGE_MERGE_KERNELS_H

#include <stddef.h>
#include <string.h>

#include "apps/merge/key_order.h"

/* What moves with a key within the caches: nothing, or 4 or 8 bytes: the value, or where it is. */
typedef enum merge_payload { PAYLOAD_NONE, PAYLOAD_4, PAYLOAD_8, MERGE_PAYLOADS } merge_payload;

/* Elements in order. */
typedef struct merge_part {
    const char *keys, *payload;
    size_t n;
} merge_part;

/* What a merge by places (merge_tile.c) makes of keys: 64 bits that start with 32 bits of the rank and end
   with where the element is: its part, and its number in there. */
enum { PLACE_PART_BITS = 16, PLACE_INDEX_BITS = 16 };

typedef struct place_at {
    size_t part, index;
} place_at;

static inline place_at place_of(const char *places, size_t i)
{
    uint64_t place;
    memcpy(&place, places + i * sizeof place, sizeof place);
    return (place_at){place >> PLACE_INDEX_BITS & (((uint64_t)1 << PLACE_PART_BITS) - 1),
                      place & (((uint64_t)1 << PLACE_INDEX_BITS) - 1)};
}

/* The 32 bits of a rank: (rank - base) >> shift. */
typedef struct place_prefix {
    uint64_t base;
    unsigned shift;
} place_prefix;

struct merge_kernels {
    unsigned key_bits;
    bool is_float;
    /* Merges a and b, stably, a's elements first among equal ones. */
    void (*merge[MERGE_PAYLOADS])(const key_order *order, merge_part a, merge_part b, char *keys,
                                  char *payload);
    /* How many of keys[begin..end) have a rank of at most `rank`, plus begin. */
    size_t (*up_to)(const key_order *order, const char *keys, size_t begin, size_t end,
                    uint64_t rank);
    /* How many of the first n elements of the merge of a and b are a's. n is at most the number of both;
       so the answer leaves the rest to b, in whatever order keys are. */
    size_t (*cross)(const key_order *order, merge_part a, merge_part b, size_t n);
    uint64_t (*rank)(const key_order *order, const char *keys, size_t i);
    /* Writes keys[0..n) of a part as places. */
    void (*put_places)(const key_order *order, const char *keys, size_t n, place_prefix prefix,
                       size_t part, char *places);
    /* Writes the keys at n places of the `count` parts, unless `to` is NULL. Returns whether they are in
       order, and each place is in its part. */
    bool (*take_places)(const key_order *order, const merge_part *parts, size_t count,
                        const char *places, size_t n, char *to);
    /* Moves keys to `to`, which is apart: to its front those that it keeps, which are in order, to its end all others: where
       a key is below the last one that is kept, both of them. Returns how many are kept; n + 1 where more than `most`
       are not, or one of these is a NaN. */
    size_t (*set_aside)(const key_order *order, const char *keys, size_t n, size_t most, char *to);
};

#define MERGE_KERNELS_OF(name) parscan_merge_kernels_##name
#define X(ctx, NAME, bits, name, ...) extern const struct merge_kernels MERGE_KERNELS_OF(name);
PARSCAN_KEY_CLASSES(X, )
#undef X

#endif
