/*
 * Moves records on CUDA (pack_pieces.cuh).
 *
 * Small records: a warp handles up to 32 at a time. Each lane reads the description of one record.
 * Then the lanes move the pieces of all these records in order, one piece each; the prefix sums of
 * the lanes' piece counts tell which piece a lane moves. A batch of records of one piece each skips
 * the prefix sums. Large records are put in a list, together with the sum of the pieces of those
 * before.
 *
 * Large records: all their pieces are divided evenly. A warp takes consecutive pieces at a time,
 * and finds in the list to which records they belong.
 *
 * Lower bound: the descriptions of the records, and their bytes twice.
 */
#ifndef PARSCAN_APPS_PACK_KERNELS_CUH
#define PARSCAN_APPS_PACK_KERNELS_CUH

#include "apps/allocate/last_before.cuh"
#include "apps/allocate/pack_pieces.cuh"
#include "apps/allocate/pack_plan.h"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

/* The shapes: parameters for tuning. */
enum : unsigned {
    PACK_THREADS = PACK_WARPS * 32,
    LARGE_BLOCKS = 3,              /* blocks on a multiprocessor, at least */
    PACK_ROWS = 32 * PACK_AT_ONCE, /* pieces that a warp moves at once */
    LEAST_SHARE = PACK_ROWS,       /* consecutive pieces of a share, at least */
    MOST_SHARE = 8 * PACK_ROWS,
    LARGE_SHARES = 4 /* shares of a warp, unless they would be too short */
};

/* Large records are listed: that kernel needs no length. */
struct pack_small_params : pack_params {
    device_length length;
};

/* The record of a lane in a batch. */
static __device__ __forceinline__ pack_record record_of(const pack_params &params, size_t n,
                                                        size_t batch, unsigned lane)
{
    const size_t item = batch * params.batch + lane;
    return lane < params.batch && item < n ? pack_record(params, item) : pack_record();
}

/* The inclusive prefix sum over the lanes. */
template <typename T>
static __device__ __forceinline__ T sum_through(T value, unsigned lane)
{
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const T up = warp_shuffle_up(value, delta);
        value += lane >= delta ? up : 0;
    }
    return value;
}

/* Lists large records. Called by a whole warp; `pieces` is 0 for a lane whose record is not
   large. */
static __device__ __noinline__ void list_large(const pack_params &params, size_t item,
                                               uint64_t pieces, unsigned lane)
{
    const unsigned listed = __ballot_sync(0xffffffffu, pieces != 0);
    const bool fit = pieces < PACK_MOST_PIECES / 32;
    const uint64_t through = sum_through(fit ? pieces : 0, lane), sum = warp_shuffle(through, 31);
    const uint64_t added = (uint64_t)__popc(listed) << PACK_PIECES_BITS | sum;
    uint64_t before = 0;
    if (lane == 0 && listed != 0)
        before = atomicAdd((unsigned long long *)params.listed, (unsigned long long)added);
    before = warp_shuffle(before, 0);
    const uint64_t base = before & (PACK_MOST_PIECES - 1);
    const size_t at = (before >> PACK_PIECES_BITS) + __popc(listed & ((1u << lane) - 1));
    if (pieces == 0)
        return;
    if (!fit || base + sum >= PACK_MOST_PIECES || at >= params.room) {
        params.state[UNITS_STATUS] = PARSCAN_ERROR_OVERFLOW;
        return;
    }
    params.items[at] = item;
    params.ends[at] = base + through;
}

/* Piece `at` of the warp's records. `through` is the number of pieces of the records up to and
   including the lane's own. */
static __device__ __forceinline__ pack_piece small_piece(const pack_record &mine, unsigned pieces,
                                                         unsigned through, unsigned at, bool there)
{
    unsigned owner = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
        const unsigned end = __shfl_sync(0xffffffffu, through, owner + step - 1);
        owner += end <= at ? step : 0;
    }
    pack_record record;
    record.in = warp_shuffle(mine.in, owner);
    record.out = warp_shuffle(mine.out, owner);
    record.size = __shfl_sync(0xffffffffu, (unsigned)mine.size, owner);
    const unsigned first = __shfl_sync(0xffffffffu, through - pieces, owner);
    return there ? pack_piece(record, at - first) : pack_piece();
}

static __device__ __forceinline__ void move_small(const pack_record &record, unsigned pieces,
                                                  unsigned lane)
{
    const unsigned through = sum_through(pieces, lane);
    const unsigned all = __shfl_sync(0xffffffffu, through, 31);
#pragma unroll 1
    for (unsigned at = lane; at - lane < all; at += PACK_ROWS) {
        pack_piece moved[PACK_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < PACK_AT_ONCE; k++)
            moved[k] = small_piece(record, pieces, through, at + k * 32, at + k * 32 < all);
        move_pieces(moved);
    }
}

