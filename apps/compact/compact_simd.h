/*
 * The SIMD operations of compaction, in addition to those of simd.h: VU, a vector of keys
 * (compact_key.h), and
 *
 *     vector_key(v)            the keys of a vector
 *     vector_at_most(a, b)     bit k: a[k] <= b[k]
 *     vector_head(before, v)   bit k: v[k] does not continue the run of before[k]
 *     vector_compress(to, v, bits)   stores the lanes whose bits are set, one after another, and
 *                              returns the end. The rest of a vector after the end is undefined.
 *                              HAVE_COMPRESS is 0 where the instruction set has no fast way.
 */
#ifndef PARSCAN_APPS_COMPACT_SIMD_H
#define PARSCAN_APPS_COMPACT_SIMD_H

#include "apps/compact/compact_kernels.h"
#include "apps/compact/compact_key.h"
#include "scan/cpu/compress_table.h"
#include "scan/cpu/simd.h"

#define BITS_NAME(before, after) PARSCAN_PASTE(PARSCAN_PASTE(before, PARSCAN_ELEMENT_BITS), after)

#if PARSCAN_ELEMENT_BITS != 0

typedef BITS_NAME(int, _t) S;
typedef U VU __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
typedef S VS __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

#include "scan/cpu/simd_bits.h"

VECTOR_FUNCTION VU vector_key(V v)
{
#if HAS_FLOATS
    return (VU)v ^ ((VU)((VS)v >> (PARSCAN_ELEMENT_BITS - 1)) >> 1);
#else
    return (VU)v;
#endif
}

VECTOR_FUNCTION VU vector_splat_key(U x)
{
    return (VU){EVERY_LANE(SAME_IN_LANE, x)};
}

VECTOR_FUNCTION uint64_t vector_at_most(VU a, VU b)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    return BITS_NAME(_mm512_cmple_epu, _mask)((__m512i)a, (__m512i)b);
#else
    return vector_bits((VS)(a <= b));
#endif
}

VECTOR_FUNCTION uint64_t vector_head(V before, V v)
{
#if FLOATS_BY_BITS
    /* Magnitudes are compared as signed integers, which SSE2 can do. */
    const VS magnitude = (VS)vector_splat_key(MAGNITUDE), infinity = (VS)vector_splat_key(INFINITE);
    const VS a = (VS)before & magnitude, b = (VS)v & magnitude;
    return vector_bits((VS)(before != v) & (VS)((a | b) != 0) &
                       ~((VS)(a > infinity) & (VS)(b > infinity)));
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64 && !PARSCAN_ELEMENT_IS_FLOAT
    return BITS_NAME(_mm512_cmpneq_epi, _mask)((__m512i)before, (__m512i)v);
#elif PARSCAN_ELEMENT_IS_FLOAT
    return vector_bits(~(VS)((v == before) | ((v != v) & (before != before))));
#else
    return vector_bits((VS)(v != before));
#endif
}

#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64

#define HAVE_COMPRESS 1
/* The vector is compressed in a register and stored whole, since compressing into memory is slow
   on Zen 4. */
VECTOR_FUNCTION T *vector_compress(T *to, V v, uint64_t bits)
{
    const __m512i packed = BITS_NAME(_mm512_maskz_compress_epi, )(bits, (__m512i)v);
    memcpy(to, &packed, sizeof packed);
    return to + __builtin_popcountll(bits);
}

#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32

#define HAVE_COMPRESS 1
/* AVX2 has no compress instruction. A table gives the indices of the kept lanes, for eight lanes
   of eight bits at a time. */
VECTOR_FUNCTION T *vector_compress(T *to, V v, uint64_t bits)
{
#if PARSCAN_ELEMENT_BITS == 64
    /* Each lane is two lanes of 32 bits. (PDEP would spread the bits, but is slow on Zen 2.) */
    const uint64_t apart = (bits | bits << 2) & 0x33;
    const uint64_t halves = ((apart | apart << 1) & 0x55) * 3;
    const __m256i lanes =
        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)parscan_compress_table[halves]));
    const __m256i packed = _mm256_permutevar8x32_epi32((__m256i)v, lanes);
    memcpy(to, &packed, sizeof packed);
    return to + __builtin_popcountll(bits);
#elif PARSCAN_ELEMENT_BITS == 32
    const __m256i lanes =
        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)parscan_compress_table[bits]));
    const __m256i packed = _mm256_permutevar8x32_epi32((__m256i)v, lanes);
    memcpy(to, &packed, sizeof packed);
    return to + __builtin_popcountll(bits);
#else
    T elements[LANES];
    memcpy(elements, &v, sizeof v);
    for (int lane = 0; lane < LANES; lane += 8, bits >>= 8) {
        const uint64_t lanes = parscan_compress_table[bits & 0xff];
        __m128i bytes = _mm_cvtsi64_si128((long long)lanes);
#if PARSCAN_ELEMENT_BITS == 16
        /* Lane k consists of the bytes 2 k and 2 k + 1. */
        bytes = _mm_mullo_epi16(_mm_cvtepu8_epi16(bytes), _mm_set1_epi16(0x0202));
        bytes = _mm_add_epi16(bytes, _mm_set1_epi16(0x0100));
#endif
        __m128i eight = _mm_setzero_si128();
        memcpy(&eight, elements + lane, 8 * sizeof(T));
        eight = _mm_shuffle_epi8(eight, bytes);
        memcpy(to, &eight, 8 * sizeof(T));
        to += __builtin_popcountll(bits & 0xff);
    }
    return to;
#endif
}

#else
#define HAVE_COMPRESS 0
#endif

#else
#define HAVE_COMPRESS 0
#endif
#endif
