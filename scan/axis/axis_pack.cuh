/*
 * Several elements as one of the kernels along an axis, which is combined part by part: neighbours along inner, so
 * that rows of a few columns are rows of one, two or four; and rows of one narrow element, which are joined to words:
 * packs in reductions, whose rows come together at the end, and runs in scans. Narrow neighbours are words
 * (axis_bits.h).
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

/* Sums of the parts of words. ends: the highest bit of each part, which no carry leaves. */
template <typename WORD>
static __device__ __forceinline__ WORD sum_of_parts(WORD ends, WORD a, WORD b)
{
    return (WORD)((WORD)((a & (WORD)~ends) + (b & (WORD)~ends)) ^ (WORD)((a ^ b) & ends));
}

/* The lesser of each two parts of words. last: the highest bit of a part, 15 or 7. For 15 some devices have an
   instruction. */
static __device__ __forceinline__ uint32_t least_of_parts(unsigned last, uint32_t a, uint32_t b)
{
    if (last == 15)
        return __vminu2(a, b);
    const uint32_t ends = 0x80808080u;
    /* Its highest bits: whether a's lower bits are at least b's; no borrow leaves a part. */
    const uint32_t rest = (a | ends) - (b & ~ends);
    const uint32_t at_least = ((a & ~b) | (~(a ^ b) & rest)) & ends;
    const uint32_t all = at_least | (at_least - (at_least >> 7));
    return (b & all) | (a & ~all);
}
static __device__ __forceinline__ uint16_t least_of_parts(unsigned last, uint16_t a, uint16_t b)
{
    return (uint16_t)least_of_parts(last, (uint32_t)a, (uint32_t)b);
}
static __device__ __forceinline__ uint64_t least_of_parts(unsigned last, uint64_t a, uint64_t b)
{
    const uint32_t high = least_of_parts(last, (uint32_t)(a >> 32), (uint32_t)(b >> 32));
    return (uint64_t)high << 32 | least_of_parts(last, (uint32_t)a, (uint32_t)b);
}

/* Products of the parts of words. */
static __device__ __forceinline__ uint32_t product_of_parts(unsigned last, uint32_t a, uint32_t b)
{
    if (last == 15)
        return (a * b & 0xffffu) | (a >> 16) * (b >> 16) << 16;
    uint32_t all = 0;
#pragma unroll
    for (unsigned at = 0; at < 32; at += 8)
        all |= ((a >> at) * (b >> at) & 0xffu) << at;
    return all;
}
static __device__ __forceinline__ uint16_t product_of_parts(unsigned last, uint16_t a, uint16_t b)
{
    return (uint16_t)product_of_parts(last, (uint32_t)a, (uint32_t)b);
}
static __device__ __forceinline__ uint64_t product_of_parts(unsigned last, uint64_t a, uint64_t b)
{
    const uint32_t high = product_of_parts(last, (uint32_t)(a >> 32), (uint32_t)(b >> 32));
    return (uint64_t)high << 32 | product_of_parts(last, (uint32_t)a, (uint32_t)b);
}

/* The ends of narrow elements that are parts of a word. */
template <typename E>
static constexpr uint64_t ends_of = sizeof(E) == 1 ? 0x8080808080808080u : 0x8000800080008000u;

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
        return each_word(
            a, b, [](auto x, auto y) { return sum_of_parts((decltype(x))ends_of<E>, x, y); });
    } else if constexpr (std::is_same<OPERATOR, parscan_operator_PRODUCT>::value &&
                         std::is_unsigned<E>::value && sizeof(E) < 4) {
        return each_word(a, b,
                         [](auto x, auto y) { return product_of_parts(8 * sizeof(E) - 1, x, y); });
    } else if constexpr (std::is_same<OPERATOR, parscan_operator_MIN>::value &&
                         std::is_unsigned<E>::value && sizeof(E) < 4) {
        return each_word(a, b,
                         [](auto x, auto y) { return least_of_parts(8 * sizeof(E) - 1, x, y); });
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

/* Whether a reduction's elements are packs of several rows, which come together at the end. */
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

/* R rows of one narrow element each: a word of a scan. Row 0 is in the lowest bits. */
template <typename E, unsigned R>
struct alignas(R * sizeof(E)) axis_run {
    axis_pack<E, R> parts; /* of one word */

    static __host__ __device__ __forceinline__ axis_run of_equal(E x)
    {
        return {axis_pack<E, R>::of_equal(x)};
    }
};

template <typename Element>
struct is_run : std::false_type {
};
template <typename E, unsigned R>
struct is_run<axis_run<E, R>> : std::true_type {
};

/* Sums of bytes that are rows: of those that a mask of ones chooses, by one instruction. */
template <typename OPERATOR, typename E>
static constexpr bool sums_bytes = std::is_same<OPERATOR, parscan_operator_SUM>::value &&
                                   sizeof(E) == 1;

/* The rows of a run combined. */
template <typename OPERATOR, typename E, unsigned R>
static __device__ __forceinline__ E sum_of_run(OPERATOR op, const axis_run<E, R> &x)
{
    if constexpr (sums_bytes<OPERATOR, E>)
        return (E)__dp4a(x.parts.words[0], 0x01010101u, 0u);
    else
        return folded(op, x.parts);
}

/* The results of a run of an exclusive or inclusive scan; before: the sum of what comes before it in its line, or the
   start. */
template <typename OPERATOR, typename E, unsigned R>
static __device__ __forceinline__ axis_run<E, R>
scan_run(OPERATOR op, bool exclusive, bool backwards, E before, const axis_run<E, R> &x)
{
    axis_run<E, R> y = {};
    if constexpr (sums_bytes<OPERATOR, E>) {
        const uint32_t ones = 0x01010101u;
#pragma unroll
        for (unsigned r = 0; r < R; r++) {
            const unsigned low = 8 * (exclusive ? r : r + 1), high = 8 * (exclusive ? r + 1 : r);
            const uint32_t mask = backwards ? (high < 32 ? ones << high : 0)
                                  : low > 0 ? ones >> (32 - low)
                                            : 0;
            y.parts.put(r, (E)__dp4a(x.parts.words[0], mask, (uint32_t)(uint8_t)before));
        }
    } else {
        E sum = before;
#pragma unroll
        for (unsigned k = 0; k < R; k++) {
            const unsigned r = backwards ? R - 1 - k : k;
            const E through = combine(op, sum, x.parts.at(r));
            y.parts.put(r, exclusive ? sum : through);
            sum = through;
        }
    }
    return y;
}

/* x with `bits` inverted, which are repeated in 8 bytes for each part. */
template <typename E>
static __host__ __device__ __forceinline__ E inverted(const E &x, uint64_t bits)
{
    return (E)(x ^ (E)bits);
}
template <typename E, unsigned N>
static __host__ __device__ __forceinline__ axis_pack<E, N> inverted(const axis_pack<E, N> &x,
                                                                    uint64_t bits)
{
    axis_pack<E, N> y;
    for (unsigned w = 0; w < axis_pack<E, N>::WORDS; w++)
        y.words[w] = inverted(x.words[w], bits);
    return y;
}
template <typename E, unsigned R>
static __host__ __device__ __forceinline__ axis_run<E, R> inverted(const axis_run<E, R> &x,
                                                                   uint64_t bits)
{
    return {inverted(x.parts, bits)};
}

#endif
