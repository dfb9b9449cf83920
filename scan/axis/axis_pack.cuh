/*
 * Neighbours along inner as one element of the kernels along an axis, which combine it part by part: so threads have
 * words of narrow types, and rows of a few columns are rows of one, two or four.
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

/* N elements of type E: 2 to 16 bytes. The first one is in the lowest bits of the first word. */
template <typename E, unsigned N>
struct alignas(N * sizeof(E)) axis_pack {
    static constexpr unsigned BYTES = N * sizeof(E), WORDS = BYTES > 8 ? 2 : 1, EACH = N / WORDS;
    typedef axis_word<BYTES / WORDS> word;
    typedef axis_word<sizeof(E)> part;
    word words[WORDS];

    __host__ __device__ __forceinline__ E at(unsigned k) const
    {
        const part bits = (part)(words[k / EACH] >> 8 * sizeof(E) * (k % EACH));
        E x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    /* Element k, which is 0, becomes x. */
    __host__ __device__ __forceinline__ void put(unsigned k, E x)
    {
        part bits;
        memcpy(&bits, &x, sizeof x);
        word &all = words[k / EACH];
        all = (word)(all | (word)((word)bits << 8 * sizeof(E) * (k % EACH)));
    }
    static __host__ __device__ __forceinline__ axis_pack of_equal(E x)
    {
        axis_pack all = {};
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
    const WORD high = (WORD)(sizeof(E) == 1 ? 0x8080808080808080u : 0x8000800080008000u);
    return (WORD)((WORD)((a & (WORD)~high) + (b & (WORD)~high)) ^ (WORD)((a ^ b) & high));
}

/* Calls each(a, b) for the words of both, and returns its results. */
template <typename E, unsigned N, typename Each>
static __device__ __forceinline__ axis_pack<E, N> each_word(const axis_pack<E, N> &a,
                                                            const axis_pack<E, N> &b, Each each)
{
    typedef typename axis_pack<E, N>::word word;
    axis_pack<E, N> all;
#pragma unroll
    for (unsigned w = 0; w < axis_pack<E, N>::WORDS; w++)
        all.words[w] = (word)each(a.words[w], b.words[w]);
    return all;
}

template <typename OPERATOR, typename E, unsigned N>
static __device__ __forceinline__ axis_pack<E, N>
combine_parts(OPERATOR op, const axis_pack<E, N> &a, const axis_pack<E, N> &b)
{
    if constexpr (std::is_same<OPERATOR, parscan_operator_SUM>::value && sizeof(E) < 4) {
        return each_word(a, b, [](auto x, auto y) { return sum_of_parts<E>(x, y); });
    } else if constexpr (std::is_same<OPERATOR, parscan_operator_AND>::value) {
        return each_word(a, b, [](auto x, auto y) { return x & y; });
    } else if constexpr (std::is_same<OPERATOR, parscan_operator_OR>::value) {
        return each_word(a, b, [](auto x, auto y) { return x | y; });
    } else if constexpr (std::is_same<OPERATOR, parscan_operator_XOR>::value) {
        return each_word(a, b, [](auto x, auto y) { return x ^ y; });
    } else {
        axis_pack<E, N> both = {};
#pragma unroll
        for (unsigned k = 0; k < N; k++)
            both.put(k, combine(op, a.at(k), b.at(k)));
        return both;
    }
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

/* Whether a reduction's elements are packs of neighbours along n, whose parts come together at the end. */
template <typename S>
static constexpr bool
    folds = sizeof(typename S::Out) < sizeof(typename S::T) && std::is_class<typename S::T>::value;

/* All parts of a pack combined. */
template <typename OPERATOR, typename E, unsigned N>
static __device__ __forceinline__ E folded(OPERATOR op, const axis_pack<E, N> &x)
{
    E sum = x.at(0);
#pragma unroll
    for (unsigned k = 1; k < N; k++)
        sum = combine(op, sum, x.at(k));
    return sum;
}

#endif
