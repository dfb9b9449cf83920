/*
 * Writes the output of one chunk of a tile (compact_tile.cuh). One warp does that; it knows which
 * elements of the chunk are kept and how many are kept before it.
 *
 * If only elements are written, and many are kept, the warp loads its chunk into registers and
 * stores the kept elements back into shared memory side by side, aligned like the output to vectors
 * of 16 bytes, and writes these vectors (compact_values.cuh). In all other cases the warp first
 * lists the places of the kept elements, in order, in shared memory. Then each lane writes one
 * element of the output, so that the warp writes whole lines.
 */
#ifndef PARSCAN_APPS_COMPACT_STORE_CUH
#define PARSCAN_APPS_COMPACT_STORE_CUH

#include "apps/compact/compact_records.cuh"
#include "parscan/types.h"
#include "scan/cuda/deferred.cuh"

/* Lists the places in the chunk of the kept elements, in order. */
template <typename S>
static __device__ __forceinline__ void list_places(const compact_chunk &chunk, uint16_t *places,
                                                   unsigned lane)
{
    if (is_dense(chunk)) {
        const unsigned AT_ONCE = 8; /* as in compact_taken */
#pragma unroll 1
        for (unsigned from = 0; from < S::WORDS; from += AT_ONCE) {
            kept_word word[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                word[k] = chunk.words[from + k];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                if ((word[k].bits >> lane & 1) != 0)
                    places[word[k].first + __popc(word[k].bits & ((1u << lane) - 1))] =
                        (uint16_t)(32 * (from + k) + lane);
        }
    } else {
        uint32_t word = chunk.word, at = chunk.first;
#pragma unroll 1
        for (; word != 0; word &= word - 1)
            places[at++] = (uint16_t)(32 * lane + __ffs((int)word) - 1);
    }
    __syncwarp();
}

/* store_run() for an output with elements of 32 or 64 bits, from element `at` on. */
template <typename Value>
static __device__ __forceinline__ void store_numbers(bool wide, void *out, uint64_t at,
                                                     unsigned count, unsigned lane, Value value)
{
    if (wide)
        store_run((uint64_t *)out + at, count, lane, value);
    else
        store_run((uint32_t *)out + at, count, lane, value);
}

static __device__ __forceinline__ void store_number(bool wide, void *out, uint64_t at,
                                                    uint64_t value)
{
    if (wide)
        ((uint64_t *)out)[at] = value;
    else
        ((uint32_t *)out)[at] = (uint32_t)value;
}

static __device__ __forceinline__ void compact_overflow(const compact_params &params,
                                                        uint64_t value)
{
    leave_error(params.error, PARSCAN_ERROR_OVERFLOW, value);
}

/* The length of a run is known where the next run starts. So the chunk writes the length of the
   run that was open before it, and the lengths of its own runs but the last. */
static __device__ __forceinline__ void store_lengths(const compact_params &params,
                                                     const compact_chunk &chunk,
                                                     const uint16_t *places, unsigned lane)
{
    if (chunk.kept == 0)
        return;
    const unsigned ended = chunk.kept - 1;
    store_numbers(params.wide, params.lengths, chunk.before.kept,
                  ended < chunk.stored ? ended : chunk.stored, lane,
                  [=](unsigned r) { return (uint32_t)(places[r + 1] - places[r]); });
    if (lane != 0 || chunk.before.kept == 0 || chunk.before.kept > params.capacity)
        return;
    const uint64_t length = chunk.index + places[0] - chunk.before.head;
    store_number(params.wide, params.lengths, chunk.before.kept - 1, length);
    if (!params.wide && length > 0xffffffffu)
        compact_overflow(params, length);
}

static __device__ __forceinline__ void store_columns(const compact_params &params,
                                                     const compact_chunk &chunk,
                                                     const uint16_t *places, unsigned lane)
{
    const unsigned begin = chunk.begin;
    const size_t columns = chunk.columns, column = (chunk.index + begin) % columns;
    store_numbers(
        params.wide, params.indices, chunk.before.kept, chunk.stored, lane, [=](unsigned r) {
            const size_t at = column + (places[r] - begin);
            if (at < columns)
                return at;
            /* beyond the row, by less than a chunk */
            return columns > 0xffffu ? at - columns : (size_t)((uint32_t)at % (uint32_t)columns);
        });
}

/* Writes the offsets of the rows that start in the chunk. */
template <typename S>
static __device__ __forceinline__ void store_rows(const compact_params &params,
                                                  const compact_chunk &chunk, unsigned lane)
{
    const size_t begin = chunk.index + chunk.begin, end = chunk.index + chunk.end;
#pragma unroll 1
    for (size_t some = (begin + chunk.columns - 1) / chunk.columns; some * chunk.columns < end;
         some += 32) {
        const size_t row = some + lane;
        const bool mine = row * chunk.columns < end;
        const unsigned place = mine ? (unsigned)(row * chunk.columns - chunk.index) : 0;
        const uint32_t word = __shfl_sync(0xffffffffu, chunk.word, place / 32);
        const uint32_t first = __shfl_sync(0xffffffffu, chunk.first, place / 32);
        const uint32_t rank = first + (uint32_t)__popc(word & ~bits_from((int)(place % 32)));
        if (mine)
            store_number(params.wide, params.row_offsets, row, chunk.before.kept + rank);
    }
}

/* Writes what is known only after the last chunk. Called by one lane. */
template <typename S>
static __device__ __forceinline__ void store_end(const compact_params &params,
                                                 const compact_chunk &chunk, const uint16_t *places)
{
    const uint64_t total = chunk.before.kept + chunk.kept;
    *params.count = total;
    if (params.row_offsets != NULL) {
        const size_t rows = params.length.at != NULL ? params.n / chunk.columns : params.rows;
        store_number(params.wide, params.row_offsets, rows, total);
        if (!params.wide && total > 0xffffffffu)
            compact_overflow(params, total);
    }
    if (S::TEST == COMPACT_RUNS && total <= params.capacity) {
        const uint64_t head =
            chunk.kept != 0 ? chunk.index + places[chunk.kept - 1] : chunk.before.head;
        const uint64_t length = params.n - head;
        store_number(params.wide, params.lengths, total - 1, length);
        if (!params.wide && length > 0xffffffffu)
            compact_overflow(params, length);
    }
    if (total > params.capacity)
        leave_error(params.exceeded, PARSCAN_ERROR_CAPACITY, PARSCAN_IS_COUNT | total);
}

/* Writes the outputs of no elements. Called by all threads of all blocks. */
static __device__ __forceinline__ void store_nothing(const compact_params &params)
{
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (first == 0)
        *params.count = 0;
    if (params.row_offsets == NULL)
        return;
    const size_t rows = length_of(params.length, params.rows);
    for (size_t row = first; row <= rows; row += (size_t)gridDim.x * blockDim.x)
        store_number(params.wide, params.row_offsets, row, 0);
}

/* Writes both parts of one chunk of a partition. Called by a warp. The room of `places`, which are
   not listed, is used for elements. */
template <typename S>
static __device__ __forceinline__ void
store_parts(const compact_params &params, const compact_chunk &chunk, parts_way way,
            unsigned char *stage, unsigned number, bool last, uint16_t *places, unsigned lane)
{
    typedef typename S::U U;
    U *const elements = elements_in<S>(stage) + number * S::CHUNK;
    const chunk_room<S> room = {elements, (unsigned)((U *)places - elements) - S::CHUNK};
    if (way == PARTS_KEPT_TURNED)
        move_parted<PARTS_KEPT_TURNED>(params, chunk, room, lane);
    else if (way == PARTS_REST_TURNED)
        move_parted<PARTS_REST_TURNED>(params, chunk, room, lane);
    else
        move_parted<PARTS_COUNTED>(params, chunk, room, lane);
    if (last && lane == 0)
        *params.count = chunk.before.kept + chunk.kept;
    __syncwarp();
}

/* Writes everything for one chunk. Called by a warp; `places` has room for a chunk. */
template <typename S>
static __device__ __forceinline__ void
store_chunk(const compact_params &params, const compact_chunk &chunk, unsigned char *stage,
            unsigned number, bool last, uint16_t *places, unsigned lane)
{
    typedef typename S::U U;
    U *const elements = elements_in<S>(stage) + number * S::CHUNK;
    const bool more = (S::RECORDS && !S::GATHERS) ||
                      (!S::RECORDS && (params.indices != NULL || params.lengths != NULL));
    if (params.values != NULL && !more && moves_in_vectors<S>(params, chunk)) {
        move_kept<S>(params, chunk, elements, lane);
    } else if (params.values != NULL || more) {
        list_places<S>(chunk, places, lane);
        if (params.values != NULL)
            store_run((U *)params.values + chunk.before.kept, chunk.stored, lane,
                      [=](unsigned r) { return elements[places[r]]; });
    }
    if constexpr (S::TEST == COMPACT_RUNS)
        store_lengths(params, chunk, places, lane);
    if constexpr (S::MATRIX) {
        if (params.row_offsets != NULL)
            store_rows<S>(params, chunk, lane);
        if (params.indices != NULL && params.row_offsets != NULL)
            store_columns(params, chunk, places, lane);
        else if (params.indices != NULL)
            store_numbers(params.wide, params.indices, chunk.before.kept, chunk.stored, lane,
                          [=, index = params.first_index + chunk.index](unsigned r) {
                              return index + places[r];
                          });
    }
    if constexpr (S::RECORDS)
        store_records<S>(params, chunk, stage, number, places, lane);
    if (last && lane == 0)
        store_end<S>(params, chunk, places);
    __syncwarp();
}

#endif
