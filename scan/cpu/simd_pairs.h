/*
 * Scans two vectors of BF16 at once, with AVX2. In each 128 bits of what is loaded, the first four elements go
 * to one vector and the others to the other, so nothing crosses the middle when they are widened and
 * narrowed, and the sums of both vectors go there together. In reverse the words of what is loaded and stored
 * are turned round. Included after simd_stored.h.
 *
 *     in_pairs(op, type)     whether to take these
 *     scan_pairs(op, in, out, before, exclusive, stream, reverse)   scans two pairs of vectors. before: the sum of
 *                                                                   what comes before, in all lanes
 */
#ifndef PARSCAN_SCAN_CPU_SIMD_PAIRS_H
#define PARSCAN_SCAN_CPU_SIMD_PAIRS_H

#include "scan/cpu/simd_stored.h"

#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32 && PARSCAN_ELEMENT_IS_FLOAT && \
    PARSCAN_ELEMENT_BITS == 32
#define HAS_PAIRS 1
#else
#define HAS_PAIRS 0
#endif

VECTOR_FUNCTION bool in_pairs(const OPERATOR op, const parscan_type type)
{
    return HAS_PAIRS && type == PARSCAN_BF16 && commutes(op) && !works_on_keys(op);
}

#if HAS_PAIRS
typedef struct pair {
    V a, b;
} pair;

enum { SWAPPED = 0x4e }; /* the halves of a vector */

VECTOR_FUNCTION __m256i load_pair(const char *in, const bool reverse)
{
    const __m256i turned = _mm256_set_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 1,
                                           0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    if (!reverse)
        return _mm256_loadu_si256((const __m256i *)in);
    return _mm256_shuffle_epi8(_mm256_loadu2_m128i((const __m128i *)in, (const __m128i *)in + 1),
                               turned);
}

/* before: the sum of what comes before, in all lanes; then also of the pair. */
VECTOR_FUNCTION pair scan_pair(const OPERATOR op, const char *in, V *before, const bool exclusive,
                               const bool reverse)
{
    enum { LAST_BYTES = 12, UPPER = 0xf0 };
    const V neutral = vector_neutral_keys(op);
    const __m256i raw = load_pair(in, reverse), zero = _mm256_setzero_si256();
    V a = scan_halves(op, (V)_mm256_unpacklo_epi16(zero, raw));
    V b = scan_halves(op, (V)_mm256_unpackhi_epi16(zero, raw));
    const V sums_a = __builtin_shufflevector(a, a, EVERY_LANE(LAST_OF_HALF, 0));
    const V sums_b = __builtin_shufflevector(b, b, EVERY_LANE(LAST_OF_HALF, 0));
    const V sums = vector_combine(op, sums_a, sums_b);
    const V swapped = (V)_mm256_permute2x128_si256((__m256i)sums, (__m256i)sums, 1);
    const V below = (V)_mm256_blend_epi32((__m256i)neutral, (__m256i)swapped, UPPER);
    const V before_a = vector_combine(op, *before, below);
    const V before_b = vector_combine(op, before_a, sums_a);
    if (exclusive) {
        a = (V)_mm256_alignr_epi8((__m256i)a, (__m256i)neutral, LAST_BYTES);
        b = (V)_mm256_alignr_epi8((__m256i)b, (__m256i)neutral, LAST_BYTES);
    }
    *before = vector_combine(op, *before, vector_combine(op, sums, swapped));
    return (pair){vector_combine(op, before_a, a), vector_combine(op, before_b, b)};
}

/* `unblended` in reverse. */
VECTOR_FUNCTION __m256i unblended_backward(__m256i blended)
{
    const __m256i last = _mm256_set_epi8(1, 0, 5, 4, 9, 8, 13, 12, 3, 2, 7, 6, 11, 10, 15, 14, 1, 0,
                                         5, 4, 9, 8, 13, 12, 3, 2, 7, 6, 11, 10, 15, 14);
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(blended, last), SWAPPED);
}

VECTOR_FUNCTION void store_pair(char *out, pair both, const bool nans, const bool stream,
                                const bool reverse)
{
    const __m256i blended = round_to_blended_halves(nans, (floats)both.a, (floats)both.b);
    const __m256i rounded = reverse ? unblended_backward(blended) : unblended(blended);
    if (stream)
        _mm256_stream_si256((__m256i *)out, rounded);
    else
        _mm256_storeu_si256((__m256i *)out, rounded);
}
#endif

VECTOR_FUNCTION void scan_pairs(const OPERATOR op, const char *in, char *out, V *before,
                                const bool exclusive, const bool stream, const bool reverse)
{
#if HAS_PAIRS
    const size_t bytes = 2 * LANES * HALF_BYTES, at = reverse ? bytes : 0, then = bytes - at;
    const pair first = scan_pair(op, in + at, before, exclusive, reverse);
    const pair other = scan_pair(op, in + then, before, exclusive, reverse);
    /* A sum after a NaN is one. */
    const bool nans = vector_first(*before) != vector_first(*before);
    store_pair(out + at, first, nans, stream, reverse);
    store_pair(out + then, other, nans, stream, reverse);
#else
    (void)op, (void)in, (void)out, (void)before, (void)exclusive, (void)stream, (void)reverse;
#endif
}

#endif
