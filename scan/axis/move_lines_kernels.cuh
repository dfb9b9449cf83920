/*
 * Kernels that move elements between two arrays with strides (move_lines.h). A block takes one box of elements after
 * the other. A thread has several loads in flight.
 *
 *     axis 0   the nearest one of the array that is read; a row of a box in shared memory
 *     axis 1   that of the array that is written
 *     axis 2   of the others, the one that a box has several places of
 */
#ifndef PARSCAN_SCAN_AXIS_MOVE_LINES_KERNELS_CUH
#define PARSCAN_SCAN_AXIS_MOVE_LINES_KERNELS_CUH

#include "scan/axis/move_lines_plan.h"
#include "scan/cuda/pipeline.cuh"

enum { MOVE_EACH = 8 }; /* loads of a thread at once */

/* Division of numbers of at most 16 bits. */
struct move_divisor {
    uint32_t by, inverse;
};

static inline move_divisor move_divisor_of(uint32_t by)
{
    return move_divisor{by, by == 1 ? 0 : UINT32_MAX / by + 1};
}

static __device__ __forceinline__ uint32_t divided(uint32_t value, const move_divisor &divisor)
{
    return divisor.by == 1 ? value : (uint32_t)((uint64_t)value * divisor.inverse >> 32);
}

struct move_params {
    const char *from;
    char *to;
    move_plan plan;
    move_divisor read_chunks, write_chunks, box[2];
};

static inline move_params move_params_of(const void *from, void *to, const move_plan &plan)
{
    move_params params = {};
    params.from = (const char *)from;
    params.to = (char *)to;
    params.plan = plan;
    params.read_chunks = move_divisor_of(plan.reads.chunks);
    params.write_chunks = move_divisor_of(plan.writes.chunks);
    params.box[0] = move_divisor_of(plan.box[0]);
    params.box[1] = move_divisor_of(plan.box[1]);
    return params;
}

/* A box of the arrays; those at the ends of axes are smaller. */
struct move_box {
    const char *from;
    char *to;
    unsigned count[MOVE_GIVEN];
};

static __device__ __forceinline__ move_box box_at(const move_params &params, size_t index)
{
    const move_plan &plan = params.plan;
    move_box box = {params.from, params.to};
    uint32_t rest = (uint32_t)index; /* of elements that memory holds there are fewer boxes */
#pragma unroll
    for (int k = 0; k < MOVE_AXES; k++) {
        const uint32_t at = rest % plan.parts[k];
        const size_t first = (size_t)at * plan.box[k], left = plan.lengths[k] - first;
        rest /= plan.parts[k];
        box.from += (int64_t)first * plan.from[k];
        box.to += (int64_t)first * plan.to[k];
        if (k < MOVE_GIVEN)
            box.count[k] = left < plan.box[k] ? (unsigned)left : plan.box[k];
    }
    return box;
}

/* A thread's places along the axis that threads are side by side on, and across it. */
struct move_place {
    unsigned along, across, step;
};

static __device__ __forceinline__ move_place place_of(const move_sweep &sweep)
{
    const unsigned thread = threadIdx.x;
    return move_place{thread & ((1u << sweep.shift) - 1), thread >> sweep.shift,
                      (unsigned)MOVE_THREADS >> sweep.shift};
}

/* ---- long sides: a thread stays in one column ---- */

template <typename UNIT>
static __device__ __forceinline__ void read_long(const move_params &params, const move_box &box,
                                                 UNIT *tile)
{
    const move_plan &plan = params.plan;
    const move_place place = place_of(plan.reads);
    const int64_t leap = plan.from[1] * place.step;
    const char *from = box.from + plan.from[0] * place.along + plan.from[1] * place.across;
    if (place.along >= box.count[0])
        return;
    for (unsigned row = place.across; row < box.count[1]; row += MOVE_EACH * place.step) {
        UNIT value[MOVE_EACH];
#pragma unroll
        for (int k = 0; k < MOVE_EACH; k++)
            if (row + k * place.step < box.count[1])
                value[k] = *(const UNIT *)(from + k * leap);
#pragma unroll
        for (int k = 0; k < MOVE_EACH; k++)
            if (row + k * place.step < box.count[1])
                tile[(row + k * place.step) * plan.pitch + place.along] = value[k];
        from += MOVE_EACH * leap;
    }
}

template <typename UNIT>
static __device__ __forceinline__ void write_long(const move_params &params, const move_box &box,
                                                  const UNIT *tile)
{
    const move_plan &plan = params.plan;
    const move_place place = place_of(plan.writes);
    const int64_t leap = plan.to[0] * place.step;
    const UNIT *const row = tile + place.along * plan.pitch;
    char *to = box.to + plan.to[1] * place.along + plan.to[0] * place.across;
    if (place.along >= box.count[1])
        return;
#pragma unroll 4
    for (unsigned column = place.across; column < box.count[0]; column += place.step) {
        *(UNIT *)to = row[column];
        to += leap;
    }
}

