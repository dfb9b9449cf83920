/*
 * Integers in the kernels along an axis. A few operators on bits stand for those of all integer types (axis_bits.h):
 * a launch tells which bits of its elements are inverted where they are read and written, or where the parts of its
 * words end.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_BITS_CUH
#define PARSCAN_SCAN_AXIS_AXIS_BITS_CUH

#include "scan/axis/axis_pack.cuh"
#include "scan/cuda/warp_instructions.cuh"

/* OPERATOR on unsigned elements some of whose bits are inverted. */
template <typename OPERATOR>
struct axis_inverted : OPERATOR {
    uint64_t inverts;
};
template <typename OPERATOR, typename T>
struct warp_instruction<axis_inverted<OPERATOR>, T> : warp_instruction<OPERATOR, T> {
};

/* Operators on narrow elements that are parts of a word. */
struct axis_parts {
    static const bool commutes = true;
    uint64_t ends; /* the highest bit of each part */
    unsigned last; /* the number of that bit in its part */
};
struct axis_parts_sum : axis_parts {
};
struct axis_parts_min : axis_parts {
};
struct axis_parts_product : axis_parts {
};
template <typename OPERATOR>
static constexpr bool in_parts = std::is_base_of<axis_parts, OPERATOR>::value;

template <typename WORD>
static __device__ __forceinline__ WORD combine_words(axis_parts_sum op, WORD a, WORD b)
{
    return sum_of_parts((WORD)op.ends, a, b);
}
template <typename WORD>
static __device__ __forceinline__ WORD combine_words(axis_parts_min op, WORD a, WORD b)
{
    return least_of_parts(op.last, a, b);
}
template <typename WORD>
static __device__ __forceinline__ WORD combine_words(axis_parts_product op, WORD a, WORD b)
{
    return product_of_parts(op.last, a, b);
}
/* Element: a word, or a pack of them. */
template <typename OPERATOR, typename Element>
static __device__ __forceinline__ std::enable_if_t<in_parts<OPERATOR>, Element>
combine(OPERATOR op, Element a, Element b)
{
    if constexpr (std::is_integral<Element>::value)
        return combine_words(op, a, b);
    else
        return each_word(a, b, [op](auto x, auto y) { return combine_words(op, x, y); });
}

static __host__ __device__ inline uint64_t neutral_bits(axis_parts_sum)
{
    return 0;
}
static __host__ __device__ inline uint64_t neutral_bits(axis_parts_min)
{
    return ~(uint64_t)0;
}
static __host__ __device__ inline uint64_t neutral_bits(axis_parts_product op)
{
    return op.ends >> op.last;
}
template <typename OPERATOR, typename Element>
static __host__ __device__ std::enable_if_t<in_parts<OPERATOR>> identity_of(OPERATOR op,
                                                                            Element *value)
{
    *value = inverted(Element{}, neutral_bits(op));
}

/* An element as it is combined, or a result as it is stored. */
template <typename OPERATOR, typename Element>
static __device__ __forceinline__ Element turned(OPERATOR, Element x)
{
    return x;
}
template <typename OPERATOR, typename Element>
static __device__ __forceinline__ Element turned(axis_inverted<OPERATOR> op, Element x)
{
    return inverted(x, op.inverts);
}

/* A run of two elements, each a word of parts, is one word of 4 bytes. A scan combines it with itself moved by one
   element; what is moved in is neutral. */
template <typename OPERATOR>
static __device__ __forceinline__ uint32_t moved_half(OPERATOR op, bool backwards, uint32_t x)
{
    const uint32_t neutral = (uint32_t)neutral_bits(op);
    return backwards ? x >> 16 | (neutral & 0xffff0000u) : x << 16 | (neutral & 0xffffu);
}
template <typename OPERATOR>
static __device__ __forceinline__ std::enable_if_t<in_parts<OPERATOR>, uint16_t>
sum_of_run(OPERATOR op, const axis_run<uint16_t, 2> &x)
{
    const uint32_t word = x.parts.words[0];
    return (uint16_t)combine_words(op, word, word >> 16);
}
template <typename OPERATOR>
static __device__ __forceinline__ std::enable_if_t<in_parts<OPERATOR>, axis_run<uint16_t, 2>>
scan_run(OPERATOR op, bool exclusive, bool backwards, uint16_t before,
         const axis_run<uint16_t, 2> &x)
{
    const uint32_t word = x.parts.words[0], moved = moved_half(op, backwards, word);
    const uint32_t both = combine_words(op, word, moved);
    axis_run<uint16_t, 2> y;
    y.parts.words[0] = combine_words(op, (uint32_t)before * 0x10001u, exclusive ? moved : both);
    return y;
}

/* What an element adds to the sum of its line. */
template <typename T, typename OPERATOR, typename In>
static __device__ __forceinline__ T value_of(OPERATOR op, const In &x)
{
    if constexpr (is_run<In>::value)
        return sum_of_run(op, turned(op, x));
    else
        return widened<T>(turned(op, x));
}

#endif
