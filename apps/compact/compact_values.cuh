/*
 * How the kept elements of a chunk of a tile (compact_tile.cuh) go from the stage to the output on
 * CUDA: through registers, back into the stage side by side, and in vectors of 16 bytes to memory.
 */
#ifndef PARSCAN_APPS_COMPACT_VALUES_CUH
#define PARSCAN_APPS_COMPACT_VALUES_CUH

#include "apps/compact/compact_parts.cuh"

/* A chunk is dense if some word has more bits set than this. In a word with fewer, lanes take
   the bits one after another. */
#define COMPACT_SPARSE 4

/* A chunk, in its warp's registers. */
struct compact_chunk {
    size_t index;        /* the index of its position 0 */
    unsigned begin, end; /* the array has its positions begin to end - 1; begin <= end */
    const kept_word *words;
    uint32_t word, first;  /* in lane w: word w, and the number of elements kept before it */
    unsigned kept;         /* in the whole chunk */
    size_t columns;        /* of a matrix */
    unsigned stored;       /* of these, within the capacity; set with `before` */
    compact_prefix before; /* the prefix of the chunk; set when it is known */
};

template <typename S>
static __device__ __forceinline__ compact_chunk chunk_of(const compact_extent<S> &extent,
                                                         unsigned number, const kept_word *words,
                                                         unsigned lane)
{
    const unsigned position = number * S::CHUNK;
    const unsigned begin = extent.begin > position ? extent.begin - position : 0;
    const unsigned end = extent.end > position ? extent.end - position : 0;
    compact_chunk chunk;
    chunk.index = extent.index + position;
    chunk.end = end < S::CHUNK ? end : (unsigned)S::CHUNK;
    chunk.begin = begin < chunk.end ? begin : chunk.end;
    const kept_word word = words[lane < S::WORDS ? lane : S::WORDS - 1];
    chunk.words = words;
    chunk.word = lane < S::WORDS ? word.bits : 0;
    chunk.first = word.first;
    chunk.kept = __shfl_sync(0xffffffffu, word.first + (uint32_t)__popc(word.bits), 31);
    return chunk;
}

/* How many of the chunk's results are written. */
static __device__ __forceinline__ unsigned stored_of(const compact_params &params,
                                                     const compact_chunk &chunk)
{
    const size_t kept = chunk.before.kept,
                 room = kept < params.capacity ? params.capacity - kept : 0;
    return room < chunk.kept ? (unsigned)room : chunk.kept;
}

static __device__ __forceinline__ bool is_dense(const compact_chunk &chunk)
{
    return __any_sync(0xffffffffu, __popc(chunk.word) > COMPACT_SPARSE);
}

/* A chunk's part of the stage and, `gap` elements after it, room for some more vectors. Both
   are reached through one pointer, so that the compiler knows that it points to shared memory. */
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

/* A run of neighbouring elements of the output, and where in the chunk's room they are gathered.
   Vectors of 16 bytes begin there where they start in the output. */
template <typename U>
struct compact_run {
    enum : unsigned { PER = 16 / sizeof(U), STEP = 32 * PER };
    U *out;
    unsigned begin, end;
    __device__ __forceinline__ compact_run(U *out, unsigned from, unsigned count) : out(out)
    {
        const unsigned shift = (unsigned)((uintptr_t)out / sizeof(U) % PER);
        begin = (from + PER - 1) / PER * PER + shift;
        end = begin + count;
    }

    /* Called by a warp. */
    template <typename Room>
    __device__ __forceinline__ void store(const Room &room, unsigned lane) const
    {
        const unsigned whole_begin = (begin + PER - 1) / PER * PER, whole_end = end / PER * PER;
#pragma unroll 2
        for (unsigned at = whole_begin + lane * PER; at < whole_end; at += STEP)
            __stwb((uint4 *)(out + ((size_t)at - begin)), *(const uint4 *)&room[at]);
        /* The elements at either end that do not fill a vector. In a short run all elements are
           at one of the ends. */
        const bool behind = lane >= 16;
        const unsigned at = behind ? whole_end + lane - 16 : begin + lane;
        if (at >= begin && at < (behind || end < whole_begin ? end : whole_begin) &&
            (!behind || whole_end >= whole_begin))
            out[(size_t)at - begin] = room[at];
    }
};

/* A whole chunk in registers: each lane holds pairs of neighbours. */
template <typename S>
struct compact_taken {
    typedef typename S::U U;
    typedef typename compact_word<2 * S::WIDTH>::U Pair;
    enum : unsigned { PAIRS = S::WORDS / 2, AT_ONCE = 4 };
    Pair pairs[PAIRS];

    __device__ __forceinline__ compact_taken(const U *elements, unsigned lane)
    {
#pragma unroll
        for (unsigned p = 0; p < PAIRS; p++)
            pairs[p] = ((const Pair *)elements)[32 * p + lane];
        __syncwarp();
    }

