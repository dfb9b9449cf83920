/* What all primitives in chunks share: creation, checks of chunks, the end (parscan/chunked.h). */
#include "parscan/chunked.h"

#include <inttypes.h>
#include <string.h>

#include "apps/chunked/chunked_object.h"
#include "apps/segments/segment_heads.h"
#include "parscan/memory.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/context_state.h"

PARSCAN_STRUCT_CAN_GROW(parscan_chunk, written, PARSCAN_OLDEST_CHUNK);
PARSCAN_STRUCT_CAN_GROW(parscan_chunked_end, total, PARSCAN_OLDEST_CHUNKED_END);

parscan_status parscan_chunked_begin(parscan_chunked **chunked, parscan_context *context,
                                     parscan_chunked *draft)
{
    if (chunked == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "chunked is NULL");
    *chunked = NULL;
    memset(draft, 0, sizeof *draft);
    draft->context = context;
    return parscan_refuse_lengths(context, "a parscan_chunked");
}

parscan_status parscan_chunked_make(parscan_chunked **chunked, const parscan_chunked *draft,
                                    bool draft_too)
{
    /* One piece of memory: the object, the carry, the draft, the work. All start at a multiple of 64. */
    enum { LINE = 64 };
    const size_t object = (sizeof *draft + LINE - 1) / LINE * LINE;
    const size_t carry = (draft->carry_bytes + LINE - 1) / LINE * LINE;
    const size_t work = object + carry * (draft_too ? 2 : 1);
    const size_t size = work + draft->work_bytes;
    char *const memory = parscan_host_allocate(&draft->context->allocator, size);
    if (memory == NULL)
        return parscan_fail(draft->context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "no memory for %zu bytes of a carry", size);
    memset(memory, 0, size);
    *chunked = (parscan_chunked *)(void *)memory;
    **chunked = *draft;
    (*chunked)->carry = draft->carry_bytes > 0 ? memory + object : NULL;
    (*chunked)->draft = draft_too ? memory + object + carry : NULL;
    (*chunked)->work = draft->work_bytes > 0 ? memory + work : NULL;
    return PARSCAN_OK;
}

void parscan_chunked_destroy(parscan_chunked *chunked)
{
    if (chunked != NULL)
        parscan_host_release(&chunked->context->allocator, chunked);
}

void parscan_chunked_keep(parscan_chunked *draft, unsigned bit, chunked_element *value,
                          parscan_type type, const void *from)
{
    if (from == NULL)
        return;
    draft->arguments.given |= bit;
    memcpy(value->bytes, from, parscan_type_size(type));
}

const void *parscan_chunked_given(const parscan_chunked *chunked, unsigned bit,
                                  const chunked_element *value)
{
    return chunked->arguments.given & bit ? value->bytes : NULL;
}

parscan_status parscan_chunked_fetch(parscan_chunked *chunked, chunked_element *to,
                                     const void *array, size_t i, size_t size)
{
    return parscan_copy(chunked->context, to->bytes, (const char *)array + i * size, size);
}

parscan_status parscan_chunked_put(parscan_chunked *chunked, void *to, const void *from,
                                   size_t size)
{
    return to == NULL ? PARSCAN_OK : parscan_copy(chunked->context, to, from, size);
}

bool parscan_chunked_same(parscan_type type, const chunked_element *a, const chunked_element *b)
{
    char both[2 * CHUNKED_ELEMENT];
    const size_t size = parscan_type_size(type);
    memcpy(both, a->bytes, size);
    memcpy(both + size, b->bytes, size);
    const parscan_segments pair = {.kind = PARSCAN_SEGMENTS_KEYS, .type = type, .data = both};
    return segment_head(&pair, 1, 2, NULL) == 2;
}

parscan_status parscan_chunked_goes_on(parscan_chunked *chunked, parscan_type type,
                                       const chunked_element *last, const void *keys, bool *goes_on)
{
    chunked_element first = {{0}};
    const parscan_status status =
        parscan_chunked_fetch(chunked, &first, keys, 0, parscan_type_size(type));
    *goes_on = chunked->state.begun && parscan_chunked_same(type, last, &first);
    return status;
}

