/*
 * A chunk of a tile of compaction on CUDA (compact_tile.cuh), and how its elements that are kept go from the
 * stage to the output: through registers, back into the stage side by side, and in vectors of 16 bytes
 * to memory.
 */
#ifndef PARSCAN_APPS_COMPACT_VALUES_CUH
#define PARSCAN_APPS_COMPACT_VALUES_CUH

#include "apps/compact/compact_tile.cuh"

/* Bits of a word from which lanes do not take them one after another. */
#define COMPACT_SPARSE 4

/* A chunk, in its warp's registers. */
struct compact_chunk {
    size_t index;          /* of its position 0 */
    unsigned begin, end;   /* positions that the array has; begin <= end */
    uint32_t word, first;  /* of lane w: word w, and what is kept before it in the chunk */
    unsigned kept;         /* in all */
    compact_prefix before; /* the chunk: filled in when it is known */
};

template <typename S>
static __device__ __forceinline__ compact_chunk chunk_of(const compact_extent<S> &extent,
                                                         unsigned number, uint32_t word,
                                                         unsigned lane)
{
    const unsigned position = number * S::CHUNK;
    const unsigned begin = extent.begin > position ? extent.begin - position : 0;
    const unsigned end = extent.end > position ? extent.end - position : 0;
    compact_chunk chunk;
    chunk.index = extent.index + position;
    chunk.end = end < S::CHUNK ? end : (unsigned)S::CHUNK;
    chunk.begin = begin < chunk.end ? begin : chunk.end;
    chunk.word = word;
    const uint32_t count = (uint32_t)__popc(word);
    const uint32_t through = warp_scan(kept_operator(), count, lane);
    chunk.first = through - count;
    chunk.kept = __shfl_sync(0xffffffffu, through, 31);
    return chunk;
}

static __device__ __forceinline__ bool is_dense(const compact_chunk &chunk)
{
    return __any_sync(0xffffffffu, __popc(chunk.word) > COMPACT_SPARSE);
}

/* A chunk's part of the stage, and behind it, `gap` elements further on, room for some vectors more. By one
   pointer, so that the compiler knows that all of it is shared memory. */
template <typename S>
struct chunk_room {
    typedef typename S::U U;
    U *elements;
    unsigned gap;
    __device__ __forceinline__ U &operator[](unsigned place) const
    {
        return elements[place < S::CHUNK ? place : place + gap];
    }
};

/* Some neighbours of the output, and where in the chunk's room they are gathered: there vectors of 16 bytes
   begin where they do in the output. */
template <typename S>
struct compact_run {
    typedef typename S::U U;
    enum : unsigned { PER = 16 / sizeof(U) };
    U *out;
    unsigned begin, end;
    __device__ __forceinline__ compact_run(U *out, unsigned from, unsigned count) : out(out)
    {
        const unsigned shift = (unsigned)((uintptr_t)out / sizeof(U) % PER);
        begin = (from + PER - 1) / PER * PER + shift;
        end = begin + count;
    }

    /* By a warp. */
    __device__ __forceinline__ void store(const chunk_room<S> &room, unsigned lane) const
    {
        U *const to = out - begin;
#pragma unroll 2
        for (unsigned at = begin / PER * PER + lane * PER; at < end; at += 32 * PER) {
            const uint4 vector = *(const uint4 *)&room[at];
            if (at >= begin && at + PER <= end) {
                __stwb((uint4 *)(to + at), vector);
            } else {
#pragma unroll
                for (unsigned e = 0; e < PER; e++)
                    if (at + e >= begin && at + e < end)
                        to[at + e] = room[at + e];
            }
        }
    }
};

/* The word of a chunk that is `w`-th, and how many are kept before this lane's element of it. */
static __device__ __forceinline__ uint32_t word_of(const compact_chunk &chunk, unsigned w,
                                                   unsigned lane, uint32_t *rank)
{
    const uint32_t word = __shfl_sync(0xffffffffu, chunk.word, w);
    *rank = __shfl_sync(0xffffffffu, chunk.first, w) + (uint32_t)__popc(word & ((1u << lane) - 1));
    return word;
}

template <typename S>
static __device__ __forceinline__ void take_chunk(const typename S::U *elements,
                                                  typename S::U (&x)[S::WORDS], unsigned lane)
{
#pragma unroll
    for (unsigned w = 0; w < S::WORDS; w++)
        x[w] = elements[32 * w + lane];
    __syncwarp();
}

template <typename S>
static __device__ __forceinline__ compact_run<S> kept_run(const compact_device_call &call,
                                                          const compact_chunk &chunk)
{
    return compact_run<S>((typename S::U *)call.values + chunk.before.kept, 0, chunk.kept);
}

/* Whether it is worth it, and what is kept has room where the chunk lies: to ask that of every element makes
   it slower. */
template <typename S>
static __device__ __forceinline__ bool moves_in_vectors(const compact_device_call &call,
                                                        const compact_chunk &chunk)
{
    return is_dense(chunk) && kept_run<S>(call, chunk).end <= S::CHUNK;
}

template <typename S>
static __device__ __forceinline__ void move_kept(const compact_device_call &call,
                                                 const compact_chunk &chunk,
                                                 const chunk_room<S> &room, unsigned lane)
{
    const compact_run<S> run = kept_run<S>(call, chunk);
    typename S::U *const elements = room.elements;
    typename S::U x[S::WORDS];
    take_chunk<S>(elements, x, lane);
#pragma unroll
    for (unsigned w = 0; w < S::WORDS; w++) {
        uint32_t rank;
        if (word_of(chunk, w, lane, &rank) >> lane & 1)
            elements[run.begin + rank] = x[w];
    }
    __syncwarp();
    run.store(room, lane);
}

/* Of a partition: what is kept, and the rest to behind all that is. */
template <typename S>
static __device__ __forceinline__ void move_parted(const compact_device_call &call,
                                                   const compact_chunk &chunk,
                                                   const chunk_room<S> &room, unsigned lane)
{
    typedef typename S::U U;
    const uint64_t before = chunk.index + chunk.begin - chunk.before.kept;
    const compact_run<S> run = kept_run<S>(call, chunk);
    const compact_run<S> rest((U *)call.values + chunk.before.total + before, run.end,
                              chunk.end - chunk.begin - chunk.kept);
    U x[S::WORDS];
    take_chunk<S>(room.elements, x, lane);
#pragma unroll
    for (unsigned w = 0; w < S::WORDS; w++) {
        uint32_t rank;
        const bool keeps = word_of(chunk, w, lane, &rank) >> lane & 1;
        const unsigned place = 32 * w + lane;
        const unsigned at = keeps ? run.begin + rank : rest.begin + place - chunk.begin - rank;
        if (place >= chunk.begin && place < chunk.end)
            room[at] = x[w];
    }
    __syncwarp();
    run.store(room, lane);
    rest.store(room, lane);
}

#endif
