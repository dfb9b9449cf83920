/*
 * Scans and reductions of many rows without gaps. A warp takes whole rows, `rows` of them one after the other, as one
 * part of the array: windows of 32 vectors of 16 bytes, some at once. A lane knows where its elements stand in their
 * rows, so lanes are joined by a scan that ends where a row begins (S. Sengupta et al., Scan Primitives for GPU
 * Computing, 2007). Elements of 16 bytes may have `width` columns, of which neighbouring lanes have one each.
 *
 * Memory is read and written by windows, a vector a lane. A lane of a scan owns vectors that follow each other in its
 * column, so that lanes are joined once for all windows: vectors change places in the warp's shared memory. Narrow
 * elements and reductions, of short rows, take window by window. Warps do not wait for each other.
 *
 * Lower bound: one read, one write of a scan.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_WARPS_CUH
#define PARSCAN_SCAN_AXIS_AXIS_WARPS_CUH

#include "scan/axis/axis_reduce.cuh"

#define AXIS_WINDOWS 4u /* that a warp loads at once, or vectors that a lane owns */
#define AXIS_SLOTS (32 * AXIS_WINDOWS)

/* The elements of a lane. */
template <typename Element, unsigned EACH>
struct alignas(EACH * sizeof(Element)) axis_vector {
    Element at[EACH];

    /* In registers elements are in the order of combination. */
    __device__ __forceinline__ void turn_if(bool backwards)
    {
        if constexpr (EACH > 1) {
#pragma unroll
            for (unsigned k = 0; k < EACH / 2; k++) {
                const Element low = at[k], high = at[EACH - 1 - k];
                at[k] = backwards ? high : low;
                at[EACH - 1 - k] = backwards ? low : high;
            }
        }
    }
};

/* A reduction writes one element a row, whose size does not matter. A lane of a scan owns several vectors; but narrow
   elements, many in a vector, would not fit its registers. */
template <typename S, bool REDUCES>
struct axis_warp_shape {
    typedef typename S::In In;
    enum : unsigned {
        EACH = 16 / (REDUCES ? sizeof(In) : S::SIZE),
        OWNED = !REDUCES && EACH <= 4 ? AXIS_WINDOWS : 1
    };
};

/* So many blocks should fit a multiprocessor: by bytes on their way, and what registers allow. Runs take more
   registers, except in plain sums. */
template <typename S, bool REDUCES, typename OPERATOR>
static constexpr unsigned axis_warp_blocks =
    axis_warp_shape<S, REDUCES>::OWNED == 1                                                 ? 1
    : is_run<typename S::In>::value && !std::is_same<OPERATOR, parscan_operator_SUM>::value ? 3
                                                                                            : 4;

/* Where the elements of a warp's rows are: element i of them, in the order of combination, is in vector
   (i + skew) / EACH. Vectors are aligned in memory, so `skew` elements of the first one are not the warp's. */
template <unsigned EACH>
struct axis_part {
    size_t first_row; /* in memory */
    uint32_t rows, count, skew;
    bool backwards; /* the first element is the last one in memory */

    template <typename Element>
    static __device__ __forceinline__ axis_part make(const char *array, size_t first_row,
                                                     unsigned rows, uint32_t n, bool backwards)
    {
        axis_part part = {first_row, rows, rows * n, 0, backwards};
        const uintptr_t low = (uintptr_t)array / sizeof(Element) + first_row * n;
        part.skew = (unsigned)(backwards ? EACH - 1 - (low + part.count - 1) % EACH : low % EACH);
        return part;
    }
    __device__ __forceinline__ uint32_t vectors() const { return (count + skew - 1) / EACH + 1; }
    /* Where vector `index` is. */
    template <typename Element>
    __device__ __forceinline__ Element *vector(Element *array, size_t n, uint32_t index) const
    {
        Element *const low = array + first_row * n;
        return backwards ? low + count + skew - (size_t)(index + 1) * EACH
                         : low - skew + (size_t)index * EACH;
    }
    /* Where its element k in the order of combination is in memory. */
    __device__ __forceinline__ unsigned place(unsigned k) const
    {
        return backwards ? EACH - 1 - k : k;
    }
    /* Whether element k of a vector is the warp's. */
    __device__ __forceinline__ bool holds(uint32_t index, unsigned k) const
    {
        const uint32_t at = index * EACH + k;
        return at >= skew && at - skew < count;
    }
    __device__ __forceinline__ bool holds_all(uint32_t index) const
    {
        return index * EACH >= skew && (index + 1) * EACH <= count + skew;
    }
};