    /* Calls put(pair, elements, kept, rank): the index of the lane's pair, its two elements,
       whether each is kept, and how many are kept before. Several words are read at once in
       advance, since the compiler must assume that `put` overwrites them. */
    template <typename Put>
    __device__ __forceinline__ void for_each(const compact_chunk &chunk, unsigned lane,
                                             Put put) const
    {
        const kept_word *const words = chunk.words + lane / 16;
        const uint32_t one = 1u << lane % 16 * 2, two = 2 * one;
#pragma unroll
        for (unsigned from = 0; from < PAIRS; from += AT_ONCE) {
            kept_word word[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                word[k] = words[2 * (from + k)];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++) {
                U x[2];
                memcpy(x, &pairs[from + k], sizeof x);
                const bool keeps[2] = {(word[k].bits & one) != 0, (word[k].bits & two) != 0};
                put(from + k, x, keeps, word[k].first + (uint32_t)__popc(word[k].bits & (one - 1)));
            }
        }
    }
};

template <typename S>
static __device__ __forceinline__ compact_run<typename S::U> kept_run(const compact_params &params,
                                                                      const compact_chunk &chunk)
{
    typedef typename S::U U;
    return compact_run<U>((U *)params.values + chunk.before.kept, 0, chunk.kept);
}

/* Whether moving in vectors pays and the kept elements fit in the chunk's place. To test that
   for every element would be slower. */
template <typename S>
static __device__ __forceinline__ bool moves_in_vectors(const compact_params &params,
                                                        const compact_chunk &chunk)
{
    return is_dense(chunk) && kept_run<S>(params, chunk).end <= S::CHUNK;
}

template <typename S>
static __device__ __forceinline__ void move_kept(const compact_params &params,
                                                 const compact_chunk &chunk,
                                                 typename S::U *elements, unsigned lane)
{
    typedef typename S::U U;
    compact_run<U> run = kept_run<S>(params, chunk);
    U *const to = elements + run.begin;
    compact_taken<S>(elements, lane)
        .for_each(chunk, lane, [=](unsigned, const U(&x)[2], const bool(&keeps)[2], unsigned rank) {
            if (keeps[0])
                to[rank] = x[0];
            if (keeps[1])
                to[rank + keeps[0]] = x[1];
        });
    __syncwarp();
    run.end = run.begin + chunk.stored;
    run.store(elements, lane);
}

/* For a partition: moves the kept elements to their part, and the others to theirs. PARTS_COUNTED
   stands for PARTS_HELD, too. */
template <parts_way WAY, typename S>
static __device__ __forceinline__ void move_parted(const compact_params &params,
                                                   const compact_chunk &chunk,
                                                   const chunk_room<S> &room, unsigned lane)
{
    typedef typename S::U U;
    const size_t begin = chunk.index + chunk.begin, end = chunk.index + chunk.end;
    const unsigned left = chunk.end - chunk.begin - chunk.kept;
    const size_t passed = WAY == PARTS_KEPT_TURNED ? params.n - end : begin;
    const size_t left_before = passed - chunk.before.kept; /* in chunks processed earlier */
    /* If the input has changed since it was counted, the rest does not fit after the kept elements. */
    const size_t counted_at = chunk.before.total + left_before, last_at = params.n - left;
    const size_t left_at = WAY != PARTS_COUNTED   ? last_at - left_before
                           : counted_at < last_at ? counted_at
                                                  : last_at;
    const compact_run<U> run = kept_run<S>(params, chunk);
    const compact_run<U> rest((U *)params.values + left_at, run.end, left);
    compact_taken<S>(room.elements, lane)
        .for_each(
            chunk, lane, [=](unsigned pair, const U(&x)[2], const bool(&keeps)[2], unsigned rank) {
                const unsigned place = 64 * pair + 2 * lane;
                const unsigned other = place - chunk.begin - rank;
                const unsigned kept[2] = {rank, rank + keeps[0]},
                               others[2] = {other, other + !keeps[0]};
#pragma unroll
                for (unsigned k = 0; k < 2; k++) {
                    const unsigned to =
                        WAY == PARTS_KEPT_TURNED ? run.end - 1 - kept[k] : run.begin + kept[k];
                    const unsigned to_rest = WAY == PARTS_REST_TURNED ? rest.end - 1 - others[k]
                                                                      : rest.begin + others[k];
                    /* Positions outside of the array count as rest. Stored after the rest they
                       do no harm; before it are the kept elements. Positions before the array,
                       fewer than 128 bytes, would go there if the rest is in order, positions
                       after the array if it is in reverse order. */
                    const bool stored = WAY == PARTS_REST_TURNED ? place + k < chunk.end
                                                                 : 64 * pair * S::WIDTH >= 128 ||
                                                                       place + k >= chunk.begin;
                    if (stored)
                        room[keeps[k] ? to : to_rest] = x[k];
                }
            });
    __syncwarp();
    run.store(room, lane);
    rest.store(room, lane);
}

#endif
