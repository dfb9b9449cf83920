/* Compaction, unique and run lengths over chunks. */
#include <inttypes.h>
#include <string.h>

#include "apps/chunked/chunked_object.h"
#include "scan/context/check.h"

/* The call for a chunk, but for what the primitives have of their own. The count goes to *kept. */
static compact_call next_call(const parscan_chunked *chunked, const parscan_chunk *chunk,
                              uint64_t *kept)
{
    compact_call call = chunked->call.compact;
    call.in = chunk->in;
    call.n = chunk->n;
    call.values = chunk->out;
    call.count = kept;
    return call;
}

static parscan_status run_chunk(const compact_call *call, chunked_state *next)
{
    const parscan_status status = parscan_run_compact(call);
    if (status == PARSCAN_OK)
        next->total += *call->count;
    return status;
}

static parscan_status update_flags(parscan_chunked *chunked, const parscan_chunk *chunk,
                                   chunked_state *next, uint64_t *written)
{
    compact_call call = next_call(chunked, chunk, written);
    call.flags = chunk->in2;
    return run_chunk(&call, next);
}

parscan_status parscan_chunked_keep_predicate(parscan_chunked *draft, parscan_type type,
                                              const parscan_predicate *given,
                                              const parscan_operator **custom, size_t *size)
{
    parscan_predicate keep;
    parscan_status status = parscan_check_tested(draft->context, type, given, custom, size);
    if (status == PARSCAN_OK && *custom != NULL) {
        draft->arguments.element_size = *size;
        return PARSCAN_OK;
    }
    if (status == PARSCAN_OK)
        status = parscan_check_predicate(draft->context, type, given, &keep);
    if (status != PARSCAN_OK)
        return status;
    draft->arguments.comparison = keep.comparison;
    if (keep.comparison != PARSCAN_NONZERO)
        parscan_chunked_keep(draft, GIVEN_VALUE, &draft->arguments.value, type, keep.value);
    if (keep.comparison == PARSCAN_BETWEEN)
        parscan_chunked_keep(draft, GIVEN_UPPER, &draft->arguments.upper, type, keep.upper);
    return PARSCAN_OK;
}

parscan_predicate parscan_chunked_predicate(const parscan_chunked *chunked)
{
    return (parscan_predicate){
        .struct_size = sizeof(parscan_predicate),
        .comparison = (parscan_comparison)chunked->arguments.comparison,
        .value = parscan_chunked_given(chunked, GIVEN_VALUE, &chunked->arguments.value),
        .upper = parscan_chunked_given(chunked, GIVEN_UPPER, &chunked->arguments.upper),
    };
}

/* The call of a chunk with a predicate. */
static compact_call next_filter(const parscan_chunked *chunked, const parscan_chunk *chunk,
                                uint64_t *kept)
{
    compact_call call = next_call(chunked, chunk, kept);
    const parscan_predicate keep = parscan_chunked_predicate(chunked);
    if (call.custom == NULL)
        call.range = parscan_compact_range_of(call.type, &keep);
    return call;
}

static parscan_status update_if(parscan_chunked *chunked, const parscan_chunk *chunk,
                                chunked_state *next, uint64_t *written)
{
    const compact_call call = next_filter(chunked, chunk, written);
    return run_chunk(&call, next);
}

static parscan_status update_indices(parscan_chunked *chunked, const parscan_chunk *chunk,
                                     chunked_state *next, uint64_t *written)
{
    compact_call call = next_filter(chunked, chunk, written);
    if (next->elements - 1 > parscan_most_index(call.given_type))
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu, with %" PRIu64
                            " elements before: the indices do not fit index_type = %s",
                            chunk->n, chunked->state.elements, parscan_type_name(call.given_type));
    call.values = NULL;
    call.indices = chunk->out;
    call.first_index = chunked->state.elements;
    return run_chunk(&call, next);
}

static parscan_status look_at_first(parscan_chunked *chunked, const parscan_chunk *chunk,
                                    bool *goes_on)
{
    return parscan_chunked_goes_on(chunked, (parscan_type)chunked->arguments.type,
                                   &chunked->state.value, chunk->in, goes_on);
}

