/*
 * Reverses the part of a partition that has been stored in reverse order (compact_parts.cuh), on
 * CUDA. A warp takes a chunk of the part's first half and the chunk of the second half that it is
 * exchanged with. It stores them in vectors of 16 bytes.
 */
#ifndef PARSCAN_APPS_COMPACT_TURN_CUH
#define PARSCAN_APPS_COMPACT_TURN_CUH

#include "apps/compact/compact_values.cuh"

/* What a warp does at once, in a block of shape S. */
template <typename S>
struct turn_shape {
    typedef typename S::U U;
    enum : unsigned {
        WARPS = S::THREADS / 32,
        VECTOR = 16 / sizeof(U),
        FITTING = (S::SHARED_BYTES / (2 * WARPS * sizeof(U)) - VECTOR) / 32,
        MOST = sizeof(U) == 8 ? 8 : 16,
        AT_ONCE = FITTING < MOST ? FITTING : MOST, /* elements of either chunk that a lane holds */
        CHUNK = 32 * AT_ONCE,
        ROOM = CHUNK + VECTOR, /* a run starts in its first vector */
        LINE = 128 / sizeof(U)
    };
};

/* Exchanges first[i] and second[count - 1 - i] for 0 <= i < count; count is 1 to CHUNK. Called by
   a warp; `room` has room for 2 * ROOM elements. */
template <typename S>
static __device__ __forceinline__ void exchange_chunks(typename S::U *first, typename S::U *second,
                                                       unsigned count, typename S::U *room,
                                                       unsigned lane)
{
    typedef typename S::U U;
    typedef turn_shape<S> shape;
    const compact_run<U> to_first(first, 0, count), to_second(second, 0, count);
    U *const second_room = room + shape::ROOM;
    U x[shape::AT_ONCE], y[shape::AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < shape::AT_ONCE; k++) { /* without a branch the loads overlap */
        const unsigned i = 32 * k + lane < count ? 32 * k + lane : count - 1;
        x[k] = first[i];
        y[k] = second[i];
    }
#pragma unroll
    for (unsigned k = 0; k < shape::AT_ONCE; k++)
        if (32 * k + lane < count) {
            const unsigned i = count - 1 - (32 * k + lane);
            room[to_first.begin + i] = y[k];
            second_room[to_second.begin + i] = x[k];
        }
    __syncwarp();
    to_first.store(room, lane);
    to_second.store(second_room, lane);
    __syncwarp();
}

/* All blocks, which must be resident, wait for each other. Then all see what each has stored.
   Called by all threads, once in a launch; blocks_part() follows. */
static __device__ __forceinline__ void blocks_meet(unsigned *meeting)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned met;
        __threadfence();
        atomicAdd(meeting, 1u);
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(met)
                         : "l"(meeting)
                         : "memory");
        while (met < gridDim.x);
        __threadfence();
    }
    __syncthreads();
}

/* Waits until all blocks have stored their elements, and turns the part round. `memory` is the
   block's shared memory. Called by all threads. */
template <typename S>
static __device__ __forceinline__ void turn_part(const compact_params &params, parts_way way,
                                                 unsigned char *memory)
{
    typedef typename S::U U;
    typedef turn_shape<S> shape;
    static_assert(shape::WARPS * 2 * shape::ROOM * sizeof(U) <= S::SHARED_BYTES, "");
    static_assert(shape::CHUNK >= shape::LINE, "the first chunk would be empty");
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    U *const room = (U *)memory + warp * 2 * shape::ROOM;
    blocks_meet(&params.meeting->blocks);
    const size_t kept = *(volatile const uint64_t *)params.count;
    const size_t begin = way == PARTS_REST_TURNED ? kept : 0,
                 end = way == PARTS_REST_TURNED ? params.n : kept, pairs = (end - begin) / 2;
    U *const first = (U *)params.values + begin, *const behind = (U *)params.values + end;
    /* Most chunks of the first half start where lines of memory start: less is written in part. */
    const size_t head = (uintptr_t)first / sizeof(U) % shape::LINE,
                 chunks = pairs == 0 ? 0 : (head + pairs + shape::CHUNK - 1) / shape::CHUNK;
#pragma unroll 1
    for (size_t c = (size_t)blockIdx.x * shape::WARPS + warp; c < chunks;
         c += (size_t)gridDim.x * shape::WARPS) {
        const size_t next = (c + 1) * shape::CHUNK - head, to = next < pairs ? next : pairs,
                     from = c == 0 ? 0 : c * shape::CHUNK - head;
        exchange_chunks<S>(first + from, behind - to, (unsigned)(to - from), room, lane);
    }
}

#endif
