/*
 * How a radix sort on CUDA sees a key: as an unsigned code of the same width. The first pass that
 * moves anything encodes the keys, the last one decodes them.
 *
 * The code of an integer has the key's order. The code of a float is a one-to-one map of its bits:
 * the usual map (invert the bits of a negative number, set the sign bit of any other) less the
 * mapped value of -infinity. The subtraction moves the NaNs with a sign from below -infinity to the
 * top, above the NaNs without one. All codes above that of +infinity have the same rank. Descending
 * order inverts the ranks.
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_KEYS_CUH
#define PARSCAN_APPS_RADIX_DIGIT_KEYS_CUH

#include <stdint.h>

#include "apps/radix/radix_cuda.h"
#include "scan/tables.h"

template <typename BITS>
struct integer_key {
    typedef BITS Bits;
    static const bool IS_FLOAT = false, IS_MAPPED = false, HAS_ABSENT = false;
    static __device__ __forceinline__ Bits encode(Bits key, Bits flip) { return key ^ flip; }
    static __device__ __forceinline__ Bits decode(Bits code, Bits flip) { return code ^ flip; }
    static __device__ __forceinline__ Bits rank(Bits code, Bits) { return code; }
    static __device__ __forceinline__ bool is_nan(Bits) { return false; }
    /* The last of all codes. */
    static Bits beyond(Bits) { return (Bits) ~(Bits)0; }
};

template <typename BITS, BITS INFINITE>
struct float_key {
    typedef BITS Bits;
    static const bool IS_FLOAT = true, IS_MAPPED = true, HAS_ABSENT = false;
    static const Bits TOP = (Bits)1 << (8 * sizeof(Bits) - 1);
    static const Bits LOWEST = (Bits) ~(INFINITE | TOP); /* the mapped value of -infinity */
    static const Bits HIGHEST = (Bits)((INFINITE | TOP) - LOWEST);

    static __device__ __forceinline__ Bits encode(Bits key, Bits)
    {
        const Bits negative = (Bits)(0 - (key >> (8 * sizeof(Bits) - 1)));
        return (key ^ (negative | TOP)) - LOWEST;
    }
    static __device__ __forceinline__ Bits decode(Bits code, Bits)
    {
        const Bits mapped = code + LOWEST;
        const Bits positive = (Bits)(0 - (mapped >> (8 * sizeof(Bits) - 1)));
        return mapped ^ (~positive | TOP);
    }
    static __device__ __forceinline__ Bits rank(Bits code, Bits flip)
    {
        return (code > HIGHEST ? (Bits) ~(Bits)0 : code) ^ flip;
    }
    static __device__ __forceinline__ bool is_nan(Bits code) { return code > HIGHEST; }
    static Bits beyond(Bits flip) { return (Bits)~flip; }
};

/* Floats without NaNs: the codes have the keys' order, so they serve as ranks. */
template <typename FLOAT>
struct number_key {
    typedef typename FLOAT::Bits Bits;
    static const bool IS_FLOAT = false, IS_MAPPED = true, HAS_ABSENT = false;
    static __device__ __forceinline__ Bits encode(Bits key, Bits flip)
    {
        return FLOAT::encode(key, 0) ^ flip;
    }
    static __device__ __forceinline__ Bits decode(Bits code, Bits flip)
    {
        return FLOAT::decode(code ^ flip, 0);
    }
    static __device__ __forceinline__ Bits rank(Bits code, Bits) { return code; }
    static Bits beyond(Bits) { return (Bits) ~(Bits)0; }
};

/* The bins of a counting sort, in any width of the input. An element without a bin is absent:
   its code is ABSENT, which is no bin, and the first pass leaves it out. */
template <typename BITS>
struct bin_key : integer_key<BITS> {
    static const bool HAS_ABSENT = true;
    static const BITS ABSENT = (BITS) ~(BITS)0;
};

template <typename KEY>
static __device__ __forceinline__ bool is_absent(typename KEY::Bits code)
{
    if constexpr (KEY::HAS_ABSENT)
        return code == KEY::ABSENT;
    return false;
}

static __device__ __forceinline__ void set_offset(const sort_bins &bins, size_t bin,
                                                  uint64_t offset)
{
    if (bins.wide)
        ((uint64_t *)bins.offsets)[bin] = offset;
    else
        ((uint32_t *)bins.offsets)[bin] = (uint32_t)offset;
}

/* Calls use(array) with `array` as a pointer to the type of bins of `size` bytes. What is sorted as
   BITS, u64 or u32, is given in 8 and 4 bytes, or in 4, 2 and 1. */
#pragma nv_exec_check_disable /* use() is for the host where the caller is */
template <typename BITS, typename USE>
static __host__ __device__ __forceinline__ void as_given(size_t size, const void *array,
                                                         const USE &use)
{
    if constexpr (sizeof(BITS) == 8) {
        if (size == 8)
            use((const uint64_t *)array);
        else
            use((const uint32_t *)array);
    } else if (size == 4) {
        use((const uint32_t *)array);
    } else if (size == 2) {
        use((const uint16_t *)array);
    } else {
        use((const uint8_t *)array);
    }
}

/* key_u8, key_f32 and their sisters, of each class of keys. */
template <bool IS_FLOAT, typename BITS, BITS INFINITE>
struct key_of_class {
    typedef float_key<BITS, INFINITE> type;
};
template <typename BITS, BITS INFINITE>
struct key_of_class<false, BITS, INFINITE> {
    typedef integer_key<BITS> type;
};
#define X(ctx, NAME, bits, name, is_float, infinity) \
    typedef key_of_class<is_float, uint##bits##_t, infinity>::type key_##name;
PARSCAN_KEY_CLASSES(X, )
#undef X

#define NO_DIGIT 0xffffffffu

/* The number of elements: n, or *count if only the device knows it. */
static __device__ __forceinline__ size_t elements_there(size_t n, const uint64_t *count)
{
    const uint64_t there = count == NULL ? n : *count & (((uint64_t)1 << SORT_COUNT_BITS) - 1);
    return there < n ? there : n;
}

/* Extracts a digit from a code. */
template <typename KEY>
struct digit_of {
    typedef typename KEY::Bits Bits;
    Bits flip;
    unsigned low, mask;

    static digit_of make(const sort_digit &digit, uint64_t flip)
    {
        return {(Bits)flip, digit.low, digit.mask};
    }
    /* The digit times 2^SCALE. */
    template <unsigned SCALE>
    __device__ __forceinline__ unsigned times(Bits code) const
    {
        const Bits rank = KEY::rank(code, flip);
        if (sizeof(Bits) == 8)
            return ((unsigned)(rank >> low) & mask) << SCALE;
        return __funnelshift_r((unsigned)rank, (unsigned)rank, low - SCALE) & (mask << SCALE);
    }
    __device__ __forceinline__ unsigned operator()(Bits code) const { return times<0>(code); }
    __device__ __forceinline__ unsigned unless_absent(Bits code) const
    {
        return is_absent<KEY>(code) ? NO_DIGIT : times<0>(code);
    }
};

#endif
