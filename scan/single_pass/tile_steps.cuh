/*
 * What the passes of tile_pipeline.cuh that are made like a plain scan have in common: roles and stages by the
 * shape, tiles of one array in stages of shared memory. A pass inherits this, says again what it has
 * otherwise, and adds what is done to a tile.
 */
#ifndef PARSCAN_SCAN_TILE_STEPS_CUH
#define PARSCAN_SCAN_TILE_STEPS_CUH

#include "scan/single_pass/single_pass_tile.cuh"

/* NEUTRAL: the operator whose identity the positions get that the array does not have. */
template <typename S, bool REVERSE, typename NEUTRAL>
struct tile_steps {
    enum : unsigned {
        SCANNERS = S::SCANNERS,
        REDUCERS = S::REDUCERS,
        MOST_STAGES = S::STAGES,
        SOURCES = 1,
        STORES_IN_STAGES = 0
    };
    const single_pass_params<S> &plain;
    unsigned char *memory;

    __device__ __forceinline__ size_t tiles() const { return plain.tiles; }
    __device__ __forceinline__ unsigned stages() const { return S::STAGES; }
    __device__ __forceinline__ const tile_chain &chain() const { return plain.chain; }

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return memory + (size_t)stage * S::STAGE_BYTES;
    }
    /* A tile of the array in its stage. */
    __device__ __forceinline__ const typename S::In *elements_of(unsigned stage) const
    {
        return (const typename S::In *)(stage_at(stage) + plain.misalignment);
    }

    __device__ __forceinline__ tile_source source(unsigned, unsigned stage, size_t tile) const
    {
        return source_of(plain, tile_extent<S, REVERSE>(plain, tile), stage_at(stage));
    }

    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        load_edges<S>(NEUTRAL(), source(0, stage, tile), plain.misalignment, thread, threads);
    }
};

#endif
