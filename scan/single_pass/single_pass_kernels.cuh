/*
 * The fast path of the CUDA engine: one pass over memory. How tiles pass: tile_pipeline.cuh; what is done to
 * one: single_pass_tile.cuh.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH
#define PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH

#include "scan/single_pass/single_pass_tile.cuh"

template <typename S>
struct single_pass_shared {
    typename S::T sums[S::STAGES][S::SCANNERS], before[S::STAGES];
};

template <typename S, bool REVERSE, typename OPERATOR>
struct single_pass_steps {
    typedef typename S::T prefix;
    enum : unsigned {
        SCANNERS = S::SCANNERS,
        REDUCERS = S::REDUCERS,
        MOST_STAGES = S::STAGES,
        SOURCES = 1,
        STORES_IN_STAGES = 0
    };
    const single_pass_call<S> &call;
    single_pass_shared<S> &shared;
    unsigned char *memory;

    __device__ __forceinline__ size_t tiles() const { return call.tiles; }
    __device__ __forceinline__ unsigned stages() const { return S::STAGES; }
    __device__ __forceinline__ const tile_chain &chain() const { return call.chain; }

    __device__ __forceinline__ tile_source source(unsigned, unsigned stage, size_t tile) const
    {
        const tile_place<S, REVERSE> place(call, tile);
        return source_of(call, place, memory + (size_t)stage * S::STAGE_BYTES);
    }

    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        load_edges<S>(OPERATOR(), source(0, stage, tile), call.skew, thread, threads);
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t, Event landed, unsigned reducer,
                                           unsigned lane) const
    {
        const typename S::In *const tile = stage_of<S>(memory, stage, call.skew);
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS) {
            const prefix sum = reduce_part<S, REVERSE>(OPERATOR(), tile, call.skew, part, lane);
            if (lane == 0)
                shared.sums[stage][part] = sum;
        }
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t tag,
                                            unsigned lane) const
    {
        const prefix sum = sum_of_parts<S>(OPERATOR(), shared.sums[stage], lane);
        if (lane == 0)
            tile_publish(call.chain, tag, tile, sum);
    }

    __device__ __forceinline__ prefix first() const { return call.start; }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t tile, uint32_t tag,
                                            unsigned lane) const
    {
        const OPERATOR op = OPERATOR();
        before = combine(op, before,
                         tile_look_back<OPERATOR, prefix>(op, call.chain, tag, known, tile, lane));
    }

    __device__ __forceinline__ void keep(unsigned stage, prefix before) const
    {
        shared.before[stage] = before;
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        const tile_place<S, REVERSE> place(call, tile);
        const prefix local = sum_before_part<S>(OPERATOR(), shared.sums[stage], part);
        prefixed.wait();
        scan_part(OPERATOR(), call, place, stage_of<S>(memory, stage, call.skew), tile,
                  (prefix)shared.before[stage], local, part, lane);
    }
};

template <typename S, bool REVERSE, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, S::PIPELINED ? 1 : 1024 / S::THREADS)
    single_pass_scan(const __grid_constant__ single_pass_call<S> call)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ single_pass_shared<S> shared;
    run_pass<S::PIPELINED>(single_pass_steps<S, REVERSE, OPERATOR>{call, shared, stages});
}

#endif
