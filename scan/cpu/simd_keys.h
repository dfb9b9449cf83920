/*
 * Minimum and maximum of SIMD vectors by single instructions. Included by simd.h.
 *
 * x86 has no instruction for the minimum of floats that the library promises (NaN propagates, -0
 * is below +0), and AVX2 has none for unsigned integers of 64 bits. But it has signed minima, or
 * signed comparisons. So a kernel maps such elements to keys: signed integers that are ordered as
 * the elements are, with NaN at the end that wins. It combines keys, and maps the results back.
 * That is a few operations for each vector instead of several for each combination.
 *
 * This file defines
 *     vector_minimum(a, b), vector_maximum(a, b)   of V, lane by lane
 *     vector_keys(op, v)             the keys of v; v itself where op needs none
 *     vector_values(op, keys)        the inverse
 * and simd.h defines vector_combine_keys(op, a, b), which combines keys.
 */
#ifndef PARSCAN_SCAN_CPU_SIMD_KEYS_H
#define PARSCAN_SCAN_CPU_SIMD_KEYS_H

typedef __typeof__((V){0} < (V){0}) vector_mask; /* signed lanes as wide as an element */

/* C has no ?: for vectors. A comparison of vectors gives lanes of all ones or all zeros. */
VECTOR_FUNCTION V vector_select(vector_mask mask, V a, V b)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    return (V)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
#else
    return (V)((mask & (vector_mask)a) | (~mask & (vector_mask)b));
#endif
}

/* The vectors and the names of an instruction set's own minima. */
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
typedef __m512i own_signed, own_unsigned;
#define OWN_SIGNED(name) PARSCAN_PASTE(_mm512_##name##_epi, PARSCAN_ELEMENT_BITS)
#define OWN_UNSIGNED(name) PARSCAN_PASTE(_mm512_##name##_epu, PARSCAN_ELEMENT_BITS)
#define HAS_SIGNED_MINIMUM 1
#define HAS_UNSIGNED_MINIMUM 1
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
typedef __m256i own_signed, own_unsigned;
#define OWN_SIGNED(name) PARSCAN_PASTE(_mm256_##name##_epi, PARSCAN_ELEMENT_BITS)
#define OWN_UNSIGNED(name) PARSCAN_PASTE(_mm256_##name##_epu, PARSCAN_ELEMENT_BITS)
#define HAS_SIGNED_MINIMUM (PARSCAN_ELEMENT_BITS <= 32)
#define HAS_UNSIGNED_MINIMUM (PARSCAN_ELEMENT_BITS <= 32)
#elif defined __x86_64__
typedef __m128i own_signed, own_unsigned;
#define OWN_SIGNED(name) PARSCAN_PASTE(_mm_##name##_epi, PARSCAN_ELEMENT_BITS)
#define OWN_UNSIGNED(name) PARSCAN_PASTE(_mm_##name##_epu, PARSCAN_ELEMENT_BITS)
#define HAS_SIGNED_MINIMUM (PARSCAN_ELEMENT_BITS == 16)
#define HAS_UNSIGNED_MINIMUM (PARSCAN_ELEMENT_BITS == 8)
#elif defined __aarch64__
#define UNSIGNED_LANE PARSCAN_PASTE(PARSCAN_PASTE(uint, PARSCAN_ELEMENT_BITS), _t)
typedef vector_mask own_signed;
typedef UNSIGNED_LANE own_unsigned __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
#define OWN_SIGNED(name) PARSCAN_PASTE(v##name##q_s, PARSCAN_ELEMENT_BITS)
#define OWN_UNSIGNED(name) PARSCAN_PASTE(v##name##q_u, PARSCAN_ELEMENT_BITS)
#define HAS_SIGNED_MINIMUM (PARSCAN_ELEMENT_BITS <= 32)
#define HAS_UNSIGNED_MINIMUM (PARSCAN_ELEMENT_BITS <= 32)
#else
#define HAS_SIGNED_MINIMUM 0
#define HAS_UNSIGNED_MINIMUM 0
#endif

