/*
 * Sorts of rows of one length, of up to ROWS_MOST elements, in registers: the threads of a row have PER keys each and
 * sort them by a network; then runs of 2, 4 and so on threads are merged (K. Batcher, Sorting Networks and their
 * Applications, 1968). A merge first compares each place with that at the same distance from the other end, then
 * with those half as far each time: in the other threads of a warp by shuffles, in other warps through shared memory,
 * at last in the own registers. Result: thread t has places t * PER on; they go through shared memory, so that whole
 * lines are written.
 *
 * The more keys a thread has, the fewer shuffles: short rows have few threads, and several share a warp. These read and
 * write vectors of 16 bytes where they can, as a few elements side by side would not fill the sectors of memory.
 *
 * A network does not keep the order of equal keys. So keys alone are integers, which then have the same bits; for
 * indices a code is the key's rank and the element's place below it.
 *
 * Cost of a key: log2(n)^2 / 4 exchanges. Lower bound: one read, one write.
 */
#ifndef PARSCAN_APPS_SORT_SORT_ROWS_KERNELS_CUH
#define PARSCAN_APPS_SORT_SORT_ROWS_KERNELS_CUH

#include <type_traits>

#include "apps/radix/digit_keys.cuh"
#include "apps/sort/segment_short_kernels.cuh"
#include "apps/sort/sort_rows_cuda.h"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/warp_shuffle.cuh"

template <typename KEY>
struct sort_rows_params {
    typedef typename KEY::Bits Bits;
    const Bits *keys;
    Bits *keys_out;
    void *indices;       /* of the rows, in place of keys_out */
    unsigned index_size; /* 4 or 8 bytes */
    unsigned n;
    size_t rows;
    Bits flip, keep;
    bool has_vectors; /* rows are whole vectors of 16 bytes, and aligned */
};

/* The threads of a row, PER elements each: powers of two. ROWS of them share a block. */
template <typename KEY, bool INDEXED_, unsigned PER_, unsigned THREADS_OF_ROW, unsigned ROWS_>
struct sort_rows_shape {
    typedef KEY Key;
    typedef typename KEY::Bits Bits;
    typedef std::conditional_t<INDEXED_ || sizeof(Bits) == 8, uint64_t, uint32_t> Code;
    static constexpr bool INDEXED = INDEXED_;
    static constexpr unsigned PER = PER_, THREADS = THREADS_OF_ROW, ROWS = ROWS_,
                              PLACES = THREADS * PER;
    /* A place for every 32nd one more: threads that write or read at once use other banks. */
    static constexpr unsigned ROOM = PLACES + PLACES / 32;
    static constexpr size_t SHARED_BYTES = (size_t)ROWS * ROOM * sizeof(Code);
    /* Of vectors that a thread reads or writes at once. */
    static constexpr unsigned EACH = THREADS < 32 ? 16 / sizeof(Bits) : 1;
    static_assert(THREADS * ROWS % 32 == 0 && (ROWS == 1 || THREADS <= 32), "of warps");
    static_assert(PER % EACH == 0, "whole vectors");
    static_assert(!INDEXED || sizeof(Bits) <= 4, "a code has 64 bits");

    static __device__ __forceinline__ unsigned place(unsigned k) { return k + k / 32; }
};

/* The threads of one row. */
template <typename S>
struct row_threads {
    typedef typename S::Code Code;
    const unsigned t; /* of the row's threads */
    Code *const room; /* the row's shared memory */

    static __device__ __forceinline__ void sync()
    {
        if (S::THREADS <= 32)
            __syncwarp();
        else
            __syncthreads();
    }

    static __device__ __forceinline__ Code chosen(Code own, Code other, bool low)
    {
        return (other < own) == low ? other : own;
    }

    /* Keeps the lower or the higher one of each pair with thread t ^ mask; MIRRORED: of its places from the other end. */
    template <bool MIRRORED>
    __device__ __forceinline__ void exchange_in_warp(Code (&x)[S::PER], unsigned mask,
                                                     bool low) const
    {
#pragma unroll
        for (unsigned k = 0; k < (S::PER + 1) / 2; k++) {
            const unsigned j = S::PER - 1 - k;
            const Code a = warp_shuffle_xor(x[MIRRORED ? j : k], mask);
            const Code b = warp_shuffle_xor(x[MIRRORED ? k : j], mask);
            x[k] = chosen(x[k], a, low);
            x[j] = chosen(x[j], b, low);
        }
    }

    /* The same between warps. Threads side by side are in banks side by side. */
    template <bool MIRRORED>
    __device__ __forceinline__ void exchange_in_block(Code (&x)[S::PER], unsigned mask,
                                                      bool low) const
    {
        sync();
#pragma unroll
        for (unsigned k = 0; k < S::PER; k++)
            room[k * S::THREADS + t] = x[k];
        sync();
#pragma unroll
        for (unsigned k = 0; k < S::PER; k++)
            x[k] =
                chosen(x[k], room[(MIRRORED ? S::PER - 1 - k : k) * S::THREADS + (t ^ mask)], low);
    }

    /* The last steps of a merge. */
    static __device__ __forceinline__ void merge_own(Code (&x)[S::PER])
    {
#pragma unroll
        for (unsigned apart = S::PER / 2; apart > 0; apart /= 2)
#pragma unroll
            for (unsigned k = 0; k < S::PER; k++)
                if ((k & apart) == 0)
                    exchange(x[k], x[k + apart]);
    }

