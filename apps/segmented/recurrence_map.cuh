/*
 * Maps x -> A x + B on CUDA, and how the parts of a linear recurrence compose them.
 *
 * A is the product of many factors. To keep it from overflow and underflow where no x does, A is a
 * factor with a power of two of its own: factor * 2^(step * scale). The factor is 0, not finite, or
 * of a magnitude from 2^(-step / 2) to 2^(step / 2). With ordinary factors the scale is always 0,
 * and A x is one product. B is the result of the recurrence for x = 0.
 */
#ifndef PARSCAN_APPS_RECURRENCE_MAP_CUH
#define PARSCAN_APPS_RECURRENCE_MAP_CUH

#include <math.h>

#include "scan/cuda/warp_shuffle.cuh"

template <typename T>
struct recurrence_map;
template <>
struct recurrence_map<float> {
    float factor, b;
    int scale;
    static const int STEP = 64, BIAS = 127;
    static __device__ __forceinline__ float step() { return 0x1p64f; }
};
template <>
struct recurrence_map<double> {
    double factor, b;
    long long scale;
    static const int STEP = 512, BIAS = 1023;
    static __device__ __forceinline__ double step() { return 0x1p512; }
};

/* Computed with integers: a multiprocessor has many units for integers and few for doubles. */
static __device__ __forceinline__ unsigned exponent_of(float x)
{
    return __float_as_uint(x) << 1 >> 24;
}
static __device__ __forceinline__ unsigned exponent_of(double x)
{
    return (unsigned)__double2hiint(x) << 1 >> 21;
}
static __device__ __forceinline__ bool is_zero(float x)
{
    return __float_as_uint(x) << 1 == 0;
}
static __device__ __forceinline__ bool is_zero(double x)
{
    return ((unsigned)__double2hiint(x) << 1 | (unsigned)__double2loint(x)) == 0;
}

/* Whether a magnitude is 0, or at least 2^-bits and below 2^bits. */
template <typename T>
static __device__ __forceinline__ bool is_within(unsigned bits, T x)
{
    return exponent_of(x) - (recurrence_map<T>::BIAS - bits) < 2 * bits || is_zero(x);
}

/* Returns A x for an A with a scale. 2^13 and more times any float is infinity, and its inverse
   times any float is 0. */
template <typename T>
static __device__ __noinline__ T scaled_product(T factor, T x, long long scale)
{
    const long long most = 1 << 13;
    int exponent = 0;
    const T mantissa = frexp(x, &exponent);
    const long long by = scale * recurrence_map<T>::STEP + (isfinite(x) ? exponent : 0);
    return ldexp(factor * mantissa, (int)(by < -most ? -most : by > most ? most : by));
}

template <typename T>
static __device__ __forceinline__ T apply(const recurrence_map<T> &map, T x)
{
    T ax = map.factor * x;
    if (__builtin_expect(map.scale != 0, 0))
        ax = scaled_product(map.factor, x, map.scale);
    return ax + map.b;
}

/* Brings the product of two factors into the range of a factor. */
template <typename T>
static __device__ __forceinline__ void adjust(recurrence_map<T> &map)
{
    typedef recurrence_map<T> M;
    if (__builtin_expect(is_within(M::STEP / 2, map.factor), 1))
        return;
    if (exponent_of(map.factor) >= M::BIAS) {
        map.factor *= 1 / M::step();
        map.scale++;
    } else {
        map.factor *= M::step();
        map.scale--;
    }
}

/* The composition of maps: first a, then b. */
struct recurrence_compose {
    static const bool commutes = false;
};

template <typename T>
static __device__ __forceinline__ recurrence_map<T>
combine(recurrence_compose, const recurrence_map<T> &a, const recurrence_map<T> &b)
{
    recurrence_map<T> both = {a.factor * b.factor, apply(b, a.b), a.scale + b.scale};
    adjust(both);
    return both;
}

template <typename T>
static __host__ __device__ void identity_of(recurrence_compose, recurrence_map<T> *map)
{
    *map = recurrence_map<T>{1, -(T)0, 0};
}

/* Splits any double into a factor and a scale. */
template <typename T>
static __device__ __noinline__ void split(double a, recurrence_map<T> *map)
{
    const int STEP = recurrence_map<T>::STEP;
    int exponent;
    const double mantissa = frexp(a, &exponent);
    if (!isfinite(a))
        exponent = 0;
    map->scale = (exponent + (exponent > 0 ? STEP / 2 : -STEP / 2)) / STEP;
    map->factor = (T)ldexp(mantissa, exponent - (int)map->scale * STEP);
}

/* Sets the map's factor to the product of a vector's factors. A double holds the product of four
   floats, whatever they are. */
static __device__ __forceinline__ void multiply_all(const float (&a)[4], recurrence_map<float> *map)
{
    const double all = ((double)a[0] * (double)a[1]) * ((double)a[2] * (double)a[3]);
    map->factor = (float)all;
    map->scale = 0;
    if (__builtin_expect(
            !is_within(map->STEP / 2, map->factor) || (is_zero(map->factor) && !is_zero(all)), 0))
        split(all, map);
}

static __device__ __forceinline__ void multiply_all(const double (&a)[2],
                                                    recurrence_map<double> *map)
{
    map->factor = a[0] * a[1];
    map->scale = 0;
    if (__builtin_expect(is_within(127, a[0]) && is_within(127, a[1]), 1))
        return;
    recurrence_map<double> one = {}, other = {};
    split(a[0], &one);
    split(a[1], &other);
    *map = recurrence_map<double>{one.factor * other.factor, 0, one.scale + other.scale};
    adjust(*map);
}

/* Returns the map of consecutive elements. */
template <typename T, unsigned N>
static __device__ __forceinline__ recurrence_map<T> map_of(const T (&a)[N], const T (&b)[N])
{
    const unsigned LANE = 16 / sizeof(T);
    recurrence_map<T> map = {1, b[0], 0};
#pragma unroll
    for (unsigned e = 1; e < N; e++) {
        const T ax = a[e] * map.b;
        map.b = ax + b[e];
    }
#pragma unroll
    for (unsigned v = 0; v < N; v += LANE) {
        T vector[LANE];
        recurrence_map<T> factors = {};
        memcpy(vector, a + v, sizeof vector);
        multiply_all(vector, &factors);
        map.factor *= factors.factor;
        map.scale += factors.scale;
        adjust(map);
    }
    return map;
}

#endif