#if HAS_SIGNED_MINIMUM
#define SIGNED_MINIMUM(a, b) (V) OWN_SIGNED(min)((own_signed)(a), (own_signed)(b))
#define SIGNED_MAXIMUM(a, b) (V) OWN_SIGNED(max)((own_signed)(a), (own_signed)(b))
#else
#define SIGNED_MINIMUM(a, b) vector_select((vector_mask)(b) < (vector_mask)(a), b, a)
#define SIGNED_MAXIMUM(a, b) vector_select((vector_mask)(b) > (vector_mask)(a), b, a)
#endif
#if HAS_UNSIGNED_MINIMUM
#define UNSIGNED_MINIMUM(a, b) (V) OWN_UNSIGNED(min)((own_unsigned)(a), (own_unsigned)(b))
#define UNSIGNED_MAXIMUM(a, b) (V) OWN_UNSIGNED(max)((own_unsigned)(a), (own_unsigned)(b))
#else
#define UNSIGNED_MINIMUM(a, b) vector_select((b) < (a), b, a)
#define UNSIGNED_MAXIMUM(a, b) vector_select((b) > (a), b, a)
#endif

#if !PARSCAN_ELEMENT_IS_FLOAT
#define IS_UNSIGNED ((T)-1 > (T)0)
VECTOR_FUNCTION V vector_minimum(V a, V b)
{
    return IS_UNSIGNED ? UNSIGNED_MINIMUM(a, b) : SIGNED_MINIMUM(a, b);
}
VECTOR_FUNCTION V vector_maximum(V a, V b)
{
    return IS_UNSIGNED ? UNSIGNED_MAXIMUM(a, b) : SIGNED_MAXIMUM(a, b);
}
#elif defined __aarch64__
/* FMIN and FMAX are the minimum and maximum of IEEE 754-2019. */
#if PARSCAN_ELEMENT_BITS == 32
#define NEON_LANES(function) function##_f32
#else
#define NEON_LANES(function) function##_f64
#endif
VECTOR_FUNCTION V vector_minimum(V a, V b)
{
    return NEON_LANES(vminq)(a, b);
}
VECTOR_FUNCTION V vector_maximum(V a, V b)
{
    return NEON_LANES(vmaxq)(a, b);
}
#else
VECTOR_FUNCTION V vector_minimum(V a, V b)
{
    return vector_select((a != a) | (a < b) | ((a == b) & ((vector_mask)a < 0)), a, b);
}
VECTOR_FUNCTION V vector_maximum(V a, V b)
{
    return vector_select((a != a) | (a > b) | ((a == b) & ((vector_mask)a >= 0)), a, b);
}
#endif

/* Whether the element type has keys. SSE2 cannot compare integers of 64 bits. */
#if PARSCAN_ELEMENT_IS_FLOAT
#if defined __aarch64__ || \
    (defined __x86_64__ && PARSCAN_VECTOR_BYTES == 16 && PARSCAN_ELEMENT_BITS == 64)
#define HAS_KEYS 0
#else
#define HAS_KEYS 1
#endif
#else
#define HAS_KEYS (PARSCAN_ELEMENT_BITS == 64 && PARSCAN_VECTOR_BYTES == 32 && IS_UNSIGNED)
#endif

VECTOR_FUNCTION bool works_on_keys(const OPERATOR op)
{
    return HAS_KEYS && (op == PARSCAN_MIN || op == PARSCAN_MAX);
}

#if PARSCAN_ELEMENT_BITS == 64
typedef int64_t KEY;
typedef uint64_t KEY_BITS;
#define MANTISSA_BITS 52
#else
typedef int32_t KEY;
typedef uint32_t KEY_BITS;
#define MANTISSA_BITS 23
#endif
#define NEGATIVE ((KEY)((KEY_BITS)1 << (sizeof(KEY) * 8 - 1)))

/* A float is a sign and a magnitude; its key is a two's complement. Then NaNs lie at both ends of
   the order. They are moved to one end by an addition that wraps. */
#define NAN_KEYS ((KEY)(((KEY_BITS)1 << MANTISSA_BITS) - 1))
VECTOR_FUNCTION V vector_keys(const OPERATOR op, V v)
{
    if (!works_on_keys(op))
        return v;
#if PARSCAN_ELEMENT_IS_FLOAT
    const vector_mask bits = (vector_mask)v;
    const vector_mask keys = bits ^ ((bits < 0) & ~NEGATIVE);
    return (V)(op == PARSCAN_MIN ? keys + NAN_KEYS : keys - NAN_KEYS);
#else
    return v ^ (T)NEGATIVE;
#endif
}

VECTOR_FUNCTION V vector_values(const OPERATOR op, V keys)
{
    if (!works_on_keys(op))
        return keys;
#if PARSCAN_ELEMENT_IS_FLOAT
    const vector_mask moved = (vector_mask)keys;
    const vector_mask bits = op == PARSCAN_MIN ? moved - NAN_KEYS : moved + NAN_KEYS;
    return (V)(bits ^ ((bits < 0) & ~NEGATIVE));
#else
    return keys ^ (T)NEGATIVE;
#endif
}

#endif