/* Checks an array of a chunk or of the end. size 0: the primitive has none. */
static parscan_status check_field(parscan_chunked *chunked, const char *name, const void *array,
                                  size_t n, size_t size, bool optional)
{
    if (size == 0 && array != NULL)
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s = %p: it must be NULL, %s does not have it", name, array,
                            chunked->primitive->name);
    if (size == 0 || (optional && array == NULL))
        return PARSCAN_OK;
    return parscan_check_array(chunked->context, name, array, n, size);
}

/* Outputs may lie in inputs where the one call's may. Of what is kept there may be none. */
static parscan_status check_place(parscan_chunked *chunked, const parscan_chunk *chunk)
{
    parscan_context *const context = chunked->context;
    const unsigned properties = chunked->primitive->properties;
    const size_t n = chunk->n;
    const bool pairs = properties & OUT2_IN_PLACE;
    const bool whole = (chunked->out2_size > 0 && !pairs) || properties & WRITES_N;
    const parscan_extent in = {"chunk->in", chunk->in, n * chunked->in_size};
    const parscan_extent in2 = {"chunk->in2", chunk->in2, n * chunked->in2_size};
    const parscan_extent out = {"chunk->out", chunk->out, whole ? n * chunked->out_size : n > 0};
    const parscan_extent out2 = {"chunk->out2", chunk->out2,
                                 pairs ? n > 0 : n * chunked->out2_size};
    const parscan_extent arrays[] = {out2, in, out, in2};
    if (n > 0 && chunk->in == chunk->out && chunk->out != NULL && !(properties & NOT_IN_PLACE) &&
        chunked->in_size != chunked->out_size)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "chunk->out = chunk->in, but their elements have %zu and %zu bytes",
                            chunked->out_size, chunked->in_size);
    parscan_status status = properties & NOT_IN_PLACE || chunked->apart
                                ? parscan_check_apart(context, out, in)
                                : parscan_check_same_or_apart(context, out, in);
    if (status == PARSCAN_OK)
        status = properties & IN2_IN_PLACE ? parscan_check_same_or_apart(context, out, in2)
                                           : parscan_check_apart(context, out, in2);
    if (status == PARSCAN_OK && pairs)
        status = parscan_check_same_or_apart(context, out2, in2);
    return status == PARSCAN_OK ? parscan_check_all_apart(context, arrays, 1, pairs ? 3 : 4)
                                : status;
}

static parscan_status check_chunk(parscan_chunked *chunked, const parscan_chunk *chunk)
{
    parscan_context *const context = chunked->context;
    const unsigned properties = chunked->primitive->properties;
    const bool optional = properties & OUT_OPTIONAL;
    parscan_status status =
        check_field(chunked, "chunk->in", chunk->in, chunk->n, chunked->in_size, false);
    if (status == PARSCAN_OK)
        status = check_field(chunked, "chunk->in2", chunk->in2, chunk->n, chunked->in2_size, false);
    if (status == PARSCAN_OK)
        status =
            check_field(chunked, "chunk->out", chunk->out, chunk->n, chunked->out_size, optional);
    if (status == PARSCAN_OK)
        status =
            check_field(chunked, "chunk->out2", chunk->out2, chunk->n, chunked->out2_size, false);
    if (status == PARSCAN_OK)
        status = check_place(chunked, chunk);
    if (status != PARSCAN_OK)
        return status;
    if (chunk->written == NULL && properties & NEEDS_WRITTEN)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "chunk->written is NULL");
    if (chunk->n > UINT64_MAX - chunked->state.elements)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: with %" PRIu64 " elements before, more than 2^64 - 1",
                            chunk->n, chunked->state.elements);
    return PARSCAN_OK;
}

