/*
 * A quicksort of keys alone by SIMD vectors: the part of merge_vectors.c that sorts.
 *
 *   partition   in place, three ways: vectors are read from the end that has less room, what is below the pivot is
 *               stored at the front, what is above it at the back. What equals it is only counted. A pivot that a
 *               sample has seldom goes to the front: with AVX2 that is one shuffle in place of two, with AVX-512 7% less time
 *   few keys    eight vectors: a network sorts each column, columns are merged, and all are transposed
 *   pivots      the median of medians of three. What splits badly too often is sorted by a heap
 *
 * Sources: S. Gueron, V. Krasnov, Fast Quicksort Implementation Using AVX Instructions, 2016; B. Bramas, A Novel
 * Hybrid Quicksort Algorithm Vectorized using AVX-512 on Intel Skylake, 2017; M. Blacher et al., Vectorized and
 * performance-portable Quicksort, 2022 (rows of vectors, sorted by columns); K. E. Batcher, Sorting Networks and Their
 * Applications, 1968 (19 comparisons sort 8).
 */
/* Without an instruction for the minimum of such lanes, digits are faster. */
#if !defined __x86_64__ || PARSCAN_VECTOR_BYTES < 32 || !HAS_SIGNED_MINIMUM
#define SORTS_VECTORS NULL
#else
#define SORTS_VECTORS sort_keys

#include "apps/merge/heap_sort.h"
#include "scan/cpu/compress_table.h"

typedef V VS;
#include "scan/cpu/simd_bits.h"

enum {
    ROWS = 8,
    FEW = ROWS * LANES,
    AT_ONCE = 4, /* vectors that a partition reads at once; so many of both ends are held back */
    HELD = 2 * AT_ONCE,
    SAMPLED = 9
};

/* How integers become keys: all bits that are set in `magnitude` change in a negative one. */
typedef struct sort_map {
    T magnitude, flip;
} sort_map;

VECTOR_FUNCTION T integer_of(sort_map map, T bits)
{
    return bits ^ (bits < 0 ? map.magnitude : 0) ^ map.flip;
}

VECTOR_FUNCTION T key_of(sort_map map, T integer)
{
    const T bits = integer ^ map.flip;
    return bits ^ (bits < 0 ? map.magnitude : 0);
}

VECTOR_FUNCTION V keys_of(sort_map map, V integers)
{
    const V bits = integers ^ map.flip;
    return bits ^ ((bits < 0) & map.magnitude);
}

#include "apps/merge/sort_few_vectors.h"

/* ---- a partition ---- */

/* What is not read yet, between `begin` and `end`, and what is written: before `less` and from `more` on. */
typedef struct partition_ends {
    const T *begin, *end;
    T *less, *more;
} partition_ends;

/* Stores the lanes whose bits are set at to[0], to[1], ..., and anything after them up to to[LANES - 1]. Returns
   how many there are. */
VECTOR_FUNCTION size_t store_first(T *to, V v, uint64_t bits);
/* Stores them before `to`, and anything before them. */
VECTOR_FUNCTION size_t store_last(T *to, V v, uint64_t bits);

#if PARSCAN_VECTOR_BYTES == 64
#if PARSCAN_ELEMENT_BITS == 32
typedef __mmask16 lane_mask;
#else
typedef __mmask8 lane_mask;
#endif
#define COMPRESS(bits, v) \
    PARSCAN_PASTE(_mm512_maskz_compress_epi, PARSCAN_ELEMENT_BITS)(bits, (__m512i)(v))
VECTOR_FUNCTION size_t store_first(T *to, V v, uint64_t bits)
{
    vector_store(to, (V)COMPRESS((lane_mask)bits, v));
    return (size_t)__builtin_popcountll(bits);
}

VECTOR_FUNCTION size_t store_last(T *to, V v, uint64_t bits)
{
    const size_t count = (size_t)__builtin_popcountll(bits);
    PARSCAN_PASTE(_mm512_mask_storeu_epi, PARSCAN_ELEMENT_BITS)
    (to - count, (lane_mask)((1u << count) - 1), COMPRESS((lane_mask)bits, v));
    return count;
}
#else
/* The lanes whose bits are set, and after them the others. */
VECTOR_FUNCTION V lanes_first(V v, uint64_t bits)
{
#if PARSCAN_ELEMENT_BITS == 64
    const uint64_t apart = (bits | bits << 2) & 0x33;
    bits = ((apart | apart << 1) & 0x55) * 3;
#endif
    return (V)_mm256_permutevar8x32_epi32(
        (__m256i)v,
        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)parscan_compress_table[bits])));
}

VECTOR_FUNCTION size_t store_first(T *to, V v, uint64_t bits)
{
    vector_store(to, lanes_first(v, bits));
    return (size_t)__builtin_popcountll(bits);
}

