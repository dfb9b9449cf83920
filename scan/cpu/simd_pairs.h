/*
 * Scans two vectors of BF16 at once, with AVX2. In each 128 bits of what is loaded, the first four elements go
 * to one vector and the others to the other, so nothing crosses the middle when they are widened and
 * narrowed, and the sums of both vectors go there together. Included after simd_stored.h.
 *
 *     in_pairs(op, type, reverse)     whether to take these
 *     scan_pairs(op, in, out, before, exclusive, stream)   scans two pairs of vectors. before: the sum of what
 *                                                          comes before, in all lanes
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

VECTOR_FUNCTION bool in_pairs(const OPERATOR op, const parscan_type type, const bool reverse)
{
    return HAS_PAIRS && type == PARSCAN_BF16 && commutes(op) && !works_on_keys(op) && !reverse;
}

#if HAS_PAIRS
typedef struct pair {
    V a, b;
} pair;

/* before: the sum of what comes before, in all lanes; then also of the pair. */
VECTOR_FUNCTION pair scan_pair(const OPERATOR op, const char *in, V *before, const bool exclusive)
{
    enum { LAST_BYTES = 12, UPPER = 0xf0 };
    const V neutral = vector_neutral_keys(op);
    const __m256i raw = _mm256_loadu_si256((const __m256i *)in), zero = _mm256_setzero_si256();
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

VECTOR_FUNCTION void store_pair(char *out, pair both, const bool nans, const bool stream)
{
    const __m256i rounded =
        unblended(round_to_blended_halves(nans, (floats)both.a, (floats)both.b));
    if (stream)
        _mm256_stream_si256((__m256i *)out, rounded);
    else
        _mm256_storeu_si256((__m256i *)out, rounded);
}
#endif

VECTOR_FUNCTION void scan_pairs(const OPERATOR op, const char *in, char *out, V *before,
                                const bool exclusive, const bool stream)
{
#if HAS_PAIRS
    const size_t second = 2 * LANES * HALF_BYTES;
    const pair first = scan_pair(op, in, before, exclusive);
    const pair other = scan_pair(op, in + second, before, exclusive);
    /* A sum after a NaN is one. */
    const bool nans = vector_first(*before) != vector_first(*before);
    store_pair(out, first, nans, stream);
    store_pair(out + second, other, nans, stream);
#else
    (void)op, (void)in, (void)out, (void)before, (void)exclusive, (void)stream;
#endif
}

#endif
