#include "apps/distributed/dist_pieces.h"

#include <string.h>

#include "apps/segments/check_segments.h"
#include "parscan/memory.h"
#include "scan/context/check.h"

/* ---- checks ---- */

/* Offset k, in host or device memory. */
static parscan_status read_offset(parscan_context *context, const parscan_segments *segments,
                                  size_t k, uint64_t *offset)
{
    unsigned char bytes[sizeof(uint64_t)];
    const size_t size = parscan_type_size(segments->type);
    const parscan_segments one = {.type = segments->type, .data = bytes};
    const parscan_status status =
        parscan_copy(context, bytes, (const char *)segments->data + k * size, size);
    if (status == PARSCAN_OK)
        *offset = parscan_segment_offset(&one, 0);
    return status;
}

static parscan_status check_offsets(parscan_context *context, parscan_segments *segments, size_t n)
{
    uint64_t last = 0;
    parscan_status status = parscan_check_offset_type(context, segments, n);
    if (status == PARSCAN_OK && segments->data == NULL && segments->count == 0 && n == 0)
        return PARSCAN_OK;
    if (status == PARSCAN_OK && segments->count > SIZE_MAX / 2 / sizeof(uint64_t) - 2)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "segments->count = %zu: more offsets than an address space holds",
                              segments->count);
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(context, "segments->data", segments->data,
                                             "segments->count + 1", segments->count + 1,
                                             parscan_type_size(segments->type));
    if (status == PARSCAN_OK)
        status = read_offset(context, segments, segments->count, &last);
    if (status != PARSCAN_OK || last == n)
        return status;
    return parscan_fail_last_offset(context, segments, last, n);
}

parscan_status parscan_check_piece_segments(parscan_context *context, const parscan_segments *given,
                                            size_t n, parscan_segments *segments)
{
    if (given == NULL)
        return parscan_check_segments(context, NULL, n, segments);
    const parscan_status status = parscan_read_struct(
        context, "segments", given, PARSCAN_OLDEST_SEGMENTS, segments, sizeof *segments);
    if (status != PARSCAN_OK || segments->kind != PARSCAN_SEGMENTS_OFFSETS)
        return status == PARSCAN_OK ? parscan_check_segments(context, given, n, segments) : status;
    return check_offsets(context, segments, n);
}

/* ---- pieces ---- */

static parscan_status describe_offsets(parscan_context *context, const parscan_segments *segments,
                                       segment_piece *piece)
{
    parscan_status status = PARSCAN_OK;
    piece->first = piece->n;
    piece->inner = segments->count > 0;
    if (segments->count == 0)
        return PARSCAN_OK;
    status = read_offset(context, segments, 0, &piece->first);
    if (status == PARSCAN_OK)
        status = read_offset(context, segments, segments->count - 1, &piece->last);
    if (status == PARSCAN_OK && (piece->first > piece->last || piece->last > piece->n))
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "offsets[0] = %llu, offsets[%zu] = %llu, n = %llu: offsets decrease",
                              (unsigned long long)piece->first, segments->count - 1,
                              (unsigned long long)piece->last, (unsigned long long)piece->n);
    piece->begins = piece->first == 0;
    return status;
}

/* The piece has whole rows. */
static void describe_rows(const parscan_segments *segments, segment_piece *piece)
{
    piece->inner = piece->begins = piece->n > 0;
    piece->last = piece->n > 0 ? piece->n - segments->count : 0;
}

static parscan_status fetch_ends(parscan_context *context, const parscan_segments *segments,
                                 segment_piece *piece)
{
    const bool keys = segments->kind == PARSCAN_SEGMENTS_KEYS;
    const size_t size = keys ? parscan_type_size(segments->type) : 1;
    const char *const data = segments->data;
    parscan_status status = parscan_copy(context, piece->key_first.bytes, data, size);
    if (status == PARSCAN_OK && keys)
        status = parscan_copy(context, piece->key_last.bytes, data + (size_t)(piece->n - 1) * size,
                              size);
    piece->begins = !keys && piece->key_first.bytes[0] != 0;
    return status;
}

