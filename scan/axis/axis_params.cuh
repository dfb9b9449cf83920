/* What the kernels of scans and reductions along an axis are told, and how they read and write elements. */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PARAMS_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PARAMS_CUH

#include "scan/axis/axis_plan.h"
#include "scan/cuda/half.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

template <typename In_, typename T_, typename Out_>
struct axis_types {
    typedef In_ In;
    typedef T_ T; /* of sums */
    typedef Out_ Out;
    enum : unsigned {
        SIZE = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out),
        ROWS = AXIS_ROWS(SIZE)
    };
};

/* The lines of an array, in bytes. `first` is the first element in the order of combination; `reverse` is a
   negative stride. */
template <typename Pointer>
struct axis_array {
    Pointer first;
    int64_t outer, n, inner;

    __device__ __forceinline__ Pointer line(size_t o, size_t i) const
    {
        return first + (int64_t)o * outer + (int64_t)i * inner;
    }
};

template <typename S>
struct axis_params {
    axis_array<const char *> in;
    axis_array<char *> out;
    size_t outer, n, inner;
    typename S::T start;   /* init, or the identity */
    typename S::Out first; /* of an exclusive scan; the reduction of nothing */
    bool exclusive;
    bool
        keeps; /* there is no init: the first element of an inclusive scan is the input's, to the bit */
    tile_chain chain;
    axis_plan plan;
    bool backwards; /* STAGED: lines and their rows are in memory from the last one to the first */
};

/* Where line q of all is. */
template <typename S>
static __device__ __forceinline__ void find_line(const axis_params<S> &params, size_t q,
                                                 const char **in, char **out)
{
    size_t o = 0;
    if (params.inner == 1)
        o = q, q = 0;
    else if (params.outer > 1 && (params.outer * params.inner) >> 32 == 0)
        o = (uint32_t)q / (uint32_t)params.inner;
    else if (params.outer > 1)
        o = q / params.inner;
    q -= params.inner == 1 ? 0 : o * params.inner;
    *in = params.in.line(o, q);
    *out = params.out.line(o, q);
}

template <typename In>
static __device__ __forceinline__ In load_at(const char *from)
{
    return *(const In *)from;
}

/* An element, combined with what comes before it in its line: nothing if it begins the line. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
advance_line(OPERATOR op, const axis_params<S> &params, bool begins, typename S::T sum,
             typename S::In x)
{
    typedef typename S::T T;
    const T value = widened<T>(x);
    if (begins && params.keeps)
        return value;
    return combine(op, begins ? params.start : sum, value);
}

/* The output of an element: `before` and `sum` are the sums before and through it. */
template <typename S>
static __device__ __forceinline__ typename S::Out result_of(const axis_params<S> &params,
                                                            bool begins, typename S::T before,
                                                            typename S::T sum, typename S::In x)
{
    typedef typename S::Out Out;
    if (params.exclusive)
        return begins ? params.first : rounded<Out>(before);
    if constexpr (is_stored<Out>::value)
        if (begins && params.keeps)
            return copied<Out, typename S::T>(x);
    return rounded<Out>(sum);
}

#endif
