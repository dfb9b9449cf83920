/*
 * The fast path of the CUDA engine: one pass over memory. tile_pipeline.cuh has the order of the
 * steps of a tile, single_pass_tile.cuh has the steps.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH
#define PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH

#include "scan/single_pass/tile_steps.cuh"

template <typename S>
struct single_pass_shared {
    typename S::T sums[S::STAGES][S::SCANNERS], before[S::STAGES];
};

template <typename S, bool REVERSE, typename OPERATOR>
struct single_pass_steps : tile_steps<S, REVERSE, OPERATOR> {
    typedef typename S::T prefix;
    const single_pass_params<S> &params;
    single_pass_shared<S> &shared;

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t, Event landed, unsigned reducer,
                                           unsigned lane) const
    {
        const typename S::In *const tile = this->elements_of(stage);
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS) {
            const prefix sum =
                reduce_part<S, REVERSE>(OPERATOR(), tile, params.misalignment, part, lane);
            if (lane == 0)
                shared.sums[stage][part] = sum;
        }
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t epoch,
                                            unsigned lane) const
    {
        const prefix sum = sum_of_parts<S>(OPERATOR(), shared.sums[stage], lane);
        if (lane == 0)
            tile_publish(params.chain, epoch, tile, sum);
    }

    __device__ __forceinline__ prefix first() const { return start_at(params); }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t tile,
                                            uint32_t epoch, unsigned lane) const
    {
        const OPERATOR op = OPERATOR();
        before =
            combine(op, before,
                    tile_look_back<OPERATOR, prefix>(op, params.chain, epoch, known, tile, lane));
    }

    __device__ __forceinline__ void keep(unsigned stage, prefix before) const
    {
        shared.before[stage] = before;
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        const tile_extent<S, REVERSE> extent(params, tile);
        const prefix local = sum_before_part<S>(OPERATOR(), shared.sums[stage], part);
        prefixed.wait_first();
        const auto before_part = [&] {
            prefixed.wait_late();
            return combine(OPERATOR(), (prefix)shared.before[stage], local);
        };
        scan_part(OPERATOR(), params, extent, this->elements_of(stage), tile, before_part, part,
                  lane);
    }
};

template <typename S, bool REVERSE, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, S::WARP_SPECIALISED ? 1 : 1024 / S::THREADS)
    single_pass_scan(const __grid_constant__ single_pass_params<S> given)
{
    const single_pass_params<S> params = at_its_length(given);
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ single_pass_shared<S> shared;
    run_pass<S::WARP_SPECIALISED>(
        single_pass_steps<S, REVERSE, OPERATOR>{{params, stages}, params, shared});
}

#endif
