/*
 * Chooses octaves for keys that a digit would not spread: those of a Zipf distribution, whose numbers of 32 or 64 bits
 * are mostly small, and those around a place where many bits change at once.
 */
#include "apps/sort/sort_partition_cpu.h"

enum {
    SAMPLES = 64,
    MANY = SAMPLES / 8, /* of the samples, in one bucket */
    LEAST_FINE = 3,     /* bits of an octave's parts; fewer spread too little */
    MOST_FINE = 6
};

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

bool parscan_sort_by_octaves(sort_partition *p, key_digit digit)
{
    const sort_call *const call = p->call;
    const unsigned octave_bits = call->key_size == 8 ? 6 : 5;
    uint64_t ranks[SAMPLES];
    if (p->range.spread || call->float_keys || !call->whole_keys || call->key_size < 4 ||
        call->scatter_bits < octave_bits + LEAST_FINE)
        return false;
    take_samples(p, ranks);
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
