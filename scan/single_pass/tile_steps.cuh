/*
 * A base for the passes of tile_pipeline.cuh that work like a plain scan. A shape gives the numbers
 * of warps and stages; the stages hold the tiles of one array. A pass inherits it, redefines what
 * differs, and adds what is done to a tile.
 */
#ifndef PARSCAN_SCAN_TILE_STEPS_CUH
#define PARSCAN_SCAN_TILE_STEPS_CUH

#include "scan/single_pass/single_pass_tile.cuh"

/* NEUTRAL: positions that the array does not have get the identity of this operator. */
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
    __device__ __forceinline__ unsigned loads() const { return 2; }
    __device__ __forceinline__ const tile_chain &chain() const { return plain.chain; }

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return memory + (size_t)stage * S::STAGE_BYTES;
    }
    /* The elements of a tile in its stage. */
    __device__ __forceinline__ const typename S::In *elements_of(unsigned stage) const
    {
        return (const typename S::In *)(stage_at(stage) + plain.misalignment);
    }

    __device__ __forceinline__ tile_source source(unsigned, unsigned stage, size_t tile) const
    {
        return source_of(plain, tile_extent<S, REVERSE>(plain, tile), stage_at(stage));
    }

    __device__ __forceinline__ void prepare(unsigned, unsigned) const {}

    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        load_edges<S>(NEUTRAL(), source(0, stage, tile), plain.misalignment, thread, threads);
    }
};

#endif
