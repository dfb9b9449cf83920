/*
 * SIMD vectors of one element type, in compiler vector extensions, so that one source serves every
 * instruction set. Compiled once for each element type and instruction set.
 *
 * Before this file: scan/cpu/element.h, and from CMake PARSCAN_VECTOR_BYTES (16, 32, 64) and
 * PARSCAN_ELEMENT_BITS.
 * This file defines V, a vector of LANES elements, and
 *     vector_load(from), vector_store(to, v)   at any alignment
 *     vector_stream(to, v)        stores past the caches; `to` must be aligned to the vector
 *     vector_combine(op, a, b)    combines lane by lane; a is the earlier operand
 *     vector_splat(x), vector_first(v), vector_last(v), vector_broadcast_last(v), vector_reverse(v)
 *     vector_after(previous, v)   v moved up by one lane; lane 0 gets the last lane of previous
 *     vector_evens(a, b), vector_odds(a, b)   lanes 0, 2, 4 ... of a, then of b; lanes 1, 3, 5 ...
 * Minimum, maximum and keys are in simd_keys.h, the scan of a vector's lanes in simd_network.h.
 */
#ifndef PARSCAN_SCAN_CPU_SIMD_H
#define PARSCAN_SCAN_CPU_SIMD_H

#include "scan/cpu/element.h"
#include "scan/cpu/intrinsics.h"

#define VECTOR_FUNCTION static inline __attribute__((always_inline, unused))

/* Prefetches to the second-level cache, since the first-level cache holds the current tile. */
#define LINE 64
VECTOR_FUNCTION void prefetch(const char *from, size_t bytes)
{
    for (size_t byte = 0; byte < bytes; byte += LINE)
        __builtin_prefetch(from + byte, 0, 2);
}

#if PARSCAN_ELEMENT_BITS == 0
#define LANES 1
typedef T V;
#else
#define LANES (PARSCAN_VECTOR_BYTES * 8 / PARSCAN_ELEMENT_BITS)
typedef T V __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
#endif

/* The caller's arrays may have any alignment: a T * would tell clang that they have T's. */
VECTOR_FUNCTION V vector_load(const void *from)
{
    V v;
    memcpy(&v, from, sizeof v);
    return v;
}

VECTOR_FUNCTION void vector_store(void *to, V v)
{
    memcpy(to, &v, sizeof v);
}

#if PARSCAN_ELEMENT_BITS == 0
#include "scan/cpu/simd_scalar.h"
#else

typedef uint64_t vector_of_u64 __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

/* A list of f(lane, s) for all LANES lanes. */
#define LANES_2(f, s, k) f(k, s), f((k) + 1, s)
#define LANES_4(f, s, k) LANES_2(f, s, k), LANES_2(f, s, (k) + 2)
#define LANES_8(f, s, k) LANES_4(f, s, k), LANES_4(f, s, (k) + 4)
#define LANES_16(f, s, k) LANES_8(f, s, k), LANES_8(f, s, (k) + 8)
#define LANES_32(f, s, k) LANES_16(f, s, k), LANES_16(f, s, (k) + 16)
#define LANES_64(f, s, k) LANES_32(f, s, k), LANES_32(f, s, (k) + 32)
#if LANES == 2
#define EVERY_LANE(f, s) LANES_2(f, s, 0)
#elif LANES == 4
#define EVERY_LANE(f, s) LANES_4(f, s, 0)
#elif LANES == 8
#define EVERY_LANE(f, s) LANES_8(f, s, 0)
#elif LANES == 16
#define EVERY_LANE(f, s) LANES_16(f, s, 0)
#elif LANES == 32
#define EVERY_LANE(f, s) LANES_32(f, s, 0)
#elif LANES == 64
#define EVERY_LANE(f, s) LANES_64(f, s, 0)
#endif

/* Stores past the caches if the machine can. A result that does not fit the caches would only evict
   the input, and an ordinary store reads each cache line before it overwrites it. */
VECTOR_FUNCTION void vector_stream(T *to, V v)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    _mm512_stream_si512((__m512i *)to, (__m512i)v);
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    _mm256_stream_si256((__m256i *)to, (__m256i)v);
#elif defined __x86_64__
    _mm_stream_si128((__m128i *)to, (__m128i)v);
#else
    vector_store(to, v);
#endif
}