VECTOR_FUNCTION size_t store_last(T *to, V v, uint64_t bits)
{
    vector_store(to - LANES, lanes_first(v, ~bits & (((uint64_t)1 << LANES) - 1)));
    return (size_t)__builtin_popcountll(bits);
}
#endif

VECTOR_FUNCTION uint64_t above(V a, V b)
{
#if PARSCAN_VECTOR_BYTES == 64
    return PARSCAN_PASTE(PARSCAN_PASTE(_mm512_cmpgt_epi, PARSCAN_ELEMENT_BITS), _mask)((__m512i)a,
                                                                                       (__m512i)b);
#else
    return vector_bits(a > b);
#endif
}

VECTOR_FUNCTION void part_vector(partition_ends *p, V v, V pivot, const bool equal_apart)
{
    const uint64_t high = above(v, pivot), all = ((uint64_t)1 << LANES) - 1;
#if PARSCAN_VECTOR_BYTES == 32
    if (!equal_apart) {
        const V parted = lanes_first(v, high ^ all);
        const size_t count = (size_t)__builtin_popcountll(high);
        vector_store(p->less, parted);
        vector_store(p->more - LANES, parted);
        p->less += LANES - count;
        p->more -= count;
        return;
    }
#endif
    p->less += store_first(p->less, v, equal_apart ? above(pivot, v) : high ^ all);
    p->more -= store_last(p->more, v, high);
}

/* Parts the vectors that have been held back: both ends meet here, so they go to memory of their own first. */
VECTOR_FUNCTION void part_rest(partition_ends *p, const V *held, size_t vectors, size_t padded,
                               V pivot, const bool equal_apart)
{
    enum { ROOM = (HELD + AT_ONCE + 2) * LANES };
    T less[ROOM], more[ROOM];
    partition_ends rest = {.less = less, .more = more + ROOM};
    for (size_t k = 0; k < vectors; k++)
        part_vector(&rest, held[k], pivot, equal_apart);
    /* What the last vector was filled up with is the pivot. */
    const size_t of_less = (size_t)(rest.less - less) - (equal_apart ? 0 : padded);
    const size_t of_more = (size_t)(more + ROOM - rest.more);
    memcpy(p->less, less, of_less * sizeof(T));
    p->less += of_less;
    p->more -= of_more;
    memcpy(p->more, rest.more, of_more * sizeof(T));
}

/* Partitions n keys, more than HELD * LANES. */
VECTOR_FUNCTION partition_ends partition_as(T *keys, size_t n, T at, const bool equal_apart)
{
    const V pivot = vector_splat(at);
    V held[HELD + AT_ONCE + 1];
    size_t vectors = HELD;
    const size_t tail = n % LANES;
    partition_ends p = {keys + AT_ONCE * LANES, keys + n - tail - AT_ONCE * LANES, keys, keys + n};
    for (size_t k = 0; k < AT_ONCE; k++) {
        held[k] = vector_load(keys + k * LANES);
        held[AT_ONCE + k] = vector_load(p.end + k * LANES);
    }
    T last[LANES];
    vector_store(last, pivot);
    memcpy(last, keys + n - tail, tail * sizeof(T));
    while ((size_t)(p.end - p.begin) >= AT_ONCE * LANES) {
        V v[AT_ONCE];
        const T *from = p.begin;
        if (p.begin - p.less <= p.more - p.end)
            p.begin += AT_ONCE * LANES;
        else
            from = p.end -= AT_ONCE * LANES;
        for (int k = 0; k < AT_ONCE; k++)
            v[k] = vector_load(from + k * LANES);
        for (int k = 0; k < AT_ONCE; k++)
            part_vector(&p, v[k], pivot, equal_apart);
    }
    for (; p.begin < p.end; p.begin += LANES)
        held[vectors++] = vector_load(p.begin);
    held[vectors++] = vector_load(last);
    part_rest(&p, held, vectors, LANES - tail, pivot, equal_apart);
    return p;
}

static partition_ends partition_apart(T *keys, size_t n, T at)
{
    return partition_as(keys, n, at, true);
}

static partition_ends partition_two(T *keys, size_t n, T at)
{
    return partition_as(keys, n, at, false);
}

/* ---- pivots ---- */

VECTOR_FUNCTION V median(V a, V b, V c)
{
    return SIGNED_MAXIMUM(SIGNED_MINIMUM(a, b), SIGNED_MINIMUM(SIGNED_MAXIMUM(a, b), c));
}

