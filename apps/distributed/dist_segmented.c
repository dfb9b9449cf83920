/*
 * Segmented scans and reductions of a distributed array.
 *
 * Each rank tells the others whether segments start in its piece, and the sum of the part of its
 * piece that may belong to a segment of other ranks: what follows its last head, or what comes
 * before its first one. So each rank knows the sum of the open segment at its border. A scan is then
 * a plain scan of the part at the border, from that sum, and a segmented scan of the others.
 */
#include <string.h>

#include "apps/distributed/dist_pieces.h"
#include "apps/segmented/segmented_call.h"
#include "apps/segments/check_segments.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"
#include "scan/context/check.h"

typedef struct dist_segmented {
    parscan_comm *comm;
    segmented_call call;
    parscan_segments segments; /* checked */
    segment_piece mine, *all;
    unsigned char *sums; /* DIST_ELEMENT bytes for each rank and one more */
    bool continues;      /* the piece starts in the midst of a segment */
} dist_segmented;

static parscan_scan_call call_of_part(const dist_segmented *work, size_t begin, size_t end)
{
    parscan_scan_call part = work->call.scan;
    part.in = (const char *)part.in + begin * parscan_type_size(part.in_type);
    if (part.kind != PARSCAN_KIND_REDUCE)
        part.out = (char *)part.out + begin * parscan_type_size(part.out_type);
    part.n = end - begin;
    return part;
}

/* The size of the sums that ranks exchange. */
static size_t sum_size_of(const dist_segmented *work)
{
    return parscan_type_size(parscan_sum_type(&work->call.scan));
}

/* Whether a result is not a sum that can be added to. */
static bool rounds(const dist_segmented *work)
{
    return parscan_sum_type(&work->call.scan) != work->call.scan.out_type;
}

/* The sum of elements begin to end - 1, with init (NULL: none), both of parscan_sum_type(). */
static parscan_status sum_part(const dist_segmented *work, size_t begin, size_t end,
                               const void *init, void *sum)
{
    parscan_scan_call part = call_of_part(work, begin, end);
    part.kind = PARSCAN_KIND_REDUCE;
    part.out_type = parscan_sum_type(&part);
    part.out = sum;
    part.init = init;
    return begin < end ? parscan_run_scan(&part) : PARSCAN_OK;
}

/* The segments of elements begin to end - 1, where begin is 0 or a head and end is n or a head. Those
   of offsets may be a copy on the host. */
static parscan_status segments_of_part(const dist_segmented *work, size_t begin, size_t end,
                                       parscan_segments *segments)
{
    parscan_comm *const comm = work->comm;
    const segment_piece *const mine = &work->mine;
    *segments = work->segments;
    if (segments->kind == PARSCAN_SEGMENTS_ROWS)
        return PARSCAN_OK;
    if (segments->kind != PARSCAN_SEGMENTS_OFFSETS) {
        const size_t size =
            segments->kind == PARSCAN_SEGMENTS_KEYS ? parscan_type_size(segments->type) : 1;
        segments->data = (const char *)segments->data + begin * size;
        return PARSCAN_OK;
    }
    if (end < mine->n)
        segments->count--;
    if (mine->first == 0 && begin == 0)
        return PARSCAN_OK;
    /* The elements before offsets[0] are a segment of this part, or not in it: then the offsets count
       from its first element. */
    const bool one_more = begin == 0;
    const size_t size = parscan_type_size(segments->type);
    void *copy;
    parscan_status status =
        parscan_comm_allocate(comm, COMM_ON_HOST, (segments->count + 2) * size, &copy);
    if (status != PARSCAN_OK)
        return status;
    memset(copy, 0, size);
    char *const offsets = (char *)copy + one_more * size;
    status = parscan_copy(comm->context, offsets, segments->data, (segments->count + 1) * size);
    for (size_t k = 0; k <= segments->count && begin > 0; k++) {
        uint64_t offset = 0;
        memcpy(&offset, offsets + k * size, size);
        offset -= begin;
        memcpy(offsets + k * size, &offset, size);
    }
    segments->data = copy;
    segments->count += one_more;
    return status;
}

