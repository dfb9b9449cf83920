/*
 * Lines in vectors of 16 bytes, which memory needs to be read at its rate: short lines side by side, of which a
 * thread has a vector of neighbours; and rows of whole vectors that are reduced, of which up to 32 threads of a warp
 * have vectors, or rows of which a vector has several. Threads have some vectors on their way, and wait for none but
 * those of their row.
 *
 * Lower bound: one read, one write.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_VECTORS_CUH
#define PARSCAN_SCAN_AXIS_AXIS_VECTORS_CUH

#include "scan/axis/axis_warps.cuh"
#include "scan/cuda/warp_scan.cuh"

#define NEIGHBOURS_AT_ONCE 8u  /* vectors of a thread */
#define ROW_VECTORS_AT_ONCE 4u /* more would not fit its registers */

/* A vector as it is loaded. Elements of it would take a register each until they are combined. */
template <typename Element, unsigned EACH>
struct axis_words {
    static constexpr unsigned BYTES = EACH * sizeof(Element);
    typedef axis_word < BYTES<4 ? BYTES : 4> word;
    struct alignas(BYTES) words {
        word at[BYTES / sizeof(word)];
    } words;

    __device__ __forceinline__ void load(const void *from) { words = *(const struct words *)from; }
    __device__ __forceinline__ axis_vector<Element, EACH> elements() const
    {
        axis_vector<Element, EACH> x;
        memcpy(&x, &words, BYTES);
        return x;
    }
};

/* The result of a reduction of a line; sum: of its elements, and of init. `first` is the line's, if it is one. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::Out reduced(OPERATOR op, const axis_params<S> &params,
                                                          typename S::In first, typename S::T sum)
{
    return params.n == 1 && params.keeps ? copied<typename S::Out, typename S::T>(first)
                                         : rounded<typename S::Out>(turned(op, sum));
}

/* Some groups of neighbours, of at most ROWS elements a line. */
template <unsigned ROWS, bool REDUCES, typename S, typename OPERATOR>
static __device__ __forceinline__ void take_neighbours(OPERATOR op, const axis_params<S> &params,
                                                       size_t group, size_t step)
{
    typedef typename S::Out Out;
    const unsigned EACH = AXIS_NEIGHBOURS(S::SIZE), GROUPS = NEIGHBOURS_AT_ONCE / ROWS;
    typedef axis_vector<Out, EACH> out_vector;
    const size_t groups = params.outer * params.inner / EACH;
    axis_words<typename S::In, EACH> x[GROUPS][ROWS];
    char *out[GROUPS];
#pragma unroll
    for (unsigned k = 0; k < GROUPS; k++) {
        if (group + k * step >= groups)
            continue;
        const char *from;
        find_line(params, (group + k * step) * EACH, &from, &out[k]);
#pragma unroll
        for (unsigned j = 0; j < ROWS; j++, from += params.in.n)
            if (j < params.n)
                x[k][j].load(from);
    }
#pragma unroll
    for (unsigned k = 0; k < GROUPS; k++) {
        if (group + k * step >= groups)
            continue;
        typename S::X sums[EACH];
        out_vector y;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            sums[e] = params.start;
#pragma unroll
        for (unsigned j = 0; j < ROWS; j++) {
            if (j >= params.n)
                continue;
            const auto row = x[k][j].elements();
#pragma unroll
            for (unsigned e = 0; e < EACH; e++) {
                const typename S::X before = sums[e];
                sums[e] = advance_line(op, params, j == 0, before, row.at[e]);
                if (!REDUCES)
                    y.at[e] = result_of(op, params, j == 0, before, sums[e], row.at[e]);
            }
            if (!REDUCES) {
                *(out_vector *)out[k] = y;
                out[k] += params.out.n;
            }
        }
        if (REDUCES) {
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                y.at[e] = reduced(op, params, x[k][0].elements().at[e], sums[e]);
            *(out_vector *)out[k] = y;
        }
    }
}

