/*
 * Recurrences along an axis on CUDA: what the kernels of scan/axis do with their elements. A sum of elements is their
 * map. The map of elements of which the first one begins a line has x0 in it, so it is the x after them alone,
 * and its factor is not used: only parts of a line that come after others need factors.
 */
#ifndef PARSCAN_APPS_RECURRENCE_AXIS_CUH
#define PARSCAN_APPS_RECURRENCE_AXIS_CUH

#include <type_traits>

#include "apps/segmented/recurrence_map.cuh"
#include "scan/axis/axis_params.cuh"

/* Of both arrays of the input, b first. */
template <typename Stored>
struct recurrence_element {
    Stored b, a;
};

template <typename Stored, typename X>
struct recurrence_scalars {
    int64_t to_a;               /* the bytes from array b to array a */
    X x0, a;                    /* a: if it is constant */
    const Stored *x0_at, *a_at; /* in device memory; NULL: they are not there */
};

template <typename Stored, typename X_, bool CONSTANT>
struct recurrence_types {
    typedef Stored Element;
    typedef typename std::conditional<CONSTANT, Stored, recurrence_element<Stored>>::type In;
    typedef recurrence_map<X_> T;
    typedef X_ X;
    typedef Stored Out;
    typedef recurrence_scalars<Stored, X_> Scalars;
    enum : unsigned {
        ARRAYS = CONSTANT ? 1 : 2,
        SIZE = sizeof(In),
        ROWS = AXIS_ROWS(SIZE, sizeof(T)),
        MOST_COLUMNS = 256 / SIZE
    };
};

template <typename X>
struct recurrence_along : recurrence_compose {
    X x0, a;
};

template <typename X, typename S>
static __device__ __forceinline__ void prepare(recurrence_along<X> &op,
                                               const axis_params<S> &params)
{
    const typename S::Scalars &given = params.scalars;
    op.x0 = given.x0_at != NULL ? widened<X>(*given.x0_at) : given.x0;
    op.a = given.a_at != NULL ? widened<X>(*given.a_at) : given.a;
}

template <typename Stored, typename X>
static __device__ __forceinline__ const char *
input_array(const axis_params<recurrence_types<Stored, X, false>> &params, unsigned k)
{
    return params.in.first + (k == 0 ? 0 : params.scalars.to_a);
}

template <typename Stored, typename X>
static __device__ __forceinline__ recurrence_element<Stored>
load_element(const axis_params<recurrence_types<Stored, X, false>> &params, const char *from)
{
    return {load_at<Stored>(from), load_at<Stored>(from + params.scalars.to_a)};
}

template <typename X, typename Stored>
static __device__ __forceinline__ X factor_of(const recurrence_along<X> &,
                                              const recurrence_element<Stored> &x)
{
    return widened<X>(x.a);
}

template <typename X, typename Stored>
static __device__ __forceinline__ X factor_of(const recurrence_along<X> &op, const Stored &)
{
    return op.a;
}

template <typename X, typename Stored>
static __device__ __forceinline__ X term_of(const recurrence_element<Stored> &x)
{
    return widened<X>(x.b);
}

template <typename X, typename Stored>
static __device__ __forceinline__ X term_of(const Stored &x)
{
    return widened<X>(x);
}

/* Multiplies the factor of a map. */
template <typename X>
static __device__ __forceinline__ void multiply(recurrence_map<X> &map, X a)
{
    recurrence_map<X> one = {a, 0, 0};
    if (__builtin_expect(!is_within(recurrence_map<X>::STEP / 2, a), 0))
        split(a, &one);
    map.factor *= one.factor;
    map.scale += one.scale;
    adjust(map);
}

/* x after an element. */
template <typename S, typename X>
static __device__ __forceinline__ X advance_line(const recurrence_along<X> &op,
                                                 const axis_params<S> &, bool begins, X x,
                                                 typename S::In element)
{
    const X ax = factor_of(op, element) * (begins ? op.x0 : x);
    return ax + term_of<X>(element);
}

/* The map of an element and those before it. */
template <typename S, typename X>
static __device__ __forceinline__ recurrence_map<X>
advance_line(const recurrence_along<X> &op, const axis_params<S> &params, bool begins,
             recurrence_map<X> map, typename S::In element)
{
    map.b = advance_line(op, params, begins, map.b, element);
    if (begins)
        return recurrence_map<X>{0, map.b, 0};
    multiply(map, factor_of(op, element));
    return map;
}

template <typename X>
static __device__ __forceinline__ X advance(const recurrence_along<X> &, X before,
                                            recurrence_map<X> map)
{
    return apply(map, before);
}

template <typename X, typename OF>
static __device__ __forceinline__ X whole(const recurrence_along<OF> &, recurrence_map<OF> map)
{
    return map.b;
}

template <typename S, typename X>
static __device__ __forceinline__ typename S::Out
result_of(const recurrence_along<X> &, const axis_params<S> &, bool, X, X x, typename S::In)
{
    return rounded<typename S::Out>(x);
}

#endif
