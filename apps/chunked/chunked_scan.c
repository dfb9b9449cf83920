/* Scans, reductions, segmented scans and recurrences over chunks. */
#include <inttypes.h>
#include <string.h>

#include "apps/chunked/chunked_object.h"
#include "scan/context/call_scalars.h"
#include "scan/context/check.h"
#include "scan/custom/custom_check.h"
#include "scan/reproducible/tree_carry.h"

/* The init of a chunk's scan: what comes before it, or what the caller gave. */
static const void *init_of_chunk(const parscan_chunked *chunked)
{
    return chunked->state.begun ? parscan_chunked_sum(chunked) : parscan_chunked_init(chunked);
}

/* The call of a scan for the next chunk, but for its arrays. A tree is copied to the draft. */
static parscan_scan_call next_call(parscan_chunked *chunked, chunked_state *next)
{
    parscan_scan_call call = chunked->call.segmented.scan;
    if (parscan_chunked_has_tree(chunked)) {
        memcpy(chunked->draft, chunked->carry, chunked->carry_bytes);
        call.tree = chunked->draft;
        call.init = parscan_chunked_init(chunked);
    } else {
        call.init = init_of_chunk(chunked);
        call.carried = chunked->state.begun != 0;
        call.carry = parscan_chunked_next_sum(chunked, next);
    }
    return call;
}

static parscan_status update_scan(parscan_chunked *chunked, const parscan_chunk *chunk,
                                  chunked_state *next, uint64_t *written)
{
    chunked_element sum;
    if (parscan_chunked_has_tree(chunked) && next->elements > TREE_MOST_ELEMENTS)
        return parscan_fail(
            chunked->context, PARSCAN_ERROR_UNSUPPORTED,
            "n = %zu: a reproducible scan takes 2^51 elements, and has had %" PRIu64, chunk->n,
            chunked->state.elements);
    parscan_scan_call call = next_call(chunked, next);
    (void)written;
    call.in = chunk->in;
    call.out =
        call.kind == PARSCAN_KIND_REDUCE ? parscan_chunked_unread(chunked, &sum) : chunk->out;
    call.n = chunk->n;
    next->begun = 1;
    return parscan_run_scan(&call);
}

parscan_status parscan_chunked_reduce_rest(parscan_scan_call call, void *out)
{
    call.kind = PARSCAN_KIND_REDUCE;
    call.n = 0;
    call.out = out;
    call.carry = NULL;
    const parscan_status status = parscan_check_custom_start(&call);
    return status == PARSCAN_OK ? parscan_run_scan(&call) : status;
}

static parscan_status finish_scan(parscan_chunked *chunked, const parscan_chunked_end *end,
                                  uint64_t *written)
{
    chunked_state next = chunked->state;
    (void)written;
    if (end->out == NULL)
        return PARSCAN_OK;
    return parscan_chunked_reduce_rest(next_call(chunked, &next), end->out);
}

parscan_status parscan_chunked_refuse_reverse(parscan_context *context,
                                              const parscan_scan_call *scan)
{
    if (!scan->reverse)
        return PARSCAN_OK;
    return parscan_fail(
        context, PARSCAN_ERROR_UNSUPPORTED,
        "reverse = 1: chunks come from the front, a scan in reverse needs the end first");
}

const void *parscan_chunked_init(const parscan_chunked *chunked)
{
    return parscan_chunked_is_custom(chunked)
               ? chunked->call.segmented.scan.init
               : parscan_chunked_given(chunked, GIVEN_FIRST, &chunked->arguments.first);
}

const void *parscan_chunked_sum(const parscan_chunked *chunked)
{
    return parscan_chunked_is_custom(chunked) ? chunked->carry : chunked->state.value.bytes;
}

void *parscan_chunked_next_sum(const parscan_chunked *chunked, chunked_state *next)
{
    return parscan_chunked_is_custom(chunked) ? chunked->draft : next->value.bytes;
}

parscan_status parscan_chunked_keep_scan(parscan_chunked *draft, unsigned number)
{
    parscan_scan_call *const call = &draft->call.segmented.scan;
    draft->arguments.primitive = number;
    draft->arguments.type = call->in_type;
    draft->arguments.out_type = call->out_type;
    draft->arguments.op = call->op;
    draft->arguments.reproducible = parscan_scan_has_tree(call);
    draft->in_size = parscan_in_size(call);
    draft->out_size = call->kind == PARSCAN_KIND_REDUCE ? 0 : parscan_out_size(call);
    if (call->custom != NULL)
        return parscan_chunked_keep_custom(draft);
    parscan_chunked_keep(draft, GIVEN_FIRST, &draft->arguments.first, call->out_type, call->init);
    call->init = NULL;
    draft->carry_bytes = draft->arguments.reproducible ? sizeof(parscan_tree_carry) : 0;
    return PARSCAN_OK;
}

