/*
 * Compaction, unique and run lengths of a distributed array: the local call, and the counts of all
 * ranks. Unique and run lengths ask the ranks before for the last element, and run lengths the ranks
 * after for what they have of this rank's last run.
 */
#include <string.h>

#include "apps/compact/compact_call.h"
#include "apps/distributed/dist_pieces.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"
#include "scan/context/check.h"

typedef struct dist_compact {
    parscan_comm *comm;
    compact_call call;
    uint64_t counts[3];
    void *memory; /* 8 bytes a rank */
    segment_piece mine, *all;
} dist_compact;

/* type: whether it is right. */
static parscan_status check_dist_compact(const dist_compact *work, parscan_status type,
                                         const uint64_t *count)
{
    parscan_context *const context = work->comm->context;
    const compact_call *const call = &work->call;
    if (type != PARSCAN_OK)
        return type;
    if (count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    return parscan_check_array(context, "in", call->in, call->n, call->size);
}

/* An output of what is kept of the piece, perhaps nothing. */
static parscan_extent kept(const char *name, const void *out, const compact_call *call)
{
    return (parscan_extent){name, out, call->n > 0};
}

static parscan_extent input(const compact_call *call)
{
    return (parscan_extent){"in", call->in, call->n * call->size};
}

static parscan_status check_out(const dist_compact *work)
{
    parscan_context *const context = work->comm->context;
    const compact_call *const call = &work->call;
    const parscan_status status =
        parscan_check_array(context, "out", call->values, call->n, call->size);
    return status == PARSCAN_OK
               ? parscan_check_same_or_apart(context, kept("out", call->values, call), input(call))
               : status;
}

static parscan_status take_compact_memory(dist_compact *work)
{
    void *all;
    parscan_status status = parscan_comm_allocate(
        work->comm, COMM_ON_HOST, work->comm->size * sizeof(uint64_t), &work->memory);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(work->comm, COMM_ON_HOST,
                                       work->comm->size * sizeof *work->all, &all);
    work->all = status == PARSCAN_OK ? all : NULL;
    return status;
}

static parscan_status end(dist_compact *work, parscan_status status, uint64_t *const outputs[3])
{
    if (status == PARSCAN_OK)
        parscan_put_counts(work->counts, outputs);
    parscan_comm_end(work->comm);
    return status;
}

/* ---- by a predicate ---- */

/* A predicate of the caller's is in each rank's own memory: its elements' size is all that can be compared. */
static void note_custom(parscan_comm *comm, size_t size)
{
    const size_t numbers[] = {PARSCAN_CUSTOM, size};
    parscan_comm_note(comm, numbers, sizeof numbers);
}

/* Takes the predicate of the caller's, if the type is of one. */
static parscan_status take_custom(dist_compact *work, const parscan_predicate *given)
{
    parscan_context *const context = work->comm->context;
    compact_call *const call = &work->call;
    if (call->type == PARSCAN_CUSTOM && context->backend != PARSCAN_BACKEND_CPU)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "keep->custom with backend = %s: this call takes it on the CPU",
                            parscan_backend_name(context->backend));
    return parscan_check_tested(context, call->type, given, &call->custom, &call->size);
}

static void note_predicate(parscan_comm *comm, parscan_type type, const parscan_predicate *keep)
{
    const int numbers[] = {(int)type, (int)keep->comparison};
    const size_t size = parscan_type_size(type);
    parscan_comm_note(comm, numbers, sizeof numbers);
    if (keep->comparison != PARSCAN_NONZERO)
        parscan_comm_note(comm, keep->value, size);
    if (keep->comparison == PARSCAN_BETWEEN)
        parscan_comm_note(comm, keep->upper, size);
}

/* What is tested, and what of it must be equal on all ranks. */
static parscan_status take_predicate(dist_compact *work, const parscan_predicate *given)
{
    compact_call *const call = &work->call;
    if (call->custom != NULL) {
        call->range = parscan_compact_range_of_flags();
        note_custom(work->comm, call->size);
        return PARSCAN_OK;
    }
    parscan_predicate keep;
    const parscan_status status =
        parscan_check_predicate(work->comm->context, call->type, given, &keep);
    if (status == PARSCAN_OK) {
        call->range = parscan_compact_range_of(call->type, &keep);
        note_predicate(work->comm, call->type, &keep);
    }
    return status;
}