static parscan_status check_open(parscan_chunked *chunked, const char *what)
{
    if (chunked->finished)
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s after parscan_chunked_finish()", what);
    return PARSCAN_OK;
}

parscan_status parscan_chunked_update(parscan_chunked *chunked, const parscan_chunk *given)
{
    parscan_chunk chunk;
    uint64_t written = 0;
    if (chunked == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_status status = parscan_refuse_lengths(chunked->context, "parscan_chunked_update()");
    if (status == PARSCAN_OK)
        status = check_open(chunked, "a chunk");
    if (status != PARSCAN_OK)
        return status;
    if (given == NULL)
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT, "chunk is NULL");
    status = parscan_read_struct(chunked->context, "chunk", given, PARSCAN_OLDEST_CHUNK, &chunk,
                                 sizeof chunk);
    if (status == PARSCAN_OK)
        status = check_chunk(chunked, &chunk);
    if (status != PARSCAN_OK)
        return status;
    chunked_state next = chunked->state;
    next.elements += chunk.n;
    if (chunk.n > 0)
        status = chunked->primitive->update(chunked, &chunk, &next, &written);
    if (status == PARSCAN_OK && chunked->primitive->properties & WRITES_N && chunk.out != NULL)
        written = chunk.n;
    if (status == PARSCAN_OK)
        status = parscan_chunked_put(chunked, chunk.written, &written, sizeof written);
    if (status != PARSCAN_OK)
        return status;
    chunked->state = next;
    if (chunked->draft != NULL && chunk.n > 0) {
        void *const carry = chunked->carry;
        chunked->carry = chunked->draft;
        chunked->draft = carry;
    }
    return PARSCAN_OK;
}

static parscan_status check_chunked_end(parscan_chunked *chunked, const parscan_chunked_end *end)
{
    const unsigned properties = chunked->primitive->properties;
    const bool has_out = properties & (END_HAS_OUT | END_NEEDS_OUT);
    const bool has_out2 = properties & END_HAS_OUT2;
    const bool may_have_out2 = properties & (END_HAS_OUT2 | END_MAY_HAVE_OUT2);
    parscan_status status = check_field(chunked, "end->out", end->out, 1, has_out, true);
    if (status == PARSCAN_OK)
        status = check_field(chunked, "end->out2", end->out2, 1, may_have_out2, true);
    if (status != PARSCAN_OK)
        return status;
    const bool needs = properties & END_NEEDS_OUT || (has_out2 && chunked->state.begun);
    if (needs && (end->out == NULL || (has_out2 && end->out2 == NULL)))
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is NULL: %s needs it", end->out == NULL ? "end->out" : "end->out2",
                            chunked->primitive->name);
    return PARSCAN_OK;
}

parscan_status parscan_chunked_finish(parscan_chunked *chunked, const parscan_chunked_end *given)
{
    parscan_chunked_end end;
    uint64_t written = 0;
    if (chunked == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_status status = parscan_refuse_lengths(chunked->context, "parscan_chunked_finish()");
    if (status == PARSCAN_OK)
        status = check_open(chunked, "parscan_chunked_finish()");
    if (status == PARSCAN_OK)
        status = parscan_read_struct(chunked->context, "end", given, PARSCAN_OLDEST_CHUNKED_END,
                                     &end, sizeof end);
    if (status == PARSCAN_OK)
        status = check_chunked_end(chunked, &end);
    if (status == PARSCAN_OK && chunked->primitive->finish != NULL)
        status = chunked->primitive->finish(chunked, &end, &written);
    if (status == PARSCAN_OK)
        status = parscan_chunked_put(chunked, end.written, &written, sizeof written);
    const uint64_t total = chunked->primitive->properties & COUNTS_TOTAL ? chunked->state.total
                                                                         : chunked->state.elements;
    if (status == PARSCAN_OK)
        status = parscan_chunked_put(chunked, end.total, &total, sizeof total);
    if (status == PARSCAN_OK)
        chunked->finished = true;
    return status;
}
