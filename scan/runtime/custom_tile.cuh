/*
 * A tile of the single pass over elements of a caller: what differs from single_pass_tile.cuh, since
 * elements have any size and alignment, may have no identity, and may be loaded and stored by maps.
 *
 * Elements are loaded and stored in vectors of 16 bytes where their size divides 16, or is a multiple, and
 * the output is aligned (UNIT = 16). Else a lane has one element at a time, in units that its alignment
 * allows.
 *
 * Positions of a tile that the array does not have: with NEUTRAL_EDGES they are filled with the
 * identity, as those of the named operators are. Otherwise they are replaced in registers.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_TILE_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_TILE_CUH

#include "scan/runtime/custom_call.cuh"
#include "scan/single_pass/single_pass_kernels.cuh"

/* WHICH also has SCANNERS, REDUCERS, VECTORS, STAGES, UNIT, and ALIGNED: the input's tiles lie as the
   output's do, in 16 bytes (custom_shape.h). COMBINED: what is combined; MARKED: it is more than an element. */
template <typename CALLER, typename WHICH, typename COMBINED = typename combined_type<CALLER>::T,
          bool MARKED = false>
struct custom_shape {
    typedef typename CALLER::E In;
    typedef typename CALLER::E Out;
    typedef COMBINED T;
    static const bool WARP_SPECIALISED = WHICH::STAGES > 1;
    static const bool ALIGNED = WHICH::ALIGNED;
    static const bool NEUTRAL_EDGES = !MARKED && CALLER::HAS_IDENTITY && !CALLER::LOADS &&
                                      16 % CALLER::SIZE == 0 && CALLER::ALIGNMENT >= CALLER::SIZE;
    enum : unsigned {
        SCANNERS = WHICH::SCANNERS,
        REDUCERS = WARP_SPECIALISED ? WHICH::REDUCERS : WHICH::SCANNERS,
        THREADS = (SCANNERS + (WARP_SPECIALISED ? REDUCERS + 2 : 0)) * 32,
        VECTORS = WHICH::VECTORS,
        GROUP = VECTORS < 4 ? VECTORS : 4,
        STAGES = WHICH::STAGES,
        UNIT = WHICH::UNIT,
        LANE = UNIT == 16 && sizeof(In) < 16 ? 16 / sizeof(In) : 1,
        PART = 32 * VECTORS * LANE,
        TILE = SCANNERS * PART,
        STAGE_BYTES = TILE * sizeof(In) + 256
    };
};

/* Loads vectors as load_vectors() does. */
template <typename S, bool REVERSE, unsigned GROUP>
static __device__ __forceinline__ void load_custom(const typename S::In *tile,
                                                   unsigned misalignment, unsigned vector,
                                                   typename S::T (&x)[GROUP][S::LANE])
{
    if constexpr (S::UNIT == 16) {
        load_vectors<S, REVERSE>(tile, S::ALIGNED ? 0 : misalignment, vector, x);
    } else {
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++)
            x[g][0] = read_units<S::UNIT, typename S::In>(tile +
                                                          position_of<S, REVERSE>(vector + g * 32));
    }
}

/* Replaces what the array does not have. */
template <typename S, bool REVERSE, typename OPERATOR, unsigned GROUP>
static __device__ __forceinline__ void
clear_edges(OPERATOR op, const tile_extent<S, REVERSE> &extent, unsigned vector,
            typename S::T (&x)[GROUP][S::LANE])
{
    if (__builtin_expect(!extent.partial(), 1))
        return;
#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        const unsigned first = position_of<S, REVERSE>(vector + g * 32);
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const unsigned position = first + (REVERSE ? S::LANE - 1 - e : e);
            if (position < extent.begin || position >= extent.end)
                x[g][e] = identity(op);
        }
    }
}

/* Stores a vector that the array has. */
template <typename S, typename T>
static __device__ __forceinline__ void store_units(typename S::Out *to, const T (&y)[S::LANE])
{
    typedef typename S::Out Out;
    typedef typename unit_of<S::UNIT>::type U;
    const unsigned UNITS = S::LANE * sizeof(Out) / S::UNIT;
    U units[UNITS];
    Out raw[S::LANE];
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++)
        raw[e] = (Out)y[e];
    memcpy(units, raw, sizeof raw);
#pragma unroll
    for (unsigned k = 0; k < UNITS; k++)
        __stwb((U *)to + k, units[k]);
}

/* Stores a group of vectors of each lane, from `vector` on. */
template <typename S, bool REVERSE, typename CALLER>
static __device__ __forceinline__ void
store_custom(const CALLER &, const single_pass_params<S> &params,
             const tile_extent<S, REVERSE> &extent, unsigned vector,
             const typename S::T (&y)[S::GROUP][S::LANE])
{
    const size_t begin = extent.at * S::TILE - params.head_padding;
    const bool partial = __builtin_expect(extent.partial(), 0);
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        const unsigned first = position_of<S, REVERSE>(vector + g * 32);
        if constexpr (!CALLER::STORES)
            if (__builtin_expect(
                    !partial || (first >= extent.begin && first + S::LANE <= extent.end), 1)) {
                store_units<S>(params.out + begin + first, y[g]);
                continue;
            }
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++)
            if (first + e >= extent.begin && first + e < extent.end)
                put_element<CALLER>(params.out, begin + first + e, y[g][e]);
    }
}

#endif
