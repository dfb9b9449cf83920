/*
 * The sign bits of a SIMD vector's lanes, as a number: which lanes a comparison holds for.
 *
 * Before this file: VS, a vector of LANES signed integers of PARSCAN_ELEMENT_BITS bits, and from CMake
 * PARSCAN_VECTOR_BYTES.
 */
#ifndef PARSCAN_SCAN_CPU_SIMD_BITS_H
#define PARSCAN_SCAN_CPU_SIMD_BITS_H

#include <stdint.h>

#include "scan/cpu/intrinsics.h"
#include "scan/tables.h"

/* Returns the sign bits of the lanes. */
static inline __attribute__((always_inline, unused)) uint64_t vector_bits(VS v)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    return PARSCAN_PASTE(PARSCAN_PASTE(_mm512_movepi, PARSCAN_ELEMENT_BITS), _mask)((__m512i)v);
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32 && PARSCAN_ELEMENT_BITS == 8
    return (uint32_t)_mm256_movemask_epi8((__m256i)v);
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32 && PARSCAN_ELEMENT_BITS == 16
    const __m128i high = _mm256_extracti128_si256((__m256i)v, 1);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128((__m256i)v), high));
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32 && PARSCAN_ELEMENT_BITS == 32
    return (uint32_t)_mm256_movemask_ps((__m256)v);
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    return (uint32_t)_mm256_movemask_pd((__m256d)v);
#elif defined __x86_64__ && PARSCAN_ELEMENT_BITS == 8
    return (uint32_t)_mm_movemask_epi8((__m128i)v);
#elif defined __x86_64__ && PARSCAN_ELEMENT_BITS == 16
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)v, _mm_setzero_si128()));
#elif defined __x86_64__ && PARSCAN_ELEMENT_BITS == 32
    return (uint32_t)_mm_movemask_ps((__m128)v);
#elif defined __x86_64__
    return (uint32_t)_mm_movemask_pd((__m128d)v);
#else
    uint64_t bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= (uint64_t)(v[k] < 0) << k;
    return bits;
#endif
}

#endif
