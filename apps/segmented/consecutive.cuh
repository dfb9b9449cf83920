/*
 * Consecutive elements of a tile for each lane of a warp, on CUDA, in place of vectors that lie 32
 * apart: then lanes have one value each to tell the others, not one a vector.
 */
#ifndef PARSCAN_APPS_CONSECUTIVE_CUH
#define PARSCAN_APPS_CONSECUTIVE_CUH

#include "scan/single_pass/single_pass_tile.cuh"

/* A lane's vectors in the order in which it loads or stores them: each lane begins with another
   than its neighbours, whose own are in the same banks of shared memory. */
template <unsigned VECTORS>
static __device__ __forceinline__ unsigned turn_of(unsigned lane)
{
    return lane * VECTORS / 8 % VECTORS;
}

/* Vector v becomes what was vector v - turn. */
template <unsigned VECTORS, unsigned LANE, typename T>
static __device__ __forceinline__ void turn_vectors(unsigned turn, T (&x)[VECTORS * LANE])
{
#pragma unroll
    for (unsigned by = 1; by < VECTORS; by *= 2) {
        T turned[VECTORS * LANE];
#pragma unroll
        for (unsigned k = 0; k < VECTORS * LANE; k++)
            turned[k] = turn & by ? x[(k - by * LANE) % (VECTORS * LANE)] : x[k];
        memcpy(x, turned, sizeof x);
    }
}

/* The elements of lane `owner` of the tile, counted from its first part on. */
template <typename S>
static __device__ __forceinline__ void load_consecutive(const typename S::In *tile,
                                                        unsigned misalignment, unsigned owner,
                                                        typename S::T (&x)[S::VECTORS * S::LANE])
{
    const unsigned turn = turn_of<S::VECTORS>(owner % 32);
#pragma unroll
    for (unsigned v = 0; v < S::VECTORS; v++) {
        typename S::T vector[1][S::LANE];
        load_vectors<S, false>(tile, misalignment, owner * S::VECTORS + (v + turn) % S::VECTORS,
                               vector);
        memcpy(x + v * S::LANE, vector[0], sizeof vector[0]);
    }
    turn_vectors<S::VECTORS, S::LANE>(turn, x);
}

#endif
