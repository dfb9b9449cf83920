/*
 * Lines by one thread each, where there are enough of them for all threads, or where they are short. Neighbouring
 * threads have neighbouring lines, so that columns are read side by side. While a thread combines some
 * elements, the next ones are on their way.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_SERIAL_CUH
#define PARSCAN_SCAN_AXIS_AXIS_SERIAL_CUH

#include "scan/axis/axis_params.cuh"

#define SERIAL_AT_ONCE 16u /* elements of a line that are loaded at once */
#define SERIAL_SHORT 8u    /* up to this length a thread has SERIAL_LINES lines at once */
#define SERIAL_LINES_AT_ONCE 4u

template <typename S>
static __device__ __forceinline__ void load_rows(const axis_params<S> &params, const char *in,
                                                 size_t begin, typename S::In (&x)[SERIAL_AT_ONCE])
{
    const char *from = in + (int64_t)begin * params.in.n;
#pragma unroll
    for (unsigned j = 0; j < SERIAL_AT_ONCE; j++, from += params.in.n)
        if (begin + j < params.n)
            x[j] = load_element(params, from);
}

template <typename S, typename OPERATOR>
static __device__ __forceinline__ void scan_line(OPERATOR op, const axis_params<S> &params,
                                                 size_t q)
{
    typedef typename S::In In;
    const char *in;
    char *out;
    typename S::X sum = params.start;
    In next[SERIAL_AT_ONCE];
    find_line(params, q, &in, &out);
    load_rows(params, in, 0, next);
#pragma unroll 1
    for (size_t begin = 0; begin < params.n; begin += SERIAL_AT_ONCE) {
        In x[SERIAL_AT_ONCE];
#pragma unroll
        for (unsigned j = 0; j < SERIAL_AT_ONCE; j++)
            x[j] = next[j];
        load_rows(params, in, begin + SERIAL_AT_ONCE, next);
#pragma unroll
        for (unsigned j = 0; j < SERIAL_AT_ONCE; j++, out += params.out.n) {
            if (begin + j >= params.n)
                break;
            const bool begins = begin + j == 0;
            const typename S::X before = sum;
            sum = advance_line(op, params, begins, sum, x[j]);
            *(typename S::Out *)out = result_of(op, params, begins, before, sum, x[j]);
        }
    }
}

/* Lines q, q + step, ... of at most SERIAL_SHORT elements. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void scan_short_lines(OPERATOR op, const axis_params<S> &params,
                                                        size_t q, size_t step)
{
    typename S::In x[SERIAL_LINES_AT_ONCE][SERIAL_SHORT];
    char *out[SERIAL_LINES_AT_ONCE];
    const size_t lines = params.outer * params.inner;
#pragma unroll
    for (unsigned k = 0; k < SERIAL_LINES_AT_ONCE; k++) {
        if (q + k * step >= lines)
            continue;
        const char *from;
        find_line(params, q + k * step, &from, &out[k]);
#pragma unroll
        for (unsigned j = 0; j < SERIAL_SHORT; j++, from += params.in.n)
            if (j < params.n)
                x[k][j] = load_element(params, from);
    }
#pragma unroll
    for (unsigned k = 0; k < SERIAL_LINES_AT_ONCE; k++) {
        typename S::X sum = params.start;
        if (q + k * step >= lines)
            continue;
#pragma unroll
        for (unsigned j = 0; j < SERIAL_SHORT; j++, out[k] += params.out.n) {
            if (j >= params.n)
                continue;
            const typename S::X before = sum;
            sum = advance_line(op, params, j == 0, sum, x[k][j]);
            *(typename S::Out *)out[k] = result_of(op, params, j == 0, before, sum, x[k][j]);
        }
    }
}

template <typename S, typename OPERATOR>
static __global__ void __launch_bounds__(256)
    axis_serial(const __grid_constant__ axis_params<S> params)
{
    const size_t lines = params.outer * params.inner, threads = (size_t)gridDim.x * blockDim.x;
    size_t q = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    wait_for_previous_kernel();
    const OPERATOR op = operator_of<OPERATOR>(params);
    if (params.n <= SERIAL_SHORT) {
#pragma unroll 1
        for (; q < lines; q += SERIAL_LINES_AT_ONCE * threads)
            scan_short_lines(op, params, q, threads);
        return;
    }
#pragma unroll 1
    for (; q < lines; q += threads)
        scan_line(op, params, q);
}

#endif
