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

/* How keys become such integers, and back. The compiler knows is_float. */
typedef struct key_map {
    bool is_float; /* all bits but the sign change in a negative one */
    T flip;
} key_map;

VECTOR_FUNCTION T ordered_key(key_map map, const char *key)
{
    T bits;
    memcpy(&bits, key, sizeof bits);
    return bits ^ (map.is_float && bits < 0 ? highest() : 0) ^ map.flip;
}

VECTOR_FUNCTION V ordered(key_map map, V bits)
{
    return (map.is_float ? bits ^ ((bits < 0) & highest()) : bits) ^ map.flip;
}

VECTOR_FUNCTION V unordered(key_map map, V keys)
{
    const V bits = keys ^ map.flip;
    return map.is_float ? bits ^ ((bits < 0) & highest()) : bits;
}

/* Lane k of a and b interleaved: the first LANES of the 2 * LANES lanes, or the others. */
#define LANE_OF_LOW(k, s) ((k) % 2 * LANES + (k) / 2)
#define LANE_OF_HIGH(k, s) ((k) % 2 * LANES + LANES / 2 + (k) / 2)

#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32 && PARSCAN_ELEMENT_BITS == 32
/* Batcher's bitonic merge again, for AVX2, whose shuffles of two vectors stay within halves of 128 bits: a has
   lanes of both halves of the network's lower vector, or of the higher one, until the end. */
VECTOR_FUNCTION void merge_lanes(V *low, V *high)
{
    const V reversed = vector_reverse(*high);
    __m256i a = (__m256i)SIGNED_MINIMUM(*low, reversed);
    __m256i b = (__m256i)SIGNED_MAXIMUM(*low, reversed);
    __m256i x = _mm256_permute2x128_si256(a, b, 0x20), y = _mm256_permute2x128_si256(a, b, 0x31);
    a = _mm256_min_epi32(x, y);
    b = _mm256_max_epi32(x, y);
    x = _mm256_unpacklo_epi64(a, b);
    y = _mm256_unpackhi_epi64(a, b);
    a = _mm256_min_epi32(x, y);
    b = _mm256_max_epi32(x, y);
    x = (__m256i)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
    y = (__m256i)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
    a = _mm256_min_epi32(x, y);
    b = _mm256_max_epi32(x, y);
    x = _mm256_unpacklo_epi32(a, b);
    y = _mm256_unpackhi_epi32(a, b);
    a = _mm256_unpacklo_epi64(x, y);
    b = _mm256_unpackhi_epi64(x, y);
    *low = (V)_mm256_permute2x128_si256(a, b, 0x20);
    *high = (V)_mm256_permute2x128_si256(a, b, 0x31);
}
#else
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
#endif

/* A merge on its way: what is left of the two runs, and the greatest elements that were taken. */
typedef struct chain {
    const char *a, *b, *a_end, *b_end;
    char *out, *out_end;
    V held;
} chain;

VECTOR_FUNCTION void put(char *out, V v, const bool stream)
{
    if (stream)
        vector_stream((T *)out, v);
    else
        vector_store(out, v);
}

