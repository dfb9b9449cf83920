/*
 * Chooses octaves for keys that a digit would not spread: those of a Zipf distribution, whose numbers of 32 or 64 bits
 * are mostly small, and those around a place where many bits change at once; and equal parts for floats, of which half
 * may have one exponent.
 */
#include <math.h>
#include <string.h>

#include "apps/sort/sort_partition_cpu.h"

enum {
    SAMPLES = 64,
    MANY = SAMPLES / 8, /* of the samples, in one bucket */
    LEAST_FINE = 3,     /* bits of an octave's parts; fewer spread too little */
    MOST_FINE = 6,
    FINER = 2,     /* bits of parts, more than a digit's: so many fewer are left to the bucket */
    PARTS_SAVE = 4 /* parts have so many times fewer pairs of samples together */
};

/* Ranges of floats and parts in a number of 1, so that no product leaves the type. */
#define MOST_SCALE_F32 1e37
#define MOST_SCALE 1e307

/* The samples' ranks, in order. */
static void take_samples(const sort_partition *p, uint64_t ranks[SAMPLES])
{
    for (size_t i = 0; i < SAMPLES; i++) {
        const char *const key =
            parscan_sort_partition_key(p, p->range.begin + p->range.n / SAMPLES * i);
        const uint64_t rank = p->call->kernels->rank(&p->call->order, key);
        size_t j = i;
        for (; j > 0 && ranks[j - 1] > rank; j--)
            ranks[j] = ranks[j - 1];
        ranks[j] = rank;
    }
}

/* As octave() of key_kernels_template.h counts them, for the widest keys. */
static uint64_t octave_of(key_octaves octaves, uint64_t rank)
{
    const uint64_t near = octaves.down ? octaves.base : rank;
    const uint64_t distance = near - (octaves.down ? rank : octaves.base);
    const unsigned zeros = (unsigned)__builtin_clzll(distance | 1);
    return (uint64_t)(63 - zeros) << octaves.fine | distance << zeros << 1 >> (64 - octaves.fine);
}

/* The most samples that are in one bucket and not all equal. */
static unsigned most_together(const uint64_t ranks[SAMPLES], key_digit digit, key_octaves octaves)
{
    unsigned most = 0;
    for (unsigned begin = 0, end; begin < SAMPLES; begin = end) {
        const uint64_t bucket =
            octaves.fine != 0 ? octave_of(octaves, ranks[begin]) : ranks[begin] >> digit.low;
        for (end = begin + 1; end < SAMPLES; end++)
            if (bucket !=
                (octaves.fine != 0 ? octave_of(octaves, ranks[end]) : ranks[end] >> digit.low))
                break;
        if (end - begin > most && ranks[begin] != ranks[end - 1])
            most = end - begin;
    }
    return most;
}

/* The number that a rank of floats is. */
static double number_of(const sort_call *call, uint64_t rank)
{
    const unsigned bits = (unsigned)call->key_size * 8;
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    const uint64_t ordered = (rank ^ call->order.flip) & low_bits(bits);
    const uint64_t key = ordered ^ (ordered & sign ? sign : low_bits(bits));
    double wide;
    float narrow;
    const uint32_t half = (uint32_t)key;
    memcpy(&wide, &key, sizeof wide);
    memcpy(&narrow, &half, sizeof narrow);
    return bits == 64 ? wide : narrow;
}

static uint64_t part_of(const sort_call *call, key_octaves parts, uint64_t rank)
{
    const uint64_t inside = rank < parts.base ? parts.base : rank > parts.top ? parts.top : rank;
    return (uint64_t)((number_of(call, inside) - number_of(call, parts.base)) * parts.scale);
}

/* How many pairs of samples share a bucket: equal parts if there are any, else a digit. */
static unsigned pairs_together(const sort_call *call, const uint64_t ranks[SAMPLES],
                               key_digit digit, key_octaves parts)
{
    unsigned pairs = 0, equal = 0;
    for (unsigned k = 1; k < SAMPLES; k++) {
        const bool same = parts.fine != 0
                              ? part_of(call, parts, ranks[k]) == part_of(call, parts, ranks[k - 1])
                              : ranks[k] >> digit.low == ranks[k - 1] >> digit.low;
        equal = same ? equal + 1 : 0;
        pairs += equal;
    }
    return pairs;
}

/* Floats by equal parts of what the samples cover, as many as the digit has values. */
static bool by_parts(sort_partition *p, key_digit digit, const uint64_t ranks[SAMPLES])
{
    const sort_call *const call = p->call;
    unsigned first = 0, last = SAMPLES - 1;
    while (first < last && !isfinite(number_of(call, ranks[first])))
        first++;
    while (first < last && !isfinite(number_of(call, ranks[last])))
        last--;
    const unsigned finer = digit.bits + FINER;
    const unsigned bits = finer < call->scatter_bits ? finer : call->scatter_bits;
    key_octaves parts = {.base = ranks[first], .top = ranks[last], .fine = bits};
    const double range = number_of(call, parts.top) - number_of(call, parts.base);
    parts.scale = (double)low_bits(bits) / range;
    const double most = call->key_size == 8 ? MOST_SCALE : MOST_SCALE_F32;
    if (!(fabs(range) < most && fabs(parts.scale) < most) ||
        PARTS_SAVE * pairs_together(call, ranks, digit, parts) >=
            pairs_together(call, ranks, digit, (key_octaves){.fine = 0}))
        return false;
    p->octaves = parts;
    p->digit = (key_digit){0, parts.fine};
    return true;
}

bool parscan_sort_by_octaves(sort_partition *p, key_digit digit)
{
    const sort_call *const call = p->call;
    const unsigned octave_bits = call->key_size == 8 ? 6 : 5;
    uint64_t ranks[SAMPLES];
    if (p->range.spread || !call->whole_keys || call->key_size < 4 ||
        call->scatter_bits < octave_bits + LEAST_FINE)
        return false;
    take_samples(p, ranks);
    if (call->float_keys)
        return by_parts(p, digit, ranks);
    const unsigned by_digit = most_together(ranks, digit, (key_octaves){.fine = 0});
    if (by_digit < MANY || p->range.n / SAMPLES * by_digit <= call->bucket_limit)
        return false;
    const unsigned room = call->scatter_bits - octave_bits;
    key_octaves best = {.base = ranks[0], .fine = room < MOST_FINE ? room : MOST_FINE};
    const key_octaves down = {.base = ranks[SAMPLES - 1], .fine = best.fine, .down = true};
    unsigned most = most_together(ranks, digit, best);
    if (most_together(ranks, digit, down) < most) {
        most = most_together(ranks, digit, down);
        best = down;
    }
    if (2 * most > by_digit)
        return false;
    p->octaves = best;
    p->digit = (key_digit){0, octave_bits + best.fine};
    return true;
}