#define SAME_IN_LANE(k, x) x
VECTOR_FUNCTION V vector_splat(T x)
{
    return (V){EVERY_LANE(SAME_IN_LANE, x)};
}

#include "scan/cpu/simd_keys.h"

/* An ORDERED operator has no expression for vectors: its lanes are combined one by one. */
VECTOR_FUNCTION V vector_combine_lanes(const OPERATOR op, V a, V b)
{
    V lanes = a;
    for (int k = 0; k < LANES; k++)
        lanes[k] = combine(op, a[k], b[k]);
    return lanes;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wshadow" /* T and A are vectors here, for the tables' expressions */
#undef minimum
#undef maximum
#define minimum(a, b) vector_minimum(a, b)
#define maximum(a, b) vector_maximum(a, b)
VECTOR_FUNCTION V vector_combine(const OPERATOR op, V a, V b)
{
    typedef V T, A; /* signed lanes wrap: these files are compiled with -fwrapv */
    switch (op) {
#define VECTOR_CASE_COMMUTES(NAME, expression) \
    case PARSCAN_##NAME:                       \
        return expression;
#define VECTOR_CASE_ORDERED(NAME, expression)
#define X(ctx, NAME, number, name, meaning, order, expression, neutral) \
    VECTOR_CASE_##order(NAME, expression)
        PARSCAN_ELEMENT_OPS(X, )
#undef X
    default:
        return vector_combine_lanes(op, a, b);
    }
}
#pragma GCC diagnostic pop
#undef minimum
#undef maximum
#define minimum(a, b) PARSCAN_PASTE(PARSCAN_MINIMUM_, PARSCAN_ELEMENT_CLASS)(a, b)
#define maximum(a, b) PARSCAN_PASTE(PARSCAN_MAXIMUM_, PARSCAN_ELEMENT_CLASS)(a, b)

/* Combines keys (simd_keys.h). */
VECTOR_FUNCTION V vector_combine_keys(const OPERATOR op, V a, V b)
{
    if (!works_on_keys(op))
        return vector_combine(op, a, b);
    return op == PARSCAN_MIN ? SIGNED_MINIMUM(a, b) : SIGNED_MAXIMUM(a, b);
}

VECTOR_FUNCTION T vector_first(V v)
{
    return v[0];
}
VECTOR_FUNCTION T vector_last(V v)
{
    return v[LANES - 1];
}

/* AVX2 moves lanes across its two halves of 128 bits by a single instruction only if halves move
   whole. So its shuffles are in two parts: within the halves, and of halves. */
#define HALF_LANES (128 / PARSCAN_ELEMENT_BITS)
#define LAST_OF_HALF(k, s) (k) / HALF_LANES *HALF_LANES + HALF_LANES - 1
#define LAST_LANE(k, s) LANES - 1
VECTOR_FUNCTION V vector_broadcast_last(V v)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    const V sums = __builtin_shufflevector(v, v, EVERY_LANE(LAST_OF_HALF, 0));
    return (V)_mm256_permute2x128_si256((__m256i)sums, (__m256i)sums, 0x11);
#else
    return __builtin_shufflevector(v, v, EVERY_LANE(LAST_LANE, 0));
#endif
}

#define EVEN_LANE(k, s) (2 * (k))
#define ODD_LANE(k, s) (2 * (k) + 1)
VECTOR_FUNCTION V vector_evens(V a, V b)
{
    return __builtin_shufflevector(a, b, EVERY_LANE(EVEN_LANE, 0));
}
VECTOR_FUNCTION V vector_odds(V a, V b)
{
    return __builtin_shufflevector(a, b, EVERY_LANE(ODD_LANE, 0));
}

#define LANE_BEFORE(k, s) LANES - 1 + (k)
VECTOR_FUNCTION V vector_after(V previous, V v)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    const __m256i below = _mm256_permute2x128_si256((__m256i)previous, (__m256i)v, 0x21);
    return (V)_mm256_alignr_epi8((__m256i)v, below, 16 - PARSCAN_ELEMENT_BITS / 8);
#else
    return __builtin_shufflevector(previous, v, EVERY_LANE(LANE_BEFORE, 0));
#endif
}

#define LANE_REVERSED(k, s) LANES - 1 - (k)
VECTOR_FUNCTION V vector_reverse(V v)
{
    return __builtin_shufflevector(v, v, EVERY_LANE(LANE_REVERSED, 0));
}

#include "scan/cpu/simd_network.h"

#endif
#endif
