/*
 * A linear recurrence over one tile in SIMD vectors. Compiled once for each float type and
 * instruction set.
 *
 * The lanes of a group are maps x -> a x + b. A Kogge-Stone network scans these maps; then all of
 * them are applied to the x before the group. Only x is passed from group to group. A group has 64
 * bytes, as many vectors as that takes. So every instruction set groups the elements in the same
 * way, and gives the same bits.
 */
#include "apps/segmented/recurrence_kernels.h"

#if PARSCAN_ELEMENT_IS_FLOAT

static T run_singly(const recurrence_tile *tile, size_t begin, size_t end, T x, T *results)
{
    for (size_t i = begin; i < end; i++) {
        T a, b;
        memcpy(&a, tile->a + (i & tile->a_mask), sizeof a);
        memcpy(&b, tile->b + i, sizeof b);
        x = a * x + b;
        if (tile->product != NULL)
            scaled_multiply(tile->product, (double)a);
        if (results != NULL)
            memcpy(results + (i - begin), &x, sizeof x);
    }
    return x;
}

#if PARSCAN_ELEMENT_BITS != 0
#include "scan/cpu/simd.h"

#define GROUP_VECTORS ((int)(64 / PARSCAN_VECTOR_BYTES))
#define GROUP ((size_t)(GROUP_VECTORS * LANES))

#if PARSCAN_ELEMENT_BITS == 32
#define SMALLEST_NORMAL 0x1p-126f
#define TAME_BELOW 0x1p62f
#else
#define SMALLEST_NORMAL 0x1p-1022
#define TAME_BELOW 0x1p510
#endif

typedef PARSCAN_PASTE(PARSCAN_PASTE(uint, PARSCAN_ELEMENT_BITS), _t) vector_of_bits
    __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

/* Step s of the network: lane k of the group takes in lane k - s. Within a vector the lanes below s
   take from the vector before; in the first one they are unchanged. */
#define LANE_BELOW(k, s) ((k) < (s) ? (k) : (k) - (s))
#define LANE_CHANGED(k, s) ((k) < (s) ? (k) : LANES + (k))
#define LANE_OF_PAIR(k, s) (LANES - (s) + (k))
#define BELOW(v, s) __builtin_shufflevector(v, v, EVERY_LANE(LANE_BELOW, s))
#define CHANGED(v, to, s) __builtin_shufflevector(v, to, EVERY_LANE(LANE_CHANGED, s))
#define FROM_PAIR(before, v, s) __builtin_shufflevector(before, v, EVERY_LANE(LANE_OF_PAIR, s))
#define COMPOSE_LANES(s)                                       \
    do {                                                       \
        for (int v = GROUP_VECTORS - 1; v > 0; v--) {          \
            b[v] = a[v] * FROM_PAIR(b[v - 1], b[v], s) + b[v]; \
            a[v] = a[v] * FROM_PAIR(a[v - 1], a[v], s);        \
        }                                                      \
        b[0] = CHANGED(b[0], a[0] * BELOW(b[0], s) + b[0], s); \
        a[0] = CHANGED(a[0], a[0] * BELOW(a[0], s), s);        \
    } while (0)
#define MULTIPLY_LANES(s)                               \
    do {                                                \
        for (int v = GROUP_VECTORS - 1; v > 0; v--)     \
            a[v] = a[v] * FROM_PAIR(a[v - 1], a[v], s); \
        a[0] = CHANGED(a[0], a[0] * BELOW(a[0], s), s); \
        small |= any_small(a);                          \
    } while (0)
#if LANES == 2
#define EVERY_STEP(STEP) STEP(1)
#elif LANES == 4
#define EVERY_STEP(STEP) \
    STEP(1);             \
    STEP(2)
#elif LANES == 8
#define EVERY_STEP(STEP) \
    STEP(1);             \
    STEP(2);             \
    STEP(4)
#else
#define EVERY_STEP(STEP) \
    STEP(1);             \
    STEP(2);             \
    STEP(4);             \
    STEP(8)
#endif

/* Makes each lane's map that of all lanes up to it. */
VECTOR_FUNCTION void compose(V a[GROUP_VECTORS], V b[GROUP_VECTORS])
{
    EVERY_STEP(COMPOSE_LANES);
    for (int s = 1; s < GROUP_VECTORS; s *= 2)
        for (int v = GROUP_VECTORS - 1; v >= s; v--) {
            b[v] = a[v] * b[v - s] + b[v];
            a[v] = a[v] * a[v - s];
        }
}

VECTOR_FUNCTION V magnitude(V v)
{
    const vector_of_bits all = (vector_of_bits){0} - 1;
    return (V)((vector_of_bits)v & all >> 1);
}

VECTOR_FUNCTION bool any_set(vector_of_u64 lanes)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    return _mm512_test_epi64_mask((__m512i)lanes, (__m512i)lanes) != 0;
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    return !_mm256_testz_si256((__m256i)lanes, (__m256i)lanes);
#elif defined __x86_64__
    return _mm_movemask_epi8((__m128i)lanes) != 0; /* each lane has its top bit or no bit */
#else
    uint64_t any = 0;
    for (size_t k = 0; k < PARSCAN_VECTOR_BYTES / sizeof any; k++)
        any |= lanes[k];
    return any != 0;
#endif
}

VECTOR_FUNCTION vector_of_u64 any_small(const V a[GROUP_VECTORS])
{
    vector_of_u64 small = {0};
    for (int v = 0; v < GROUP_VECTORS; v++)
        small |= (vector_of_u64)(magnitude(a[v]) < vector_splat(SMALLEST_NORMAL));
    return small;
}

/* Whether a product of neighbouring factors of the network is below the normal numbers, though no
   factor of it is 0. */