    __device__ __forceinline__ void sort(Code (&x)[S::PER]) const
    {
        sort_by_network(x);
#pragma unroll 1
        for (unsigned width = 2; width <= S::THREADS; width *= 2) {
            const bool low = (t & width / 2) == 0;
            if (width <= 32)
                exchange_in_warp<true>(x, width - 1, low);
            else
                exchange_in_block<true>(x, width - 1, low);
#pragma unroll 1
            for (unsigned mask = width / 4; mask > 0; mask /= 2) {
                const bool lower = (t & mask) == 0;
                if (mask < 32)
                    exchange_in_warp<false>(x, mask, lower);
                else
                    exchange_in_block<false>(x, mask, lower);
            }
            merge_own(x);
        }
    }
};

/* The code of element i of a row. */
template <typename S>
static __device__ __forceinline__ typename S::Code
row_code(const sort_rows_params<typename S::Key> &params, typename S::Bits key, unsigned i)
{
    typedef typename S::Key KEY;
    const typename S::Bits code = KEY::encode(key, params.flip);
    if constexpr (S::INDEXED)
        return (uint64_t)(typename S::Bits)(KEY::rank(code, params.flip) & params.keep) << 32 | i;
    else
        return code;
}

/* Where element k of a thread is in its row, in memory: those of vectors of EACH elements are side by side. */
template <typename S, unsigned EACH>
static __device__ __forceinline__ unsigned index_of(unsigned t, unsigned k)
{
    return (k / EACH * S::THREADS + t) * EACH + k % EACH;
}

template <typename Element, unsigned EACH>
struct alignas(EACH * sizeof(Element)) row_vector {
    Element at[EACH];
};

template <typename S, unsigned EACH>
static __device__ __forceinline__ void load_row(const sort_rows_params<typename S::Key> &params,
                                                size_t first, unsigned t,
                                                typename S::Code (&x)[S::PER])
{
    typedef row_vector<typename S::Bits, EACH> vector;
#pragma unroll
    for (unsigned k = 0; k < S::PER; k += EACH) {
        const unsigned i = index_of<S, EACH>(t, k);
        vector keys;
        if (i < params.n)
            keys = *(const vector *)(params.keys + first + i);
#pragma unroll
        for (unsigned e = 0; e < EACH; e++) /* ~0 comes after all others */
            x[k + e] = i < params.n ? row_code<S>(params, keys.at[e], i + e)
                                    : (typename S::Code) ~(typename S::Code)0;
    }
}

/* Writes a row, whose codes are in `room`, to `out`; value_of(code) is an element of it. */
template <typename S, unsigned EACH, typename Element, typename VALUE>
static __device__ __forceinline__ void store_row(Element *out, unsigned n, unsigned t,
                                                 const typename S::Code *room, VALUE value_of)
{
#pragma unroll
    for (unsigned k = 0; k < S::PER; k += EACH) {
        const unsigned i = index_of<S, EACH>(t, k);
        row_vector<Element, EACH> values;
        if (i >= n)
            continue;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            values.at[e] = value_of(room[S::place(i + e)]);
        *(row_vector<Element, EACH> *)(out + i) = values;
    }
}

template <typename S, unsigned EACH>
static __device__ __forceinline__ void store_row(const sort_rows_params<typename S::Key> &params,
                                                 size_t first, unsigned t,
                                                 const typename S::Code *room)
{
    typedef typename S::Key KEY;
    typedef typename S::Bits Bits;
    typedef typename S::Code Code;
    if constexpr (!S::INDEXED)
        store_row<S, EACH>(params.keys_out + first, params.n, t, room,
                           [&](Code code) { return KEY::decode((Bits)code, params.flip); });
    else if (params.index_size == 4)
        store_row<S, EACH>((uint32_t *)params.indices + first, params.n, t, room,
                           [](Code code) { return (uint32_t)code; });
    else
        store_row<S, 1>((uint64_t *)params.indices + first, params.n, t, room,
                        [](Code code) { return (uint64_t)(uint32_t)code; });
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS *S::ROWS)
    sort_rows(const __grid_constant__ sort_rows_params<typename S::Key> params)
{
    typedef typename S::Code Code;
    extern __shared__ __align__(16) unsigned char rooms[];
    const unsigned row = threadIdx.x / S::THREADS;
    const row_threads<S> own = {threadIdx.x % S::THREADS, (Code *)rooms + row * S::ROOM};
    wait_for_previous_kernel();
    /* All threads of a warp have as many turns, as its rows shuffle together. */
#pragma unroll 1
    for (size_t of_block = (size_t)blockIdx.x * S::ROWS; of_block < params.rows;
         of_block += (size_t)gridDim.x * S::ROWS) {
        const bool exists = of_block + row < params.rows;
        const size_t first = (of_block + row) * params.n;
        Code x[S::PER];
        if (exists && params.has_vectors)
            load_row<S, S::EACH>(params, first, own.t, x);
        else if (exists)
            load_row<S, 1>(params, first, own.t, x);
        own.sort(x);
        own.sync();
#pragma unroll
        for (unsigned k = 0; k < S::PER; k++)
            own.room[S::place(own.t * S::PER + k)] = x[k];
        own.sync();
        if (exists && params.has_vectors)
            store_row<S, S::EACH>(params, first, own.t, own.room);
        else if (exists)
            store_row<S, 1>(params, first, own.t, own.room);
        own.sync();
    }
}

#endif
