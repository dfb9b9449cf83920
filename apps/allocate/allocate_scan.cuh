/*
 * An allocation on CUDA: an exclusive scan that widens and rounds up sizes and checks for overflow,
 * in one pass over tiles (tile_pipeline.cuh).
 *
 * A tile publishes the sum of its sizes in units of the alignment. The sum is exact in 64 bits,
 * with a flag for overflow, so a total that wraps around is never mistaken for one that fits. The
 * offsets themselves are sums modulo their type.
 *
 * Lower bound: one read of the sizes, one write of the offsets.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA, 2016.
 */
#ifndef PARSCAN_APPS_ALLOCATE_ALLOCATE_SCAN_CUH
#define PARSCAN_APPS_ALLOCATE_ALLOCATE_SCAN_CUH

#include <type_traits>

#include "apps/allocate/units_sum.cuh"
#include "scan/single_pass/tile_steps.cuh"
#include "scan/single_pass/tuning_cuda.cuh"

/* The shapes of the single-pass scan, by the types of sizes and offsets. Stages of 64-bit sizes
   are twice as long. */
template <typename In, typename Out>
struct allocate_scan_shape {
    typedef typename tuned_shape<In, Out, sizeof(Out)>::warp_specialised warp_specialised;
};
template <>
struct allocate_scan_shape<uint64_t, uint32_t> {
    typedef single_pass_shape<uint64_t, uint32_t, 8, 4, 8, 3> warp_specialised;
};

template <typename S>
struct allocate_scan_params : single_pass_params<S> {
    allocate_sum_params units;

    __host__ __device__ void set_length(size_t sizes)
    {
        single_pass_params<S>::set_length(sizes);
        units.n = sizes;
    }
};

template <typename S>
struct allocate_scan_shared {
    units_sum sums[S::STAGES][S::SCANNERS], before[S::STAGES];
};

/* The sizes in a stage, before they are converted. */
template <typename S>
struct sizes_in : S {
    typedef typename S::In T;
};

template <typename S>
struct units_steps : tile_steps<S, false, parscan_operator_SUM> {
    typedef typename S::In In;
    typedef typename S::T Out;
    typedef units_sum prefix;
    /* Sizes of 32 bits need no flag: the sum of their units over a tile, or over the tiles
       between two of a block, fits 64 bits. */
    typedef typename std::conditional<sizeof(In) == 8, units_sum, uint64_t>::type aggregate;
    const allocate_scan_params<S> &params;
    allocate_scan_shared<S> &shared;

