/*
 * Elements that are stored in fewer bits than they are computed in, floats of 16 bits: widened where a
 * kernel reads them, and rounded once where it writes them. For any other type both are conversions of
 * C, so that a kernel is written once for all types.
 *
 * One instruction widens an element of F16, or rounds two. In a kernel a NaN stays a NaN, but its bits may
 * change. Whatever has no such instructions, the host too, converts by scan/half.h.
 */
#ifndef PARSCAN_SCAN_CUDA_HALF_CUH
#define PARSCAN_SCAN_CUDA_HALF_CUH

#include <string.h>
#include <type_traits>

#include "scan/half.h"
#include "scan/tables.h"

/* Whether a type is only stored. */
template <typename Stored>
struct is_stored {
    static const bool value = false;
};

#define X(ctx, NAME, number, name, type, ...)                                    \
    template <>                                                                  \
    struct is_stored<type> {                                                     \
        static const bool value = true;                                          \
    };                                                                           \
    static inline __host__ __device__ float widen_by_bits(type x)                \
    {                                                                            \
        return parscan_widen_##NAME##_F32(x);                                    \
    }                                                                            \
    static inline __host__ __device__ void round_by_bits(float x, type *rounded) \
    {                                                                            \
        *rounded = parscan_narrow_##NAME(x);                                     \
    }
PARSCAN_STORED_TYPES(X, )
#undef X

/* Widens the two elements of a word; the first one is in its low half. */
static __device__ __forceinline__ void widen_two(const parscan_f16 *, uint32_t word, float *x)
{
#ifdef __CUDACC__
    asm("{.reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high;}"
        : "=f"(x[0]), "=f"(x[1])
        : "r"(word));
#else
    x[0] = widen_by_bits(parscan_f16{(uint16_t)word});
    x[1] = widen_by_bits(parscan_f16{(uint16_t)(word >> 16)});
#endif
}
static __device__ __forceinline__ void widen_two(const parscan_bf16 *, uint32_t word, float *x)
{
    x[0] = float_of_bits(word << 16);
    x[1] = float_of_bits(word & 0xffff0000u);
}

/* Rounds two floats to a word. */
static __device__ __forceinline__ uint32_t round_two(const parscan_f16 *, float low, float high)
{
    uint32_t word;
#if !defined __CUDACC__
    parscan_f16 both[2];
    round_by_bits(low, &both[0]);
    round_by_bits(high, &both[1]);
    memcpy(&word, both, sizeof word);
#elif __CUDA_ARCH__ >= 800
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
#else
    asm("{.reg .b16 low, high; cvt.rn.f16.f32 low, %1; cvt.rn.f16.f32 high, %2; mov.b32 %0, {low, "
        "high};}"
        : "=r"(word)
        : "f"(low), "f"(high));
#endif
    return word;
}
static __device__ __forceinline__ uint32_t round_two(const parscan_bf16 *, float low, float high)
{
    uint32_t word;
#if defined __CUDACC__ && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
#else
    parscan_bf16 both[2];
    round_by_bits(low, &both[0]);
    round_by_bits(high, &both[1]);
    word = (uint32_t)both[1].bits << 16 | both[0].bits;
#endif
    return word;
}

/* An element of type In as a T. */
template <typename T, typename In>
static __device__ __forceinline__ T widened(In x)
{
    if constexpr (is_stored<In>::value) {
        float both[2];
        widen_two((const In *)nullptr, x.bits, both);
        return (T)both[0];
    } else {
        return (T)x;
    }
}

/* A T as an element of type Out; T may be Out. */
template <typename Out, typename T>
static __device__ __forceinline__ Out rounded(T x)
{
    if constexpr (is_stored<Out>::value && !is_stored<T>::value)
        return Out{(uint16_t)round_two((const Out *)nullptr, x, 0.0f)};
    else
        return (Out)x;
}

/* An element of the input as one of the output: to the bit if the types are the same. */
template <typename Out, typename T, typename In>
static __device__ __forceinline__ Out copied(In x)
{
    if constexpr (is_stored<Out>::value)
        return x;
    else
        return widened<T>(x);
}

/* One element in device memory, of type T or of one that is only stored, in place of one that the host
   knows. The kernel that has made it has ended when it is read. */
struct device_scalar {
    const void *at = nullptr; /* NULL: there is none */
    int type = 0;             /* parscan_type */
};
template <typename T>
static __device__ __forceinline__ T read_scalar(const device_scalar &scalar)
{
    if constexpr (std::is_same<T, float>::value)
        switch (scalar.type) {
#define X(ctx, NAME, number, name, type, ...) \
    case PARSCAN_##NAME:                      \
        return widened<T>(*(const type *)scalar.at);
            PARSCAN_STORED_TYPES(X, )
#undef X
        default:
            break;
        }
    return *(const T *)scalar.at;
}

/* Widens N elements in registers. */
template <typename T, typename In, unsigned N>
static __device__ __forceinline__ void widen_all(const In (&raw)[N], T (&x)[N])
{
    if constexpr (is_stored<In>::value && N % 2 == 0) {
#pragma unroll
        for (unsigned e = 0; e < N; e += 2) {
            float both[2];
            widen_two((const In *)nullptr, raw[e].bits | (uint32_t)raw[e + 1].bits << 16, both);
            x[e] = (T)both[0];
            x[e + 1] = (T)both[1];
        }
    } else {
#pragma unroll
        for (unsigned e = 0; e < N; e++)
            x[e] = widened<T>(raw[e]);
    }
}

/* Rounds a vector of 16 bytes. x is aligned to 16 bytes. */
template <typename Out, typename T, unsigned N>
static __device__ __forceinline__ uint4 rounded_vector(const T (&x)[N])
{
    if constexpr (is_stored<Out>::value) {
        static_assert(N == 8, "a vector has 16 bytes");
        const Out *const type = nullptr;
        return uint4{round_two(type, x[0], x[1]), round_two(type, x[2], x[3]),
                     round_two(type, x[4], x[5]), round_two(type, x[6], x[7])};
    } else {
        return *(const uint4 *)x;
    }
}

/* Rounds N values in registers. `rounded` is aligned to 4 bytes. */
template <typename Out, typename T, unsigned N>
static __device__ __forceinline__ void round_all(const T (&x)[N], Out (&rounded_)[N])
{
    if constexpr (is_stored<Out>::value && N % 2 == 0) {
#pragma unroll
        for (unsigned e = 0; e < N; e += 2) {
            const uint32_t word = round_two((const Out *)nullptr, x[e], x[e + 1]);
            rounded_[e].bits = (uint16_t)word;
            rounded_[e + 1].bits = (uint16_t)(word >> 16);
        }
    } else {
#pragma unroll
        for (unsigned e = 0; e < N; e++)
            rounded_[e] = rounded<Out>(x[e]);
    }
}

/* Rounds a vector of 4, 8 or 16 bytes, and stores it. x is aligned to 16 bytes. */
template <typename Out, typename T, unsigned N>
static __device__ __forceinline__ void store_vector(Out *to, const T (&x)[N])
{
    /* an assignment would compile to a store a word */
    if constexpr (N * sizeof(Out) == 16) {
        __stwb((uint4 *)to, rounded_vector<Out>(x));
    } else {
        __align__(8) Out y[N];
        round_all(x, y);
        if constexpr (sizeof y == 8)
            __stwb((uint2 *)to, *(const uint2 *)y);
        else
            __stwb((unsigned *)to, *(const unsigned *)y);
    }
}

#endif
