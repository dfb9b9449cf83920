/*
 * The element types and operators of tables.h, for kernels. An operator is an empty struct, so that
 * kernels are compiled once for each operator.
 */
#ifndef PARSCAN_SCAN_CUDA_OPERATORS_CUH
#define PARSCAN_SCAN_CUDA_OPERATORS_CUH

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "parscan/types.h"
#include "scan/tables.h"

template <typename T>
struct parscan_element;

#define X(ctx, NAME, number, name, type, arithmetic, class_, low, high, lane) \
    template <>                                                               \
    struct parscan_element<type> {                                            \
        typedef arithmetic A;                                                 \
        enum { NUMBER = number };                                             \
        static __host__ __device__ type lowest() { return low; }              \
        static __host__ __device__ type highest() { return high; }            \
    };
PARSCAN_ARITHMETIC_TYPES(X, )
#undef X

/* The lesser or the greater of two floats. `first` is the comparison that tells whether it is a.
   Equal floats have the same bits, except zeros: AND of the bits of -0 and +0 is +0, OR is -0;
   `either` selects OR. If a is a NaN, the result is a. There are no branches. It is for types and
   devices that have no instruction for it: such an instruction is five times as fast. */
template <typename BITS, typename T>
static __device__ __forceinline__ T choose(T a, T b, bool first, bool either)
{
    BITS x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    const BITS equal = either ? x | y : x & y, other = first | (a != a) ? x : y;
    x = a == b ? equal : other;
    memcpy(&a, &x, sizeof a);
    return a;
}

template <typename T>
static __device__ __forceinline__ T minimum(T a, T b)
{
    return a < b ? a : b;
}
static __device__ __forceinline__ float minimum(float a, float b)
{
#if __CUDA_ARCH__ >= 800
    float found;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(found) : "f"(a), "f"(b));
    return found;
#else
    return choose<uint32_t>(a, b, a < b, true);
#endif
}
static __device__ __forceinline__ double minimum(double a, double b)
{
    return choose<uint64_t>(a, b, a < b, true);
}

template <typename T>
static __device__ __forceinline__ T maximum(T a, T b)
{
    return a > b ? a : b;
}
static __device__ __forceinline__ float maximum(float a, float b)
{
#if __CUDA_ARCH__ >= 800
    float found;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(found) : "f"(a), "f"(b));
    return found;
#else
    return choose<uint32_t>(a, b, a > b, false);
#endif
}
static __device__ __forceinline__ double maximum(double a, double b)
{
    return choose<uint64_t>(a, b, a > b, false);
}

#define lowest() parscan_element<T>::lowest()
#define highest() parscan_element<T>::highest()
#define X(ctx, NAME, number, name, meaning, order, expression, neutral)            \
    struct parscan_operator_##NAME {                                               \
        enum { ORDERED, COMMUTES };                                                \
        static const bool commutes = order == COMMUTES;                            \
    };                                                                             \
    template <typename T>                                                          \
    static __device__ T combine(parscan_operator_##NAME, T a, T b)                 \
    {                                                                              \
        typedef typename parscan_element<T>::A A;                                  \
        (void)sizeof(A);                                                           \
        return expression;                                                         \
    }                                                                              \
    template <typename T>                                                          \
    static __host__ __device__ void identity_of(parscan_operator_##NAME, T *value) \
    {                                                                              \
        typedef typename parscan_element<T>::A A;                                  \
        (void)sizeof(A);                                                           \
        *value = neutral;                                                          \
    }
PARSCAN_OPS(X, )
#undef X
#undef lowest
#undef highest

/* identity(op) converts to the type of the variable that it initialises, since no argument gives
   the type. */
template <typename OPERATOR>
struct parscan_identity {
    OPERATOR op;
    template <typename T>
    __device__ operator T() const
    {
        T value;
        identity_of(op, &value);
        return value;
    }
};

template <typename OPERATOR>
static __device__ parscan_identity<OPERATOR> identity(OPERATOR op)
{
    return parscan_identity<OPERATOR>{op};
}

/* The C type of a parscan_type: parscan_type_numbered<PARSCAN_U8>::T is uint8_t. */
template <parscan_type TYPE>
struct parscan_type_numbered;
#define X(ctx, NAME, number, name, type, ...)      \
    template <>                                    \
    struct parscan_type_numbered<PARSCAN_##NAME> { \
        typedef type T;                            \
    };
PARSCAN_TYPES(X, )
#undef X

#endif
