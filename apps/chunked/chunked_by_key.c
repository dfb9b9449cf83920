/* Runs of equal keys over chunks: reductions by key, and first pairs. */
#include "apps/chunked/chunked_object.h"
#include "scan/context/check.h"

/* ---- reductions ---- */

/* The results of a chunk: whether the open run ends before its first element, and so is the first result, and
   the number of all, with the run that is open at the end, which is not written. */
typedef struct key_results {
    bool goes_on, ends;
    uint64_t count;
} key_results;

/* Reduces the runs of a chunk. The engine leaves the last one open: next->value. If that is all, it may write
   what is unspecified to the place of the result that comes first, which is written later. */
static parscan_status reduce_runs(parscan_chunked *chunked, const parscan_chunk *chunk,
                                  chunked_state *next, key_results *results)
{
    const size_t at = results->ends && chunk->n > 1;
    const parscan_segments segments = {
        .struct_size = sizeof segments,
        .kind = PARSCAN_SEGMENTS_KEYS,
        .type = (parscan_type)chunked->arguments.key_type,
        .data = chunk->in2,
    };
    segmented_call call = chunked->call.segmented;
    call.segments = &segments;
    call.scan.in = chunk->in;
    call.scan.n = chunk->n;
    call.scan.init = parscan_chunked_init(chunked);
    call.scan.carry = parscan_chunked_next_sum(chunked, next);
    call.scan.out = (char *)chunk->out + at * chunked->out_size;
    call.keys_out = (char *)chunk->out2 + at * chunked->out2_size;
    call.capacity = at > 0 ? chunk->n - at : 0;
    call.open = results->goes_on ? parscan_chunked_sum(chunked) : NULL;
    call.count = &results->count;
    const parscan_status status = parscan_run_segmented(&call);
    results->count += results->ends;
    return status;
}

/* Sets next->key to the first key of the run that is open at the end, unless it was open before. If each
   element is a run, and the open one has ended too, there is no room for that key. */
static parscan_status take_open_key(parscan_chunked *chunked, const parscan_chunk *chunk,
                                    const key_results *results, chunked_state *next)
{
    const size_t size = chunked->out2_size, last = (size_t)results->count - 1;
    if (results->goes_on && last == 0)
        return PARSCAN_OK;
    return last < chunk->n
               ? parscan_chunked_fetch(chunked, &next->key, chunk->out2, last, size)
               : parscan_chunked_fetch(chunked, &next->key, chunk->in2, chunk->n - 1, size);
}

/* Writes the key of the run that was open, and its sum if the engine has not. */
static parscan_status put_open_run(parscan_chunked *chunked, void *sums, void *keys, bool sum_too)
{
    const chunked_state *const before = &chunked->state;
    chunked_element sum = {{0}};
    const parscan_status status =
        parscan_chunked_put(chunked, keys, before->key.bytes, chunked->out2_size);
    if (status != PARSCAN_OK || !sum_too)
        return status;
    if (parscan_chunked_is_custom(chunked)) {
        parscan_scan_call call = chunked->call.segmented.scan;
        call.init = parscan_chunked_sum(chunked);
        return parscan_chunked_reduce_rest(call, sums);
    }
    parscan_round_carry(chunked->context, (parscan_type)chunked->arguments.out_type,
                        before->value.bytes, sum.bytes);
    return parscan_chunked_put(chunked, sums, sum.bytes, chunked->out_size);
}

static parscan_status update_by_key(parscan_chunked *chunked, const parscan_chunk *chunk,
                                    chunked_state *next, uint64_t *written)
{
    key_results results = {.count = 0};
    const bool begun = chunked->state.begun;
    parscan_status status =
        parscan_chunked_goes_on(chunked, (parscan_type)chunked->arguments.key_type,
                                &chunked->state.key, chunk->in2, &results.goes_on);
    results.ends = begun && !results.goes_on;
    if (status == PARSCAN_OK)
        status = reduce_runs(chunked, chunk, next, &results);
    if (status == PARSCAN_OK)
        status = take_open_key(chunked, chunk, &results, next);
    if (status == PARSCAN_OK && begun && results.count > 1)
        status = put_open_run(chunked, chunk->out, chunk->out2, results.ends);
    if (status != PARSCAN_OK)
        return status;
    *written = results.count - 1;
    next->begun = 1;
    next->total += begun ? *written : results.count;
    return PARSCAN_OK;
}