parscan_status parscan_dist_compact_if(parscan_comm *comm, parscan_type type, const void *in,
                                       const parscan_predicate *given, void *out, size_t n,
                                       uint64_t *count, uint64_t *offset, uint64_t *total)
{
    uint64_t *const outputs[3] = {count, offset, total};
    parscan_status status = parscan_comm_begin(comm, "parscan_dist_compact_if");
    if (status != PARSCAN_OK)
        return status;
    dist_compact work = {.comm = comm,
                         .call = {.context = comm->context,
                                  .name = "parscan_dist_compact_if",
                                  .in = in,
                                  .size = parscan_type_size(type),
                                  .n = n,
                                  .type = type,
                                  .values = out}};
    work.call.count = &work.counts[0];
    status = check_dist_compact(&work, take_custom(&work, given), count);
    if (status == PARSCAN_OK)
        status = check_out(&work);
    if (status == PARSCAN_OK)
        status = take_predicate(&work, given);
    if (status == PARSCAN_OK)
        status = take_compact_memory(&work);
    /* In place the input would be lost if another rank's arguments are wrong. */
    status = parscan_agree(comm, status);
    if (status != PARSCAN_OK)
        return end(&work, status, outputs);
    status = parscan_run_compact(&work.call);
    return end(&work, parscan_gather_counts(comm, status, work.counts, work.memory), outputs);
}

/* ---- runs ---- */

static parscan_segments runs_of(const compact_call *call)
{
    return (parscan_segments){.struct_size = sizeof(parscan_segments),
                              .kind = PARSCAN_SEGMENTS_KEYS,
                              .type = call->type,
                              .data = call->in};
}

/* Gathers the pieces' first and last elements, with `wanted` of their borders. */
static parscan_status join(dist_compact *work, parscan_status status, unsigned wanted)
{
    const parscan_segments runs = runs_of(&work->call);
    if (status == PARSCAN_OK)
        status = take_compact_memory(work);
    if (status == PARSCAN_OK)
        status =
            parscan_describe_piece(work->comm->context, &runs, work->call.n, wanted, &work->mine);
    status = parscan_comm_gather(work->comm, status, &work->mine, sizeof work->mine, work->all);
    if (status == PARSCAN_OK)
        status = parscan_join_pieces(work->comm, &runs, work->all);
    return status;
}

parscan_status parscan_dist_unique(parscan_comm *comm, parscan_type type, const void *in, void *out,
                                   size_t n, uint64_t *count, uint64_t *offset, uint64_t *total)
{
    uint64_t *const outputs[3] = {count, offset, total};
    parscan_status status = parscan_comm_begin(comm, "parscan_dist_unique");
    if (status != PARSCAN_OK)
        return status;
    dist_compact work = {.comm = comm,
                         .call = {.context = comm->context,
                                  .name = "parscan_dist_unique",
                                  .in = in,
                                  .size = parscan_type_size(type),
                                  .n = n,
                                  .type = type,
                                  .runs = true,
                                  .values = out}};
    work.call.count = &work.counts[0];
    status = check_dist_compact(&work, parscan_check_type(comm->context, "type", type), count);
    if (status == PARSCAN_OK)
        status = check_out(&work);
    parscan_comm_note(comm, &type, sizeof type);
    status = join(&work, status, 0);
    if (status != PARSCAN_OK)
        return end(&work, status, outputs);
    work.call.continues = n > 0 && !work.all[comm->rank].begins;
    status = parscan_run_compact(&work.call);
    return end(&work, parscan_gather_counts(comm, status, work.counts, work.memory), outputs);
}

/* How many elements the later ranks have of the run with which this rank's piece ends. */
static uint64_t length_behind(const dist_compact *work)
{
    uint64_t length = 0;
    for (unsigned rank = work->comm->rank + 1; rank < work->comm->size; rank++) {
        const segment_piece *const piece = &work->all[rank];
        if (piece->n > 0 && piece->begins)
            break;
        length += piece->n > 0 ? piece->first : 0;
        if (piece->n > 0 && piece->inner)
            break;
    }
    return length;
}

