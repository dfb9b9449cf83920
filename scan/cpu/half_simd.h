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

#include "scan/cpu/intrinsics.h"
#include "scan/half.h"

#define HALVES_FUNCTION static inline __attribute__((always_inline, unused))

enum { HALF_BYTES = 2 };

HALVES_FUNCTION float half_widen(const parscan_type type, const char *from)
{
    parscan_f16 half;
    memcpy(&half, from, sizeof half);
#ifdef __F16C__
    if (type == PARSCAN_F16)
        return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half.bits)));
#endif
    return type == PARSCAN_F16 ? parscan_widen_F16_F32(half)
                               : parscan_widen_BF16_F32((parscan_bf16){half.bits});
}

HALVES_FUNCTION uint16_t half_rounded(const parscan_type type, float x)
{
#ifdef __F16C__
    if (type == PARSCAN_F16)
        return (uint16_t)_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT));
#endif
    return type == PARSCAN_F16 ? parscan_narrow_F16(x).bits : parscan_narrow_BF16(x).bits;
}

HALVES_FUNCTION void half_narrow(const parscan_type type, char *to, float x)
{
    const uint16_t bits = half_rounded(type, x);
    memcpy(to, &bits, sizeof bits);
}

/*
 * Vectors of floats, of HALVES_VECTOR lanes:
 *     floats_of(type, quiet, from)               widens a vector. quiet = false may leave a signalling NaN
 *                                                of a BF16 as it is, for arithmetic, which makes it quiet
 *     halves_store(type, exact, stream, to, low, high)   rounds two vectors. exact: most floats of BF16 need no
 *                                                        rounding, and NaNs that need none are quiet
 *
 * A BF16 is the upper half of a float. It is rounded up if the lower half is more than 0x8000, or equal to
 * that where the upper half is odd: if the lower half, less 1 where the upper half is even, has its highest
 * bit. So the halves of two vectors are rounded at once.
 */
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
#define HALVES_VECTOR 16
typedef __m512 floats;
typedef uint16_t lane_halves __attribute__((vector_size(64)));
#define HALVES_OF_LANES(k)                                                                         \
    k, k + 2, k + 4, k + 6, k + 8, k + 10, k + 12, k + 14, k + 16, k + 18, k + 20, k + 22, k + 24, \
        k + 26, k + 28, k + 30, k + 32, k + 34, k + 36, k + 38, k + 40, k + 42, k + 44, k + 46,    \
        k + 48, k + 50, k + 52, k + 54, k + 56, k + 58, k + 60, k + 62

HALVES_FUNCTION floats floats_in_order(floats v, const bool reverse)
{
    const __m512i places = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return reverse ? _mm512_permutexvar_ps(places, v) : v;
}

HALVES_FUNCTION __mmask16 nan_lanes(floats v)
{
    enum { QUIET_NAN = 0x01, SIGNALLING_NAN = 0x80 };
    return _mm512_fpclass_ps_mask(v, QUIET_NAN | SIGNALLING_NAN);
}

HALVES_FUNCTION floats floats_of(const parscan_type type, const bool quiet, const char *from)
{
    const __m256i v = _mm256_loadu_si256((const __m256i *)from);
    const __m512i to_upper_half =
        _mm512_set_epi32(0xf0000, 0xe0000, 0xd0000, 0xc0000, 0xb0000, 0xa0000, 0x90000, 0x80000,
                         0x70000, 0x60000, 0x50000, 0x40000, 0x30000, 0x20000, 0x10000, 0);
    if (type == PARSCAN_F16)
        return _mm512_cvtph_ps(v);
    const __m512i bits =
        _mm512_maskz_permutexvar_epi16(0xaaaaaaaa, to_upper_half, _mm512_castsi256_si512(v));
    const __mmask16 nan = quiet ? nan_lanes(_mm512_castsi512_ps(bits)) : 0;
    return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, nan, bits, _mm512_set1_epi32(0x400000)));
}