parscan_status parscan_describe_piece(parscan_context *context, const parscan_segments *segments,
                                      size_t n, unsigned wanted, segment_piece *piece)
{
    size_t first = n, last = 0;
    *piece = (segment_piece){.n = n};
    if (segments->kind == PARSCAN_SEGMENTS_OFFSETS)
        return describe_offsets(context, segments, piece);
    if (segments->kind == PARSCAN_SEGMENTS_ROWS)
        describe_rows(segments, piece);
    if (n == 0 || segments->kind == PARSCAN_SEGMENTS_ROWS)
        return PARSCAN_OK;
    parscan_status status = fetch_ends(context, segments, piece);
    if (status == PARSCAN_OK && wanted & PIECE_FIRST)
        status = parscan_first_border(context, segments, n, &first);
    if (status == PARSCAN_OK && wanted & PIECE_LAST)
        status = parscan_last_border(context, segments, n, &last);
    piece->first = first;
    piece->last = last;
    piece->inner = wanted & PIECE_FIRST ? first < n : last > 0;
    return status;
}

parscan_status parscan_join_pieces(parscan_comm *comm, const parscan_segments *segments,
                                   segment_piece *all)
{
    const segment_piece *before = NULL;
    for (unsigned rank = 0; rank < comm->size; rank++) {
        segment_piece *const piece = &all[rank];
        if (segments->kind == PARSCAN_SEGMENTS_OFFSETS) {
            if (piece->n > 0 && !piece->begins && before == NULL)
                return parscan_fail(comm->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                                    "segments->data: the first element, on rank %u, belongs to no "
                                    "segment",
                                    rank);
            before = before == NULL && !piece->inner ? NULL : piece;
            continue;
        }
        if (piece->n == 0)
            continue;
        if (segments->kind == PARSCAN_SEGMENTS_KEYS)
            piece->begins = before == NULL ||
                            !parscan_same_run(segments->type, &before->key_last, &piece->key_first);
        else
            piece->begins |= before == NULL;
        before = piece;
    }
    return PARSCAN_OK;
}

/* ---- what belongs together ---- */

static bool has_nothing(const segment_piece *piece)
{
    return piece->n == 0 && !piece->inner;
}

size_t parscan_sums_before(const parscan_comm *comm, const segment_piece *all, unsigned char *sums,
                           size_t size)
{
    unsigned from = comm->rank;
    size_t n = 0;
    while (from > 0) {
        const segment_piece *const piece = &all[--from];
        if (!has_nothing(piece) && (piece->begins || piece->inner))
            break;
    }
    for (unsigned rank = from; rank < comm->rank; rank++)
        if (all[rank].has_sum)
            memcpy(sums + n++ * size, all[rank].sum.bytes, size);
    return n;
}

size_t parscan_sums_behind(const parscan_comm *comm, const segment_piece *all, unsigned char *sums,
                           size_t size)
{
    size_t n = 0;
    for (unsigned rank = comm->rank + 1; rank < comm->size; rank++) {
        const segment_piece *const piece = &all[rank];
        if (has_nothing(piece))
            continue;
        if (piece->begins)
            break;
        if (piece->has_sum)
            memcpy(sums + n++ * size, piece->sum.bytes, size);
        if (piece->inner)
            break;
    }
    return n;
}

/* ---- counts ---- */

parscan_status parscan_gather_counts(parscan_comm *comm, parscan_status status, uint64_t counts[3],
                                     void *memory)
{
    uint64_t *const all = memory;
    if (status == PARSCAN_OK)
        status = parscan_synchronize(comm->context);
    status = parscan_comm_gather(comm, status, counts, sizeof *counts, all);
    counts[1] = counts[2] = 0;
    for (unsigned rank = 0; status == PARSCAN_OK && rank < comm->size; rank++) {
        counts[1] += rank < comm->rank ? all[rank] : 0;
        counts[2] += all[rank];
    }
    return status;
}

void parscan_put_counts(const uint64_t counts[3], uint64_t *const outputs[3])
{
    for (int k = 0; k < 3; k++)
        if (outputs[k] != NULL)
            *outputs[k] = counts[k];
}
