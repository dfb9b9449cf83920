/*
 * Floats of 16 bits, converted by their bits: to float and double exactly, and from float to the nearest,
 * ties to even. The only operation of floats in it converts small integers, which is exact. So results do
 * not depend on how the caller rounds or whether it flushes subnormal numbers.
 *
 * A NaN stays a NaN, with its sign and as much of the top of its payload as there is room for; a
 * signalling one becomes quiet. The instructions of processors do the same (scan/cpu/half_simd.h).
 */
#ifndef PARSCAN_SCAN_HALF_H
#define PARSCAN_SCAN_HALF_H

#include <stdint.h>
#include <string.h>

#include "parscan/types.h"

#ifdef __CUDACC__
#define HALF_FUNCTION static inline __host__ __device__
#else
#define HALF_FUNCTION static inline __attribute__((always_inline, unused))
#endif

HALF_FUNCTION uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

HALF_FUNCTION float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

HALF_FUNCTION float parscan_widen_F16_F32(parscan_f16 x)
{
    const uint32_t sign = (uint32_t)(x.bits & 0x8000) << 16, magnitude = x.bits & 0x7fff;
    /* The exponent is 112 larger in a float; 224 for infinity and NaN, whose exponent has all bits. */
    const uint32_t moved = magnitude << 13, normal = moved + (UINT32_C(112) << 23);
    const uint32_t infinity = moved + (UINT32_C(224) << 23);
    const uint32_t special = magnitude > 0x7c00 ? infinity | UINT32_C(0x400000) : infinity;
    /* A subnormal is magnitude * 2^-24. */
    const uint32_t scaled = bits_of_float((float)(int32_t)magnitude) - (UINT32_C(24) << 23);
    const uint32_t small = magnitude == 0 ? 0 : scaled;
    const uint32_t finite = magnitude < 0x400 ? small : normal;
    return float_of_bits(sign | (magnitude >= 0x7c00 ? special : finite));
}

HALF_FUNCTION float parscan_widen_BF16_F32(parscan_bf16 x)
{
    const uint32_t bits = (uint32_t)x.bits << 16;
    return float_of_bits((x.bits & 0x7fff) > 0x7f80 ? bits | UINT32_C(0x400000) : bits);
}

/* Not by a conversion of float, which may flush a subnormal number of BF16. */
HALF_FUNCTION double double_of_float(float x)
{
    const uint32_t bits = bits_of_float(x), magnitude = bits & 0x7fffffff;
    const uint64_t sign = (uint64_t)(bits >> 31) << 63;
    const double integer = (double)(int32_t)magnitude; /* of a subnormal: magnitude * 2^-149 */
    uint64_t small, result;
    double wide;
    memcpy(&small, &integer, sizeof small);
    small = magnitude == 0 ? 0 : small - ((uint64_t)149 << 52);
    result = ((uint64_t)magnitude << 29) +
             (magnitude < 0x7f800000 ? (uint64_t)896 << 52 : (uint64_t)1792 << 52);
    result = sign | (magnitude < 0x800000 ? small : result);
    memcpy(&wide, &result, sizeof wide);
    return wide;
}

HALF_FUNCTION double parscan_widen_F16_F64(parscan_f16 x)
{
    return double_of_float(parscan_widen_F16_F32(x));
}

HALF_FUNCTION double parscan_widen_BF16_F64(parscan_bf16 x)
{
    return double_of_float(parscan_widen_BF16_F32(x));
}

/* x / 2^shift to the nearest integer, ties to even; 1 <= shift <= 31. */
HALF_FUNCTION uint32_t round_shift(uint32_t x, uint32_t shift)
{
    return (x + ((UINT32_C(1) << (shift - 1)) - 1) + (x >> shift & 1)) >> shift;
}

HALF_FUNCTION parscan_f16 parscan_narrow_F16(float x)
{
    const uint32_t bits = bits_of_float(x), magnitude = bits & 0x7fffffff;
    uint32_t half;
    if (magnitude > 0x7f800000) {
        half = 0x7e00 | (magnitude >> 13 & 0x3ff);
    } else if (magnitude >= 0x477ff000) { /* 65520: half way from the greatest number to 2^16 */
        half = 0x7c00;
    } else if (magnitude >= 0x38800000) { /* 2^-14 */
        half = round_shift(magnitude - (UINT32_C(112) << 23), 13);
    } else { /* a multiple of 2^-24; 0 below 2^-25 */
        const uint32_t shift = 126 - (magnitude >> 23);
        half = round_shift((magnitude & 0x7fffff) | 0x800000, shift < 25 ? shift : 25);
    }
    const parscan_f16 rounded = {(uint16_t)((bits >> 16 & 0x8000) | half)};
    return rounded;
}

HALF_FUNCTION parscan_bf16 parscan_narrow_BF16(float x)
{
    const uint32_t bits = bits_of_float(x);
    const uint32_t quiet = bits >> 16 | 0x40;
    const uint32_t nearest = (bits & 0x7fffffff) > 0x7f800000 ? quiet : round_shift(bits, 16);
    const parscan_bf16 rounded = {(uint16_t)nearest};
    return rounded;
}

#undef HALF_FUNCTION

#endif
