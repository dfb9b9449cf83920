/*
 * Parts of sorted arrays on their way to shared memory, which arrive while a block works on what came before;
 * and searches by a warp whose lanes look at many places at once.
 */
#ifndef PARSCAN_APPS_MERGE_STAGE_PARTS_CUH
#define PARSCAN_APPS_MERGE_STAGE_PARTS_CUH

#include <stddef.h>
#include <stdint.h>

#include "scan/cuda/pipeline.cuh"

enum : unsigned { STAGED_PIECE = 16 }; /* bytes */

/* Begins to copy from[0..count), which is a part of array[0..n), in pieces that are aligned in memory. By
   `threads` threads; pieces_wait() waits. Returns the bytes of the pieces. Element 0 lies
   staged_skew() elements behind `to`. */
template <typename T>
static __device__ __forceinline__ unsigned stage_part(unsigned char *to, const T *array, size_t n,
                                                      const T *from, unsigned count,
                                                      unsigned threads)
{
    const uintptr_t begin = (uintptr_t)from & ~(uintptr_t)(STAGED_PIECE - 1);
    const uintptr_t end = (uintptr_t)(from + count);
    const unsigned pieces =
        count > 0 ? (unsigned)((end - begin + STAGED_PIECE - 1) / STAGED_PIECE) : 0;
    for (unsigned p = threadIdx.x; p < pieces; p += threads) {
        const uintptr_t piece = begin + STAGED_PIECE * p;
        T *const into = (T *)(to + STAGED_PIECE * p);
        if (piece >= (uintptr_t)array && piece + STAGED_PIECE <= (uintptr_t)(array + n)) {
            copy_piece(into, (const void *)piece);
            continue;
        }
        for (unsigned e = 0; e < STAGED_PIECE / sizeof(T); e++) {
            const T *const element = (const T *)piece + e; /* the array ends within the piece */
            if (element >= array && element < array + n)
                into[e] = *element;
        }
    }
    return pieces * STAGED_PIECE;
}

/* The elements of a piece before the one at an address. */
template <typename T>
static __device__ __forceinline__ unsigned staged_skew(const T *from)
{
    return (unsigned)((uintptr_t)from % STAGED_PIECE) / (unsigned)sizeof(T);
}

/* first_not() of merge_path.cuh by all lanes of a warp, each of which asks at EACH places at once: a step leaves
   one of 32 * EACH + 1 parts. */
template <unsigned EACH, typename BEFORE>
static __device__ __forceinline__ unsigned first_not_of_many(unsigned low, unsigned high,
                                                             unsigned lane, const BEFORE &before)
{
    const unsigned PLACES = 32 * EACH;
    while (low < high) {
        const unsigned step = (high - low + PLACES) / (PLACES + 1), first = low + step - 1;
        bool votes[EACH];
        unsigned steps = 0;
#pragma unroll
        for (unsigned k = 0; k < EACH; k++) {
            const unsigned place = first + (k * 32 + lane) * step;
            votes[k] = place < high && before(place);
        }
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            steps += (unsigned)__popc(__ballot_sync(0xffffffffu, votes[k]));
        const unsigned next = first + steps * step; /* the first place that is not */
        low += steps * step;
        if (steps < PLACES && next < high)
            high = next;
    }
    return low;
}

#endif