    /* The units of one lane's sizes in a part of the tile. */
    __device__ __forceinline__ aggregate units_of_lane(const In *tile, unsigned part,
                                                       unsigned lane) const
    {
        In x[S::GROUP][S::LANE];
        aggregate sum = {};
#pragma unroll
        for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
            load_vectors<sizes_in<S>, false>(tile, params.misalignment,
                                             (part * S::VECTORS + v) * 32 + lane, x);
#pragma unroll
            for (unsigned g = 0; g < S::GROUP; g++)
#pragma unroll
                for (unsigned e = 0; e < S::LANE; e++)
                    sum = sum_of(sum, units_of_size(params.units, x[g][e]));
        }
        return sum;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t, Event landed, unsigned reducer,
                                           unsigned lane) const
    {
        const In *const tile = this->elements_of(stage);
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS) {
            const aggregate sum = warp_reduce(units_operator(), units_of_lane(tile, part, lane));
            if (lane == 0)
                shared.sums[stage][part] = units_of(sum);
        }
    }

    /* Returns the tile's units, at lane 0. Called by a whole warp. */
    __device__ __forceinline__ units_sum units_of_tile(unsigned stage, unsigned lane) const
    {
        units_sum sum = units_of(0);
        if (lane < S::SCANNERS)
            sum = shared.sums[stage][lane];
        return warp_reduce(units_operator(), sum);
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t epoch,
                                            unsigned lane) const
    {
        const units_sum sum = units_of_tile(stage, lane);
        if (lane != 0)
            return;
        if constexpr (sizeof(In) == 8)
            tile_publish(params.chain, epoch, tile, sum);
        else
            tile_publish(params.chain, epoch, tile, sum.sum());
    }

    __device__ __forceinline__ prefix first() const
    {
        return units_of(params.units.before);
    }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t tile,
                                            uint32_t epoch, unsigned lane) const
    {
        const units_operator op = units_operator();
        before = combine(op, before,
                         units_of(tile_look_back<units_operator, aggregate>(op, params.chain, epoch,
                                                                            known, tile, lane)));
    }

    __device__ __forceinline__ void keep(unsigned stage, const prefix &before) const
    {
        shared.before[stage] = before;
    }

    /* prefix() waits for the units before the part, and returns them. */
    template <typename PREFIX>
    __device__ __forceinline__ void store_part(const In *tile, const tile_extent<S, false> &extent,
                                               PREFIX prefix, unsigned part, unsigned lane) const
    {
        Out *const out = params.out + extent.at * S::TILE - params.head_padding;
        const Out mask = (Out)(((uint64_t)1 << params.units.shift) - 1);
        Out before = 0;
#pragma unroll 1
        for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
            const unsigned vector = (part * S::VECTORS + v) * 32;
            Out x[S::GROUP][S::LANE];
            load_vectors<S, false>(tile, params.misalignment, vector + lane, x);
#pragma unroll
            for (unsigned g = 0; g < S::GROUP; g++)
#pragma unroll
                for (unsigned e = 0; e < S::LANE; e++)
                    x[g][e] = (Out)(x[g][e] + mask) & (Out)~mask;
            before = scan_loaded<S, false>(
                parscan_operator_SUM(), params.exclusive, x,
                [&](const auto &) {
                    return v == 0 ? (Out)(prefix() << params.units.shift) : before;
                },
                [&](const Out(&y)[S::GROUP][S::LANE]) {
                    store_vectors<S, false>(extent, out, vector, y, lane);
                },
                lane);
        }
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        const tile_extent<S, false> extent(params, tile);
        uint64_t before = 0;
#pragma unroll
        for (unsigned p = 0; p + 1 < S::SCANNERS; p++)
            before += p < part ? shared.sums[stage][p].sum() : 0;
        prefixed.wait_first();
        const auto before_part = [&] {
            prefixed.wait_late();
            return before + shared.before[stage].sum();
        };
        if (params.out != NULL)
            store_part(this->elements_of(stage), extent, before_part, part, lane);
        else
            prefixed.wait_late();
        if (tile + 1 != params.tiles || part != 0)
            return;
        const units_sum all = units_of_tile(stage, lane);
        if (lane == 0)
            finish_units(params.units, combine(units_operator(), shared.before[stage], all));
    }
};

/* Without sizes no tile is the last one. */
template <typename S>
static __device__ __forceinline__ void finish_if_empty(const allocate_scan_params<S> &params)
{
    if (params.tiles == 0 && blockIdx.x == 0 && threadIdx.x == 0)
        finish_units(params.units, units_of(params.units.before));
}

/* How many blocks a multiprocessor has. Two where it has the shared memory: a length in device memory takes
   registers, and more than 72 would leave room for one. */
template <typename S>
struct units_blocks {
    static const size_t TWO_BYTES = 227 << 10;
    static const unsigned LEAST =
        !S::WARP_SPECIALISED                                                   ? 4
        : 2 * (S::SHARED_BYTES + sizeof(allocate_scan_shared<S>)) <= TWO_BYTES ? 2
                                                                               : 1;
};

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, units_blocks<S>::LEAST)
    scan_units(const __grid_constant__ allocate_scan_params<S> given)
{
    const allocate_scan_params<S> params = at_its_length(given);
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ allocate_scan_shared<S> shared;
    run_pass<S::WARP_SPECIALISED>(units_steps<S>{{params, stages}, params, shared});
    finish_if_empty(params);
}

#endif