parscan_status parscan_chunked_make_scan(parscan_chunked **chunked, const parscan_chunked *draft)
{
    return parscan_chunked_is_custom(draft)
               ? parscan_chunked_make_custom(chunked, draft)
               : parscan_chunked_make(chunked, draft, draft->carry_bytes > 0);
}

static parscan_status create_scan(parscan_chunked **chunked, parscan_context *context,
                                  const chunked_primitive *primitive, unsigned number,
                                  parscan_scan_kind kind, parscan_type type,
                                  const parscan_scan_options *options)
{
    parscan_chunked draft;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status != PARSCAN_OK)
        return status;
    parscan_scan_call *const call = &draft.call.segmented.scan;
    call->kind = kind;
    call->takes_custom = true;
    status = parscan_check_scan_options(context, type, options, call, NULL);
    if (status == PARSCAN_OK)
        status = parscan_chunked_refuse_reverse(context, call);
    draft.primitive = primitive;
    if (status == PARSCAN_OK)
        status = parscan_chunked_keep_scan(&draft, number);
    return status == PARSCAN_OK ? parscan_chunked_make_scan(chunked, &draft) : status;
}

parscan_status parscan_chunked_create_inclusive_scan(parscan_chunked **chunked,
                                                     parscan_context *context, parscan_type type,
                                                     const parscan_scan_options *options)
{
    static const chunked_primitive scan = {"an inclusive scan", WRITES_N | END_HAS_OUT, update_scan,
                                           finish_scan};
    return create_scan(chunked, context, &scan, CHUNKED_INCLUSIVE_SCAN, PARSCAN_KIND_INCLUSIVE,
                       type, options);
}

parscan_status parscan_chunked_create_exclusive_scan(parscan_chunked **chunked,
                                                     parscan_context *context, parscan_type type,
                                                     const parscan_scan_options *options)
{
    static const chunked_primitive scan = {"an exclusive scan", WRITES_N | END_HAS_OUT, update_scan,
                                           finish_scan};
    return create_scan(chunked, context, &scan, CHUNKED_EXCLUSIVE_SCAN, PARSCAN_KIND_EXCLUSIVE,
                       type, options);
}

parscan_status parscan_chunked_create_reduce(parscan_chunked **chunked, parscan_context *context,
                                             parscan_type type, const parscan_scan_options *options)
{
    static const chunked_primitive reduction = {"a reduction", END_NEEDS_OUT, update_scan,
                                                finish_scan};
    return create_scan(chunked, context, &reduction, CHUNKED_REDUCE, PARSCAN_KIND_REDUCE, type,
                       options);
}

/* ---- segments ---- */

/* Sets *goes_on: whether the chunk starts within a segment; keeps the chunk's last key. */
static parscan_status look_at_segments(parscan_chunked *chunked, const parscan_chunk *chunk,
                                       chunked_state *next, bool *goes_on)
{
    const bool keys = chunked->arguments.segment_kind == PARSCAN_SEGMENTS_KEYS;
    const size_t size = chunked->in2_size;
    chunked_element first = {{0}};
    parscan_status status = parscan_chunked_fetch(chunked, &first, chunk->in2, 0, size);
    if (status == PARSCAN_OK && keys)
        status = parscan_chunked_fetch(chunked, &next->key, chunk->in2, chunk->n - 1, size);
    const bool begins = keys ? !parscan_chunked_same((parscan_type)chunked->arguments.key_type,
                                                     &chunked->state.key, &first)
                             : first.bytes[0] != 0;
    *goes_on = chunked->state.begun && !begins;
    return status;
}

static parscan_status update_segmented(parscan_chunked *chunked, const parscan_chunk *chunk,
                                       chunked_state *next, uint64_t *written)
{
    bool goes_on;
    (void)written;
    const parscan_segments segments = {
        .struct_size = sizeof segments,
        .kind = (parscan_segment_kind)chunked->arguments.segment_kind,
        .type = (parscan_type)chunked->arguments.key_type,
        .data = chunk->in2,
    };
    const parscan_status status = look_at_segments(chunked, chunk, next, &goes_on);
    if (status != PARSCAN_OK)
        return status;
    segmented_call call = chunked->call.segmented;
    call.segments = &segments;
    call.open = goes_on ? parscan_chunked_sum(chunked) : NULL;
    call.scan.in = chunk->in;
    call.scan.out = chunk->out;
    call.scan.n = chunk->n;
    call.scan.init = parscan_chunked_init(chunked);
    call.scan.carry = parscan_chunked_next_sum(chunked, next);
    next->begun = 1;
    return parscan_run_segmented(&call);
}

static parscan_status check_segments(parscan_context *context, parscan_segment_kind kind,
                                     parscan_type key_type)
{
    switch ((int)kind) {
    case PARSCAN_SEGMENTS_KEYS:
        return parscan_check_type(context, "key_type", key_type);
    case PARSCAN_SEGMENTS_FLAGS:
        if ((int)key_type == 0 || key_type == PARSCAN_U8)
            return PARSCAN_OK;
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "key_type = %d: it must be 0 or u8 for flags", (int)key_type);
    case PARSCAN_SEGMENTS_OFFSETS:
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "kind = offsets: segments in chunks are told by flags or keys");
    case PARSCAN_SEGMENTS_ROWS:
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "kind = rows: segments in chunks are told by flags or keys");
    default:
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "kind = %d is not a parscan_segment_kind", (int)kind);
    }
}