/* Takes a vector of the run whose next element is the lesser one. Both have a whole vector left. */
VECTOR_FUNCTION void step(key_map map, chain *c, const bool stream)
{
    const bool takes_b = ordered_key(map, c->b) < ordered_key(map, c->a);
    const size_t of_b = (0 - (size_t)takes_b) & sizeof(V);
    const uintptr_t a = (uintptr_t)c->a, b = (uintptr_t)c->b;
    const char *const from = (const char *)(a ^ ((a ^ b) & (0 - (uintptr_t)takes_b)));
    V low = ordered(map, vector_load(from));
    if (stream)
        __builtin_prefetch(from + 1024);
    c->b += of_b;
    c->a += sizeof(V) - of_b;
    merge_lanes(&low, &c->held);
    put(c->out, unordered(map, low), stream);
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

VECTOR_FUNCTION void finish(key_map map, chain *c, const bool stream)
{
    for (size_t steps = steps_of(c); steps > 0; steps = steps_of(c))
        for (; steps > 0; steps--)
            step(map, c, stream);
    while (c->a < c->a_end || c->b < c->b_end) {
        V low = take_next(map, c);
        merge_lanes(&low, &c->held);
        low = unordered(map, low);
        const size_t bytes = bytes_min((size_t)(c->out_end - c->out), sizeof(V));
        if (bytes == sizeof(V))
            put(c->out, low, stream);
        else
            memcpy(c->out, &low, bytes);
        c->out += bytes;
    }
    const V rest = unordered(map, c->held);
    memcpy(c->out, &rest, (size_t)(c->out_end - c->out));
}

/* How many of the first n elements of the merge are a's, if `taken` of the first `before` ones are. What
   is found is within both runs, and after what is taken, whatever the keys are. */
VECTOR_FUNCTION size_t cross(key_map map, const char *a, size_t of_a, const char *b, size_t of_b,
                             size_t n, size_t taken, size_t before)
{
    const size_t least = n > of_b ? n - of_b : 0, most = taken + (n - before);
    size_t low = least > taken ? least : taken, high = most < of_a ? most : of_a;
    while (low < high) {
        const size_t i = low + (high - low) / 2;
        const bool is_before =
            ordered_key(map, a + i * sizeof(T)) <= ordered_key(map, b + (n - 1 - i) * sizeof(T));
        low = is_before ? i + 1 : low;
        high = is_before ? high : i;
    }
    return low;
}

/* Writes so many elements, one by one, fewer than there are. Returns how many of them are a's. */
VECTOR_FUNCTION size_t merge_first(key_map map, const char *a, size_t of_a, const char *b,
                                   size_t of_b, char *out, size_t n)
{
    size_t i = 0;
    for (size_t k = 0; k < n; k++) {
        const char *const at_a = a + i * sizeof(T), *const at_b = b + (k - i) * sizeof(T);
        const bool takes_b =
            i == of_a || (k - i < of_b && ordered_key(map, at_b) < ordered_key(map, at_a));
        memcpy(out + k * sizeof(T), takes_b ? at_b : at_a, sizeof(T));
        i += !takes_b;
    }
    return i;
}

/* The elements before the first of an aligned vector of out. */
VECTOR_FUNCTION size_t head_of(const char *out, size_t n)
{
    return bytes_min((0 - (uintptr_t)out) % sizeof(V) / sizeof(T), n);
}

/* With `stream` chains begin where vectors of out are aligned. */
VECTOR_FUNCTION void merge_chains(key_map map, const char *a, size_t of_a, const char *b,
                                  size_t of_b, char *out, const bool stream)
{
    const size_t n = of_a + of_b, head = stream ? head_of(out, n) : 0;
    chain chains[CHAINS];
    size_t i = merge_first(map, a, of_a, b, of_b, out, head), at = head, steps = SIZE_MAX;
    for (size_t k = 0; k < CHAINS; k++) {
        const size_t part = (n - head) * (k + 1) / CHAINS;
        const size_t end = k + 1 < CHAINS ? head + part / LANES * LANES : n;
        const size_t i_end = cross(map, a, of_a, b, of_b, end, i, at);
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
            step(map, &c0, stream);
            step(map, &c1, stream);
            step(map, &c2, stream);
            step(map, &c3, stream);
        }
        chains[0] = c0, chains[1] = c1, chains[2] = c2, chains[3] = c3;
        steps = SIZE_MAX;
        for (size_t k = 0; k < CHAINS; k++)
            steps = bytes_min(steps, steps_of(&chains[k]));
    }
    for (size_t k = 0; k < CHAINS; k++)
        if (chains[k].out < chains[k].out_end)
            finish(map, &chains[k], stream);
}

VECTOR_FUNCTION void merge_by(key_map map, const char *a, size_t of_a, const char *b, size_t of_b,
                              char *out, bool stream)
{
    if (stream)
        merge_chains(map, a, of_a, b, of_b, out, true);
    else
        merge_chains(map, a, of_a, b, of_b, out, false);
}

static void merge(const merge_vector_order *order, const char *a, size_t of_a, const char *b,
                  size_t of_b, char *out, bool stream)
{
    const T flip = (T)order->flip;
    if (order->is_float)
        merge_by((key_map){.is_float = true, .flip = flip}, a, of_a, b, of_b, out, stream);
    else
        merge_by((key_map){.is_float = false, .flip = flip}, a, of_a, b, of_b, out, stream);
}

#endif

#include "apps/merge/sort_vectors.h"

merge_of_vectors *const NAMED(PARSCAN_PASTE(parscan_merge_vectors_, PARSCAN_ISA)) = MERGES_VECTORS;
sort_of_vectors *const NAMED(PARSCAN_PASTE(parscan_sort_vectors_, PARSCAN_ISA)) = SORTS_VECTORS;