/* Reduces a group of neighbours of longer lines. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void reduce_neighbours(OPERATOR op, const axis_params<S> &params,
                                                         size_t group)
{
    typedef typename S::Out Out;
    const unsigned EACH = AXIS_NEIGHBOURS(S::SIZE), ROWS = NEIGHBOURS_AT_ONCE;
    axis_words<typename S::In, EACH> x[ROWS];
    typename S::T sums[EACH];
    const char *from;
    char *out;
    find_line(params, group * EACH, &from, &out);
#pragma unroll
    for (unsigned e = 0; e < EACH; e++)
        sums[e] = params.start;
#pragma unroll 1
    for (size_t first = 0; first < params.n; first += ROWS) {
#pragma unroll
        for (unsigned j = 0; j < ROWS; j++, from += params.in.n)
            if (first + j < params.n)
                x[j].load(from);
#pragma unroll
        for (unsigned j = 0; j < ROWS; j++) {
            const auto row = x[j].elements();
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                if (first + j < params.n)
                    sums[e] = advance_line(op, params, first + j == 0, sums[e], row.at[e]);
        }
    }
    axis_vector<Out, EACH> y;
#pragma unroll
    for (unsigned e = 0; e < EACH; e++)
        y.at[e] = rounded<Out>(turned(op, sums[e]));
    *(axis_vector<Out, EACH> *)out = y;
}

template <unsigned ROWS, bool REDUCES, typename S, typename OPERATOR>
static __device__ __forceinline__ void take_all_neighbours(OPERATOR op,
                                                           const axis_params<S> &params)
{
    const size_t groups = params.outer * params.inner / AXIS_NEIGHBOURS(S::SIZE);
    const size_t threads = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (size_t group = (size_t)blockIdx.x * blockDim.x + threadIdx.x; group < groups;
         group += NEIGHBOURS_AT_ONCE / ROWS * threads)
        take_neighbours<ROWS, REDUCES>(op, params, group, threads);
}

template <typename S, typename OPERATOR>
static __device__ __forceinline__ void reduce_all_neighbours(OPERATOR op,
                                                             const axis_params<S> &params)
{
    const size_t groups = params.outer * params.inner / AXIS_NEIGHBOURS(S::SIZE);
#pragma unroll 1
    for (size_t group = (size_t)blockIdx.x * blockDim.x + threadIdx.x; group < groups;
         group += (size_t)gridDim.x * blockDim.x)
        reduce_neighbours(op, params, group);
}

template <typename S, bool REDUCES, typename OPERATOR>
static __global__ void __launch_bounds__(AXIS_VECTORS_THREADS, 4)
    axis_neighbours(const __grid_constant__ axis_params<S> params)
{
    wait_for_previous_kernel();
    const OPERATOR op = operator_of<OPERATOR>(params);
    if (params.n <= 2)
        take_all_neighbours<2, REDUCES>(op, params);
    else if (params.n <= 4)
        take_all_neighbours<4, REDUCES>(op, params);
    else if (!REDUCES || params.n <= AXIS_NEIGHBOURS_ROWS)
        take_all_neighbours<AXIS_NEIGHBOURS_ROWS, REDUCES>(op, params);
    else
        reduce_all_neighbours(op, params);
}

/* Of integers of 1 and 2 bytes, words are combined, and then the parts of what remains. */
template <typename T, typename OPERATOR, typename In, unsigned EACH>
static __device__ __forceinline__ T sum_of_vector(OPERATOR op, const axis_vector<In, EACH> &x,
                                                  T sum)
{
    if constexpr (std::is_integral<In>::value && std::is_same<In, T>::value && sizeof(In) < 4) {
        axis_pack<In, 4 / sizeof(In)> words[4];
        memcpy(words, &x, sizeof words);
        words[0] = turned(op, words[0]);
#pragma unroll
        for (unsigned w = 1; w < 4; w++)
            words[0] = combine(op, words[0], turned(op, words[w]));
        sum = combine(op, sum, folded(op, words[0]));
    } else {
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            sum = combine(op, sum, value_of<T>(op, x.at[e]));
    }
    return sum;
}

/* Rows of which a thread loads PER vectors at once. Each `together` threads of a warp have rows of their own. Elements of
   16 bytes may have 1, 2 or 4 columns: a thread has one. */
template <unsigned PER, typename S, typename OPERATOR>
static __device__ __forceinline__ void reduce_rows(OPERATOR op, const axis_params<S> &params)
{
    typedef typename S::T T;
    const unsigned EACH = 16 / sizeof(typename S::In), ROWS = ROW_VECTORS_AT_ONCE / PER;
    typedef axis_words<typename S::In, EACH> vector;
    const unsigned together = params.plan.together, member = threadIdx.x % together;
    const unsigned width = EACH == 1 ? (unsigned)params.inner : 1;
    const size_t vectors = params.n * width / EACH,
                 step = (size_t)gridDim.x * blockDim.x / together;
    const size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / together;
    const auto row_of = [&](size_t row) { return (const vector *)params.in.line(row, 0); };
    /* All threads of a warp have as many turns. */
#pragma unroll 1
    for (size_t row = first; row - first < params.outer; row += ROWS * step) {
        T sums[ROWS];
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++)
            sums[r] = identity(op);
#pragma unroll 1
        for (size_t v = member; v < vectors; v += PER * together) {
            vector x[ROWS][PER];
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
                for (unsigned p = 0; p < PER; p++)
                    if (row + r * step < params.outer && v + p * together < vectors)
                        x[r][p].load(row_of(row + r * step) + v + p * together);
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
                for (unsigned p = 0; p < PER; p++)
                    if (row + r * step < params.outer && v + p * together < vectors)
                        sums[r] = sum_of_vector(op, x[r][p].elements(), sums[r]);
        }
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
#pragma unroll 1
            for (unsigned delta = together / 2; delta >= width; delta /= 2)
                sums[r] = combine(op, sums[r], warp_shuffle_down(sums[r], delta));
            if (member < width && row + r * step < params.outer)
                *(typename S::Out *)params.out.line(row + r * step, member) =
                    rounded<typename S::Out>(
                        turned(op, params.keeps ? sums[r] : combine(op, params.start, sums[r])));
        }
    }
}