static parscan_status update_unique(parscan_chunked *chunked, const parscan_chunk *chunk,
                                    chunked_state *next, uint64_t *written)
{
    compact_call call = next_call(chunked, chunk, written);
    parscan_status status = look_at_first(chunked, chunk, &call.continues);
    /* In place, the last element may be overwritten. */
    if (status == PARSCAN_OK)
        status =
            parscan_chunked_fetch(chunked, &next->value, chunk->in, chunk->n - 1, chunked->in_size);
    next->begun = 1;
    return status == PARSCAN_OK ? run_chunk(&call, next) : status;
}

/* ---- run lengths ---- */

/* The length of a run in the caller's type. Errors: OVERFLOW. */
static parscan_status length_in_type(const parscan_chunked *chunked, uint64_t length,
                                     chunked_element *element)
{
    const parscan_type type = chunked->call.compact.given_type;
    const uint32_t narrow = (uint32_t)length;
    memcpy(element->bytes, &length, sizeof length);
    if (chunked->out2_size == sizeof narrow)
        memcpy(element->bytes, &narrow, sizeof narrow);
    if (length <= parscan_most_index(type))
        return PARSCAN_OK;
    return parscan_fail(chunked->context, PARSCAN_ERROR_OVERFLOW,
                        "a run of %" PRIu64 " elements does not fit count_type = %s", length,
                        parscan_type_name(type));
}

/* Writes the length of run i of the outputs. */
static parscan_status put_length(parscan_chunked *chunked, void *lengths, size_t i, uint64_t length)
{
    chunked_element element;
    const parscan_status status = length_in_type(chunked, length, &element);
    return status == PARSCAN_OK
               ? parscan_chunked_put(chunked, (char *)lengths + i * chunked->out2_size,
                                     element.bytes, chunked->out2_size)
               : status;
}

/* Encodes the first n elements of a chunk from run `at` of its outputs on. */
static parscan_status encode(parscan_chunked *chunked, const parscan_chunk *chunk, size_t n,
                             size_t at, uint64_t *runs)
{
    compact_call call = next_call(chunked, chunk, runs);
    *runs = 0;
    call.n = n;
    call.values = (char *)chunk->out + at * chunked->out_size;
    call.lengths = (char *)chunk->out2 + at * chunked->out2_size;
    return n > 0 ? parscan_run_compact(&call) : PARSCAN_OK;
}

/* Takes run i of the outputs as the open run of *next. */
static parscan_status open_run(parscan_chunked *chunked, const parscan_chunk *chunk, size_t i,
                               chunked_state *next)
{
    chunked_element length = {{0}};
    parscan_status status =
        parscan_chunked_fetch(chunked, &next->value, chunk->out, i, chunked->out_size);
    if (status == PARSCAN_OK)
        status = parscan_chunked_fetch(chunked, &length, chunk->out2, i, chunked->out2_size);
    uint32_t narrow;
    memcpy(&narrow, length.bytes, sizeof narrow);
    memcpy(&next->open_length, length.bytes, sizeof next->open_length);
    if (chunked->out2_size == sizeof narrow)
        next->open_length = narrow;
    return status;
}

/* A chunk that goes on with the open run, or the first one: its last run stays open. */
static parscan_status go_on(parscan_chunked *chunked, const parscan_chunk *chunk,
                            chunked_state *next, uint64_t *written)
{
    const chunked_state before = chunked->state;
    uint64_t runs;
    parscan_status status = encode(chunked, chunk, chunk->n, 0, &runs);
    if (status == PARSCAN_OK)
        status = open_run(chunked, chunk, (size_t)runs - 1, next);
    if (status != PARSCAN_OK)
        return status;
    *written = runs - 1;
    next->total += before.begun ? runs - 1 : runs;
    if (!before.begun)
        return PARSCAN_OK;
    if (runs == 1) {
        chunked_element unused;
        next->value = before.value;
        next->open_length += before.open_length;
        return length_in_type(chunked, next->open_length, &unused);
    }
    /* Its first run is the rest of the open one. */
    chunked_state first = before;
    status = open_run(chunked, chunk, 0, &first);
    if (status == PARSCAN_OK)
        status = put_length(chunked, chunk->out2, 0, before.open_length + first.open_length);
    return status == PARSCAN_OK
               ? parscan_chunked_put(chunked, chunk->out, before.value.bytes, chunked->out_size)
               : status;
}