static parscan_status run_segments(const dist_segmented *work, size_t begin, size_t end)
{
    parscan_segments segments;
    if (begin == end)
        return PARSCAN_OK;
    const parscan_status status = segments_of_part(work, begin, end, &segments);
    if (status != PARSCAN_OK)
        return status;
    segmented_call call = work->call;
    call.segments = &segments;
    call.scan = call_of_part(work, begin, end);
    return parscan_run_segmented(&call);
}

/* ---- scans ---- */

static parscan_status scan_open(const dist_segmented *work, size_t begin, size_t end,
                                const void *init)
{
    parscan_scan_call part = call_of_part(work, begin, end);
    if (init != NULL) {
        part.init = init;
        part.carried = true;
    }
    return begin < end ? parscan_run_scan(&part) : PARSCAN_OK;
}

static parscan_status scan_forward(const dist_segmented *work)
{
    const parscan_scan_call *const scan = &work->call.scan;
    const size_t values =
        work->continues ? parscan_sums_before(work->comm, work->all, work->sums, sum_size_of(work))
                        : 0;
    dist_element open, through;
    if (values > 0)
        parscan_fold(scan, scan->init, work->sums, values, open.bytes);
    if (!parscan_by_offsets(&work->segments)) {
        segmented_call call = work->call;
        call.segments = &work->segments;
        call.open = values > 0 ? open.bytes : NULL;
        call.scan.carry = through.bytes;
        return scan->n > 0 ? parscan_run_segmented(&call) : PARSCAN_OK;
    }
    const size_t head = work->mine.first;
    const parscan_status status = scan_open(work, 0, head, values > 0 ? open.bytes : NULL);
    return status == PARSCAN_OK ? run_segments(work, head, scan->n) : status;
}

/* The sums of the later ranks are combined from the last one down. */
static void reverse_sums(unsigned char *sums, size_t n, size_t size)
{
    for (size_t low = 0, high = n; low + 1 < high; low++) {
        dist_element kept;
        high--;
        memcpy(kept.bytes, sums + low * size, size);
        memcpy(sums + low * size, sums + high * size, size);
        memcpy(sums + high * size, kept.bytes, size);
    }
}

static parscan_status scan_reverse(const dist_segmented *work)
{
    const parscan_scan_call *const scan = &work->call.scan;
    const size_t size = sum_size_of(work);
    const size_t values = parscan_sums_behind(work->comm, work->all, work->sums, size);
    dist_element open;
    reverse_sums(work->sums, values, size);
    if (values > 0)
        parscan_fold(scan, scan->init, work->sums, values, open.bytes);
    const size_t tail = (size_t)work->mine.last;
    const parscan_status status = scan_open(work, tail, scan->n, values > 0 ? open.bytes : NULL);
    return status == PARSCAN_OK ? run_segments(work, 0, tail) : status;
}

/* ---- reductions ---- */

/* Writes the result of the last segment that starts here and goes on with the later ranks. result:
   where it is, without what those have. */
static parscan_status complete_last(const dist_segmented *work, char *result)
{
    const parscan_scan_call *const scan = &work->call.scan;
    const size_t size = sum_size_of(work), out_size = parscan_type_size(scan->out_type);
    unsigned char *const behind = work->sums + size;
    const size_t values = parscan_sums_behind(work->comm, work->all, behind, size);
    const bool empty = work->mine.last == work->mine.n;
    parscan_status status = PARSCAN_OK;
    dist_element sum;
    if (values == 0)
        return PARSCAN_OK;
    if (scan->reverse) {
        reverse_sums(behind, values, size);
        parscan_fold(scan, scan->init, behind, values, sum.bytes);
        dist_element rest = sum;
        status = sum_part(work, (size_t)work->mine.last, scan->n, rest.bytes, sum.bytes);
    } else if (empty) {
        parscan_fold(scan, scan->init, behind, values, sum.bytes);
    } else if (rounds(work)) {
        status = sum_part(work, (size_t)work->mine.last, scan->n, NULL, work->sums);
        parscan_fold(scan, scan->init, work->sums, values + 1, sum.bytes);
    } else {
        status = parscan_copy(work->comm->context, work->sums, result, size);
        parscan_fold(scan, NULL, work->sums, values + 1, sum.bytes);
    }
    dist_element rounded;
    if (status != PARSCAN_OK)
        return status;
    parscan_round_carry(work->comm->context, scan->out_type, sum.bytes, rounded.bytes);
    return parscan_copy(work->comm->context, result, rounded.bytes, out_size);
}

