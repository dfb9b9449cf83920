/* Extremes with their index, and the k first, over chunks. Indices count from the first element of the first
   chunk. What a chunk has is compared with what those before had by the same call, of the two of them. */
#include <inttypes.h>
#include <string.h>

#include "apps/chunked/chunked_object.h"
#include "parscan/select.h"
#include "scan/context/check.h"

static parscan_status check_indices(parscan_chunked *chunked, const chunked_state *next)
{
    const parscan_type type = (parscan_type)chunked->arguments.out_type;
    if (next->elements - 1 <= parscan_most_index(type))
        return PARSCAN_OK;
    return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "n = %" PRIu64
                        " with the chunks before: the indices do not fit index_type = %s",
                        next->elements, parscan_type_name(type));
}

static parscan_status put_index(parscan_chunked *chunked, void *indices, size_t at, uint64_t index)
{
    const uint32_t narrow = (uint32_t)index;
    if (indices == NULL)
        return PARSCAN_OK;
    if (parscan_type_size((parscan_type)chunked->arguments.out_type) == sizeof narrow)
        return parscan_chunked_put(chunked, (char *)indices + at * sizeof narrow, &narrow,
                                   sizeof narrow);
    return parscan_chunked_put(chunked, (char *)indices + at * sizeof index, &index, sizeof index);
}

/* ---- the extreme ---- */

static parscan_status arg_reduce(const parscan_chunked *chunked, const void *in, size_t n,
                                 void *value, uint64_t *index)
{
    return parscan_arg_reduce(chunked->context, (parscan_type)chunked->arguments.type, in, n,
                              (parscan_op)chunked->arguments.op, value, PARSCAN_U64, index, NULL);
}

/* The index is in next->open_length. */
static parscan_status update_extreme(parscan_chunked *chunked, const parscan_chunk *chunk,
                                     chunked_state *next, uint64_t *written)
{
    char pair[2 * CHUNKED_ELEMENT]; /* of the chunks before, of this one */
    uint64_t index, better = 1;
    (void)written;
    parscan_status status = check_indices(chunked, next);
    if (status == PARSCAN_OK)
        status = arg_reduce(chunked, chunk->in, chunk->n, pair + chunked->in_size, &index);
    if (status == PARSCAN_OK && chunked->state.begun) {
        memcpy(pair, chunked->state.value.bytes, chunked->in_size);
        status = arg_reduce(chunked, pair, 2, NULL, &better);
    }
    if (status != PARSCAN_OK || better == 0)
        return status;
    memcpy(next->value.bytes, pair + chunked->in_size, chunked->in_size);
    next->open_length = chunked->state.elements + index;
    next->begun = 1;
    return PARSCAN_OK;
}

static parscan_status finish_extreme(parscan_chunked *chunked, const parscan_chunked_end *end,
                                     uint64_t *written)
{
    chunked_element value = chunked->state.value;
    uint64_t index = chunked->state.open_length;
    parscan_status status = PARSCAN_OK;
    *written = 1;
    if (!chunked->state.begun)
        status = arg_reduce(chunked, NULL, 0, value.bytes, &index);
    if (status == PARSCAN_OK)
        status = parscan_chunked_put(chunked, end->out, value.bytes, chunked->in_size);
    return status == PARSCAN_OK ? put_index(chunked, end->out2, 0, index) : status;
}

parscan_status parscan_chunked_create_arg_reduce(parscan_chunked **chunked,
                                                 parscan_context *context, parscan_type type,
                                                 parscan_op op, parscan_type index_type)
{
    static const chunked_primitive extreme = {
        "a reduction to an index", END_HAS_OUT | END_MAY_HAVE_OUT2, update_extreme, finish_extreme};
    parscan_chunked draft;
    uint64_t index;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = parscan_arg_reduce(context, type, NULL, 0, op, NULL, index_type, &index, NULL);
    if (status != PARSCAN_OK)
        return status;
    draft.primitive = &extreme;
    draft.arguments.primitive = CHUNKED_ARG_REDUCE;
    draft.arguments.type = type;
    draft.arguments.out_type = index_type;
    draft.arguments.op = op;
    draft.in_size = parscan_type_size(type);
    return parscan_chunked_make(chunked, &draft, false);
}

/* ---- the k first ---- */

/* The carry has k indices and k values, sorted, of which the first are used. The work of an update has those of
   the carry and of the chunk, one after the other, and which of them are taken. */
typedef struct top_work {
    uint64_t *indices, *taken;
    char *values;
} top_work;

static size_t wanted(const parscan_chunked *chunked, uint64_t elements)
{
    const uint64_t k = chunked->arguments.bins;
    return (size_t)(elements < k ? elements : k);
}

static char *carried_values(const parscan_chunked *chunked)
{
    return (char *)chunked->carry + chunked->arguments.bins * sizeof(uint64_t);
}

