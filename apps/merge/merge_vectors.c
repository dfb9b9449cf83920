/* Two-way merges of keys alone by SIMD vectors. Compiled once for each width of keys and SIMD set. */
#include "apps/merge/merge_vectors.h"

#include "scan/cpu/simd.h"

/* Without an instruction for the minimum of such lanes, short vectors lose to single keys. */
#if PARSCAN_VECTOR_BYTES == 16 && !HAS_SIGNED_MINIMUM
#define MERGES_VECTORS NULL
#else
#define MERGES_VECTORS merge

/* Cuts of a merge, which proceed side by side: the steps of one wait for each other. */
enum { CHAINS = 4 };

/* How keys become such integers, and back. */
typedef struct key_map {
    T of_negative; /* the bits that change in a negative float */
    T flip;
} key_map;

VECTOR_FUNCTION key_map map_of(const merge_vector_order *order)
{
    return (key_map){.of_negative = order->is_float ? highest() : 0, .flip = (T)order->flip};
}

VECTOR_FUNCTION T ordered_key(key_map map, const char *key)
{
    T bits;
    memcpy(&bits, key, sizeof bits);
    return bits ^ (bits < 0 ? map.of_negative : 0) ^ map.flip;
}

VECTOR_FUNCTION V ordered(key_map map, V bits)
{
    return bits ^ ((bits < 0) & map.of_negative) ^ map.flip;
}

VECTOR_FUNCTION V unordered(key_map map, V keys)
{
    const V bits = keys ^ map.flip;
    return bits ^ ((bits < 0) & map.of_negative);
}

/* Lane k of a and b interleaved: the first LANES of the 2 * LANES lanes, or the others. */
#define LANE_OF_LOW(k, s) ((k) % 2 * LANES + (k) / 2)
#define LANE_OF_HIGH(k, s) ((k) % 2 * LANES + LANES / 2 + (k) / 2)

/*
 * *low and *high, each in order, become the lower and the higher half of their elements, in order:
 * Batcher's bitonic merge. Interleaving the lanes of the two vectors makes the elements of the next
 * step's comparisons neighbours (H. S. Stone, Parallel Processing with the Perfect Shuffle, 1971).
 */
VECTOR_FUNCTION void merge_lanes(V *low, V *high)
{
    const V reversed = vector_reverse(*high);
    V a = SIGNED_MINIMUM(*low, reversed), b = SIGNED_MAXIMUM(*low, reversed);
    for (int lanes = LANES; lanes > 1; lanes /= 2) {
        const V x = __builtin_shufflevector(a, b, EVERY_LANE(LANE_OF_LOW, 0));
        const V y = __builtin_shufflevector(a, b, EVERY_LANE(LANE_OF_HIGH, 0));
        a = SIGNED_MINIMUM(x, y);
        b = SIGNED_MAXIMUM(x, y);
    }
    *low = __builtin_shufflevector(a, b, EVERY_LANE(LANE_OF_LOW, 0));
    *high = __builtin_shufflevector(a, b, EVERY_LANE(LANE_OF_HIGH, 0));
}

/* A merge on its way: what is left of the two runs, and the greatest elements that were taken. */
typedef struct chain {
    const char *a, *b, *a_end, *b_end;
    char *out, *out_end;
    V held;
} chain;

/* Takes a vector of the run whose next element is the lesser one. Both have a whole vector left. */
VECTOR_FUNCTION void step(key_map map, chain *c)
{
    const bool takes_b = ordered_key(map, c->b) < ordered_key(map, c->a);
    const size_t of_b = (0 - (size_t)takes_b) & sizeof(V);
    const uintptr_t a = (uintptr_t)c->a, b = (uintptr_t)c->b;
    V low = ordered(map, vector_load((const char *)(a ^ ((a ^ b) & (0 - (uintptr_t)takes_b)))));
    c->b += of_b;
    c->a += sizeof(V) - of_b;
    merge_lanes(&low, &c->held);
    vector_store(c->out, unordered(map, low));
    c->out += sizeof(V);
}