/* A chunk that ends the open run, which is the first of its outputs. There is room for n runs, so
   the last element, which may be one more run, is not encoded. */
static parscan_status end_run(parscan_chunked *chunked, const parscan_chunk *chunk,
                              chunked_state *next, uint64_t *written)
{
    const chunked_state before = chunked->state;
    uint64_t runs;
    chunked_element last = {{0}};
    parscan_status status = encode(chunked, chunk, chunk->n - 1, 1, &runs);
    if (status == PARSCAN_OK)
        status = parscan_chunked_fetch(chunked, &last, chunk->in, chunk->n - 1, chunked->in_size);
    if (status == PARSCAN_OK && runs > 0)
        status = open_run(chunked, chunk, (size_t)runs, next);
    if (status == PARSCAN_OK)
        status = put_length(chunked, chunk->out2, 0, before.open_length);
    if (status == PARSCAN_OK)
        status = parscan_chunked_put(chunked, chunk->out, before.value.bytes, chunked->out_size);
    if (status != PARSCAN_OK)
        return status;
    const parscan_type type = (parscan_type)chunked->arguments.type;
    if (runs > 0 && parscan_chunked_same(type, &next->value, &last)) {
        chunked_element unused;
        *written = runs;
        next->open_length++;
        status = length_in_type(chunked, next->open_length, &unused);
    } else {
        *written = runs + 1;
        next->value = last;
        next->open_length = 1;
    }
    next->total += *written;
    return status;
}

static parscan_status update_runs(parscan_chunked *chunked, const parscan_chunk *chunk,
                                  chunked_state *next, uint64_t *written)
{
    bool goes_on;
    const parscan_status status = look_at_first(chunked, chunk, &goes_on);
    if (status != PARSCAN_OK)
        return status;
    next->begun = 1;
    return goes_on || !chunked->state.begun ? go_on(chunked, chunk, next, written)
                                            : end_run(chunked, chunk, next, written);
}

static parscan_status finish_runs(parscan_chunked *chunked, const parscan_chunked_end *end,
                                  uint64_t *written)
{
    if (!chunked->state.begun)
        return PARSCAN_OK;
    *written = 1;
    const parscan_status status =
        parscan_chunked_put(chunked, end->out, chunked->state.value.bytes, chunked->out_size);
    return status == PARSCAN_OK ? put_length(chunked, end->out2, 0, chunked->state.open_length)
                                : status;
}

/* ---- creation ---- */

enum { COUNTED = NEEDS_WRITTEN | COUNTS_TOTAL };

static parscan_status create_chunked_compact(parscan_chunked **chunked, parscan_chunked *draft,
                                             const chunked_primitive *primitive, unsigned number)
{
    compact_call *const call = &draft->call.compact;
    draft->primitive = primitive;
    draft->arguments.primitive = number;
    draft->arguments.type = call->type;
    draft->arguments.out_type = call->index_type;
    draft->arguments.element_size = call->size;
    draft->in_size = call->size;
    call->context = draft->context;
    return parscan_chunked_make(chunked, draft, false);
}

parscan_status parscan_chunked_create_compact(parscan_chunked **chunked, parscan_context *context,
                                              size_t element_size)
{
    static const chunked_primitive by_flags = {"a compaction by flags", COUNTED, update_flags,
                                               NULL};
    parscan_chunked draft;
    const parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status != PARSCAN_OK)
        return status;
    if (element_size == 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "element_size = 0: it must be at least 1");
    draft.call.compact = (compact_call){
        .name = "parscan_compact", .size = element_size, .range = parscan_compact_range_of_flags()};
    draft.in2_size = 1;
    draft.out_size = element_size;
    return create_chunked_compact(chunked, &draft, &by_flags, CHUNKED_COMPACT);
}

