/*
 * Compaction on CUDA whose host arrays go through the device in chunks. How many elements of a chunk
 * are kept must be known before the next chunk, since it tells where the next output goes.
 *
 * Runs: a chunk starts with the last element of the chunk before. Its first run is then the one that
 * is open there, and is not written again. The length of the open run waits on the host until a
 * chunk ends the run.
 */
#include "apps/compact/compact_chunks_cuda.h"

#include <string.h>

typedef struct compact_chunks {
    const compact_call *call;
    uint64_t written; /* entries so far, without the open run */
    uint64_t dropped; /* of a partition: elements so far that are not kept */
    uint64_t kept;    /* of a partition: all elements that are kept */
    /* The open run, if there are lengths: */
    uint64_t open;
    unsigned char value[sizeof(double)];
    uint64_t too_long; /* not 0: the length of a run that does not fit */
    parscan_cuda_piece pieces[PARSCAN_CHUNK_SLOTS][2];
} compact_chunks;

static void *place_in_chunk(const parscan_cuda_chunk *chunk, const void *array, unsigned which)
{
    return array != NULL ? chunk->device[which] : NULL;
}

/* The results of a chunk from `from` on follow what is written. Those beyond the capacity are left out. */
static parscan_cuda_piece next_piece(const compact_chunks *chunks, size_t from, size_t n)
{
    const size_t room = parscan_compact_room(chunks->call);
    const size_t to = chunks->written < room ? (size_t)chunks->written : room, left = room - to;
    return (parscan_cuda_piece){from, left > 0 ? to : 0, n < left ? n : left};
}

/* The call of a chunk. */
static compact_call call_of_chunk(const compact_chunks *chunks, const parscan_cuda_chunk *chunk,
                                  uint64_t *kept)
{
    compact_call call = *chunks->call;
    call.in = chunk->device[IN];
    call.flags = place_in_chunk(chunk, call.flags, FLAGS);
    call.by = place_in_chunk(chunk, call.by, BY);
    call.beside_in = place_in_chunk(chunk, call.beside_in, BESIDE_IN);
    call.beside = place_in_chunk(chunk, call.beside, BESIDE);
    call.values = place_in_chunk(chunk, call.values, VALUES);
    call.indices = place_in_chunk(chunk, call.indices, INDICES);
    call.lengths = place_in_chunk(chunk, call.lengths, LENGTHS);
    call.n = chunk->n;
    call.count = kept;
    call.capacity = 0;
    call.continues = call.continues && chunk->number == 0;
    call.first_index += chunk->begin;
    return call;
}

static parscan_status compact_chunk(void *work, parscan_cuda_chunk *chunk)
{
    compact_chunks *const chunks = work;
    uint64_t kept;
    const compact_call call = call_of_chunk(chunks, chunk, &kept);
    const parscan_status status = parscan_compact_cuda(&call);
    if (status != PARSCAN_OK)
        return status;
    const size_t again = call.runs && chunk->number > 0 ? 1 : 0;
    chunk->piece = next_piece(chunks, again, (size_t)kept - again);
    chunks->written += kept - again;
    return PARSCAN_OK;
}

/* ---- partition: the second part starts after all that is kept ---- */

static parscan_status count_kept_in_chunk(void *work, parscan_cuda_chunk *chunk)
{
    compact_chunks *const chunks = work;
    uint64_t kept;
    compact_call call = call_of_chunk(chunks, chunk, &kept);
    call.partition = false;
    call.values = NULL;
    const parscan_status status = parscan_compact_cuda(&call);
    chunks->kept += status == PARSCAN_OK ? kept : 0;
    return status;
}

static parscan_status part_chunk(void *work, parscan_cuda_chunk *chunk)
{
    compact_chunks *const chunks = work;
    parscan_cuda_piece *const pieces = chunks->pieces[chunk->number % PARSCAN_CHUNK_SLOTS];
    uint64_t kept;
    const compact_call call = call_of_chunk(chunks, chunk, &kept);
    const parscan_status status = parscan_compact_cuda(&call);
    if (status != PARSCAN_OK)
        return status;
    const size_t first = (size_t)kept, rest = chunk->n - first;
    const size_t rest_at = (size_t)(chunks->kept + chunks->dropped), last = chunks->call->n - rest;
    pieces[0] = (parscan_cuda_piece){0, (size_t)chunks->written, first};
    /* If the input has changed since it was counted, the rest does not fit after the kept elements. */
    pieces[1] = (parscan_cuda_piece){first, rest_at < last ? rest_at : last, rest};
    chunk->pieces = pieces;
    chunk->count = 2;
    chunks->written += first;
    chunks->dropped += rest;
    return PARSCAN_OK;
}