/* A lane near the middle of a vector's order: the median of three medians of lanes. */
VECTOR_FUNCTION T middle_lane(V v)
{
    T x[LANES];
    const V of_three = median(v, __builtin_shufflevector(v, v, EVERY_LANE(LANE_ACROSS, 1)),
                              __builtin_shufflevector(v, v, EVERY_LANE(LANE_ACROSS, LANES / 2)));
    vector_store(x, of_three);
    const T a = x[0], b = x[LANES / 4 + 1], c = x[LANES / 2 - 1];
    const T low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

#if PARSCAN_VECTOR_BYTES == 64
#define EQUAL_BITS(a, b)                                                        \
    PARSCAN_PASTE(PARSCAN_PASTE(_mm512_cmpeq_epi, PARSCAN_ELEMENT_BITS), _mask) \
    ((__m512i)(a), (__m512i)(b))
#else
#define EQUAL_BITS(a, b) vector_bits((a) == (b))
#endif
/* Returns a key near the median. *often tells whether the sample has it more than once in 16, so that what equals it is better kept apart. */
static T choose_pivot(const T *keys, size_t n, bool *often)
{
    const size_t step = (n - LANES) / (SAMPLED - 1);
    V v[SAMPLED];
    for (int k = 0; k < SAMPLED; k++)
        v[k] = vector_load(keys + (size_t)k * step);
    const T pivot = middle_lane(
        median(median(v[0], v[3], v[6]), median(v[1], v[4], v[7]), median(v[2], v[5], v[8])));
    unsigned count = 0;
    for (int k = 0; k < SAMPLED; k++)
        count += (unsigned)__builtin_popcountll(EQUAL_BITS(v[k], vector_splat(pivot)));
    *often = count * 16 > SAMPLED * LANES;
    return pivot;
}

/* ---- the sort ---- */

/* What is sorted: integers, and where they go as keys. */
typedef struct vector_sort {
    sort_map map;
    const T *keys;
    char *to;
} vector_sort;

VECTOR_FUNCTION char *place_of_key(const vector_sort *s, const T *key)
{
    return s->to + (size_t)(key - s->keys) * sizeof(T);
}

VECTOR_FUNCTION void put_keys(const vector_sort *s, const T *keys, size_t n)
{
    char *const to = place_of_key(s, keys);
    for (size_t i = 0; i < n; i++) {
        const T key = key_of(s->map, keys[i]);
        memcpy(to + i * sizeof(T), &key, sizeof key);
    }
}

VECTOR_FUNCTION void put_equal(const vector_sort *s, const T *begin, const T *end, T key)
{
    char *const to = place_of_key(s, begin);
    const T equal = key_of(s->map, key);
    for (size_t i = 0; i < (size_t)(end - begin); i++)
        memcpy(to + i * sizeof(T), &equal, sizeof equal);
}

static partition_ends partition(T *keys, size_t n, T *pivot)
{
    bool often;
    *pivot = choose_pivot(keys, n, &often);
    if (!often) {
        const partition_ends p = partition_two(keys, n, *pivot);
        if (p.more < keys + n)
            return p;
    }
    return partition_apart(keys, n, *pivot);
}

static void sort_part(const vector_sort *s, T *keys, size_t n, unsigned depth)
{
    while (n > FEW) {
        if (depth-- == 0) {
            sort_by_heap(keys, n);
            put_keys(s, keys, n);
            return;
        }
        T pivot;
        const partition_ends p = partition(keys, n, &pivot);
        put_equal(s, p.less, p.more, pivot);
        const size_t less = (size_t)(p.less - keys), more = (size_t)(keys + n - p.more);
        if (less < more) {
            sort_part(s, keys, less, depth);
            keys = p.more;
            n = more;
        } else {
            sort_part(s, p.more, more, depth);
            n = less;
        }
    }
    if (n > 0)
        sort_few(s->map, keys, n, place_of_key(s, keys));
}

/* Whether a key is a NaN. */
VECTOR_FUNCTION bool has_nan(const char *keys, size_t n)
{
    const T infinity = PARSCAN_ELEMENT_BITS == 32 ? 0x7f800000 : (T)0x7ff0000000000000;
    T found = 0;
    for (size_t i = 0; i < n; i++) {
        T bits;
        memcpy(&bits, keys + i * sizeof bits, sizeof bits);
        found |= (bits & highest()) > infinity;
    }
    return found != 0;
}

VECTOR_FUNCTION void sort_by(sort_map map, const char *from, size_t n, T *work, char *to)
{
    for (size_t i = 0; i < n; i++) {
        T bits;
        memcpy(&bits, from + i * sizeof bits, sizeof bits);
        work[i] = integer_of(map, bits);
    }
    const vector_sort s = {map, work, to};
    sort_part(&s, work, n, 2 * (64 - (unsigned)__builtin_clzll(n | 1)));
}

static bool sort_keys(const merge_vector_order *order, const char *from, size_t n, char *work,
                      char *to)
{
    const T flip = (T)order->flip;
    if (order->is_float && has_nan(from, n))
        return false;
    sort_by((sort_map){order->is_float ? highest() : 0, flip}, from, n, (T *)work, to);
    return true;
}

#endif