/* ---- any sides ---- */

/* The elements that a thread has are numbered `index`, from place.across in steps; each is a place in the box. */
struct move_element {
    unsigned at[MOVE_GIVEN];
    bool there;
};

static __device__ __forceinline__ move_element element_read(const move_params &params,
                                                            const move_box &box,
                                                            const move_place &place, unsigned index)
{
    const uint32_t row = divided(index, params.read_chunks);
    const uint32_t far = divided(row, params.box[1]);
    move_element e;
    e.at[0] = (index - row * params.read_chunks.by << params.plan.reads.shift) + place.along;
    e.at[1] = row - far * params.box[1].by;
    e.at[2] = far;
    e.there = e.at[0] < box.count[0] && e.at[1] < box.count[1] && far < box.count[2];
    return e;
}

static __device__ __forceinline__ move_element element_written(const move_params &params,
                                                               const move_box &box,
                                                               const move_place &place,
                                                               unsigned index)
{
    const uint32_t column = divided(index, params.write_chunks);
    const uint32_t far = divided(column, params.box[0]);
    move_element e;
    e.at[1] = (index - column * params.write_chunks.by << params.plan.writes.shift) + place.along;
    e.at[0] = column - far * params.box[0].by;
    e.at[2] = far;
    e.there = e.at[0] < box.count[0] && e.at[1] < box.count[1] && far < box.count[2];
    return e;
}

static __device__ __forceinline__ int64_t offset_of(const move_element &e, const int64_t *strides)
{
    return strides[0] * e.at[0] + strides[1] * e.at[1] + strides[2] * e.at[2];
}

static __device__ __forceinline__ unsigned place_in_tile(const move_params &params,
                                                         const move_element &e)
{
    return (e.at[2] * params.box[1].by + e.at[1]) * params.plan.pitch + e.at[0];
}

template <typename UNIT, typename Store>
static __device__ __forceinline__ void read_any(const move_params &params, const move_box &box,
                                                Store store)
{
    const move_place place = place_of(params.plan.reads);
    const unsigned end = params.read_chunks.by * params.box[1].by * box.count[2];
    for (unsigned index = place.across; index < end; index += MOVE_EACH * place.step) {
        UNIT value[MOVE_EACH];
#pragma unroll
        for (int k = 0; k < MOVE_EACH; k++) {
            const move_element e = element_read(params, box, place, index + k * place.step);
            if (e.there)
                value[k] = *(const UNIT *)(box.from + offset_of(e, params.plan.from));
        }
#pragma unroll
        for (int k = 0; k < MOVE_EACH; k++) {
            const move_element e = element_read(params, box, place, index + k * place.step);
            if (e.there)
                store(e, value[k]);
        }
    }
}

template <typename UNIT>
static __device__ __forceinline__ void write_any(const move_params &params, const move_box &box,
                                                 const UNIT *tile)
{
    const move_place place = place_of(params.plan.writes);
    const unsigned end = params.write_chunks.by * params.box[0].by * box.count[2];
#pragma unroll 2
    for (unsigned index = place.across; index < end; index += place.step) {
        const move_element e = element_written(params, box, place, index);
        if (e.there)
            *(UNIT *)(box.to + offset_of(e, params.plan.to)) = tile[place_in_tile(params, e)];
    }
}

/* ---- the kernels ---- */

/* LONG: MOVE_TURNED, else MOVE_TURNED_SMALL. */
template <typename UNIT, bool LONG>
static __global__ void __launch_bounds__(MOVE_THREADS)
    move_turned(const __grid_constant__ move_params params)
{
    extern __shared__ __align__(16) unsigned char move_memory[];
    UNIT *const tile = (UNIT *)move_memory;
    wait_for_previous_kernel();
    for (size_t index = blockIdx.x; index < params.plan.boxes; index += gridDim.x) {
        const move_box box = box_at(params, index);
        if (LONG)
            read_long(params, box, tile);
        else
            read_any<UNIT>(params, box, [&](const move_element &e, UNIT value) {
                tile[place_in_tile(params, e)] = value;
            });
        __syncthreads();
        if (LONG)
            write_long(params, box, tile);
        else
            write_any(params, box, tile);
        __syncthreads();
    }
}

template <typename UNIT>
static __global__ void __launch_bounds__(MOVE_THREADS)
    move_straight(const __grid_constant__ move_params params)
{
    wait_for_previous_kernel();
    for (size_t index = blockIdx.x; index < params.plan.boxes; index += gridDim.x) {
        const move_box box = box_at(params, index);
        read_any<UNIT>(params, box, [&](const move_element &e, UNIT value) {
            *(UNIT *)(box.to + offset_of(e, params.plan.to)) = value;
        });
    }
}

#endif
