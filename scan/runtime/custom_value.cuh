/*
 * The elements and the operator of a caller, for kernels that are compiled at run time. The text that
 * custom_program.c writes defines a CALLER:
 *
 *     E                            the caller's type
 *     SIZE, ALIGNMENT              of an element in arrays
 *     HAS_IDENTITY, COMMUTES       of the operator
 *     LOADS, STORES                whether there are maps
 *     E combine(E, E), E identity()
 *     E load(in, i), store(x, out, i)      the maps
 *
 * T is the type in which kernels combine: E itself where there is an identity, else maybe<E>, which has
 * one: nothing.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_VALUE_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_VALUE_CUH

#include "scan/cuda/operators.cuh"

template <typename E>
struct maybe {
    E value;
    uint32_t there;
    maybe() = default;
    __device__ maybe(const E &x) : value(x), there(1) {}
    __device__ operator E() const { return value; }
};

template <typename CALLER, bool HAS_IDENTITY = CALLER::HAS_IDENTITY>
struct combined_type {
    typedef typename CALLER::E T;
};
template <typename CALLER>
struct combined_type<CALLER, false> {
    typedef maybe<typename CALLER::E> T;
};

/* ORDERED: as if it did not commute. */
template <typename CALLER, bool ORDERED = false>
struct custom_operator {
    static const bool commutes = CALLER::COMMUTES && !ORDERED;
};

template <typename CALLER, bool ORDERED>
static __device__ __forceinline__ typename CALLER::E
combine(custom_operator<CALLER, ORDERED>, typename CALLER::E a, typename CALLER::E b)
{
    return CALLER::combine(a, b);
}
template <typename CALLER, bool ORDERED>
static __device__ __forceinline__ maybe<typename CALLER::E>
combine(custom_operator<CALLER, ORDERED>, const maybe<typename CALLER::E> &a,
        const maybe<typename CALLER::E> &b)
{
    if (b.there == 0)
        return a;
    if (a.there == 0)
        return b;
    return CALLER::combine(a.value, b.value);
}

template <typename CALLER, bool ORDERED, typename T>
static __device__ __forceinline__ void identity_of(custom_operator<CALLER, ORDERED>, T *value)
{
    if constexpr (CALLER::HAS_IDENTITY)
        *value = CALLER::identity();
    else
        value->there = 0;
}

/* The widest words, of at most 16 bytes, in which elements can be copied. */
template <unsigned BYTES>
struct unit_of {
    typedef uint4 type;
};
template <>
struct unit_of<8> {
    typedef uint2 type;
};
template <>
struct unit_of<4> {
    typedef uint32_t type;
};
template <>
struct unit_of<2> {
    typedef uint16_t type;
};
template <>
struct unit_of<1> {
    typedef uint8_t type;
};

static constexpr unsigned unit_size(unsigned size, unsigned alignment)
{
    unsigned unit = 16;
    while (size % unit != 0 || alignment % unit != 0)
        unit /= 2;
    return unit;
}

template <typename CALLER>
static constexpr unsigned unit_of_caller()
{
    return unit_size(CALLER::SIZE, CALLER::ALIGNMENT);
}

/* Copies an element from or to memory of CALLER::ALIGNMENT, by its units. */
template <unsigned UNIT, typename E>
static __device__ __forceinline__ E read_units(const void *from)
{
    typedef typename unit_of<UNIT>::type U;
    union raw {
        U units[sizeof(E) / UNIT];
        E value;
        __device__ raw() {}
    } raw;
#pragma unroll
    for (unsigned k = 0; k < sizeof(E) / UNIT; k++)
        raw.units[k] = ((const U *)from)[k];
    return raw.value;
}
template <unsigned UNIT, typename E>
static __device__ __forceinline__ void write_units(void *to, const E &x)
{
    typedef typename unit_of<UNIT>::type U;
    U units[sizeof(E) / UNIT];
    memcpy(units, &x, sizeof x);
#pragma unroll
    for (unsigned k = 0; k < sizeof(E) / UNIT; k++)
        ((U *)to)[k] = units[k];
}

/* Element i of the input, and of the output. */
template <typename CALLER>
static __device__ __forceinline__ typename CALLER::E fetch_element(const void *in, size_t i)
{
    if constexpr (CALLER::LOADS)
        return CALLER::load(in, i);
    else
        return read_units<unit_of_caller<CALLER>(), typename CALLER::E>((const char *)in +
                                                                        i * CALLER::SIZE);
}
template <typename CALLER>
static __device__ __forceinline__ void put_element(void *out, size_t i, const typename CALLER::E &x)
{
    if constexpr (CALLER::STORES)
        CALLER::store(x, out, i);
    else
        write_units<unit_of_caller<CALLER>()>((char *)out + i * CALLER::SIZE, x);
}

#endif