/* Adds to the length of the last run that starts here. */
static parscan_status complete_last(const dist_compact *work)
{
    parscan_context *const context = work->comm->context;
    const compact_call *const call = &work->call;
    const uint64_t more = length_behind(work);
    if (more == 0 || call->lengths == NULL)
        return PARSCAN_OK;
    const size_t size = parscan_type_size(call->index_type);
    char *const last = (char *)call->lengths + (size_t)(work->counts[0] - 1) * size;
    uint64_t length = 0;
    uint32_t narrow = 0;
    parscan_status status =
        parscan_copy(context, size == sizeof narrow ? (void *)&narrow : &length, last, size);
    length += more + narrow;
    if (status != PARSCAN_OK || size == sizeof length)
        return status == PARSCAN_OK ? parscan_copy(context, last, &length, size) : status;
    if (length > parscan_most_index(call->given_type))
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "a run of %llu elements does not fit count_type = %s",
                            (unsigned long long)length, parscan_type_name(call->given_type));
    narrow = (uint32_t)length;
    return parscan_copy(context, last, &narrow, size);
}

/* Encodes what is after the run that started on another rank. */
static parscan_status encode(dist_compact *work)
{
    const segment_piece *const piece = &work->all[work->comm->rank];
    const size_t skipped = piece->begins ? 0 : (size_t)piece->first;
    if (skipped == work->call.n)
        return PARSCAN_OK;
    compact_call call = work->call;
    call.in = (const char *)call.in + skipped * call.size;
    call.n -= skipped;
    call.count = &work->counts[0];
    const parscan_status status = parscan_run_compact(&call);
    return status == PARSCAN_OK ? complete_last(work) : status;
}

static parscan_status check_runs(const dist_compact *work)
{
    parscan_context *const context = work->comm->context;
    const compact_call *const call = &work->call;
    parscan_status status = parscan_check_index_type(context, "count_type", call->given_type);
    if (status == PARSCAN_OK && call->values != NULL)
        status = parscan_check_array(context, "values", call->values, call->n, call->size);
    if (status == PARSCAN_OK && call->lengths != NULL)
        status = parscan_check_array(context, "lengths", call->lengths, call->n,
                                     parscan_type_size(call->index_type));
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, kept("values", call->values, call), input(call));
    /* Values and lengths may be empty, if no run starts in this piece, and then at one place. */
    return status == PARSCAN_OK
               ? parscan_check_apart(context, kept("lengths", call->lengths, call), input(call))
               : status;
}

parscan_status parscan_dist_run_length_encode(parscan_comm *comm, parscan_type type, const void *in,
                                              void *values, parscan_type count_type, void *lengths,
                                              size_t n, uint64_t *count, uint64_t *offset,
                                              uint64_t *total)
{
    uint64_t *const outputs[3] = {count, offset, total};
    const int numbers[] = {(int)type, (int)count_type};
    parscan_status status = parscan_comm_begin(comm, "parscan_dist_run_length_encode");
    if (status != PARSCAN_OK)
        return status;
    dist_compact work = {.comm = comm,
                         .call = {.context = comm->context,
                                  .name = "parscan_dist_run_length_encode",
                                  .in = in,
                                  .size = parscan_type_size(type),
                                  .n = n,
                                  .type = type,
                                  .runs = true,
                                  .values = values,
                                  .lengths = lengths,
                                  .index_type = parscan_unsigned_index(count_type),
                                  .given_type = count_type}};
    status = check_dist_compact(&work, parscan_check_type(comm->context, "type", type), count);
    if (status == PARSCAN_OK)
        status = check_runs(&work);
    parscan_comm_note(comm, numbers, sizeof numbers);
    status = join(&work, status, PIECE_FIRST);
    if (status == PARSCAN_OK)
        status = parscan_gather_counts(comm, encode(&work), work.counts, work.memory);
    return end(&work, status, outputs);
}