static __global__ void __launch_bounds__(PACK_THREADS, PACK_SMALL_BLOCKS)
    pack_small(const __grid_constant__ pack_small_params params)
{
    wait_for_previous_kernel();
    const unsigned lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * PACK_WARPS;
    const size_t n = length_of(params.length, params.n);
    const size_t batches = (n + params.batch - 1) / params.batch;
    size_t batch = ((size_t)blockIdx.x * PACK_THREADS + threadIdx.x) / 32;
    pack_record next = record_of(params, n, batch, lane);
#pragma unroll 1
    for (; batch < batches; batch += warps) {
        const pack_record record = next;
        next = record_of(params, n, batch + warps, lane);
        uint64_t pieces = record.pieces();
        const bool large = pieces > PACK_SMALL_PIECES;
        if (__any_sync(0xffffffffu, large))
            list_large(params, batch * params.batch + lane, large ? pieces : 0, lane);
        pieces = large ? 0 : pieces;
        if (__any_sync(0xffffffffu, pieces > 1)) {
            move_small(record, (unsigned)pieces, lane);
        } else if (pieces != 0) {
            const pack_piece piece(record, 0);
            store_piece(piece, load_piece(piece));
        }
    }
}

/* Moves the pieces begin to end - 1 of a record. Called by a warp. */
static __device__ __forceinline__ void move_large(const pack_record &record, uint64_t begin,
                                                  uint64_t end, unsigned lane)
{
#pragma unroll 1
    for (uint64_t at = begin; at < end; at += PACK_ROWS) {
        if (at > 0 && at + PACK_ROWS <= end &&
            record.before(at + PACK_ROWS + 2) <= (int64_t)record.size) {
            move_inner(record, at + lane);
            continue;
        }
        pack_piece moved[PACK_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < PACK_AT_ONCE; k++)
            if (at + k * 32 + lane < end)
                moved[k] = pack_piece(record, at + k * 32 + lane);
        move_pieces(moved);
    }
}

static __global__ void __launch_bounds__(PACK_THREADS, LARGE_BLOCKS)
    pack_large(const __grid_constant__ pack_params params)
{
    wait_for_previous_kernel();
    if (says_error(params.state, params.state[UNITS_STATUS], params.deferred))
        return;
    const unsigned lane = threadIdx.x % 32;
    const uint64_t listed = *params.listed, all = listed & (PACK_MOST_PIECES - 1);
    const size_t count = listed >> PACK_PIECES_BITS, warps = (size_t)gridDim.x * PACK_WARPS;
    const uint64_t even = all / (warps * LARGE_SHARES) / PACK_ROWS * PACK_ROWS;
    const uint64_t share = even < LEAST_SHARE ? LEAST_SHARE : even < MOST_SHARE ? even : MOST_SHARE;
    /* If there are few shares, each goes to a different multiprocessor. */
    uint64_t begin = ((uint64_t)threadIdx.x / 32 * gridDim.x + blockIdx.x) * share;
#pragma unroll 1
    for (; begin < all; begin += warps * share) {
        const uint64_t end = begin + share < all ? begin + share : all;
        size_t at = last_before(count, lane,
                                [&](size_t k) { return k == 0 || params.ends[k - 1] <= begin; });
#pragma unroll 1
        for (uint64_t from = begin; from < end; at++) {
            const uint64_t first = at == 0 ? 0 : params.ends[at - 1], behind = params.ends[at];
            const uint64_t to = behind < end ? behind : end;
            const pack_record record(params, params.items[at]);
            const uint64_t pieces = record.pieces(); /* fewer if the size has changed since */
            move_large(record, from - first, to - first < pieces ? to - first : pieces, lane);
            from = to;
        }
    }
}

/* Finds the extent of records in host memory. */
static __global__ void find_extent(const __grid_constant__ extent_params params)
{
    uint64_t begin = UINT64_MAX, end = 0;
    const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < params.n; i += step) {
        const uint64_t size = size_at(params.size_type, params.sizes, i);
        const uint64_t offset = size_at(params.offset_type, params.offsets, i);
        if (size == 0)
            continue;
        begin = offset < begin ? offset : begin;
        end = offset + size > end ? offset + size : end;
    }
    if (end == 0)
        return;
    atomicMin((unsigned long long *)params.extent, (unsigned long long)begin);
    atomicMax((unsigned long long *)params.extent + 1, (unsigned long long)end);
}

#endif
