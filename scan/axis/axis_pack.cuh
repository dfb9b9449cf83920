/*
 * Neighbours along inner as one element of the kernels along an axis, which combine it part by part: so threads have
 * words of narrow types, and rows of a few columns are rows of one.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PACK_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PACK_CUH

#include <type_traits>

#include "scan/cuda/operators.cuh"

/* The unsigned integer of so many bytes. */
template <unsigned BYTES>
using axis_word = std::conditional_t<
    BYTES == 8, uint64_t,
    std::conditional_t<BYTES == 4, uint32_t, std::conditional_t<BYTES == 2, uint16_t, uint8_t>>>;

/* N elements of type E: 2, 4 or 8 bytes. The first one is in the lowest bits. */
template <typename E, unsigned N>
struct axis_pack {
    typedef axis_word<N * sizeof(E)> word;
    word bits;

    __host__ __device__ __forceinline__ E at(unsigned k) const
    {
        const axis_word<sizeof(E)> part = (axis_word<sizeof(E)>)(bits >> 8 * sizeof(E) * k);
        E x;
        memcpy(&x, &part, sizeof x);
        return x;
    }
    /* Element k, which is 0, becomes x. */
    __host__ __device__ __forceinline__ void put(unsigned k, E x)
    {
        axis_word<sizeof(E)> part;
        memcpy(&part, &x, sizeof x);
        bits = (word)(bits | (word)((word)part << 8 * sizeof(E) * k));
    }
    static __host__ __device__ __forceinline__ axis_pack of_equal(E x)
    {
        axis_pack all = {0};
        for (unsigned k = 0; k < N; k++)
            all.put(k, x);
        return all;
    }
};

/* x as an element of a call: itself, or all parts of a pack. */
template <typename Element, typename E>
static Element spread(E x)
{
    if constexpr (std::is_arithmetic<Element>::value || std::is_class<E>::value)
        return (Element)x;
    else
        return Element::of_equal(x);
}

/* Sums of integers of 1 or 2 bytes: no carry leaves its part. */
template <typename E, typename WORD>
static __device__ __forceinline__ WORD sum_of_parts(WORD a, WORD b)
{
    const WORD high = (WORD)(sizeof(E) == 1 ? 0x80808080u : 0x80008000u);
    return (WORD)((WORD)((a & (WORD)~high) + (b & (WORD)~high)) ^ (WORD)((a ^ b) & high));
}

template <typename OPERATOR, typename E, unsigned N>
static __device__ __forceinline__ axis_pack<E, N>
combine_parts(OPERATOR op, const axis_pack<E, N> &a, const axis_pack<E, N> &b)
{
    typedef typename axis_pack<E, N>::word word;
    axis_pack<E, N> both = {0};
    if constexpr (std::is_same<OPERATOR, parscan_operator_SUM>::value && sizeof(E) < 4)
        both.bits = sum_of_parts<E>(a.bits, b.bits);
    else if constexpr (std::is_same<OPERATOR, parscan_operator_AND>::value)
        both.bits = (word)(a.bits & b.bits);
    else if constexpr (std::is_same<OPERATOR, parscan_operator_OR>::value)
        both.bits = (word)(a.bits | b.bits);
    else if constexpr (std::is_same<OPERATOR, parscan_operator_XOR>::value)
        both.bits = (word)(a.bits ^ b.bits);
    else
#pragma unroll
        for (unsigned k = 0; k < N; k++)
            both.put(k, combine(op, a.at(k), b.at(k)));
    return both;
}

#define X(ctx, NAME, ...)                                                   \
    template <typename E, unsigned N>                                       \
    static __device__ __forceinline__ axis_pack<E, N> combine(              \
        parscan_operator_##NAME op, axis_pack<E, N> a, axis_pack<E, N> b)   \
    {                                                                       \
        return combine_parts(op, a, b);                                     \
    }                                                                       \
    template <typename E, unsigned N>                                       \
    static __host__ __device__ void identity_of(parscan_operator_##NAME op, \
                                                axis_pack<E, N> *value)     \
    {                                                                       \
        E x;                                                                \
        identity_of(op, &x);                                                \
        *value = axis_pack<E, N>::of_equal(x);                              \
    }
PARSCAN_OPS(X, )
#undef X

#endif