static parscan_status reduce_segments(const dist_segmented *work, uint64_t *count)
{
    const size_t size = parscan_type_size(work->call.scan.out_type);
    const size_t begin = work->continues ? (size_t)work->mine.first : 0;
    const bool offsets = parscan_by_offsets(&work->segments);
    parscan_segments segments;
    *count = offsets ? parscan_segment_count(&work->segments, work->call.scan.n) : 0;
    if (offsets ? *count == 0 : begin == work->mine.n)
        return PARSCAN_OK;
    parscan_status status = segments_of_part(work, begin, (size_t)work->mine.n, &segments);
    if (status != PARSCAN_OK)
        return status;
    segmented_call call = work->call;
    call.segments = &segments;
    call.scan = call_of_part(work, begin, (size_t)work->mine.n);
    call.count = count;
    status = parscan_run_segmented(&call);
    return status == PARSCAN_OK && *count > 0
               ? complete_last(work, (char *)call.scan.out + (size_t)(*count - 1) * size)
               : status;
}

/* ---- calls ---- */

static parscan_status check_dist_segmented(dist_segmented *work, const parscan_segments *given,
                                           const uint64_t *count, parscan_type type,
                                           const parscan_scan_options *options)
{
    parscan_context *const context = work->comm->context;
    parscan_scan_call *const scan = &work->call.scan;
    parscan_status status = parscan_check_segmented_options(context, type, options, &work->call);
    if (status == PARSCAN_OK)
        status = parscan_check_piece_segments(context, given, scan->n, &work->segments);
    if (status != PARSCAN_OK)
        return status;
    const size_t out_size = parscan_type_size(scan->out_type);
    work->call.segments = &work->segments;
    if (scan->kind != PARSCAN_KIND_REDUCE) {
        status = parscan_check_scan_arrays(context, scan);
        return status == PARSCAN_OK
                   ? parscan_check_segmented_places(&work->call, scan->n * out_size)
                   : status;
    }
    if (count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    const bool offsets = parscan_by_offsets(&work->segments);
    const size_t most = offsets ? parscan_segment_count(&work->segments, scan->n) : scan->n;
    status =
        parscan_check_array(context, "in", scan->in, scan->n, parscan_type_size(scan->in_type));
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(
            context, "out", scan->out, offsets ? "the number of segments" : "n", most, out_size);
    /* By flags or keys, perhaps no segment starts in this piece. */
    return status == PARSCAN_OK
               ? parscan_check_segmented_places(&work->call, offsets ? most * out_size : most > 0)
               : status;
}

static void note(const dist_segmented *work)
{
    const bool rows = work->segments.kind == PARSCAN_SEGMENTS_ROWS;
    const uint64_t numbers[] = {(uint64_t)work->segments.kind, (uint64_t)work->segments.type,
                                rows ? work->segments.count : 0};
    parscan_note_scan(work->comm, &work->call.scan);
    parscan_comm_note(work->comm, numbers, sizeof numbers);
}

/* What this rank tells the others. */
static parscan_status describe(dist_segmented *work)
{
    const parscan_scan_call *const scan = &work->call.scan;
    const bool tail = scan->kind != PARSCAN_KIND_REDUCE && !scan->reverse;
    const unsigned wanted = tail ? PIECE_LAST
                            : scan->kind == PARSCAN_KIND_REDUCE && !scan->reverse && !rounds(work)
                                ? PIECE_FIRST
                                : PIECE_FIRST | PIECE_LAST;
    segment_piece *const mine = &work->mine;
    const parscan_status status =
        parscan_describe_piece(work->comm->context, &work->segments, scan->n, wanted, mine);
    if (status != PARSCAN_OK)
        return status;
    const size_t begin = tail ? (size_t)mine->last : 0;
    const size_t end = tail ? scan->n : mine->begins ? 0 : (size_t)mine->first;
    mine->has_sum = begin < end;
    return sum_part(work, begin, end, NULL, mine->sum.bytes);
}

static parscan_status run_checked(dist_segmented *work, parscan_status status, uint64_t *counts)
{
    parscan_comm *const comm = work->comm;
    void *all = NULL, *sums = NULL;
    if (status == PARSCAN_OK)
        note(work);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, comm->size * sizeof work->mine, &all);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, (comm->size + (size_t)1) * DIST_ELEMENT,
                                       &sums);
    if (status == PARSCAN_OK)
        status = describe(work);
    status = parscan_comm_gather(comm, status, &work->mine, sizeof work->mine, all);
    if (status != PARSCAN_OK)
        return status;
    work->all = all;
    work->sums = sums;
    status = parscan_join_pieces(comm, &work->segments, work->all);
    if (status == PARSCAN_OK) {
        work->mine = work->all[comm->rank];
        work->continues = work->mine.n > 0 && !work->mine.begins;
        status = work->call.scan.kind == PARSCAN_KIND_REDUCE ? reduce_segments(work, &counts[0])
                 : work->call.scan.reverse                   ? scan_reverse(work)
                                                             : scan_forward(work);
    }
    if (counts == NULL)
        return parscan_comm_finish(comm, status);
    return parscan_gather_counts(comm, status, counts, all);
}