/* The first steps of primitives with a type. */
static parscan_status begin_typed(parscan_chunked **chunked, parscan_context *context,
                                  parscan_type type, const char *name, parscan_chunked *draft)
{
    parscan_status status = parscan_chunked_begin(chunked, context, draft);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "type", type);
    if (status != PARSCAN_OK)
        return status;
    draft->call.compact =
        (compact_call){.name = name, .type = type, .size = parscan_type_size(type)};
    draft->out_size = parscan_type_size(type);
    return PARSCAN_OK;
}

/* The same with a predicate, and elements of the caller's, perhaps. */
static parscan_status begin_filter(parscan_chunked **chunked, parscan_context *context,
                                   parscan_type type, const char *name,
                                   const parscan_predicate *given, parscan_chunked *draft)
{
    compact_call call = {.name = name, .type = type};
    parscan_status status = parscan_chunked_begin(chunked, context, draft);
    if (status == PARSCAN_OK)
        status = parscan_chunked_keep_predicate(draft, type, given, &call.custom, &call.size);
    if (status != PARSCAN_OK)
        return status;
    if (call.custom != NULL)
        call.range = parscan_compact_range_of_flags();
    draft->call.compact = call;
    draft->out_size = call.size;
    return PARSCAN_OK;
}

parscan_status parscan_chunked_create_compact_if(parscan_chunked **chunked,
                                                 parscan_context *context, parscan_type type,
                                                 const parscan_predicate *keep)
{
    static const chunked_primitive filter = {"a compaction", COUNTED, update_if, NULL};
    parscan_chunked draft;
    const parscan_status status =
        begin_filter(chunked, context, type, "parscan_compact_if", keep, &draft);
    return status == PARSCAN_OK
               ? create_chunked_compact(chunked, &draft, &filter, CHUNKED_COMPACT_IF)
               : status;
}

parscan_status parscan_chunked_create_compact_indices(parscan_chunked **chunked,
                                                      parscan_context *context, parscan_type type,
                                                      const parscan_predicate *keep,
                                                      parscan_type index_type)
{
    static const chunked_primitive indices = {"indices of a compaction", COUNTED | NOT_IN_PLACE,
                                              update_indices, NULL};
    parscan_chunked draft;
    parscan_status status =
        begin_filter(chunked, context, type, "parscan_compact_indices", keep, &draft);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "index_type", index_type);
    if (status != PARSCAN_OK)
        return status;
    draft.call.compact.index_type = parscan_unsigned_index(index_type);
    draft.call.compact.given_type = index_type;
    draft.out_size = parscan_type_size(index_type);
    return create_chunked_compact(chunked, &draft, &indices, CHUNKED_COMPACT_INDICES);
}

parscan_status parscan_chunked_create_unique(parscan_chunked **chunked, parscan_context *context,
                                             parscan_type type)
{
    static const chunked_primitive unique = {"unique", COUNTED, update_unique, NULL};
    parscan_chunked draft;
    const parscan_status status = begin_typed(chunked, context, type, "parscan_unique", &draft);
    draft.call.compact.runs = true;
    return status == PARSCAN_OK ? create_chunked_compact(chunked, &draft, &unique, CHUNKED_UNIQUE)
                                : status;
}

parscan_status parscan_chunked_create_run_length_encode(parscan_chunked **chunked,
                                                        parscan_context *context, parscan_type type,
                                                        parscan_type count_type)
{
    static const chunked_primitive runs = {"run lengths",
                                           COUNTED | NOT_IN_PLACE | END_HAS_OUT | END_HAS_OUT2,
                                           update_runs, finish_runs};
    parscan_chunked draft;
    parscan_status status =
        begin_typed(chunked, context, type, "parscan_run_length_encode", &draft);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "count_type", count_type);
    if (status != PARSCAN_OK)
        return status;
    draft.call.compact.runs = true;
    draft.call.compact.index_type = parscan_unsigned_index(count_type);
    draft.call.compact.given_type = count_type;
    draft.out2_size = parscan_type_size(count_type);
    return create_chunked_compact(chunked, &draft, &runs, CHUNKED_RUN_LENGTH_ENCODE);
}
