/* Expansion on CUDA: writes owner and rank of each slot (slots_kernels.cuh); a lane stores four
   slots at once. */
#ifndef PARSCAN_APPS_EXPAND_KERNELS_CUH
#define PARSCAN_APPS_EXPAND_KERNELS_CUH

#include <string.h>

#include "apps/allocate/slots_kernels.cuh"
#include "scan/cuda/launch.cuh"

enum : unsigned {
    EXPAND_LANE = 4, /* consecutive slots of a lane */
    EXPAND_ROW = 32 * EXPAND_LANE,
    EXPAND_ROWS = SLOTS_PART / EXPAND_ROW
};

/* Finds the items of all slots of a tile. WRITES::write(shared, tile, at, mark, own) writes four slots: `mark`
   is the last mark before them, `own` holds their own marks. */
template <typename WRITES, typename OFFSET>
struct slots_in_fours {
    typedef OFFSET Offset;
    static const unsigned LANE = EXPAND_LANE;
    const slots_params &params;

    __device__ __forceinline__ void operator()(slots_shared &shared, const slots_tile &tile,
                                               unsigned warp, unsigned lane) const
    {
        const unsigned first = warp * SLOTS_PART + lane * EXPAND_LANE;
        ushort4 own[EXPAND_ROWS];
        unsigned marked[EXPAND_ROWS]; /* the lanes that have marks */
        int last[EXPAND_ROWS], of_part = -1;
#pragma unroll
        for (unsigned row = 0; row < EXPAND_ROWS; row++) {
            const unsigned at = first + row * EXPAND_ROW;
            own[row] = *(const ushort4 *)(shared.item_at + at);
            last[row] = own[row].w != 0   ? (int)at + 3
                        : own[row].z != 0 ? (int)at + 2
                        : own[row].y != 0 ? (int)at + 1
                                          : (int)at;
            marked[row] = __ballot_sync(0xffffffffu,
                                        (own[row].x | own[row].y | own[row].z | own[row].w) != 0);
            const int of_row = __shfl_sync(0xffffffffu, last[row], 31 - __clz((int)marked[row]));
            of_part = marked[row] != 0 ? of_row : of_part;
        }
        int mark = mark_before<Offset>(params, shared, tile, warp, lane, of_part);
#pragma unroll
        for (unsigned row = 0; row < EXPAND_ROWS; row++) {
            const unsigned at = first + row * EXPAND_ROW;
            const unsigned before = marked[row] & ((1u << lane) - 1);
            const int of_before = __shfl_sync(0xffffffffu, last[row], 31 - __clz((int)before));
            const int of_row = __shfl_sync(0xffffffffu, last[row], 31 - __clz((int)marked[row]));
            if (at < tile.end)
                ((const WRITES *)this)
                    ->write(shared, tile, at, before != 0 ? of_before : mark, own[row]);
            mark = marked[row] != 0 ? of_row : mark;
        }
    }
};

/* Their owners and ranks. BEGINS: ranks of an item do not begin with 0. */
template <typename Index, typename OFFSET, bool BEGINS>
struct expand_use : slots_in_fours<expand_use<Index, OFFSET, BEGINS>, OFFSET> {
    Index *owner, *rank;
    bool vectors; /* owner and rank, as far as they are wanted, are aligned to vectors */

    __device__ __forceinline__ void store(Index *to, const slots_tile &tile, unsigned at,
                                          const Index (&values)[EXPAND_LANE]) const
    {
        if (to == NULL)
            return;
        to += tile.base + at;
        if (vectors && at >= tile.begin && at + EXPAND_LANE <= tile.end) {
            uint4 raw[sizeof values / 16];
            memcpy(raw, values, sizeof raw);
#pragma unroll
            for (unsigned k = 0; k < sizeof raw / 16; k++)
                __stwb((uint4 *)to + k, raw[k]);
            return;
        }
#pragma unroll
        for (unsigned e = 0; e < EXPAND_LANE; e++)
            if (at + e >= tile.begin && at + e < tile.end)
                to[e] = values[e];
    }

    /* What a slot's rank is less than the slot. */
    __device__ __forceinline__ uint64_t before(size_t item, uint64_t first) const
    {
        if (!BEGINS)
            return first;
        const slots_params &given = this->params;
        return first - (given.wide_begins ? ((const uint64_t *)given.begins)[item]
                                          : ((const uint32_t *)given.begins)[item]);
    }

    __device__ __forceinline__ void write(const slots_shared &shared, const slots_tile &tile,
                                          unsigned at, int mark, ushort4 own) const
    {
        const uint16_t marks[EXPAND_LANE] = {own.x, own.y, own.z, own.w};
        size_t item = tile.item + (mark < 0 ? 0 : shared.item_at[mark]);
        uint64_t begin = before(item, mark < 0 ? tile.first : tile.base + mark);
        Index owners[EXPAND_LANE], ranks[EXPAND_LANE];
#pragma unroll
        for (unsigned e = 0; e < EXPAND_LANE; e++) {
            item = marks[e] != 0 ? tile.item + marks[e] : item;
            begin = marks[e] != 0 ? before(item, tile.base + at + e) : begin;
            owners[e] = (Index)item;
            ranks[e] = (Index)(tile.base + at + e - begin);
        }
        store(owner, tile, at, owners);
        store(rank, tile, at, ranks);
    }
};

template <typename Index, typename Offset, bool BEGINS>
static __global__ void __launch_bounds__(SLOTS_THREADS, BLOCKS_HELD(SLOTS_THREADS, SLOTS_BLOCKS))
    expand_items(const __grid_constant__ slots_params params)
{
    wait_for_previous_kernel();
    if (has_failed(params))
        return;
    const bool vectors = (((uintptr_t)params.owner | (uintptr_t)params.rank) % 16) == 0;
    share_slots(params, expand_use<Index, Offset, BEGINS>{
                            {params}, (Index *)params.owner, (Index *)params.rank, vectors});
}

#endif
