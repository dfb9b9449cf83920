/*
 * Keys as a radix sort on CUDA sees them, by their width: an unsigned word whose order is the keys'
 * order once `flip` is applied.
 *
 * Integers are moved as they are. Floats are moved in a code that maps them one to one, so that a
 * digit costs one comparison more than an integer's: the usual map (negative ones inverted, the
 * sign of the others set), less that of -infinity, which brings the NaNs with a sign from below
 * -infinity to the top, above those without. All codes beyond infinity's rank as one.
 */
#ifndef PARSCAN_APPS_SORT_DIGIT_KEYS_CUH
#define PARSCAN_APPS_SORT_DIGIT_KEYS_CUH

#include <stdint.h>

#include "apps/sort/sort_cuda.h"

template <typename BITS>
struct integer_key {
    typedef BITS Bits;
    static const bool coded = false;
    static __device__ __forceinline__ Bits encode(Bits key) { return key; }
    static __device__ __forceinline__ Bits decode(Bits code) { return code; }
    static __device__ __forceinline__ Bits rank(Bits code) { return code; }
};

template <typename BITS, BITS INFINITE>
struct float_key {
    typedef BITS Bits;
    static const bool coded = true;
    static const Bits TOP = (Bits)1 << (8 * sizeof(Bits) - 1);
    static const Bits LOWEST = (Bits) ~(INFINITE | TOP); /* -infinity, mapped */
    static const Bits HIGHEST = (Bits)((INFINITE | TOP) - LOWEST);

    static __device__ __forceinline__ Bits encode(Bits key)
    {
        const Bits negative = (Bits)(0 - (key >> (8 * sizeof(Bits) - 1)));
        return (key ^ (negative | TOP)) - LOWEST;
    }
    static __device__ __forceinline__ Bits decode(Bits code)
    {
        const Bits mapped = code + LOWEST;
        const Bits positive = (Bits)(0 - (mapped >> (8 * sizeof(Bits) - 1)));
        return mapped ^ (~positive | TOP);
    }
    static __device__ __forceinline__ Bits rank(Bits code)
    {
        return code > HIGHEST ? (Bits) ~(Bits)0 : code;
    }
};

typedef integer_key<uint8_t> key_u8;
typedef integer_key<uint16_t> key_u16;
typedef integer_key<uint32_t> key_u32;
typedef integer_key<uint64_t> key_u64;
typedef float_key<uint32_t, 0x7f800000u> key_f32;
typedef float_key<uint64_t, 0x7ff0000000000000u> key_f64;

/* What takes a digit out of a key. */
template <typename KEY>
struct digit_of {
    typedef typename KEY::Bits Bits;
    unsigned low, mask, flip; /* flip: the digit of the order's */

    static digit_of make(const sort_digit &digit, uint64_t flip)
    {
        return {digit.low, digit.mask, (unsigned)(flip >> digit.low) & digit.mask};
    }
    __device__ __forceinline__ unsigned operator()(Bits code) const
    {
        return ((unsigned)(KEY::rank(code) >> low) & mask) ^ flip;
    }
};

#endif