static parscan_status finish_by_key(parscan_chunked *chunked, const parscan_chunked_end *end,
                                    uint64_t *written)
{
    *written = chunked->state.begun;
    return chunked->state.begun ? put_open_run(chunked, end->out, end->out2, true) : PARSCAN_OK;
}

parscan_status parscan_chunked_create_reduce_by_key(parscan_chunked **chunked,
                                                    parscan_context *context, parscan_type key_type,
                                                    parscan_type type,
                                                    const parscan_scan_options *options)
{
    static const chunked_primitive by_key = {"a reduction by key",
                                             NEEDS_WRITTEN | COUNTS_TOTAL | NOT_IN_PLACE |
                                                 END_HAS_OUT | END_HAS_OUT2,
                                             update_by_key, finish_by_key};
    parscan_chunked draft;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "key_type", key_type);
    if (status != PARSCAN_OK)
        return status;
    segmented_call *const call = &draft.call.segmented;
    call->scan.kind = PARSCAN_KIND_REDUCE;
    call->scan.takes_custom = true;
    status = parscan_check_segmented_options(context, type, options, call);
    if (status == PARSCAN_OK)
        status = parscan_chunked_refuse_reverse(context, &call->scan);
    draft.primitive = &by_key;
    if (status == PARSCAN_OK)
        status = parscan_chunked_keep_scan(&draft, CHUNKED_REDUCE_BY_KEY);
    if (status != PARSCAN_OK)
        return status;
    draft.arguments.segment_kind = PARSCAN_SEGMENTS_KEYS;
    draft.arguments.key_type = key_type;
    draft.in2_size = draft.out2_size = parscan_type_size(key_type);
    draft.out_size = parscan_out_size(&call->scan);
    return parscan_chunked_make_scan(chunked, &draft);
}

/* ---- first pairs ---- */

static parscan_status update_pairs(parscan_chunked *chunked, const parscan_chunk *chunk,
                                   chunked_state *next, uint64_t *written)
{
    compact_call call = chunked->call.compact;
    call.in = chunk->in;
    call.n = chunk->n;
    call.values = chunk->out;
    call.beside_in = chunk->in2;
    call.beside = chunk->out2;
    call.count = written;
    parscan_status status = parscan_chunked_goes_on(chunked, call.type, &chunked->state.value,
                                                    chunk->in, &call.continues);
    /* In place, the last key may be overwritten. */
    if (status == PARSCAN_OK)
        status =
            parscan_chunked_fetch(chunked, &next->value, chunk->in, chunk->n - 1, chunked->in_size);
    if (status == PARSCAN_OK)
        status = parscan_run_compact(&call);
    next->begun = 1;
    next->total += *written;
    return status;
}

parscan_status parscan_chunked_create_unique_pairs(parscan_chunked **chunked,
                                                   parscan_context *context, parscan_type key_type,
                                                   size_t value_size)
{
    static const chunked_primitive pairs = {
        "unique pairs", NEEDS_WRITTEN | COUNTS_TOTAL | OUT2_IN_PLACE, update_pairs, NULL};
    parscan_chunked draft;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "key_type", key_type);
    if (status != PARSCAN_OK)
        return status;
    if (value_size == 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = 0: it must be at least 1");
    draft.primitive = &pairs;
    draft.arguments.primitive = CHUNKED_UNIQUE_PAIRS;
    draft.arguments.type = key_type;
    draft.arguments.element_size = value_size;
    draft.in_size = draft.out_size = parscan_type_size(key_type);
    draft.in2_size = draft.out2_size = value_size;
    draft.call.compact = (compact_call){.context = context,
                                        .name = "parscan_unique_pairs",
                                        .type = key_type,
                                        .size = parscan_type_size(key_type),
                                        .runs = true,
                                        .beside_size = value_size};
    return parscan_chunked_make(chunked, &draft, false);
}
