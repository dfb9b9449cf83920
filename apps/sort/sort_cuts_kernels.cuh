/*
 * Where the sorted keys of several ranks are cut, so that what lies before a cut in all of them together are the
 * first so many of their merge (multiple selection). Equal keys are in the order of ranks. A block finds one cut, in
 * keys that kernels can read wherever they lie: in the memory of other devices, too.
 *
 * Each rank has a window in which its cut lies. In a round keys at even distances of all windows come to shared
 * memory. A key that lies before the cut, however many of the keys between those are smaller, moves the begin of its
 * window behind it; one that lies behind the cut moves the end. With two ranks a window gets 256 times as narrow in a
 * round, so 2^32 keys take 5, and a round little more than one load.
 *
 * Source: P. J. Varman et al., Merging multiple lists on hierarchical-memory multiprocessors, J. Parallel and
 * Distributed Computing 12, 1991. dist_sort_select.c does the same on the host.
 */
#ifndef PARSCAN_APPS_SORT_SORT_CUTS_KERNELS_CUH
#define PARSCAN_APPS_SORT_SORT_CUTS_KERNELS_CUH

#include "apps/radix/digit_keys.cuh"
#include "apps/sort/sort_parts_cuda.h"
#include "scan/cuda/pipeline.cuh"

enum { CUT_THREADS = 1024, CUT_ROUNDS = 32 /* more than any keys take */ };

template <typename KEY>
static __device__ __forceinline__ typename KEY::Bits key_rank(const key_order &order,
                                                              typename KEY::Bits key)
{
    typedef typename KEY::Bits Bits;
    const Bits flip = (Bits)order.flip;
    return KEY::rank(KEY::encode(key, flip), flip) & (Bits)order.keep;
}

/* Of each rank: the cut is in [low, high]; `count` keys are shown, from low on, `step` apart. */
template <typename BITS>
struct cut_windows {
    unsigned long long low[SORT_CUT_RANKS], high[SORT_CUT_RANKS];
    uint64_t step[SORT_CUT_RANKS];
    unsigned count[SORT_CUT_RANKS];
    BITS keys[CUT_THREADS]; /* CUT_THREADS / ranks for each */

    __device__ __forceinline__ void divide(unsigned r, unsigned each)
    {
        const uint64_t width = low[r] < high[r] ? high[r] - low[r] : 0;
        step[r] = width == 0 ? 1 : (width + each - 1) / each;
        count[r] = (unsigned)((width + step[r] - 1) / step[r]);
    }

    /* How many shown keys of a rank come before a key of another one. */
    __device__ __forceinline__ unsigned before(unsigned r, unsigned each, BITS key,
                                               bool equal_too) const
    {
        const BITS *const own = keys + r * each;
        unsigned begin = 0, end = count[r];
        while (begin < end) {
            const unsigned middle = (begin + end) / 2;
            if (own[middle] < key || (equal_too && own[middle] == key))
                begin = middle + 1;
            else
                end = middle;
        }
        return begin;
    }

    /* Elements of a rank before a key that `taken` of its shown keys come before: at least, and at most. */
    __device__ __forceinline__ uint64_t least(unsigned r, unsigned taken) const
    {
        return taken == 0 ? low[r] : low[r] + (taken - 1) * step[r] + 1;
    }
    __device__ __forceinline__ uint64_t most(unsigned r, unsigned taken) const
    {
        return taken < count[r] ? low[r] + taken * step[r] : high[r];
    }
};

/* A block for each cut, of CUT_THREADS threads. */
template <typename KEY>
static __global__ void __launch_bounds__(CUT_THREADS)
    find_key_cuts(const __grid_constant__ parts_cuts params)
{
    typedef typename KEY::Bits Bits;
    __shared__ cut_windows<Bits> windows;
    const sort_cuts &in = params.of;
    const unsigned thread = threadIdx.x, each = CUT_THREADS / in.ranks, rank = thread / each;
    const uint64_t target = in.targets[blockIdx.x];
    if (thread < in.ranks) {
        windows.low[thread] = 0;
        windows.high[thread] = in.n[thread];
    }
    wait_for_previous_kernel();
    for (unsigned round = 0; round < CUT_ROUNDS; round++) {
        const bool open = thread < in.ranks && windows.low[thread] < windows.high[thread];
        if (thread < in.ranks)
            windows.divide(thread, each);
        if (!__syncthreads_or(open))
            break;
        const bool shown = rank < in.ranks && thread % each < windows.count[rank];
        uint64_t at = 0, least, most;
        Bits key = 0;
        if (shown) {
            at = windows.low[rank] + thread % each * windows.step[rank];
            key = key_rank<KEY>(params.order, ((const Bits *)in.keys[rank])[at]);
            windows.keys[thread] = key;
        }
        __syncthreads();
        least = most = at; /* of its own rank they are known */
        for (unsigned r = 0; r < in.ranks && shown; r++) {
            if (r == rank)
                continue;
            const unsigned taken = windows.before(r, each, key, r < rank);
            least += windows.least(r, taken);
            most += windows.most(r, taken);
        }
        __syncthreads();
        if (shown && most < target)
            atomicMax(&windows.low[rank], (unsigned long long)at + 1);
        else if (shown && least >= target)
            atomicMin(&windows.high[rank], (unsigned long long)at);
        __syncthreads();
    }
    if (thread < in.ranks)
        params.cuts[blockIdx.x * in.ranks + thread] = windows.low[thread];
}

#endif