/* ---- run lengths ---- */

static parscan_status read_length(const compact_call *call, size_t k, uint64_t *length)
{
    const size_t size = parscan_type_size(call->index_type);
    uint32_t narrow = 0;
    const parscan_status status =
        parscan_cuda_unstage(call->context, size == sizeof narrow ? (void *)&narrow : length,
                             (const char *)call->lengths + k * size, size);
    if (size == sizeof narrow)
        *length = narrow;
    return status;
}

/* Writes the open run, which ends here. */
static parscan_status end_run(compact_chunks *chunks)
{
    const compact_call *const call = chunks->call;
    const size_t size = parscan_type_size(call->index_type), at = (size_t)chunks->written++;
    const uint32_t narrow = (uint32_t)chunks->open;
    if (at >= parscan_compact_room(call))
        return PARSCAN_OK;
    if (size == sizeof narrow && chunks->open > UINT32_MAX)
        chunks->too_long = chunks->open;
    parscan_status status = PARSCAN_OK;
    if (call->values != NULL)
        status = parscan_cuda_copy(call->context, (char *)call->values + at * call->size,
                                   chunks->value, call->size);
    if (status == PARSCAN_OK)
        status =
            parscan_cuda_copy(call->context, (char *)call->lengths + at * size,
                              size == sizeof narrow ? (const void *)&narrow : &chunks->open, size);
    return status;
}

static parscan_status encode_chunk(void *work, parscan_cuda_chunk *chunk)
{
    compact_chunks *const chunks = work;
    const bool first = chunk->number == 0;
    uint64_t runs, length;
    const compact_call call = call_of_chunk(chunks, chunk, &runs);
    parscan_status status = parscan_compact_cuda(&call);
    chunk->count = 0;
    if (status == PARSCAN_OK && !first) {
        status = read_length(&call, 0, &length);
        chunks->open += length - 1; /* the element of the chunk before is counted there */
    }
    if (status != PARSCAN_OK || (!first && runs == 1))
        return status;
    if (!first)
        status = end_run(chunks);
    const size_t begin = first ? 0 : 1, ended = (size_t)runs - 1 - begin;
    chunk->piece = next_piece(chunks, begin, ended);
    chunk->count = 1;
    chunks->written += ended;
    if (status == PARSCAN_OK)
        status = read_length(&call, (size_t)runs - 1, &chunks->open);
    if (status == PARSCAN_OK && call.values != NULL)
        status =
            parscan_cuda_unstage(call.context, chunks->value,
                                 (const char *)call.values + (runs - 1) * call.size, call.size);
    return status;
}

/* ---- all ---- */

bool parscan_compact_can_pass(const compact_call *call, const parscan_cuda_passage *passage)
{
    return call->n > 0 && call->row_offsets == NULL && parscan_cuda_passage_length(passage, 0) > 0;
}

static parscan_status report(const compact_chunks *chunks)
{
    if (chunks->too_long == 0)
        return PARSCAN_OK;
    return parscan_fail(chunks->call->context, PARSCAN_ERROR_OVERFLOW,
                        "a run of %llu elements does not fit count_type = u32",
                        (unsigned long long)chunks->too_long);
}

parscan_status parscan_compact_in_chunks(const compact_call *call,
                                         const parscan_cuda_passage *passage)
{
    compact_chunks work = {.call = call};
    parscan_cuda_chunks how = {
        .n = call->n,
        .overlaps = call->runs,
        .run = call->partition         ? part_chunk
               : call->lengths != NULL ? encode_chunk
                                       : compact_chunk,
        .work = &work,
    };
    parscan_status status = PARSCAN_OK;
    if (call->partition) {
        parscan_cuda_array arrays[ARRAYS];
        parscan_cuda_passage reads = *passage;
        memcpy(arrays, passage->arrays, sizeof arrays);
        arrays[VALUES].element = 0;
        reads.arrays = arrays;
        parscan_cuda_chunks counts = how;
        counts.run = count_kept_in_chunk;
        status = parscan_cuda_pass_in_chunks(&reads, counts);
    }
    if (status == PARSCAN_OK)
        status = parscan_cuda_pass_in_chunks(passage, how);
    if (status == PARSCAN_OK && call->lengths != NULL)
        status = end_run(&work);
    if (status != PARSCAN_OK)
        return status;
    const uint64_t *const count = call->partition ? &work.kept : &work.written;
    status = parscan_cuda_copy(call->context, call->count, count, sizeof *count);
    if (status == PARSCAN_OK)
        status = report(&work);
    return status == PARSCAN_OK
               ? parscan_check_capacity(call->context, *count, parscan_compact_room(call))
               : status;
}