/* Writes the results of rows that follow each other. Without gaps they are one vector. */
template <unsigned ROWS, typename S>
static __device__ __forceinline__ void store_rows(const axis_params<S> &params, size_t row,
                                                  const axis_vector<typename S::Out, ROWS> &y)
{
    typedef typename S::Out Out;
    char *out = params.out.line(row, 0);
    if (params.out.outer == sizeof(Out) && row + ROWS <= params.outer &&
        (uintptr_t)out % sizeof y == 0) {
        *(axis_vector<Out, ROWS> *)out = y;
        return;
    }
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++, out += params.out.outer)
        if (row + r < params.outer)
            *(Out *)out = y.at[r];
}

/* Rows of which a vector has several; the last vector may be incomplete. */
template <unsigned N, typename S, typename OPERATOR>
static __device__ __forceinline__ void reduce_rows_in_vectors(OPERATOR op,
                                                              const axis_params<S> &params)
{
    typedef typename S::In In;
    const unsigned EACH = 16 / sizeof(In);
    typedef axis_words<In, EACH> vector;
    const In *const in = (const In *)params.in.first;
    const size_t count = params.outer * N, threads = (size_t)gridDim.x * blockDim.x;
    const size_t vectors = (count + EACH - 1) / EACH;
#pragma unroll 1
    for (size_t v = (size_t)blockIdx.x * blockDim.x + threadIdx.x; v < vectors;
         v += ROW_VECTORS_AT_ONCE * threads) {
        vector x[ROW_VECTORS_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < ROW_VECTORS_AT_ONCE; k++) {
            const size_t first = (v + k * threads) * EACH;
            if (first + EACH <= count) {
                x[k].load(in + first);
                continue;
            }
            axis_vector<In, EACH> part;
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                part.at[e] = first + e < count ? in[first + e] : In();
            memcpy(&x[k], &part, sizeof part);
        }
#pragma unroll
        for (unsigned k = 0; k < ROW_VECTORS_AT_ONCE; k++) {
            const auto elements = x[k].elements();
            axis_vector<typename S::Out, EACH / N> y;
#pragma unroll
            for (unsigned r = 0; r < EACH / N; r++) {
                typename S::T sum = params.start;
#pragma unroll
                for (unsigned e = 0; e < N; e++)
                    sum = advance_line(op, params, e == 0, sum, elements.at[r * N + e]);
                y.at[r] = reduced(op, params, elements.at[r * N], sum);
            }
            store_rows<EACH / N, S>(params, (v + k * threads) * (EACH / N), y);
        }
    }
}

/* Rows of N elements, or of twice as many and so on, of which a vector has several. */
template <unsigned N, typename S, typename OPERATOR>
static __device__ __forceinline__ void reduce_rows_of(OPERATOR op, const axis_params<S> &params)
{
    if constexpr (N < 16 / sizeof(typename S::In)) {
        if (params.n == N)
            reduce_rows_in_vectors<N, S>(op, params);
        else
            reduce_rows_of<2 * N, S>(op, params);
    }
}

template <typename S, typename OPERATOR>
static __global__ void __launch_bounds__(AXIS_VECTORS_THREADS, 4)
    axis_row_vectors(const __grid_constant__ axis_params<S> params)
{
    const unsigned EACH = 16 / sizeof(typename S::In);
    wait_for_previous_kernel();
    const OPERATOR op = operator_of<OPERATOR>(params);
    const size_t vectors = params.n * (EACH == 1 ? params.inner : 1) / EACH;
    if (params.n < EACH)
        reduce_rows_of<1, S>(op, params);
    else if (vectors <= 32)
        reduce_rows<1, S>(op, params);
    else if (vectors <= 64)
        reduce_rows<2, S>(op, params);
    else
        reduce_rows<ROW_VECTORS_AT_ONCE, S>(op, params);
}

#endif
