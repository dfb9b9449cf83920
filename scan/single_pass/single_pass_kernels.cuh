/*
 * The fast path of the CUDA engine: one pass over memory. Two forms.
 *
 * Pipelined, where there are bulk copies (compute capability 9.0): tile_pipeline.cuh.
 *
 * In turns, elsewhere: all warps of a block load a tile, reduce it, wait for its prefix, scan and store it.
 * What keeps memory busy meanwhile is the other blocks of the multiprocessor.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH
#define PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH

#include "scan/single_pass/single_pass_tile.cuh"
#include "scan/single_pass/tile_pipeline.cuh"

template <typename S>
struct single_pass_shared {
    typename S::T sums[S::STAGES][S::SCANNERS], before[S::STAGES];
};

/* What the pipeline does to a tile. */
template <typename S, bool REVERSE, typename OPERATOR>
struct single_pass_steps {
    typedef typename S::T prefix;
    enum : unsigned { SCANNERS = S::SCANNERS, REDUCERS = S::REDUCERS, MOST_STAGES = S::STAGES };
    const single_pass_call<S> &call;
    single_pass_shared<S> &shared;
    unsigned char *memory;

    __device__ __forceinline__ size_t tiles() const { return call.tiles; }
    __device__ __forceinline__ unsigned stages() const { return S::STAGES; }
    __device__ __forceinline__ const tile_chain &chain() const { return call.chain; }

    __device__ __forceinline__ void load(unsigned stage, size_t tile, uint64_t *full,
                                         unsigned lane) const
    {
        const tile_place<S, REVERSE> place(call, tile);
        const tile_bytes bytes = bytes_of(call, place);
        const char *const from = source_of(call, place);
        unsigned char *const to = memory + (size_t)stage * S::STAGE_BYTES;
        if (__builtin_expect(!bytes.whole, 0)) {
            load_edges<S>(OPERATOR(), to, from, bytes, call.skew, lane, 32);
            fence_async_proxy();
            __syncwarp();
        }
        const unsigned whole = bytes.whole_end - bytes.whole_begin;
        if (lane == 0) {
            barrier_arrive_expecting(full, whole);
            if (whole != 0)
                bulk_load(to + bytes.whole_begin, from + bytes.whole_begin, whole, full);
        } else {
            barrier_arrive(full);
        }
    }

    __device__ __forceinline__ void reduce(unsigned stage, size_t, tile_event landed,
                                           unsigned reducer, unsigned lane) const
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

    __device__ __forceinline__ void scan(unsigned stage, size_t tile, tile_event prefixed,
                                         unsigned part, unsigned lane) const
    {
        const tile_place<S, REVERSE> place(call, tile);
        const prefix local = sum_before_part<S>(OPERATOR(), shared.sums[stage], part);
        prefixed.wait();
        scan_part(OPERATOR(), call, place, stage_of<S>(memory, stage, call.skew), tile,
                  shared.before[stage], local, part, lane);
    }
};

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void scan_in_turns(OPERATOR op, const single_pass_call<S> &call,
                                                     unsigned char *stage)
{
    typedef typename S::T T;
    __shared__ T sums[S::SCANNERS], before_tile;
    __shared__ uint32_t tag;
    const unsigned lane = threadIdx.x % 32, part = threadIdx.x / 32;
    const typename S::In *const tile = stage_of<S>(stage, 0, call.skew);
    T before = call.start;
    size_t known = 0; /* tiles that are in it */
    if (threadIdx.x == 0)
        tag = tile_chain_begin(call.chain);
#pragma unroll 1
    for (size_t number = blockIdx.x; number < call.tiles; number += gridDim.x) {
        const tile_place<S, REVERSE> place(call, number);
        const tile_bytes bytes = bytes_of(call, place);
        load_pieces<S::THREADS>(stage, source_of(call, place), bytes.whole_begin, bytes.whole_end);
        if (!bytes.whole)
            load_edges<S>(op, stage, source_of(call, place), bytes, call.skew, threadIdx.x,
                          S::THREADS);
        __syncthreads();
        const T sum = reduce_part<S, REVERSE>(op, tile, call.skew, part, lane);
        if (lane == 0)
            sums[part] = sum;
        __syncthreads();
        if (part == 0) {
            const T all = sum_of_parts<S>(op, sums, lane);
            if (lane == 0)
                tile_publish(call.chain, tag, number, all);
            before = combine(op, before,
                             tile_look_back<OPERATOR, T>(op, call.chain, tag, known, number, lane));
            known = number;
            if (lane == 0)
                before_tile = before;
        }
        const T local = sum_before_part<S>(op, sums, part);
        __syncthreads();
        scan_part(op, call, place, tile, number, (T)before_tile, local, part, lane);
        __syncthreads();
    }
    tile_chain_end(call.chain, tag);
}

template <typename S, bool REVERSE, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, S::PIPELINED ? 1 : 4)
    single_pass_scan(const __grid_constant__ single_pass_call<S> call)
{
    extern __shared__ __align__(128) unsigned char stages[];
#if PARSCAN_PIPELINED(__CUDA_ARCH__ / 10)
    if constexpr (S::PIPELINED) {
        __shared__ single_pass_shared<S> shared;
        __shared__ pipeline_barriers<S::STAGES> barriers;
        run_pipeline(single_pass_steps<S, REVERSE, OPERATOR>{call, shared, stages}, barriers);
    }
#else
    if constexpr (!S::PIPELINED)
        scan_in_turns<S, REVERSE>(OPERATOR(), call, stages);
#endif
}

#endif
