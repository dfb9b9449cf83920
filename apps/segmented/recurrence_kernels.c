/*
 * A linear recurrence over one tile in SIMD vectors. Compiled once for each float type and
 * instruction set.
 *
 * The lanes of a vector are maps x -> a x + b. A Kogge-Stone network scans these maps; then all of
 * them are applied to the x before the vector. Only x is passed from vector to vector.
 */
#include "apps/segmented/recurrence_kernels.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#if PARSCAN_ELEMENT_BITS != 0
#include "scan/cpu/simd.h"

/* Lane k becomes v's lane k - s; the lanes below s are unchanged. */
#define LANE_BELOW(k, s) ((k) < (s) ? (k) : (k) - (s))
#define LANE_CHANGED(k, s) ((k) < (s) ? (k) : LANES + (k))
#define COMPOSE(s)                                                                    \
    do {                                                                              \
        const V a_below = __builtin_shufflevector(a, a, EVERY_LANE(LANE_BELOW, s));   \
        const V b_below = __builtin_shufflevector(b, b, EVERY_LANE(LANE_BELOW, s));   \
        b = __builtin_shufflevector(b, a * b_below + b, EVERY_LANE(LANE_CHANGED, s)); \
        a = __builtin_shufflevector(a, a * a_below, EVERY_LANE(LANE_CHANGED, s));     \
    } while (0)

/* Returns x after each lane's element. `before` holds the x before the vector in all lanes. */
VECTOR_FUNCTION V apply_maps(V a, V b, V before)
{
    COMPOSE(1);
#if LANES > 2
    COMPOSE(2);
#endif
#if LANES > 4
    COMPOSE(4);
#endif
#if LANES > 8
    COMPOSE(8);
#endif
    return a * before + b;
}

/* Returns false if a lane is not finite; the vector is then computed one by one. A product of
   factors may overflow, or be infinity times zero, where no x does. */
VECTOR_FUNCTION bool is_finite(V v)
{
    const V zero = v - v; /* NaN where v is not finite */
    const vector_of_u64 odd = (vector_of_u64)(zero != zero);
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    return _mm512_test_epi64_mask((__m512i)odd, (__m512i)odd) == 0;
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    return _mm256_testz_si256((__m256i)odd, (__m256i)odd);
#else
    uint64_t any = 0;
    for (size_t k = 0; k < PARSCAN_VECTOR_BYTES / sizeof any; k++)
        any |= odd[k];
    return any == 0;
#endif
}

static V run_singly(const T *as, const T *bs, T x)
{
    T results[LANES];
    for (size_t k = 0; k < LANES; k++) {
        T a, b;
        memcpy(&a, as + k, sizeof a);
        memcpy(&b, bs + k, sizeof b);
        results[k] = x = a * x + b;
    }
    return vector_load(results);
}

static size_t run_vectors(const recurrence_tile *tile, T *x)
{
    V before = vector_splat(*x);
    size_t i = 0;
    for (; i + LANES <= tile->n; i += LANES) {
        if (tile->next_a != NULL) {
            prefetch((const char *)tile->next_a + i * sizeof(T), sizeof(V));
            prefetch((const char *)tile->next_b + i * sizeof(T), sizeof(V));
        }
        V result = apply_maps(vector_load(tile->a + i), vector_load(tile->b + i), before);
        if (__builtin_expect(!is_finite(result), 0))
            result = run_singly(tile->a + i, tile->b + i, vector_first(before));
        before = vector_broadcast_last(result);
        if (tile->out == NULL)
            continue;
        if (tile->stream)
            vector_stream(tile->out + i, result);
        else
            vector_store(tile->out + i, result);
    }
    *x = vector_first(before);
    return i;
}
#else
static size_t run_vectors(const recurrence_tile *tile, T *x)
{
    (void)tile;
    (void)x;
    return 0;
}
#endif

T NAMED(PARSCAN_PASTE(parscan_recurrence_, PARSCAN_ISA))(const recurrence_tile *tile)
{
    T x = tile->before;
    for (size_t i = run_vectors(tile, &x); i < tile->n; i++) {
        T a, b;
        memcpy(&a, tile->a + i, sizeof a);
        memcpy(&b, tile->b + i, sizeof b);
        x = a * x + b;
        if (tile->out != NULL)
            memcpy(tile->out + i, &x, sizeof x);
    }
    return x;
}
#endif