static parscan_status create_segmented(parscan_chunked **chunked, parscan_context *context,
                                       const chunked_primitive *primitive, unsigned number,
                                       parscan_scan_kind scan_kind, parscan_type type,
                                       parscan_segment_kind kind, parscan_type key_type,
                                       const parscan_scan_options *options)
{
    parscan_chunked draft;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status != PARSCAN_OK)
        return status;
    segmented_call *const call = &draft.call.segmented;
    call->scan.kind = scan_kind;
    call->scan.takes_custom = true;
    status = parscan_check_segmented_options(context, type, options, call);
    if (status == PARSCAN_OK)
        status = parscan_chunked_refuse_reverse(context, &call->scan);
    if (status == PARSCAN_OK)
        status = check_segments(context, kind, key_type);
    draft.primitive = primitive;
    if (status == PARSCAN_OK)
        status = parscan_chunked_keep_scan(&draft, number);
    if (status != PARSCAN_OK)
        return status;
    draft.arguments.segment_kind = kind;
    draft.arguments.key_type = kind == PARSCAN_SEGMENTS_KEYS ? key_type : PARSCAN_U8;
    draft.in2_size = parscan_type_size((parscan_type)draft.arguments.key_type);
    return parscan_chunked_make_scan(chunked, &draft);
}

parscan_status parscan_chunked_create_segmented_inclusive_scan(
    parscan_chunked **chunked, parscan_context *context, parscan_type type,
    parscan_segment_kind kind, parscan_type key_type, const parscan_scan_options *options)
{
    static const chunked_primitive scan = {"a segmented inclusive scan", WRITES_N, update_segmented,
                                           NULL};
    return create_segmented(chunked, context, &scan, CHUNKED_SEGMENTED_INCLUSIVE_SCAN,
                            PARSCAN_KIND_INCLUSIVE, type, kind, key_type, options);
}

parscan_status parscan_chunked_create_segmented_exclusive_scan(
    parscan_chunked **chunked, parscan_context *context, parscan_type type,
    parscan_segment_kind kind, parscan_type key_type, const parscan_scan_options *options)
{
    static const chunked_primitive scan = {"a segmented exclusive scan", WRITES_N, update_segmented,
                                           NULL};
    return create_segmented(chunked, context, &scan, CHUNKED_SEGMENTED_EXCLUSIVE_SCAN,
                            PARSCAN_KIND_EXCLUSIVE, type, kind, key_type, options);
}

/* ---- recurrences ---- */

static parscan_status update_recurrence(parscan_chunked *chunked, const parscan_chunk *chunk,
                                        chunked_state *next, uint64_t *written)
{
    recurrence_call call = chunked->call.recurrence;
    (void)written;
    call.a = chunk->in;
    call.b = chunk->in2;
    call.out = chunk->out;
    call.n = chunk->n;
    call.x0 = init_of_chunk(chunked);
    call.carried = chunked->state.begun != 0;
    call.carry = next->value.bytes;
    next->begun = 1;
    return parscan_run_recurrence(&call);
}

/* Without an element it is x0. */
static parscan_status finish_recurrence(parscan_chunked *chunked, const parscan_chunked_end *end,
                                        uint64_t *written)
{
    chunked_element last = chunked->arguments.first;
    (void)written;
    if (chunked->state.begun)
        parscan_round_carry(chunked->context, (parscan_type)chunked->arguments.type,
                            chunked->state.value.bytes, last.bytes);
    return parscan_chunked_put(chunked, end->out, last.bytes, chunked->out_size);
}

parscan_status parscan_chunked_create_recurrence(parscan_chunked **chunked,
                                                 parscan_context *context, parscan_type type,
                                                 const void *x0)
{
    static const chunked_primitive recurrence = {"a recurrence",
                                                 WRITES_N | END_HAS_OUT | IN2_IN_PLACE,
                                                 update_recurrence, finish_recurrence};
    parscan_chunked draft;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = parscan_check_recurrence_type(context, type);
    if (status == PARSCAN_OK)
        status = parscan_scalar_on_host(context, "x0", 0, &x0, parscan_type_size(type));
    if (status != PARSCAN_OK)
        return status;
    draft.primitive = &recurrence;
    draft.arguments.primitive = CHUNKED_RECURRENCE;
    draft.arguments.type = draft.arguments.out_type = type;
    draft.in_size = draft.in2_size = draft.out_size = parscan_type_size(type);
    draft.call.recurrence = (recurrence_call){.context = context, .type = type};
    parscan_chunked_keep(&draft, GIVEN_FIRST, &draft.arguments.first, type, x0);
    return parscan_chunked_make(chunked, &draft, false);
}
