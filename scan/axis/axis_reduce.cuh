/*
 * Reductions along an axis. A block takes some lines, near ones side by side along inner and far ones along outer,
 * and `together` threads of each line, so that neighbouring threads read neighbouring elements whichever way the
 * lines lie. Few long lines are cut in parts: the block of the last part adds what the others have published. So
 * float sums are grouped in the same way each time.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_REDUCE_CUH
#define PARSCAN_SCAN_AXIS_AXIS_REDUCE_CUH

#include "scan/axis/axis_params.cuh"

/* A thread loads so many elements at once: of one line, or of several lines that are short. */
#define AXIS_REDUCE_ROWS 16u
#define AXIS_REDUCE_LINES(T) (sizeof(T) > 8 ? 2u : 4u)
#define AXIS_REDUCE_SHORT 8u

template <typename T>
struct axis_reduce_shared {
    T sums[AXIS_REDUCE_LINES(T)][AXIS_REDUCE_THREADS];
    uint32_t epoch;
};

/* Where a thread works in its block. */
struct axis_place {
    unsigned near, far, member, line; /* line: of the block's; member: of the threads of a line */
    bool works;
};

template <typename S>
static __device__ __forceinline__ axis_place place_in_block(const axis_params<S> &params)
{
    const axis_plan &plan = params.plan;
    const unsigned t = threadIdx.x, rest = t / plan.near;
    axis_place place;
    place.near = t - rest * plan.near;
    place.far = rest / plan.together;
    place.member = rest - place.far * plan.together;
    place.line = place.far * plan.near + place.near;
    place.works = place.far < plan.far;
    return place;
}

/* The line of a thread in a group of lines; false: there is none. */
template <typename S>
static __device__ __forceinline__ bool line_of(const axis_params<S> &params,
                                               const axis_place &place, size_t group,
                                               const char **in, char **out)
{
    const axis_plan &plan = params.plan;
    const size_t across = (params.inner + plan.near - 1) / plan.near;
    const size_t down = across == 1 ? group : group / across;
    const size_t i = (group - down * across) * plan.near + place.near;
    const size_t o = down * plan.far + place.far;
    *in = params.in.line(o, i);
    *out = params.out.line(o, i);
    return place.works && i < params.inner && o < params.outer;
}

/* Combines a sum with elements that follow it, x[j] at row + j * step if that is before `end`. */
template <unsigned ROWS, typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
add_rows(OPERATOR op, const axis_params<S> &, const typename S::In (&x)[ROWS], size_t row,
         unsigned step, size_t end, typename S::T sum)
{
#pragma unroll
    for (unsigned j = 0; j < ROWS; j++)
        if (row + j * step < end)
            sum = combine(op, sum, value_of<typename S::T>(op, x[j]));
    return sum;
}

/* Combines ROWS of the thread's elements of a line from `row` on, those before `end`. */
template <unsigned ROWS, typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T sum_rows(OPERATOR op, const axis_params<S> &params,
                                                         const char *in, size_t row, size_t end,
                                                         typename S::T sum)
{
    typename S::In x[ROWS];
    const char *from = in + (int64_t)row * params.in.n;
    const unsigned step = params.plan.together;
#pragma unroll
    for (unsigned j = 0; j < ROWS; j++, from += (int64_t)step * params.in.n)
        if (row + j * step < end)
            x[j] = load_element(params, from);
    return add_rows(op, params, x, row, step, end, sum);
}

/* The sums of the threads of each line come together in member 0. By all threads. */
template <unsigned LINES, typename T, typename OPERATOR>
static __device__ __forceinline__ void join_members(OPERATOR op, const axis_plan &plan,
                                                    const axis_place &place, T (&sums)[LINES],
                                                    axis_reduce_shared<T> &shared)
{
    unsigned half = 1;
    while (2 * half < plan.together)
        half *= 2;
    if (plan.together == 1)
        return;
#pragma unroll 1
    for (unsigned members = plan.together; half > 0; members = half, half /= 2) {
#pragma unroll
        for (unsigned k = 0; k < LINES; k++)
            shared.sums[k][threadIdx.x] = sums[k];
        __syncthreads();
        if (place.works && place.member < half && place.member + half < members)
#pragma unroll
            for (unsigned k = 0; k < LINES; k++)
                sums[k] = combine(op, sums[k], shared.sums[k][threadIdx.x + half * plan.near]);
        __syncthreads();
    }
}

template <typename S, typename OPERATOR>
static __device__ __forceinline__ void store_sum(OPERATOR op, const axis_params<S> &params,
                                                 const char *in, char *out, typename S::T sum)
{
    typedef typename S::Out Out;
    Out *const to = (Out *)out;
    if constexpr (folds<S>) {
        const Out all = folded(op, sum);
        *to = turned(op, params.keeps ? all : combine(op, params.start.at(0), all));
    } else if (params.n == 0) {
        *to = params.first;
    } else if (params.n == 1 && params.keeps) {
        *to = copied<Out, typename S::T>(load_at<typename S::In>(in));
    } else {
        *to = rounded<Out>(turned(op, params.keeps ? sum : combine(op, params.start, sum)));
    }
}