/* Where a lane's elements stand in their rows. With columns, rows of lines count as one. */
struct axis_phase {
    uint32_t n, at;      /* the first element's place in its row */
    uint32_t row;        /* the number of that row, or UINT32_MAX before the first one */
    uint32_t step, rows; /* to the lane's next elements: so many elements more, and so many rows */

    /* first: the lane's first element, counted from the part's first vector. skew < each. */
    __device__ __forceinline__ axis_phase(uint32_t length, uint32_t skew, unsigned each,
                                          uint32_t first, uint32_t further)
        : n(length)
    {
        /* The first vector may begin before row 0: `ahead` whole rows are added. */
        const uint32_t ahead = n < each ? each : 1, from = first + n * ahead - skew;
        at = from % n;
        row = from / n - ahead;
        step = further % n;
        rows = further / n;
    }
    __device__ __forceinline__ void advance()
    {
        at += step;
        row += rows;
        if (at >= n) {
            at -= n;
            row++;
        }
    }
    /* Bit k: element k of the vector begins a row. ALIGNED: only element 0 can, of `width` columns. */
    template <unsigned EACH, bool ALIGNED>
    __device__ __forceinline__ uint32_t begins(unsigned width) const
    {
        if (ALIGNED)
            return at < width;
        const uint32_t first = at == 0 ? 0 : n - at;
        uint32_t bits = 0;
        if (n >= EACH)
            return first < EACH ? 1u << first : 0;
#pragma unroll 1
        for (uint32_t k = first; k < EACH; k += n)
            bits |= 1u << k;
        return bits;
    }
};

/* The lanes that have a lane's column. */
static __device__ __forceinline__ uint32_t lanes_of_column(unsigned lane, unsigned width)
{
    const uint32_t first = width == 1 ? 0xffffffffu : width == 2 ? 0x55555555u : 0x11111111u;
    return first << lane % width;
}

/* Scans the lanes' sums, each of them since the last beginning of a row in the lane, from the last lane on that has
   one. Returns what comes before a lane's elements, `carry` being what comes before the first lane, and sets
   *carry to what comes before the next window; both of the lane's column. width: 1, 2 or 4 columns. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ T join_lanes_of_rows(OPERATOR op, T sum, bool begins,
                                                       unsigned rounds, unsigned lane,
                                                       unsigned width, T *carry)
{
    const uint32_t all = __ballot_sync(0xffffffffu, begins) & lanes_of_column(lane, width);
    const uint32_t here = all & (2u << lane) - 1, below = all & (1u << lane) - 1;
    const unsigned from = here == 0 ? lane % width : 31 - (unsigned)__clz((int)here);
#pragma unroll 1
    for (unsigned delta = width; delta < 32 && width > 1; delta *= 2) {
        const T before = warp_shuffle_up(sum, delta);
        if (lane >= from + delta)
            sum = combine(op, before, sum);
    }
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        if (delta >= rounds || width > 1)
            break;
        const T before = warp_shuffle_up(sum, delta);
        if (lane >= from + delta)
            sum = combine(op, before, sum);
    }
    T before = warp_shuffle_up(sum, width);
    if (lane < width)
        before = *carry;
    else if (below == 0)
        before = combine(op, *carry, before);
    const T last = warp_shuffle(sum, 32 - width + lane % width);
    *carry = all == 0 ? combine(op, *carry, last) : last;
    return before;
}

/* The most lanes of EACH elements that have some of one row, or more. */
template <unsigned EACH>
static __device__ __forceinline__ unsigned lanes_of_row(uint32_t n)
{
    return n >= 32 * EACH ? 32 : (n + EACH - 1) / EACH + 1;
}