static __attribute__((noinline)) bool underflows(const T *factors)
{
    V a[GROUP_VECTORS];
    vector_of_u64 small = {0};
    for (int v = 0; v < GROUP_VECTORS; v++) {
        const V given = vector_load(factors + v * LANES);
        const vector_of_u64 zero = (vector_of_u64)(given == vector_splat(0));
        a[v] = (V)((vector_of_u64)given | (zero & (vector_of_u64)vector_splat(1)));
    }
    EVERY_STEP(MULTIPLY_LANES);
    for (int s = 1; s < GROUP_VECTORS; s *= 2) {
        for (int v = GROUP_VECTORS - 1; v >= s; v--)
            a[v] = a[v] * a[v - s];
        small |= any_small(a);
    }
    return any_set(small);
}

VECTOR_FUNCTION bool are_finite(const V results[GROUP_VECTORS])
{
    V zero = results[0] - results[0]; /* NaN where it is not finite */
    for (int v = 1; v < GROUP_VECTORS; v++)
        zero += results[v] - results[v];
    return !any_set((vector_of_u64)(zero != zero));
}

#define NOT_FINITE 0x99 /* vfpclass: either NaN, either infinity */
/* Whether all results are finite, and the products are tame. */
VECTOR_FUNCTION bool are_ordinary(const V a[GROUP_VECTORS], const V results[GROUP_VECTORS])
{
    const V least = vector_splat(1 / TAME_BELOW), most = vector_splat(TAME_BELOW);
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    /* Two comparisons: magnitudes are compared as integers, from `least` on. */
    const vector_of_bits lowest = (vector_of_bits)least, range = (vector_of_bits)most - lowest;
    const vector_of_bits size = (vector_of_bits)magnitude(a[0]) - lowest;
#if PARSCAN_ELEMENT_BITS == 32
    const __mmask16 odd = _mm512_fpclass_ps_mask(results[0], NOT_FINITE);
    const __mmask16 wild = _mm512_cmpgt_epu32_mask((__m512i)size, (__m512i)range);
#else
    const __mmask8 odd = _mm512_fpclass_pd_mask(results[0], NOT_FINITE);
    const __mmask8 wild = _mm512_cmpgt_epu64_mask((__m512i)size, (__m512i)range);
#endif
    return (odd | wild) == 0;
#else
    V zero = results[0] - results[0]; /* NaN where it is not finite */
    vector_of_u64 odd = {0};
    for (int v = 1; v < GROUP_VECTORS; v++)
        zero += results[v] - results[v];
    odd = (vector_of_u64)(zero != zero);
    for (int v = 0; v < GROUP_VECTORS; v++) {
        const V size = magnitude(a[v]);
        odd |= (vector_of_u64)((size < least) | (size > most));
    }
    return !any_set(odd);
#endif
}

/* What composed maps cannot give: a result that is not finite, since a product may overflow, or be
   infinity times zero, where no x does; and one that has lost the past, since a product has
   underflowed, while x may be large. Where all products from the group's first element on are tame,
   so are those of all neighbours: they are quotients of two. */
VECTOR_FUNCTION bool are_wrong(const T *factors, const V a[GROUP_VECTORS],
                               const V results[GROUP_VECTORS])
{
    if (__builtin_expect(are_ordinary(a, results), 1))
        return false;
    return !are_finite(results) || underflows(factors);
}

/* Runs the recurrence over the group that starts at element i. */
VECTOR_FUNCTION V run_group(const recurrence_tile *tile, size_t i, V before,
                            V results[GROUP_VECTORS])
{
    V a[GROUP_VECTORS], b[GROUP_VECTORS];
    const T *const of_group = tile->a + (i & tile->a_mask);
    for (int v = 0; v < GROUP_VECTORS; v++) {
        a[v] = vector_load(of_group + v * LANES);
        b[v] = vector_load(tile->b + i + v * LANES);
    }
    compose(a, b);
    for (int v = 0; v < GROUP_VECTORS; v++)
        results[v] = a[v] * before + b[v];
    if (__builtin_expect(are_wrong(of_group, a, results), 0)) {
        T singly[GROUP];
        run_singly(tile, i, i + GROUP, vector_first(before), singly);
        for (int v = 0; v < GROUP_VECTORS; v++)
            results[v] = vector_load(singly + v * LANES);
    } else if (tile->product != NULL) {
        scaled_multiply(tile->product, (double)vector_last(a[GROUP_VECTORS - 1]));
    }
    return vector_broadcast_last(results[GROUP_VECTORS - 1]);
}

static size_t run_groups(const recurrence_tile *tile, T *x)
{
    V before = vector_splat(*x), results[GROUP_VECTORS];
    size_t i = 0;
    for (; i + GROUP <= tile->n; i += GROUP) {
        if (tile->next_a != NULL) {
            prefetch((const char *)tile->next_a + i * sizeof(T), GROUP * sizeof(T));
            prefetch((const char *)tile->next_b + i * sizeof(T), GROUP * sizeof(T));
        }
        before = run_group(tile, i, before, results);
        for (int v = 0; tile->out != NULL && v < GROUP_VECTORS; v++) {
            if (tile->stream)
                vector_stream(tile->out + i + v * LANES, results[v]);
            else
                vector_store(tile->out + i + v * LANES, results[v]);
        }
    }
    *x = vector_first(before);
    return i;
}
#else
static size_t run_groups(const recurrence_tile *tile, T *x)
{
    (void)tile;
    (void)x;
    return 0;
}
#endif

T NAMED(PARSCAN_PASTE(parscan_recurrence_, PARSCAN_ISA))(const recurrence_tile *tile)
{
    T x = tile->before;
    const size_t i = run_groups(tile, &x);
    return run_singly(tile, i, tile->n, x, tile->out != NULL ? tile->out + i : NULL);
}
#endif