VECTOR_FUNCTION size_t bytes_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The next elements of a run that has some; the lanes that it has none for come last in the order. */
VECTOR_FUNCTION V take_some(key_map map, const char **from, const char *end)
{
    const size_t bytes = bytes_min((size_t)(end - *from), sizeof(V));
    V some = unordered(map, vector_splat(highest()));
    memcpy(&some, *from, bytes);
    *from += bytes;
    return ordered(map, some);
}

VECTOR_FUNCTION V take_next(key_map map, chain *c)
{
    const bool takes_b =
        c->a == c->a_end || (c->b < c->b_end && ordered_key(map, c->b) < ordered_key(map, c->a));
    return takes_b ? take_some(map, &c->b, c->b_end) : take_some(map, &c->a, c->a_end);
}

/* So many steps find whole vectors in both runs. */
VECTOR_FUNCTION size_t steps_of(const chain *c)
{
    return bytes_min((size_t)(c->a_end - c->a), (size_t)(c->b_end - c->b)) / sizeof(V);
}

VECTOR_FUNCTION void finish(key_map map, chain *c)
{
    for (size_t steps = steps_of(c); steps > 0; steps = steps_of(c))
        for (; steps > 0; steps--)
            step(map, c);
    while (c->a < c->a_end || c->b < c->b_end) {
        V low = take_next(map, c);
        merge_lanes(&low, &c->held);
        low = unordered(map, low);
        const size_t bytes = bytes_min((size_t)(c->out_end - c->out), sizeof(V));
        memcpy(c->out, &low, bytes);
        c->out += bytes;
    }
    const V rest = unordered(map, c->held);
    memcpy(c->out, &rest, (size_t)(c->out_end - c->out));
}

/* How many of the first n elements of the merge are a's. */
VECTOR_FUNCTION size_t cross(key_map map, const char *a, size_t of_a, const char *b, size_t of_b,
                             size_t n)
{
    size_t low = n > of_b ? n - of_b : 0, high = n < of_a ? n : of_a;
    while (low < high) {
        const size_t i = low + (high - low) / 2;
        const bool is_before =
            ordered_key(map, a + i * sizeof(T)) <= ordered_key(map, b + (n - 1 - i) * sizeof(T));
        low = is_before ? i + 1 : low;
        high = is_before ? high : i;
    }
    return low;
}

static void merge(const merge_vector_order *order, const char *a, size_t of_a, const char *b,
                  size_t of_b, char *out)
{
    const key_map map = map_of(order);
    chain chains[CHAINS];
    size_t i = 0, at = 0, steps = SIZE_MAX;
    for (size_t k = 0; k < CHAINS; k++) {
        const size_t end = (of_a + of_b) * (k + 1) / CHAINS;
        const size_t i_end = cross(map, a, of_a, b, of_b, end);
        chain *const c = &chains[k];
        *c = (chain){.a = a + i * sizeof(T),
                     .b = b + (at - i) * sizeof(T),
                     .a_end = a + i_end * sizeof(T),
                     .b_end = b + (end - i_end) * sizeof(T),
                     .out = out + at * sizeof(T),
                     .out_end = out + end * sizeof(T)};
        if (end > at)
            c->held = take_next(map, c);
        steps = bytes_min(steps, steps_of(c));
        i = i_end;
        at = end;
    }
    while (steps > 0) {
        chain c0 = chains[0], c1 = chains[1], c2 = chains[2], c3 = chains[3];
        for (; steps > 0; steps--) {
            step(map, &c0);
            step(map, &c1);
            step(map, &c2);
            step(map, &c3);
        }
        chains[0] = c0, chains[1] = c1, chains[2] = c2, chains[3] = c3;
        steps = SIZE_MAX;
        for (size_t k = 0; k < CHAINS; k++)
            steps = bytes_min(steps, steps_of(&chains[k]));
    }
    for (size_t k = 0; k < CHAINS; k++)
        if (chains[k].out < chains[k].out_end)
            finish(map, &chains[k]);
}

#endif

merge_of_vectors *const NAMED(PARSCAN_PASTE(parscan_merge_vectors_, PARSCAN_ISA)) = MERGES_VECTORS;