HALVES_FUNCTION __m512i round_to_upper_halves(floats low, floats high)
{
    const lane_halves a = (lane_halves)low, b = (lane_halves)high;
    const __m512i upper = (__m512i)__builtin_shufflevector(a, b, HALVES_OF_LANES(1));
    const __m512i lower = (__m512i)__builtin_shufflevector(a, b, HALVES_OF_LANES(0));
    const __m512i even = _mm512_andnot_si512(upper, _mm512_set1_epi16(1));
    const __mmask32 up = _mm512_movepi16_mask(_mm512_subs_epu16(lower, even));
    __m512i rounded = _mm512_mask_sub_epi16(upper, up, upper, _mm512_set1_epi16(-1));
    if (_mm512_cmp_round_ps_mask(low, high, _CMP_UNORD_Q, _MM_FROUND_NO_EXC) != 0) {
        const __mmask32 nan = _mm512_kunpackw(nan_lanes(high), nan_lanes(low));
        const __m512i quiet = _mm512_or_si512(upper, _mm512_set1_epi16(0x40));
        rounded = _mm512_mask_mov_epi16(rounded, nan, quiet);
    }
    return rounded;
}

HALVES_FUNCTION void f16_store(const bool stream, char *to, floats v)
{
    const __m256i rounded = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    if (stream)
        _mm256_stream_si256((__m256i *)to, rounded);
    else
        _mm256_storeu_si256((__m256i *)to, rounded);
}

/* Whether the lower halves are 0. */
HALVES_FUNCTION bool are_upper_halves(floats low, floats high)
{
    const __m512i bits = _mm512_or_si512((__m512i)low, (__m512i)high);
    return _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0xffff)) == 0;
}

HALVES_FUNCTION void bf16_store(const bool exact, const bool stream, char *to, floats low,
                                floats high)
{
    const __m512i rounded = exact && are_upper_halves(low, high)
                                ? (__m512i)__builtin_shufflevector(
                                      (lane_halves)low, (lane_halves)high, HALVES_OF_LANES(1))
                                : round_to_upper_halves(low, high);
    if (stream)
        _mm512_stream_si512((__m512i *)to, rounded);
    else
        _mm512_storeu_si512(to, rounded);
}

HALVES_FUNCTION floats floats_load(const float *from)
{
    return _mm512_loadu_ps(from);
}
HALVES_FUNCTION void floats_store(float *to, floats v)
{
    _mm512_storeu_ps(to, v);
}

#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
#define HALVES_VECTOR 8
typedef __m256 floats;

HALVES_FUNCTION floats floats_in_order(floats v, const bool reverse)
{
    return reverse ? _mm256_permutevar8x32_ps(v, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7)) : v;
}

HALVES_FUNCTION __m256i nan_lanes(floats v)
{
    const __m256i magnitude =
        _mm256_and_si256(_mm256_castps_si256(v), _mm256_set1_epi32(0x7fffffff));
    return _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
}

HALVES_FUNCTION floats floats_of(const parscan_type type, const bool quiet, const char *from)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)from);
    const __m256i to_upper_half =
        _mm256_set_epi8(15, 14, -1, -1, 13, 12, -1, -1, 11, 10, -1, -1, 9, 8, -1, -1, 7, 6, -1, -1,
                        5, 4, -1, -1, 3, 2, -1, -1, 1, 0, -1, -1);
    if (type == PARSCAN_F16)
        return _mm256_cvtph_ps(v);
    const floats x =
        _mm256_castsi256_ps(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(v), to_upper_half));
    const floats bit = _mm256_castsi256_ps(
        _mm256_and_si256(nan_lanes(x), _mm256_set1_epi32(quiet ? 0x400000 : 0)));
    return quiet ? _mm256_or_ps(x, bit) : x;
}

/* The words of two vectors are blended; a shuffle then brings those of the first to the front. */
HALVES_FUNCTION __m256i blended_upper_halves(floats low, floats high)
{
    enum { OF_HIGH = 0xaa };
    return _mm256_blend_epi16(_mm256_srli_epi32(_mm256_castps_si256(low), 16),
                              _mm256_castps_si256(high), OF_HIGH);
}

HALVES_FUNCTION __m256i unblended(__m256i blended) /* within each 128 bits */
{
    const __m256i first = _mm256_set_epi8(15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0, 15,
                                          14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0);
    return _mm256_shuffle_epi8(blended, first);
}

HALVES_FUNCTION __m256i in_order_of_halves(__m256i blended)
{
    return _mm256_permute4x64_epi64(unblended(blended), 0xd8);
}

