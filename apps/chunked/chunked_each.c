/* Differences and flags over chunks: each element has a result of its own. */
#include "apps/chunked/chunked_object.h"
#include "scan/context/check.h"

/* ---- differences ---- */

/* In place, the last element is overwritten. */
static parscan_status update_difference(parscan_chunked *chunked, const parscan_chunk *chunk,
                                        chunked_state *next, uint64_t *written)
{
    difference_call call = chunked->call.difference;
    (void)written;
    call.in = chunk->in;
    call.out = chunk->out;
    call.n = chunk->n;
    call.init = chunked->state.begun
                    ? chunked->state.value.bytes
                    : parscan_chunked_given(chunked, GIVEN_FIRST, &chunked->arguments.first);
    next->begun = 1;
    const parscan_status status =
        parscan_chunked_fetch(chunked, &next->value, chunk->in, chunk->n - 1, chunked->in_size);
    return status == PARSCAN_OK ? parscan_run_difference(&call) : status;
}

parscan_status parscan_chunked_create_difference(parscan_chunked **chunked,
                                                 parscan_context *context, parscan_type type,
                                                 const parscan_scan_options *options)
{
    static const chunked_primitive difference = {"a difference", WRITES_N, update_difference, NULL};
    parscan_chunked draft;
    parscan_scan_call scan = {.kind = PARSCAN_KIND_INCLUSIVE};
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = parscan_check_difference_options(context, type, options, &scan);
    if (status == PARSCAN_OK)
        status = parscan_chunked_refuse_reverse(context, &scan);
    if (status == PARSCAN_OK)
        status = parscan_fetch_init(&scan);
    if (status != PARSCAN_OK)
        return status;
    draft.primitive = &difference;
    draft.arguments.primitive = CHUNKED_DIFFERENCE;
    draft.arguments.type = type;
    draft.arguments.op = scan.op;
    draft.in_size = draft.out_size = parscan_type_size(type);
    draft.call.difference = (difference_call){.context = context, .type = type, .op = scan.op};
    parscan_chunked_keep(&draft, GIVEN_FIRST, &draft.arguments.first, type, scan.init);
    return parscan_chunked_make(chunked, &draft, false);
}

/* ---- flags ---- */

static parscan_status update_flags(parscan_chunked *chunked, const parscan_chunk *chunk,
                                   chunked_state *next, uint64_t *written)
{
    flags_call call = chunked->call.flags;
    (void)next;
    (void)written;
    call.keep = parscan_chunked_predicate(chunked);
    call.in = chunk->in;
    call.flags = chunk->out;
    call.n = chunk->n;
    return parscan_run_flags_if(&call);
}

parscan_status parscan_chunked_create_flags_if(parscan_chunked **chunked, parscan_context *context,
                                               parscan_type type, const parscan_predicate *keep)
{
    static const chunked_primitive flags = {"flags of a predicate", WRITES_N, update_flags, NULL};
    static const chunked_primitive wide = {"flags of a predicate", WRITES_N | NOT_IN_PLACE,
                                           update_flags, NULL};
    parscan_chunked draft;
    flags_call call = {.context = context, .type = type};
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = parscan_chunked_keep_predicate(&draft, type, keep, &call.custom, &draft.in_size);
    if (status != PARSCAN_OK)
        return status;
    draft.out_size = 1;
    draft.primitive = draft.in_size == 1 ? &flags : &wide;
    draft.arguments.primitive = CHUNKED_FLAGS_IF;
    draft.arguments.type = type;
    draft.call.flags = call;
    return parscan_chunked_make(chunked, &draft, false);
}