/* The parts before the last one, and then its own sum. By all threads: those of a line each wait for some. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
join_parts(OPERATOR op, const axis_params<S> &params, const axis_place &place, size_t group,
           size_t groups, typename S::T own, axis_reduce_shared<typename S::T> &shared)
{
    typedef typename S::T T;
    const axis_plan &plan = params.plan;
    T sums[1] = {identity(op)};
    for (size_t part = place.member; place.works && part + 1 < plan.splits; part += plan.together)
        sums[0] =
            combine(op, sums[0],
                    tile_wait<T>(params.chain, shared.epoch,
                                 (part * groups + group) * (plan.near * plan.far) + place.line));
    join_members(op, plan, place, sums, shared);
    return combine(op, sums[0], own);
}

/* Part `part` of a group of lines. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void
reduce_part(OPERATOR op, const axis_params<S> &params, const axis_place &place, size_t part,
            size_t group, size_t groups, axis_reduce_shared<typename S::T> &shared)
{
    typedef typename S::T T;
    const axis_plan &plan = params.plan;
    const size_t begin = part * plan.tile_rows;
    const size_t end = params.n - begin < plan.tile_rows ? params.n : begin + plan.tile_rows;
    const char *in;
    char *out;
    T sums[1] = {identity(op)};
    const bool has_line = line_of(params, place, group, &in, &out);
    if (has_line)
#pragma unroll 1
        for (size_t row = begin + place.member; row < end; row += AXIS_REDUCE_ROWS * plan.together)
            sums[0] = sum_rows<AXIS_REDUCE_ROWS>(op, params, in, row, end, sums[0]);
    join_members(op, plan, place, sums, shared);
    if (plan.chained && part + 1 < plan.splits) {
        if (place.works && place.member == 0)
            tile_publish(params.chain, shared.epoch,
                         (part * groups + group) * (plan.near * plan.far) + place.line, sums[0]);
        return;
    }
    if (plan.chained)
        sums[0] = join_parts(op, params, place, group, groups, sums[0], shared);
    if (has_line && place.member == 0)
        store_sum(op, params, in, out, sums[0]);
}

/* Several groups of short lines. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void
reduce_short(OPERATOR op, const axis_params<S> &params, const axis_place &place, size_t group,
             size_t groups, axis_reduce_shared<typename S::T> &shared)
{
    const unsigned LINES = AXIS_REDUCE_LINES(typename S::T);
    const char *in[LINES];
    char *out[LINES];
    bool has_line[LINES];
    typename S::T sums[LINES];
#pragma unroll
    for (unsigned k = 0; k < LINES; k++) {
        sums[k] = identity(op);
        has_line[k] = line_of(params, place, group + k, &in[k], &out[k]) && group + k < groups;
        if (has_line[k])
            sums[k] =
                sum_rows<AXIS_REDUCE_SHORT>(op, params, in[k], place.member, params.n, sums[k]);
    }
    join_members(op, params.plan, place, sums, shared);
#pragma unroll
    for (unsigned k = 0; k < LINES; k++)
        if (has_line[k] && place.member == 0)
            store_sum(op, params, in[k], out[k], sums[k]);
}

template <typename S, typename OPERATOR>
static __global__ void __launch_bounds__(AXIS_REDUCE_THREADS,
                                         AXIS_REDUCE_BLOCKS(sizeof(typename S::T)))
    axis_reduce(const __grid_constant__ axis_params<S> params)
{
    const OPERATOR op = operator_of<OPERATOR>(params);
    const unsigned LINES = AXIS_REDUCE_LINES(typename S::T);
    __shared__ axis_reduce_shared<typename S::T> shared;
    const axis_plan &plan = params.plan;
    const size_t groups =
        ((params.inner + plan.near - 1) / plan.near) * ((params.outer + plan.far - 1) / plan.far);
    const axis_place place = place_in_block(params);
    wait_for_previous_kernel();
    if (plan.chained && threadIdx.x == 0)
        shared.epoch = tile_chain_begin(params.chain);
    __syncthreads();
    if (plan.many)
#pragma unroll 1
        for (size_t group = (size_t)blockIdx.x * LINES; group < groups;
             group += (size_t)gridDim.x * LINES)
            reduce_short(op, params, place, group, groups, shared);
    else
#pragma unroll 1
        for (size_t k = blockIdx.x; k < groups * plan.splits; k += gridDim.x)
            reduce_part(op, params, place, k / groups, k % groups, groups, shared);
    if (plan.chained)
        tile_chain_end(params.chain, shared.epoch);
}

#endif
