/*
 * Arrays of floats of 16 bits, widened to float and narrowed from it, to the bits of scan/half.h
 * whatever the caller's floating-point mode is: vcvtps2ph rounds as its operand says and does not flush
 * its results, and vcvtph2ps reads subnormal numbers even if they are to be read as 0. (A float that is
 * subnormal is 0 in F16 either way.)
 *
 * Before this file: PARSCAN_VECTOR_BYTES, from CMake.
 *     halves_widen(type, reverse, to, from, n)             to[i] = from[i], or from[n - 1 - i]
 *     halves_narrow(type, reverse, stream, to, from, n)    to[i] = from[i], or to[n - 1 - i]. stream: past
 *                                                          the caches; then `to` must be aligned to 2 bytes
 * type, reverse and stream are constants in a call. Arrays may have any alignment, and do not overlap.
 */
#ifndef PARSCAN_SCAN_CPU_HALF_SIMD_H
#define PARSCAN_SCAN_CPU_HALF_SIMD_H

#include <stdbool.h>
#include <stddef.h>

#include "scan/half.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#define HALVES_FUNCTION static inline __attribute__((always_inline, unused))

enum { HALF_BYTES = 2 };

HALVES_FUNCTION float half_widen(const parscan_type type, const char *from)
{
    parscan_f16 half;
    memcpy(&half, from, sizeof half);
    return type == PARSCAN_F16 ? parscan_widen_F16_F32(half)
                               : parscan_widen_BF16_F32((parscan_bf16){half.bits});
}

HALVES_FUNCTION void half_narrow(const parscan_type type, char *to, float x)
{
    const uint16_t bits =
        type == PARSCAN_F16 ? parscan_narrow_F16(x).bits : parscan_narrow_BF16(x).bits;
    memcpy(to, &bits, sizeof bits);
}

#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
#define HALVES_AT_ONCE 16
typedef __m512 floats;
typedef __m256i halves;

HALVES_FUNCTION floats halves_in_order(floats v, const bool reverse)
{
    const __m512i places = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return reverse ? _mm512_permutexvar_ps(places, v) : v;
}

HALVES_FUNCTION floats halves_load(const parscan_type type, const char *from)
{
    const __m256i v = _mm256_loadu_si256((const __m256i *)from);
    if (type == PARSCAN_F16)
        return _mm512_cvtph_ps(v);
    const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16);
    const __mmask16 nan = _mm512_cmpgt_epi32_mask(
        _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff)), _mm512_set1_epi32(0x7f800000));
    return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, nan, bits, _mm512_set1_epi32(0x400000)));
}

HALVES_FUNCTION halves halves_of(const parscan_type type, floats v)
{
    if (type == PARSCAN_F16)
        return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512i bits = _mm512_castps_si512(v), upper = _mm512_srli_epi32(bits, 16);
    const __mmask16 nan = _mm512_cmpgt_epi32_mask(
        _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff)), _mm512_set1_epi32(0x7f800000));
    const __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
    const __m512i above = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __m512i result =
        _mm512_mask_or_epi32(_mm512_srli_epi32(above, 16), nan, upper, _mm512_set1_epi32(0x40));
    return _mm512_cvtepi32_epi16(result);
}

HALVES_FUNCTION floats floats_load(const float *from)
{
    return _mm512_loadu_ps(from);
}
HALVES_FUNCTION void floats_store(float *to, floats v)
{
    _mm512_storeu_ps(to, v);
}
HALVES_FUNCTION void halves_store(char *to, halves v, const bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)to, v);
    else
        _mm256_storeu_si256((__m256i *)to, v);
}

#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
#define HALVES_AT_ONCE 8
typedef __m256 floats;
typedef __m128i halves;

HALVES_FUNCTION floats halves_in_order(floats v, const bool reverse)
{
    return reverse ? _mm256_permutevar8x32_ps(v, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7)) : v;
}

HALVES_FUNCTION __m256i halves_nan(__m256i bits, int quiet)
{
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff));
    const __m256i nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
    return _mm256_and_si256(nan, _mm256_set1_epi32(quiet));
}

HALVES_FUNCTION floats halves_load(const parscan_type type, const char *from)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)from);
    if (type == PARSCAN_F16)
        return _mm256_cvtph_ps(v);
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16);
    return _mm256_castsi256_ps(_mm256_or_si256(bits, halves_nan(bits, 0x400000)));
}

HALVES_FUNCTION halves halves_of(const parscan_type type, floats v)
{
    if (type == PARSCAN_F16)
        return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
    const __m256i bits = _mm256_castps_si256(v), upper = _mm256_srli_epi32(bits, 16);
    const __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i above = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i rounded = _mm256_srli_epi32(above, 16);
    const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256i result = _mm256_blendv_epi8(rounded, quiet, halves_nan(bits, -1));
    const __m256i packed = _mm256_packus_epi32(result, result);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
}

HALVES_FUNCTION floats floats_load(const float *from)
{
    return _mm256_loadu_ps(from);
}
HALVES_FUNCTION void floats_store(float *to, floats v)
{
    _mm256_storeu_ps(to, v);
}
HALVES_FUNCTION void halves_store(char *to, halves v, const bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)to, v);
    else
        _mm_storeu_si128((__m128i *)to, v);
}
#endif

HALVES_FUNCTION void halves_widen(const parscan_type type, const bool reverse, float *to,
                                  const char *from, size_t n)
{
    size_t i = 0;
#ifdef HALVES_AT_ONCE
    for (; i + HALVES_AT_ONCE <= n; i += HALVES_AT_ONCE) {
        const size_t at = reverse ? n - i - HALVES_AT_ONCE : i;
        floats_store(to + i, halves_in_order(halves_load(type, from + at * HALF_BYTES), reverse));
    }
#endif
    for (; i < n; i++) {
        const float x = half_widen(type, from + (reverse ? n - 1 - i : i) * HALF_BYTES);
        memcpy(to + i, &x, sizeof x);
    }
}

HALVES_FUNCTION void halves_narrow(const parscan_type type, const bool reverse, const bool stream,
                                   char *to, const float *from, size_t n)
{
    size_t i = 0;
#ifdef HALVES_AT_ONCE
    /* In the order of `from`, until the next vector of `to` is aligned. */
    const uintptr_t border = (uintptr_t)(reverse ? to + n * HALF_BYTES : to);
    const size_t up = border % sizeof(halves) / HALF_BYTES;
    const size_t head = !stream || up == 0 ? 0 : reverse ? up : HALVES_AT_ONCE - up;
    for (; i < head && i < n; i++)
        half_narrow(type, to + (reverse ? n - 1 - i : i) * HALF_BYTES, from[i]);
    for (; i + HALVES_AT_ONCE <= n; i += HALVES_AT_ONCE) {
        const size_t at = reverse ? n - i - HALVES_AT_ONCE : i;
        const floats v = halves_in_order(floats_load(from + i), reverse);
        halves_store(to + at * HALF_BYTES, halves_of(type, v), stream);
    }
#endif
    for (; i < n; i++) {
        float x;
        memcpy(&x, from + i, sizeof x);
        half_narrow(type, to + (reverse ? n - 1 - i : i) * HALF_BYTES, x);
    }
    (void)stream;
}

/* Calls a function of these with the type as a constant. */
#define BY_HALF_TYPE(type, function, ...)        \
    do {                                         \
        if ((type) == PARSCAN_F16)               \
            function(PARSCAN_F16, __VA_ARGS__);  \
        else                                     \
            function(PARSCAN_BF16, __VA_ARGS__); \
    } while (0)

#endif
