/* Histograms and allocations over chunks. */
#include <inttypes.h>
#include <string.h>

#include "apps/chunked/chunked_object.h"
#include "scan/context/check.h"

/* The counts are 64 bits wide, and the engine adds to them. */
static parscan_status update_histogram(parscan_chunked *chunked, const parscan_chunk *chunk,
                                       chunked_state *next, uint64_t *written)
{
    histogram_call call = chunked->call.histogram;
    (void)next;
    (void)written;
    call.in = chunk->in;
    call.n = chunk->n;
    call.counts = chunked->carry;
    call.adds = true;
    return parscan_run_histogram(&call);
}

/* A count fits its type if the number of elements does. */
static parscan_status check_counts(parscan_chunked *chunked)
{
    const uint64_t *const counts = chunked->carry;
    const parscan_type type = (parscan_type)chunked->arguments.out_type;
    const uint64_t most = parscan_most_index(type);
    if (chunked->state.elements <= most)
        return PARSCAN_OK;
    for (size_t bin = 0; bin < chunked->arguments.bins; bin++)
        if (counts[bin] > most)
            return parscan_fail(chunked->context, PARSCAN_ERROR_OVERFLOW,
                                "counts[%zu] = %" PRIu64 " does not fit count_type = %s", bin,
                                counts[bin], parscan_type_name(type));
    return PARSCAN_OK;
}

static parscan_status finish_histogram(parscan_chunked *chunked, const parscan_chunked_end *end,
                                       uint64_t *written)
{
    enum { BLOCK = 4096 };
    const uint64_t *const counts = chunked->carry;
    const size_t bins = (size_t)chunked->arguments.bins;
    uint32_t narrow[BLOCK];
    (void)written;
    parscan_status status = check_counts(chunked);
    if (status != PARSCAN_OK ||
        parscan_type_size((parscan_type)chunked->arguments.out_type) == sizeof *counts)
        return status == PARSCAN_OK
                   ? parscan_chunked_put(chunked, end->out, counts, bins * sizeof *counts)
                   : status;
    for (size_t first = 0; first < bins && status == PARSCAN_OK; first += BLOCK) {
        const size_t n = bins - first < BLOCK ? bins - first : BLOCK;
        for (size_t k = 0; k < n; k++)
            narrow[k] = (uint32_t)counts[first + k];
        status = parscan_chunked_put(chunked, (char *)end->out + first * sizeof *narrow, narrow,
                                     n * sizeof *narrow);
    }
    return status;
}

parscan_status parscan_chunked_create_histogram(parscan_chunked **chunked, parscan_context *context,
                                                parscan_type type, size_t bins,
                                                parscan_type count_type,
                                                const parscan_histogram_options *options)
{
    static const chunked_primitive histogram = {"a histogram", END_NEEDS_OUT, update_histogram,
                                                finish_histogram};
    parscan_chunked draft;
    parscan_histogram_options read;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status == PARSCAN_OK)
        status = parscan_check_histogram(context, type, bins, count_type, options, &read,
                                         &draft.call.histogram);
    if (status != PARSCAN_OK)
        return status;
    draft.primitive = &histogram;
    draft.arguments.primitive = CHUNKED_HISTOGRAM;
    draft.arguments.type = type;
    draft.arguments.out_type = count_type;
    draft.arguments.bins = bins;
    parscan_chunked_keep(&draft, GIVEN_VALUE, &draft.arguments.value, type, read.lower);
    parscan_chunked_keep(&draft, GIVEN_UPPER, &draft.arguments.upper, type, read.upper);
    draft.call.histogram.count_size = sizeof(uint64_t);
    draft.in_size = parscan_type_size(type);
    draft.carry_bytes = bins * sizeof(uint64_t);
    return parscan_chunked_make(chunked, &draft, false);
}

static parscan_status update_allocation(parscan_chunked *chunked, const parscan_chunk *chunk,
                                        chunked_state *next, uint64_t *written)
{
    allocate_call call = chunked->call.allocate;
    (void)written;
    call.sizes = chunk->in;
    call.offsets = chunk->out;
    call.n = chunk->n;
    call.start = chunked->state.total;
    return parscan_run_allocate(&call, chunked->capacity, &next->total);
}

/* The offset behind the last one. */
static parscan_status close_allocation(parscan_chunked *chunked, const parscan_chunked_end *end,
                                       uint64_t *written)
{
    const uint32_t narrow = (uint32_t)chunked->state.total;
    *written = 1;
    return chunked->out_size == sizeof narrow
               ? parscan_chunked_put(chunked, end->out, &narrow, sizeof narrow)
               : parscan_chunked_put(chunked, end->out, &chunked->state.total,
                                     sizeof chunked->state.total);
}

parscan_status parscan_chunked_create_allocate(parscan_chunked **chunked, parscan_context *context,
                                               parscan_type size_type, parscan_type offset_type,
                                               const parscan_allocate_options *given)
{
    static const chunked_primitive allocation = {
        "an allocation", WRITES_N | COUNTS_TOTAL | OUT_OPTIONAL, update_allocation, NULL};
    static const chunked_primitive closed = {"an allocation with close",
                                             WRITES_N | COUNTS_TOTAL | OUT_OPTIONAL | END_NEEDS_OUT,
                                             update_allocation, close_allocation};
    parscan_chunked draft;
    parscan_allocate_options options;
    parscan_status status = parscan_chunked_begin(chunked, context, &draft);
    if (status != PARSCAN_OK)
        return status;
    allocate_call *const call = &draft.call.allocate;
    *call = (allocate_call){.context = context, .size_type = size_type, .offset_type = offset_type};
    status = parscan_check_allocate_options(context, given, &options);
    if (status == PARSCAN_OK)
        status = parscan_check_allocate_types(call);
    if (status != PARSCAN_OK)
        return status;
    call->alignment = options.alignment != 0 ? options.alignment : 1;
    draft.primitive = options.close != 0 ? &closed : &allocation;
    draft.arguments.primitive = CHUNKED_ALLOCATE;
    draft.arguments.type = size_type;
    draft.arguments.out_type = offset_type;
    draft.arguments.alignment = call->alignment;
    draft.capacity = options.capacity != 0 ? options.capacity : UINT64_MAX;
    draft.in_size = parscan_type_size(size_type);
    draft.out_size = parscan_type_size(offset_type);
    return parscan_chunked_make(chunked, &draft, false);
}
