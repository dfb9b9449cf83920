/* Run lengths decoded on CUDA: the slots of an expansion (expand_kernels.cuh) receive the values of their
   items. */
#ifndef PARSCAN_APPS_DECODE_KERNELS_CUH
#define PARSCAN_APPS_DECODE_KERNELS_CUH

#include "apps/allocate/expand_kernels.cuh"
#include "scan/cuda/unit_walk.cuh"

enum : unsigned { DECODE_BLOCKS = 4 }; /* on a multiprocessor, at least: without spills */

/* What four values of one unit are stored by: vectors of at most 16 bytes. */
template <unsigned BYTES>
struct decode_vector {
    typedef uint4 type;
};
template <>
struct decode_vector<4> {
    typedef uint32_t type;
};
template <>
struct decode_vector<8> {
    typedef uint2 type;
};

/* Values of one unit. */
template <typename Unit, typename OFFSET>
struct decode_use : slots_in_fours<decode_use<Unit, OFFSET>, OFFSET> {
    typedef typename decode_vector<EXPAND_LANE * sizeof(Unit)>::type Vector;
    const Unit *values;
    Unit *out;
    bool vectors; /* out is aligned to them */

    __device__ __forceinline__ void write(const slots_shared &shared, const slots_tile &tile,
                                          unsigned at, int mark, ushort4 own) const
    {
        const uint16_t marks[EXPAND_LANE] = {own.x, own.y, own.z, own.w};
        size_t item = tile.item + (mark < 0 ? 0 : shared.item_at[mark]);
        Unit units[EXPAND_LANE];
#pragma unroll
        for (unsigned e = 0; e < EXPAND_LANE; e++) {
            item = marks[e] != 0 ? tile.item + marks[e] : item;
            units[e] = values[item];
        }
        Unit *const to = out + tile.base + at;
        if (vectors && at >= tile.begin && at + EXPAND_LANE <= tile.end) {
            Vector raw[sizeof units / sizeof(Vector)];
            memcpy(raw, units, sizeof raw);
#pragma unroll
            for (unsigned k = 0; k < sizeof raw / sizeof(Vector); k++)
                ((Vector *)to)[k] = raw[k];
            return;
        }
#pragma unroll
        for (unsigned e = 0; e < EXPAND_LANE; e++)
            if (at + e >= tile.begin && at + e < tile.end)
                to[e] = units[e];
    }
};

/* Values of several units: the items of all slots are noted where the marks are, and then all threads of the
   block move the units. A mark is that of its own slot, so it stays what it was. */
template <typename Unit, typename OFFSET>
struct decode_several_use : slots_in_fours<decode_several_use<Unit, OFFSET>, OFFSET> {
    const Unit *values;
    Unit *out;
    size_t units; /* of a value */

    __device__ __forceinline__ void write(slots_shared &shared, const slots_tile &, unsigned at,
                                          int mark, ushort4 own) const
    {
        const uint16_t marks[EXPAND_LANE] = {own.x, own.y, own.z, own.w};
        uint16_t item = mark < 0 ? 0 : shared.item_at[mark];
#pragma unroll
        for (unsigned e = 0; e < EXPAND_LANE; e++) {
            item = marks[e] != 0 ? marks[e] : item;
            shared.item_at[at + e] = item;
        }
    }

    __device__ __forceinline__ void operator()(slots_shared &shared, const slots_tile &tile,
                                               unsigned warp, unsigned lane) const
    {
        slots_in_fours<decode_several_use<Unit, OFFSET>, OFFSET>::operator()(shared, tile, warp,
                                                                             lane);
        __syncthreads();
        const unsigned slots = tile.end - tile.begin;
        const Unit *const in = values + tile.item * units;
        Unit *const to = out + (tile.base + tile.begin) * units;
#pragma unroll 1
        for (unit_walk walk(threadIdx.x, SLOTS_THREADS, units); walk.record < slots; walk.next())
            to[walk.unit()] = in[shared.item_at[tile.begin + walk.record] * units + walk.part];
    }
};

template <typename Unit, typename Offset>
static __global__ void __launch_bounds__(SLOTS_THREADS, BLOCKS_HELD(SLOTS_THREADS, DECODE_BLOCKS))
    decode_items(const __grid_constant__ slots_params params)
{
    wait_for_previous_kernel();
    if (has_failed(params))
        return;
    typedef typename decode_use<Unit, Offset>::Vector Vector;
    const bool vectors = (uintptr_t)params.owner % sizeof(Vector) == 0;
    share_slots(params, decode_use<Unit, Offset>{
                            {params}, (const Unit *)params.values, (Unit *)params.owner, vectors});
}

template <typename Unit, typename Offset>
static __global__ void __launch_bounds__(SLOTS_THREADS, BLOCKS_HELD(SLOTS_THREADS, DECODE_BLOCKS))
    decode_several(const __grid_constant__ slots_params params)
{
    wait_for_previous_kernel();
    if (has_failed(params))
        return;
    share_slots(params, decode_several_use<Unit, Offset>{{params},
                                                         (const Unit *)params.values,
                                                         (Unit *)params.owner,
                                                         params.value_size / sizeof(Unit)});
}

#endif
