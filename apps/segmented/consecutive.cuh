/*
 * Gives each lane of a warp consecutive elements of a tile, on CUDA, instead of vectors that lie 32
 * apart. Then each lane has one value to pass on to the other lanes, not one for each vector.
 */
#ifndef PARSCAN_APPS_CONSECUTIVE_CUH
#define PARSCAN_APPS_CONSECUTIVE_CUH

#include "scan/single_pass/single_pass_tile.cuh"

/* The vector with which a lane starts to load or store its vectors. Neighbouring lanes start
   with different vectors, since their vectors with the same index are in the same banks of
   shared memory. */
template <unsigned VECTORS>
static __device__ __forceinline__ unsigned turn_of(unsigned lane)
{
    return lane * VECTORS / 8 % VECTORS;
}

/* Rotates the vectors: vector v becomes what was vector v - turn. */
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

/* Loads the elements of lane `owner`; lanes are counted from the tile's first part on. */
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