static top_work work_of(const parscan_chunked *chunked)
{
    top_work work = {.indices = chunked->work};
    work.taken = work.indices + 2 * chunked->arguments.bins;
    work.values = (char *)(work.taken + chunked->arguments.bins);
    return work;
}

static parscan_status top_k(const parscan_chunked *chunked, const void *in, size_t n, size_t k,
                            void *values, uint64_t *indices)
{
    const parscan_top_k_options options =
        PARSCAN_TOP_K_OPTIONS(.smallest = chunked->arguments.op == PARSCAN_MIN);
    return parscan_top_k(chunked->context, (parscan_type)chunked->arguments.type, in, n, k, values,
                         PARSCAN_U64, indices, &options);
}

static parscan_status update_top(parscan_chunked *chunked, const parscan_chunk *chunk,
                                 chunked_state *next, uint64_t *written)
{
    const size_t size = chunked->in_size, had = wanted(chunked, chunked->state.elements);
    const size_t more = wanted(chunked, chunk->n), all = wanted(chunked, next->elements);
    const top_work work = work_of(chunked);
    (void)written;
    parscan_status status = check_indices(chunked, next);
    if (status != PARSCAN_OK || all == 0)
        return status;
    memcpy(work.indices, chunked->carry, had * sizeof *work.indices);
    memcpy(work.values, carried_values(chunked), had * size);
    status =
        top_k(chunked, chunk->in, chunk->n, more, work.values + had * size, work.indices + had);
    if (status == PARSCAN_OK)
        status = top_k(chunked, work.values, had + more, all, NULL, work.taken);
    if (status != PARSCAN_OK)
        return status;
    for (size_t j = 0; j < more; j++)
        work.indices[had + j] += chunked->state.elements;
    for (size_t j = 0; j < all; j++) {
        const size_t from = (size_t)work.taken[j];
        memcpy((char *)chunked->carry + j * sizeof *work.indices, work.indices + from,
               sizeof *work.indices);
        memcpy(carried_values(chunked) + j * size, work.values + from * size, size);
    }
    return PARSCAN_OK;
}

static parscan_status finish_top(parscan_chunked *chunked, const parscan_chunked_end *end,
                                 uint64_t *written)
{
    const size_t count = wanted(chunked, chunked->state.elements);
    const uint64_t *const indices = chunked->carry;
    parscan_status status = PARSCAN_OK;
    *written = count;
    if (count > 0)
        status = parscan_chunked_put(chunked, end->out, carried_values(chunked),
                                     count * chunked->in_size);
    for (size_t j = 0; j < count && status == PARSCAN_OK; j++)
        status = put_index(chunked, end->out2, j, indices[j]);
    return status;
}

static parscan_status check_top_options(parscan_context *context, parscan_type type, size_t k,
                                        parscan_type index_type,
                                        const parscan_top_k_options *options)
{
    uint64_t index;
    if (k > SIZE_MAX / 256)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "k = %zu: the elements exceed the address space", k);
    parscan_top_k_options all;
    parscan_status status =
        parscan_top_k(context, type, NULL, 0, 0, NULL, index_type, &index, options);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", options, PARSCAN_OLDEST_TOP_K_OPTIONS,
                                     &all, sizeof all);
    if (status != PARSCAN_OK)
        return status;
    const char *const wrong = all.segments != NULL ? "segments"
                              : all.count != NULL  ? "count"
                              : all.counts != NULL ? "counts"
                              : all.shape != NULL  ? "shape"
                                                   : NULL;
    return wrong == NULL ? PARSCAN_OK
                         : parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                        "options->%s: not in chunks", wrong);
}

parscan_status parscan_chunked_create_top_k(parscan_chunked **chunked, parscan_context *context,
                                            parscan_type type, size_t k, parscan_type index_type,
                                            const parscan_top_k_options *options)
{
    static const chunked_primitive top = {"a top-k", END_HAS_OUT | END_MAY_HAVE_OUT2, update_top,
                                          finish_top};
    parscan_chunked draft;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = check_top_options(context, type, k, index_type, options);
    if (status != PARSCAN_OK)
        return status;
    draft.primitive = &top;
    draft.arguments.primitive = CHUNKED_TOP_K;
    draft.arguments.type = type;
    draft.arguments.out_type = index_type;
    draft.arguments.op = options != NULL && options->smallest ? PARSCAN_MIN : PARSCAN_MAX;
    draft.arguments.bins = k;
    draft.in_size = parscan_type_size(type);
    draft.carry_bytes = k * (sizeof(uint64_t) + draft.in_size);
    draft.work_bytes = k * (3 * sizeof(uint64_t) + 2 * draft.in_size);
    return parscan_chunked_make(chunked, &draft, false);
}
