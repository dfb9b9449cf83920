/*
 * Neighbours along inner as one element of the kernels along an axis, which combine it part by part: so threads have
 * words of narrow types, and rows of a few columns are rows of one, two or four. Rows of less than a word are joined
 * to words too: packs of several rows in reductions, whose rows come together at the end, and runs in scans.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PACK_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PACK_CUH

#include <type_traits>

#include "scan/cuda/half.cuh"
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

/* Operators that combine the narrow parts of a word one after the other. */
template <typename OPERATOR>
static constexpr bool takes_part_by_part = std::is_same<OPERATOR, parscan_operator_MIN>::value ||
                                           std::is_same<OPERATOR, parscan_operator_MAX>::value ||
                                           std::is_same<OPERATOR, parscan_operator_PRODUCT>::value;

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

/* P neighbours: an element, or a pack. */
template <typename E, unsigned P>
using axis_parts_of = std::conditional_t<P == 1, E, axis_pack<E, P>>;

/* Parts p * P to p * P + P - 1 of a pack. */
template <unsigned P, typename E, unsigned N>
static __host__ __device__ __forceinline__ axis_parts_of<E, P> parts_at(const axis_pack<E, N> &x,
                                                                        unsigned p)
{
    if constexpr (P == 1) {
        return x.at(p);
    } else {
        static_assert(axis_pack<E, N>::WORDS == 1, "parts of one word");
        typedef typename axis_pack<E, P>::word word;
        return {(word)(x.words[0] >> 8 * sizeof(word) * p)};
    }
}

/* Whether a reduction's elements are packs of several rows, which come together at the end. */
template <typename S>
static constexpr bool
    folds = sizeof(typename S::Out) < sizeof(typename S::T) && std::is_class<typename S::T>::value;

/* All rows of P parts of a pack combined. */
template <unsigned P, typename OPERATOR, typename E, unsigned N>
static __device__ __forceinline__ axis_parts_of<E, P> folded(OPERATOR op, const axis_pack<E, N> &x)
{
    axis_parts_of<E, P> sum = parts_at<P>(x, 0);
#pragma unroll
    for (unsigned p = 1; p < N / P; p++)
        sum = combine(op, sum, parts_at<P>(x, p));
    return sum;
}

/* R rows of P neighbours each, of narrow types: a word of a scan whose sums are of P neighbours. Row 0 is in the
   lowest bits. */
template <typename E, unsigned P, unsigned R>
struct alignas(P *R * sizeof(E)) axis_run {
    typedef axis_parts_of<E, P> row;
    axis_pack<E, P * R> parts; /* of one word */

    static __host__ __device__ __forceinline__ axis_run of_equal(E x)
    {
        return {axis_pack<E, P * R>::of_equal(x)};
    }

    __host__ __device__ __forceinline__ row at(unsigned r) const { return parts_at<P>(parts, r); }
    /* Row r, which is 0, becomes x. */
    __host__ __device__ __forceinline__ void put(unsigned r, row x)
    {
        if constexpr (P == 1)
            parts.put(r, x);
        else
            parts.words[0] |= (uint32_t)x.words[0] << 8 * sizeof x * r;
    }
};

template <typename Element>
struct is_run : std::false_type {
};
template <typename E, unsigned P, unsigned R>
struct is_run<axis_run<E, P, R>> : std::true_type {
};

/* Whether sums are of several parts of less than 4 bytes. */
template <typename Element>
struct has_narrow_parts : std::false_type {
};
template <typename E, unsigned N>
struct has_narrow_parts<axis_pack<E, N>> : std::integral_constant<bool, sizeof(E) < 4> {
};
template <typename E, unsigned P, unsigned R>
struct has_narrow_parts<axis_run<E, P, R>> : std::integral_constant<bool, (P > 1)> {
};

/* Sums of bytes that are rows: of those that a mask of ones chooses, by one instruction. */
template <typename OPERATOR, typename E, unsigned P>
static constexpr bool sums_bytes = std::is_same<OPERATOR, parscan_operator_SUM>::value &&
                                   sizeof(E) == 1 && P == 1;

/* What an element adds to the sum of its line. */
template <typename T, typename OPERATOR, typename In>
static __device__ __forceinline__ T value_of(OPERATOR, const In &x)
{
    return widened<T>(x);
}
template <typename T, typename OPERATOR, typename E, unsigned P, unsigned R>
static __device__ __forceinline__ T value_of(OPERATOR op, const axis_run<E, P, R> &x)
{
    if constexpr (sums_bytes<OPERATOR, E, P>)
        return (T)__dp4a(x.parts.words[0], 0x01010101u, 0u);
    else
        return folded<P>(op, x.parts);
}

/* The results of a run of an exclusive or inclusive scan; before: the sum of what comes before it in its line, or the
   start. */
template <typename OPERATOR, typename E, unsigned P, unsigned R>
static __device__ __forceinline__ axis_run<E, P, R>
scan_run(OPERATOR op, bool exclusive, bool backwards, axis_parts_of<E, P> before,
         const axis_run<E, P, R> &x)
{
    axis_run<E, P, R> y = {};
    if constexpr (sums_bytes<OPERATOR, E, P>) {
        const uint32_t ones = 0x01010101u;
#pragma unroll
        for (unsigned r = 0; r < R; r++) {
            const unsigned low = 8 * (exclusive ? r : r + 1), high = 8 * (exclusive ? r + 1 : r);
            const uint32_t mask = backwards ? (high < 32 ? ones << high : 0)
                                  : low > 0 ? ones >> (32 - low)
                                            : 0;
            y.put(r, (E)__dp4a(x.parts.words[0], mask, (uint32_t)(uint8_t)before));
        }
    } else {
        axis_parts_of<E, P> sum = before;
#pragma unroll
        for (unsigned k = 0; k < R; k++) {
            const unsigned r = backwards ? R - 1 - k : k;
            const axis_parts_of<E, P> through = combine(op, sum, x.at(r));
            y.put(r, exclusive ? sum : through);
            sum = through;
        }
    }
    return y;
}

#endif