template <typename S, bool REDUCES>
struct axis_warp {
    typedef axis_warp_shape<S, REDUCES> shape;
    enum : unsigned { EACH = shape::EACH, OWNED = shape::OWNED };
    typedef typename S::In In;
    typedef typename S::Out Out;
    typedef typename S::T T;
    typedef axis_vector<In, EACH> Vector;
    typedef axis_vector<Out, EACH> OutVector;
    const axis_params<S> &params;
    const axis_part<EACH> part;
    const unsigned lane;
    unsigned char *const slots; /* AXIS_SLOTS of 16 bytes, of the warp: a scan's vectors */

    __device__ __forceinline__ unsigned width() const
    {
        return EACH == 1 ? (unsigned)params.inner : 1;
    }
    /* The elements of a line, of all its columns. */
    __device__ __forceinline__ size_t length() const { return params.n * width(); }

    __device__ __forceinline__ void load(uint32_t index, Vector &x) const
    {
        const In *const from = part.vector((const In *)params.in.first, length(), index);
        if (part.holds_all(index)) {
            x = *(const Vector *)from;
            x.turn_if(part.backwards);
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            if (part.holds(index, k))
                x.at[k] = from[part.place(k)];
    }

    /* Whether element k of a vector begins a row; ALIGNED: only element 0 can. */
    template <bool ALIGNED>
    static __device__ __forceinline__ bool begins_at(uint32_t begins, unsigned k)
    {
        return (!ALIGNED || k == 0) && (begins >> k & 1) != 0;
    }

    /* `sum` and a vector's elements, from the last one on that begins a row. */
    template <bool ALIGNED, typename OPERATOR>
    __device__ __forceinline__ T sum_vector(OPERATOR op, uint32_t begins, const Vector &x,
                                            T sum) const
    {
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            sum = step(op, begins_at<ALIGNED>(begins, k), sum, x.at[k]);
        return sum;
    }

    /* The start of a reduction comes in with the result. */
    template <typename OPERATOR>
    __device__ __forceinline__ T step(OPERATOR op, bool begins, T sum, In x) const
    {
        if constexpr (!REDUCES) {
            return advance_line(op, params, begins, sum, x);
        } else {
            const T value = value_of<T>(op, x);
            return begins ? value : combine(op, sum, value);
        }
    }

    /* A vector's results; *sum: what comes before it, and then with it, in its row. */
    template <bool ALIGNED, typename OPERATOR>
    __device__ __forceinline__ OutVector scan_vector(OPERATOR op, uint32_t begins, const Vector &x,
                                                     T *sum) const
    {
        OutVector y;
#pragma unroll
        for (unsigned k = 0; k < EACH; k++) {
            const In value = x.at[k];
            const T before = *sum;
            const bool here = begins_at<ALIGNED>(begins, k);
            *sum = advance_line(op, params, here, before, value);
            y.at[k] = result_of(op, params, here, before, *sum, value);
        }
        return y;
    }

    __device__ __forceinline__ void store(uint32_t index, OutVector y) const
    {
        Out *const to = part.vector((Out *)params.out.first, length(), index);
        if (part.holds_all(index)) {
            y.turn_if(part.backwards);
            *(OutVector *)to = y;
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            if (part.holds(index, k))
                to[part.place(k)] = y.at[k];
    }

    /* Which vector of the windows is the lane's k-th. */
    __device__ __forceinline__ unsigned owned(unsigned k) const
    {
        return (lane / width() * OWNED + k) * width() + lane % width();
    }
    /* Where it is. Eight lanes side by side use all banks, whether they have vectors of a window or own them. */
    template <typename Any>
    __device__ __forceinline__ Any &slot(unsigned vector) const
    {
        return *(Any *)(slots + 16 * (vector ^ vector / (2 * AXIS_WINDOWS) % AXIS_WINDOWS));
    }

    /* Where a row begins, the one before it has ended. row: the first one that does. */
    template <typename OPERATOR>
    __device__ __forceinline__ void store_sums(OPERATOR op, uint32_t begins, uint32_t row, T sum,
                                               const Vector &x) const
    {
#pragma unroll
        for (unsigned k = 0; k < EACH; k++) {
            if (begins >> k & 1) {
                if (row < part.rows)
                    store_sum(op, params, params.in.line(part.first_row + row, 0),
                              params.out.line(part.first_row + row, 0), sum);
                row++;
            }
            sum = step(op, begins >> k & 1, sum, x.at[k]);
        }
    }

    /* OWNED vectors of each lane: x becomes y. *carry: what comes before them in the row of the lane's column. */
    template <bool ALIGNED, typename OPERATOR>
    __device__ __forceinline__ void scan_owned(OPERATOR op, axis_phase phase, uint32_t stride,
                                               const Vector *x, OutVector *y, T *carry) const
    {
        uint32_t begins[OWNED];
        bool begun = false;
        T sum = identity(op);
#pragma unroll
        for (unsigned k = 0; k < OWNED; k++) {
            begins[k] = phase.template begins<EACH, ALIGNED>(width());
            begun = begun || begins[k] != 0;
            sum = sum_vector<ALIGNED>(op, begins[k], x[k], sum);
            phase.at += stride;
            phase.at -= phase.at >= phase.n ? phase.n : 0;
        }
        sum = join_lanes_of_rows(op, sum, begun, lanes_of_row<OWNED * EACH>(phase.n), lane, width(),
                                 carry);
#pragma unroll
        for (unsigned k = 0; k < OWNED; k++)
            y[k] = scan_vector<ALIGNED>(op, begins[k], x[k], &sum);
    }

    /* From vectors of windows to those that the lane owns, or back. */
    template <bool BACK, typename Any>
    __device__ __forceinline__ void exchange(Any (&x)[AXIS_WINDOWS]) const
    {
        if constexpr (OWNED > 1) {
#pragma unroll
            for (unsigned k = 0; k < AXIS_WINDOWS; k++)
                slot<Any>(BACK ? owned(k) : k * 32 + lane) = x[k];
            __syncwarp();
#pragma unroll
            for (unsigned k = 0; k < AXIS_WINDOWS; k++)
                x[k] = slot<Any>(BACK ? k * 32 + lane : owned(k));
            __syncwarp();
        }
    }

    /* ALIGNED: vectors have whole pieces of rows. */
    template <bool ALIGNED, typename OPERATOR>
    __device__ __forceinline__ void scan(OPERATOR op) const
    {
        axis_phase phase((uint32_t)length(), part.skew, EACH, owned(0) * EACH, 32 * OWNED * EACH);
        const uint32_t stride = OWNED == 1 ? 0 : width() * EACH % phase.n;
        T before = identity(op);
#pragma unroll 1
        for (uint32_t first = 0; first < part.vectors(); first += AXIS_SLOTS) {
            Vector x[AXIS_WINDOWS];
            OutVector y[AXIS_WINDOWS];
#pragma unroll
            for (unsigned w = 0; w < AXIS_WINDOWS; w++)
                if (first + w * 32 + lane < part.vectors())
                    load(first + w * 32 + lane, x[w]);
            exchange<false>(x);
#pragma unroll
            for (unsigned k = 0; k < AXIS_WINDOWS; k += OWNED) {
                if (OWNED == 1 && first + k * 32 >= part.vectors())
                    break;
                scan_owned<ALIGNED>(op, phase, stride, &x[k], &y[k], &before);
                phase.advance();
                /* At once: until they are stored, narrow results have a register each. */
                if (OWNED == 1 && first + k * 32 + lane < part.vectors())
                    store(first + k * 32 + lane, y[k]);
            }
            if constexpr (OWNED > 1) {
                exchange<true>(y);
#pragma unroll
                for (unsigned w = 0; w < AXIS_WINDOWS; w++)
                    if (first + w * 32 + lane < part.vectors())
                        store(first + w * 32 + lane, y[w]);
            }
        }
    }

    /* A window of a reduction. *held: what comes before it in its row; if *spread, each lane has a part of
       that, from windows in which no row begins. */
    template <typename OPERATOR>
    __device__ __forceinline__ void reduce_window(OPERATOR op, const axis_phase &phase,
                                                  const Vector &x, T *held, bool *spread) const
    {
        const uint32_t begins = phase.template begins<EACH, false>(1);
        const T sum = sum_vector<false>(op, begins, x, identity(op));
        if (__ballot_sync(0xffffffffu, begins != 0) == 0) {
            *held = combine(op, *held, sum);
            *spread = true;
            return;
        }
        T carry = warp_shuffle(*spread ? warp_reduce(op, *held) : *held, 0);
        const T before =
            join_lanes_of_rows(op, sum, begins != 0, lanes_of_row<EACH>(phase.n), lane, 1, &carry);
        store_sums(op, begins, phase.at == 0 ? phase.row - 1 : phase.row, before, x);
        *held = lane == 0 ? carry : identity(op);
        *spread = false;
    }

    template <typename OPERATOR>
    __device__ __forceinline__ void reduce(OPERATOR op) const
    {
        axis_phase phase((uint32_t)params.n, part.skew, EACH, lane * EACH, 32 * EACH);
        T before = identity(op); /* what comes before a window in its row */
        bool spread = false;
        /* The element after the last one ends the last row. */
        const uint32_t end = part.vectors() + 1;
#pragma unroll 1
        for (uint32_t first = 0; first < end; first += AXIS_SLOTS) {
            Vector x[AXIS_WINDOWS];
#pragma unroll
            for (unsigned w = 0; w < AXIS_WINDOWS; w++)
                if (first + w * 32 < part.vectors())
                    load(first + w * 32 + lane, x[w]);
#pragma unroll
            for (unsigned w = 0; w < AXIS_WINDOWS; w++) {
                if (first + w * 32 >= end)
                    break;
                reduce_window(op, phase, x[w], &before, &spread);
                phase.advance();
            }
        }
    }
};

/* Of the warps of a block, where lanes own several vectors. */
template <bool OWN>
struct axis_slots {
    enum : unsigned { WARPS = OWN ? AXIS_WARPS_THREADS / 32 : 1 };
    alignas(16) unsigned char of_warp[WARPS][OWN ? 16 * AXIS_SLOTS : 16];
};

template <typename S, bool REDUCES, typename OPERATOR>
static __global__ void __launch_bounds__(AXIS_WARPS_THREADS, axis_warp_blocks<S, REDUCES, OPERATOR>)
    axis_warps(const __grid_constant__ axis_params<S> params)
{
    typedef axis_warp<S, REDUCES> warp;
    const OPERATOR op = operator_of<OPERATOR>(params);
    const unsigned lane = threadIdx.x % 32, WARPS = AXIS_WARPS_THREADS / 32;
    const unsigned rows = params.plan.rows;
    __shared__ axis_slots<(warp::OWNED > 1)> slots;
    wait_for_previous_kernel();
#pragma unroll 1
    for (size_t first = ((size_t)blockIdx.x * WARPS + threadIdx.x / 32) * rows;
         first < params.outer; first += (size_t)gridDim.x * WARPS * rows) {
        const size_t left = params.outer - first;
        const warp own = {params,
                          axis_part<warp::EACH>::template make<typename S::In>(
                              params.in.first, first, left < rows ? (unsigned)left : rows,
                              (uint32_t)(params.n * (warp::EACH == 1 ? params.inner : 1)),
                              params.backwards),
                          lane, slots.of_warp[warp::OWNED > 1 ? threadIdx.x / 32 : 0]};
        if constexpr (REDUCES)
            own.reduce(op);
        else if (own.part.skew == 0 && params.n % warp::EACH == 0)
            own.template scan<true>(op);
        else
            own.template scan<false>(op);
    }
}

#endif