/* nans: whether there may be any. */
HALVES_FUNCTION __m256i round_to_blended_halves(const bool nans, floats low, floats high)
{
    enum { OF_HIGH = 0xaa };
    const __m256i a = _mm256_castps_si256(low), b = _mm256_castps_si256(high);
    const __m256i upper = blended_upper_halves(low, high);
    const __m256i lower = _mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), OF_HIGH);
    const __m256i even = _mm256_andnot_si256(upper, _mm256_set1_epi16(1));
    const __m256i less = _mm256_subs_epu16(lower, even);
    const __m256i up = _mm256_srli_epi16(less, 15);
    __m256i rounded = _mm256_add_epi16(upper, up);
    if (nans) {
        const __m256i nan = _mm256_blend_epi16(nan_lanes(low), nan_lanes(high), OF_HIGH);
        const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi16(0x40));
        rounded = _mm256_blendv_epi8(rounded, quiet, nan);
    }
    return rounded;
}

HALVES_FUNCTION bool any_nan(floats low, floats high)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(low, high, _CMP_UNORD_Q)) != 0;
}

/* Whether the lower halves are 0. */
HALVES_FUNCTION bool are_upper_halves(floats low, floats high)
{
    const __m256i bits = _mm256_castps_si256(_mm256_or_ps(low, high));
    return _mm256_testz_si256(bits, _mm256_set1_epi32(0xffff));
}

HALVES_FUNCTION void f16_store(const bool stream, char *to, floats v)
{
    const __m128i rounded = _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
    if (stream)
        _mm_stream_si128((__m128i *)to, rounded);
    else
        _mm_storeu_si128((__m128i *)to, rounded);
}

HALVES_FUNCTION void bf16_store(const bool exact, const bool stream, char *to, floats low,
                                floats high)
{
    const __m256i rounded =
        exact && are_upper_halves(low, high)
            ? in_order_of_halves(blended_upper_halves(low, high))
            : in_order_of_halves(round_to_blended_halves(any_nan(low, high), low, high));
    if (stream)
        _mm256_stream_si256((__m256i *)to, rounded);
    else
        _mm256_storeu_si256((__m256i *)to, rounded);
}

HALVES_FUNCTION floats floats_load(const float *from)
{
    return _mm256_loadu_ps(from);
}
HALVES_FUNCTION void floats_store(float *to, floats v)
{
    _mm256_storeu_ps(to, v);
}
#endif

#ifdef HALVES_VECTOR
HALVES_FUNCTION void halves_store(const parscan_type type, const bool exact, const bool stream,
                                  char *to, floats low, floats high)
{
    if (type == PARSCAN_BF16) {
        bf16_store(exact, stream, to, low, high);
        return;
    }
    f16_store(stream, to, low);
    f16_store(stream, to + HALVES_VECTOR * HALF_BYTES, high);
}
#endif

HALVES_FUNCTION void halves_widen(const parscan_type type, const bool reverse, float *to,
                                  const char *from, size_t n)
{
    size_t i = 0;
#ifdef HALVES_VECTOR
    for (; i + HALVES_VECTOR <= n; i += HALVES_VECTOR) {
        const size_t at = reverse ? n - i - HALVES_VECTOR : i;
        floats_store(to + i,
                     floats_in_order(floats_of(type, true, from + at * HALF_BYTES), reverse));
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
#ifdef HALVES_VECTOR
    /* In the order of `from`, until the next two vectors of `to` are aligned. */
    enum { TWO = 2 * HALVES_VECTOR };
    const uintptr_t border = (uintptr_t)(reverse ? to + n * HALF_BYTES : to);
    const size_t up = border / HALF_BYTES % TWO;
    const size_t head = !stream || up == 0 ? 0 : reverse ? up : TWO - up;
    for (; i < head && i < n; i++)
        half_narrow(type, to + (reverse ? n - 1 - i : i) * HALF_BYTES, from[i]);
    for (; i + TWO <= n; i += TWO) {
        const size_t at = reverse ? n - i - TWO : i;
        const floats first = floats_in_order(floats_load(from + i), reverse);
        const floats second = floats_in_order(floats_load(from + i + HALVES_VECTOR), reverse);
        halves_store(type, false, stream, to + at * HALF_BYTES, reverse ? second : first,
                     reverse ? first : second);
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
