/* What the kernels of scans and reductions along an axis are told, and how they read and write elements. */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PARAMS_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PARAMS_CUH

#include "scan/axis/axis_bits.cuh"
#include "scan/axis/axis_plan.h"
#include "scan/cuda/half.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

struct axis_scalars {
    uint64_t inverts, ends; /* of integers (axis_bits.h) */
};

/* The types of a call, S in templates. What a kernel does with elements stands in functions with the operator as
   their first argument: those below are of scans and reductions, and other calls have overloads. */
template <typename In_, typename T_, typename Out_>
struct axis_types {
    typedef In_ In;
    typedef In_ Element; /* of an array of the input: In has one of each array */
    typedef T_ T;        /* of sums of elements of a line */
    typedef T_ X;        /* of all elements of a line up to one */
    typedef Out_ Out;
    typedef axis_scalars Scalars; /* of the call */
    enum : unsigned {
        ARRAYS = 1, /* of the input; all have the same strides */
        SIZE = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out),
        ROWS = AXIS_ROWS(SIZE, sizeof(T)),
        MOST_COLUMNS = 256 / SIZE /* of a tile */
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

/*
 * Division of numbers below 2^63 by a number that the host knows, without a branch: nvcc would copy a loop for each
 * outcome of a branch whose condition does not change in it. A power of two only shifts. Else `factor` is
 * 2^(64 + shift) / divisor, rounded up; what that adds to the quotient is less than 1 / divisor, so that it is exact.
 *
 * Source: T. Granlund, P. L. Montgomery, Division by invariant integers using multiplication, 1994.
 */
struct axis_divisor {
    uint64_t factor, whole; /* whole: all ones for a power of two */
    unsigned shift;

    static axis_divisor of(uint64_t divisor)
    {
        axis_divisor by = {0, ~(uint64_t)0, 63u - (unsigned)__builtin_clzll(divisor)};
        if ((divisor & (divisor - 1)) != 0) {
            by.factor = (uint64_t)(((unsigned __int128)1 << (64 + by.shift)) / divisor) + 1;
            by.whole = 0;
        }
        return by;
    }
    __device__ __forceinline__ uint64_t quotient(uint64_t x) const
    {
        return ((uint64_t)((unsigned __int128)x * factor >> 64) + (x & whole)) >> shift;
    }
};

template <typename S>
struct axis_params {
    axis_array<const char *> in;
    axis_array<char *> out;
    size_t outer, n, inner;
    axis_divisor by_inner;
    typename S::X start;   /* init as elements are combined, or the identity */
    typename S::Out first; /* of an exclusive scan; the reduction of nothing */
    bool exclusive;
    bool
        keeps; /* there is no init: the first element of an inclusive scan is the input's, to the bit */
    tile_chain chain;
    axis_plan plan;
    bool backwards; /* lines and their rows are in memory from the last one to the first */
    unsigned stages, stage_bytes; /* of shared memory: with two the next tile is loaded meanwhile */
    unsigned unit;                /* PIPED_COLUMNS: bytes that are copied at once, 4 to 16 */
    typename S::Scalars scalars;
};

/* The operator of a launch may keep scalars of the call. */
template <typename OPERATOR, typename S>
static __device__ __forceinline__ void prepare(OPERATOR &op, const axis_params<S> &params)
{
    if constexpr (in_parts<OPERATOR>) {
        op.ends = params.scalars.ends;
        op.last = op.ends & 0x80 ? 7 : 15;
    }
}
template <typename OPERATOR, typename S>
static __device__ __forceinline__ void prepare(axis_inverted<OPERATOR> &op,
                                               const axis_params<S> &params)
{
    prepare((OPERATOR &)op, params);
    op.inverts = params.scalars.inverts;
}

template <typename OPERATOR, typename S>
static __device__ __forceinline__ OPERATOR operator_of(const axis_params<S> &params)
{
    OPERATOR op = OPERATOR();
    prepare(op, params);
    return op;
}

/* Where array k of the input starts, with strides as params.in has them. */
template <typename S>
static __device__ __forceinline__ const char *input_array(const axis_params<S> &params, unsigned)
{
    return params.in.first;
}

/* Where line q of all is. */
template <typename S>
static __device__ __forceinline__ void find_line(const axis_params<S> &params, size_t q,
                                                 const char **in, char **out)
{
    const size_t o = params.by_inner.quotient(q);
    q -= o * params.inner;
    *in = params.in.line(o, q);
    *out = params.out.line(o, q);
}

template <typename In>
static __device__ __forceinline__ In load_at(const char *from)
{
    return *(const In *)from;
}

/* The element whose part of array 0 is there. */
template <typename S>
static __device__ __forceinline__ typename S::In load_element(const axis_params<S> &,
                                                              const char *from)
{
    return load_at<typename S::In>(from);
}

/* An element, combined with what comes before it in its line: nothing if it begins the line. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
advance_line(OPERATOR op, const axis_params<S> &params, bool begins, typename S::T sum,
             typename S::In x)
{
    typedef typename S::T T;
    const T value = value_of<T>(op, x);
    if (begins && params.keeps)
        return value;
    return combine(op, begins ? params.start : sum, value);
}

/* What comes before some elements in their line, and their sum. */
template <typename X, typename T, typename OPERATOR>
static __device__ __forceinline__ X advance(OPERATOR op, X before, T sum)
{
    return combine(op, before, sum);
}

/* The sum of elements of which the first one begins the line. */
template <typename X, typename T, typename OPERATOR>
static __device__ __forceinline__ X whole(OPERATOR, T sum)
{
    return sum;
}

/* The output of an element: `before` and `sum` are the sums before and through it. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::Out
result_of(OPERATOR op, const axis_params<S> &params, bool begins, typename S::X before,
          typename S::X sum, typename S::In x)
{
    typedef typename S::Out Out;
    if constexpr (is_run<Out>::value)
        return turned(op, scan_run(op, params.exclusive, params.backwards,
                                   begins ? params.start : before, turned(op, x)));
    else {
        if (params.exclusive)
            return begins ? params.first : rounded<Out>(turned(op, before));
        if constexpr (is_stored<Out>::value)
            if (begins && params.keeps)
                return copied<Out, typename S::T>(x);
        return rounded<Out>(turned(op, sum));
    }
}

#endif