static parscan_status run_dist_segmented(parscan_comm *comm, const char *name,
                                         const segmented_call *asked, parscan_type type,
                                         const parscan_segments *segments,
                                         uint64_t *const outputs[3],
                                         const parscan_scan_options *options)
{
    const bool reduces = asked->scan.kind == PARSCAN_KIND_REDUCE;
    uint64_t counts[3] = {0};
    parscan_status status = parscan_comm_begin(comm, name);
    if (status != PARSCAN_OK)
        return status;
    dist_segmented work = {.comm = comm, .call = *asked};
    status = check_dist_segmented(&work, segments, outputs[0], type, options);
    status = run_checked(&work, status, reduces ? counts : NULL);
    parscan_comm_end(comm);
    if (status == PARSCAN_OK && reduces)
        parscan_put_counts(counts, outputs);
    return status;
}

parscan_status parscan_dist_segmented_inclusive_scan(parscan_comm *comm, parscan_type type,
                                                     const void *in, void *out, size_t n,
                                                     const parscan_segments *segments,
                                                     const parscan_scan_options *options)
{
    const segmented_call call = {
        .scan = {.kind = PARSCAN_KIND_INCLUSIVE, .in = in, .out = out, .n = n}};
    uint64_t *const none[3] = {NULL};
    return run_dist_segmented(comm, "parscan_dist_segmented_inclusive_scan", &call, type, segments,
                              none, options);
}

parscan_status parscan_dist_segmented_exclusive_scan(parscan_comm *comm, parscan_type type,
                                                     const void *in, void *out, size_t n,
                                                     const parscan_segments *segments,
                                                     const parscan_scan_options *options)
{
    const segmented_call call = {
        .scan = {.kind = PARSCAN_KIND_EXCLUSIVE, .in = in, .out = out, .n = n}};
    uint64_t *const none[3] = {NULL};
    return run_dist_segmented(comm, "parscan_dist_segmented_exclusive_scan", &call, type, segments,
                              none, options);
}

parscan_status parscan_dist_segmented_reduce(parscan_comm *comm, parscan_type type, const void *in,
                                             void *out, size_t n, const parscan_segments *segments,
                                             uint64_t *count, uint64_t *offset, uint64_t *total,
                                             const parscan_scan_options *options)
{
    const segmented_call call = {
        .scan = {.kind = PARSCAN_KIND_REDUCE, .in = in, .out = out, .n = n}};
    uint64_t *const outputs[3] = {count, offset, total};
    return run_dist_segmented(comm, "parscan_dist_segmented_reduce", &call, type, segments, outputs,
                              options);
}
