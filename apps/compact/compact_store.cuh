/*
 * What is written of a chunk of a tile (compact_tile.cuh), by one warp that knows which of its elements are
 * kept and how many come before.
 *
 * Elements alone: a warp takes its chunk into registers and puts what is kept back into shared memory, in a
 * run whose vectors of 16 bytes are those of the output, and writes these (compact_values.cuh). Whatever else,
 * and where little is kept: first the places of what is kept, in order, in shared memory; then
 * each lane has one element of the output, and a warp writes whole lines.
 */
#ifndef PARSCAN_APPS_COMPACT_STORE_CUH
#define PARSCAN_APPS_COMPACT_STORE_CUH

#include "apps/compact/compact_values.cuh"

/* Where in the chunk what is kept lies, in order. */
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

/* out[0] to out[count - 1] = value(0) and so on; a warp writes lines where they begin, several at once. */
template <typename T, typename Value>
static __device__ __forceinline__ void store_run(T *out, unsigned count, unsigned lane, Value value)
{
    const int before = (int)((uintptr_t)out / sizeof(T) % 32), end = (int)count;
    int r = (int)lane - before;
    if (r >= 0 && r < end)
        out[r] = (T)value((unsigned)r);
    r += 32;
#pragma unroll 1
    for (; r + 96 < end; r += 128) {
        T values[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            values[k] = (T)value((unsigned)(r + 32 * k));
#pragma unroll
        for (int k = 0; k < 4; k++)
            out[r + 32 * k] = values[k];
    }
#pragma unroll 1
    for (; r < end; r += 32)
        out[r] = (T)value((unsigned)r);
}

/* The same for an output of 32 or 64 bits an element, from its element `at` on. */
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

/* Leaves an error, if there is none yet. */
static __device__ __forceinline__ void compact_overflow(const compact_params &params,
                                                        uint64_t value)
{
    if (params.error != NULL &&
        atomicCAS((unsigned long long *)params.error, (unsigned long long)PARSCAN_OK,
                  (unsigned long long)PARSCAN_ERROR_OVERFLOW) == (unsigned long long)PARSCAN_OK)
        params.error[1] = value;
}

/* A run's length is known where the next one begins: the chunk closes the run that was open before it,
   and all its own but the last. */
static __device__ __forceinline__ void store_lengths(const compact_params &params,
                                                     const compact_chunk &chunk,
                                                     const uint16_t *places, unsigned lane)
{
    if (chunk.kept == 0)
        return;
    store_numbers(params.wide, params.lengths, chunk.before.kept, chunk.kept - 1, lane,
                  [=](unsigned r) { return (uint32_t)(places[r + 1] - places[r]); });
    if (lane != 0 || chunk.before.kept == 0)
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
    const size_t columns = params.columns, column = (chunk.index + begin) % columns;
    store_numbers(
        params.wide, params.indices, chunk.before.kept, chunk.kept, lane, [=](unsigned r) {
            const size_t at = column + (places[r] - begin);
            if (at < columns)
                return at;
            /* Beyond a row: by less than a chunk. */
            return columns > 0xffffu ? at - columns : (size_t)((uint32_t)at % (uint32_t)columns);
        });
}

/* The offsets of the rows that begin in the chunk. */
template <typename S>
static __device__ __forceinline__ void store_rows(const compact_params &params,
                                                  const compact_chunk &chunk, unsigned lane)
{
    const size_t begin = chunk.index + chunk.begin, end = chunk.index + chunk.end;
#pragma unroll 1
    for (size_t some = (begin + params.columns - 1) / params.columns;
         some < params.rows && some * params.columns < end; some += 32) {
        const size_t row = some + lane;
        const bool mine = row < params.rows && row * params.columns < end;
        const unsigned place = mine ? (unsigned)(row * params.columns - chunk.index) : 0;
        const uint32_t word = __shfl_sync(0xffffffffu, chunk.word, place / 32);
        const uint32_t first = __shfl_sync(0xffffffffu, chunk.first, place / 32);
        const uint32_t rank = first + (uint32_t)__popc(word & ~bits_from((int)(place % 32)));
        if (mine)
            store_number(params.wide, params.row_offsets, row, chunk.before.kept + rank);
    }
}

/* Records in pieces of the largest size that they are aligned to. */
template <typename Unit>
static __device__ __forceinline__ void move_records(const compact_params &params,
                                                    const compact_chunk &chunk,
                                                    const uint16_t *places, unsigned lane)
{
    const size_t units = params.units;
    const Unit *const in = (const Unit *)params.records + chunk.index * units;
    Unit *const out = (Unit *)params.records_out + chunk.before.kept * units;
    if (units > 64) {
#pragma unroll 1
        for (unsigned r = 0; r < chunk.kept; r++)
#pragma unroll 4
            for (size_t u = lane; u < units; u += 32)
                out[r * units + u] = in[places[r] * units + u];
    } else {
        const unsigned each = (unsigned)units;
#pragma unroll 4
        for (unsigned u = lane; u < chunk.kept * each; u += 32)
            out[u] = in[(size_t)places[u / each] * each + u % each];
    }
}

static __device__ __forceinline__ void store_records(const compact_params &params,
                                                     const compact_chunk &chunk,
                                                     const uint16_t *places, unsigned lane)
{
    switch (params.unit) {
    case 16:
        move_records<uint4>(params, chunk, places, lane);
        break;
    case 8:
        move_records<uint64_t>(params, chunk, places, lane);
        break;
    case 4:
        move_records<uint32_t>(params, chunk, places, lane);
        break;
    case 2:
        move_records<uint16_t>(params, chunk, places, lane);
        break;
    default:
        move_records<uint8_t>(params, chunk, places, lane);
        break;
    }
}

/* What is known only behind the last chunk. By one lane. */
template <typename S>
static __device__ __forceinline__ void store_end(const compact_params &params,
                                                 const compact_chunk &chunk, const uint16_t *places)
{
    const uint64_t total = chunk.before.kept + chunk.kept;
    *params.count = total;
    if (params.row_offsets != NULL) {
        store_number(params.wide, params.row_offsets, params.rows, total);
        if (!params.wide && total > 0xffffffffu)
            compact_overflow(params, total);
    }
    if (S::TEST == COMPACT_RUNS) {
        const uint64_t head =
            chunk.kept != 0 ? chunk.index + places[chunk.kept - 1] : chunk.before.head;
        const uint64_t length = params.n - head;
        store_number(params.wide, params.lengths, total - 1, length);
        if (!params.wide && length > 0xffffffffu)
            compact_overflow(params, length);
    }
}

/* All that is written of a chunk, by a warp. `places` has room for a chunk. */
template <typename S>
static __device__ __forceinline__ void
store_chunk(const compact_params &params, const compact_chunk &chunk, unsigned char *stage,
            unsigned number, bool last, uint16_t *places, unsigned lane)
{
    typedef typename S::U U;
    U *const elements = elements_in<S>(stage) + number * S::CHUNK;
    /* Places are then not listed. */
    const chunk_room<S> room = {elements, (unsigned)((U *)places - elements) - S::CHUNK};
    const bool more = params.indices != NULL || params.lengths != NULL || params.records != NULL;
    if (S::TEST == COMPACT_RANGE && params.parts) {
        move_parted(params, chunk, room, lane);
    } else if (params.values != NULL && !more && moves_in_vectors<S>(params, chunk)) {
        move_kept<S>(params, chunk, elements, lane);
    } else if (params.values != NULL || more) {
        list_places<S>(chunk, places, lane);
        if (params.values != NULL)
            store_run((U *)params.values + chunk.before.kept, chunk.kept, lane,
                      [=](unsigned r) { return elements[places[r]]; });
    }
    if constexpr (S::TEST == COMPACT_RUNS)
        store_lengths(params, chunk, places, lane);
    if constexpr (S::TEST == COMPACT_RANGE) {
        if (params.row_offsets != NULL)
            store_rows<S>(params, chunk, lane);
        if (params.indices != NULL && params.row_offsets != NULL)
            store_columns(params, chunk, places, lane);
        else if (params.indices != NULL)
            store_numbers(params.wide, params.indices, chunk.before.kept, chunk.kept, lane,
                          [=](unsigned r) { return chunk.index + places[r]; });
    }
    if constexpr (S::TEST == COMPACT_RANGE && S::WIDTH == 1) {
        if (params.records != NULL)
            store_records(params, chunk, places, lane);
    }
    if (last && lane == 0)
        store_end<S>(params, chunk, places);
    __syncwarp();
}

#endif
