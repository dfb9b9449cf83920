/*
 * Tests elements of two bytes, on CUDA: a lane reads eight at once, two in each register, and makes a
 * word of 32 bits by itself. So no ballot is needed, and far fewer loads than by one element a lane.
 */
#ifndef PARSCAN_APPS_COMPACT_EIGHTS_CUH
#define PARSCAN_APPS_COMPACT_EIGHTS_CUH

#include <stdint.h>
#include <vector_types.h>

#define EACH_HALF 0x10001u
#define MAGNITUDES 0x7fff7fffu
#define TOP_BITS 0x80008000u

/* Each half has all bits if its top bit is set, else none. */
static __device__ __forceinline__ uint32_t spread_top_bits(uint32_t two)
{
#ifdef __CUDACC__
    uint32_t spread;
    asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(spread) : "r"(two));
    return spread;
#else
    return (two >> 15 & EACH_HALF) * 0xffffu;
#endif
}

/* The top bit of each half is set if the half is not zero; the other bits mean nothing. */
static __device__ __forceinline__ uint32_t halves_set(uint32_t two)
{
    return ((two & MAGNITUDES) + MAGNITUDES) | two;
}

/* Gathers the top bits of the halves of four words, of the first one's low half first. */
static __device__ __forceinline__ uint32_t gather_top_bits(const uint32_t (&words)[4])
{
    uint32_t bits = words[0] & TOP_BITS;
#pragma unroll
    for (unsigned k = 1; k < 4; k++)
        bits = bits >> 2 | (words[k] & TOP_BITS);
    return (bits >> 9 & 0x55u) | bits >> 24;
}

/* Two floats of 16 bits, so that those that are the same have the same bits: zeros have no sign, and all
   NaNs are one. A format says which floats; integers are as they are. */
struct no_halves {
    static __device__ __forceinline__ uint32_t canonical(uint32_t two, uint32_t) { return two; }
};
/* For either format, by its bits of infinity. */
struct any_halves {
    static __device__ __forceinline__ uint32_t canonical(uint32_t two, uint32_t infinity)
    {
        const uint32_t magnitudes = two & MAGNITUDES;
        const uint32_t nan = magnitudes + (0x7fffu - infinity) * EACH_HALF;
        const uint32_t not_zero = magnitudes + MAGNITUDES;
        return (two | spread_top_bits(nan)) & spread_top_bits(not_zero);
    }
};
#if defined __CUDACC__ && __CUDA_ARCH__ >= 800
/* x * 1 + 0, by one instruction: -0 becomes 0, and a NaN the one of that instruction. */
#define NATIVE_HALVES(name, one)                                                     \
    struct native_##name {                                                           \
        static __device__ __forceinline__ uint32_t canonical(uint32_t two, uint32_t) \
        {                                                                            \
            uint32_t result;                                                         \
            asm("fma.rn." #name "x2 %0, %1, %2, %3;"                                 \
                : "=r"(result)                                                       \
                : "r"(two), "r"((one)*EACH_HALF), "r"(0));                           \
            return result;                                                           \
        }                                                                            \
    };
NATIVE_HALVES(f16, 0x3c00u)
NATIVE_HALVES(bf16, 0x3f80u)
#undef NATIVE_HALVES
#else
typedef any_halves native_f16, native_bf16;
#endif
#define INFINITY_F16 0x7c00u

/* Two floats of 16 bits as keys, which are in their order as signed integers. */
static __device__ __forceinline__ uint32_t keys_of_halves(uint32_t two)
{
    return two ^ (spread_top_bits(two) & MAGNITUDES);
}

/* Which elements of a vector of eight start a run. before: the element before them. */
template <typename FORMAT>
static __device__ __forceinline__ uint32_t heads_of_eight(const uint4 &vector, uint16_t before,
                                                          uint32_t infinity)
{
    const uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
    uint32_t last = FORMAT::canonical((uint32_t)before << 16, infinity), differs[4];
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t two = FORMAT::canonical(words[k], infinity);
        differs[k] = halves_set(two ^ __funnelshift_r(last, two, 16));
        last = two;
    }
    return gather_top_bits(differs);
}

/* Which of eight elements have keys in a range: key - first <= width. */
template <bool HALVES>
static __device__ __forceinline__ uint32_t eight_in_range(const uint4 &vector, uint32_t first,
                                                          uint32_t width)
{
    const uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
    /* of the upper half of a word, whatever the lower half is */
    const uint32_t from = first << 16, span = width << 16 | 0xffffu;
    uint32_t bits = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t keys = HALVES ? keys_of_halves(words[k]) : words[k];
        bits |= (keys << 16) - from <= span ? 1u << 2 * k : 0;
        bits |= keys - from <= span ? 2u << 2 * k : 0;
    }
    return bits;
}

/* Calls test(vector, v) for the four vectors of 32 elements of a lane's own, which gives the bits of vector v.
   The vectors that lanes read at a time lie in different banks. Returns the word. */
template <typename Test>
static __device__ __forceinline__ uint32_t test_eights(const uint16_t *own, unsigned lane,
                                                       Test test)
{
    uint32_t word = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        const unsigned v = (k + lane / 2) % 4;
        word |= test(((const uint4 *)own)[v], v) << 8 * v;
    }
    return word;
}

template <typename FORMAT>
static __device__ __forceinline__ uint32_t heads_in_word(const uint16_t *own, unsigned lane,
                                                         uint32_t infinity)
{
    return test_eights(own, lane, [=](const uint4 &vector, unsigned v) {
        return heads_of_eight<FORMAT>(vector, own[(int)(8 * v) - 1], infinity);
    });
}

/* Which of 32 elements start a run; the element before them can be read, too. HALVES: whether they are floats,
   infinity tells which. */
template <bool HALVES>
static __device__ __forceinline__ uint32_t find_heads(const uint16_t *own, unsigned lane,
                                                      uint32_t infinity)
{
    if (!HALVES)
        return heads_in_word<no_halves>(own, lane, infinity);
    return infinity == INFINITY_F16 ? heads_in_word<native_f16>(own, lane, infinity)
                                    : heads_in_word<native_bf16>(own, lane, infinity);
}

/* Which of 32 elements have keys in a range. */
template <bool HALVES>
static __device__ __forceinline__ uint32_t find_in_range(const uint16_t *own, unsigned lane,
                                                         uint32_t first, uint32_t width)
{
    return test_eights(own, lane, [=](const uint4 &vector, unsigned) {
        return eight_in_range<HALVES>(vector, first, width);
    });
}

#undef INFINITY_F16
#undef EACH_HALF
#undef MAGNITUDES
#undef TOP_BITS

#endif
