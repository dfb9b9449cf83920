#include "parscan/histogram.h"

#include "apps/histogram/histogram_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/call_scalars.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/context/float_mode.h"
#include "scan/type_traits.h"

enum { MAX_BINS = 1 << 24 };

const bin_map_type *parscan_bin_map_of(parscan_type type)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return &parscan_bin_map_##name;
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

PARSCAN_STRUCT_CAN_GROW(parscan_histogram_options, upper, PARSCAN_OLDEST_HISTOGRAM_OPTIONS);

static const char lower_name[] = "options->lower", upper_name[] = "options->upper";

static parscan_status place_bounds(parscan_context *context, parscan_type type,
                                   parscan_histogram_options *options)
{
    const size_t size = parscan_type_size(type);
    const parscan_status status =
        parscan_scalar_on_host(context, lower_name, 0, &options->lower, size);
    return status == PARSCAN_OK
               ? parscan_scalar_on_host(context, upper_name, 1, &options->upper, size)
               : status;
}

static parscan_status prepare_map(histogram_call *call, const parscan_histogram_options *options)
{
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    const parscan_status status =
        parscan_bin_map_of(call->type)->prepare(call->context, call->bins, options, &call->map);
    parscan_float_end(before);
    return status;
}

parscan_status parscan_fetch_histogram_bounds(histogram_call *call)
{
    const parscan_status status = place_bounds(call->context, call->type, &call->options);
    call->lower_on_device = call->upper_on_device = false;
    return status == PARSCAN_OK ? prepare_map(call, &call->options) : status;
}

/* Bounds in device memory stay there, if none is missing, which is an error of prepare_map(). */
static parscan_status find_bounds(histogram_call *call, parscan_histogram_options *options)
{
    static const uint64_t any = 0;
    const size_t size = call->element_size;
    parscan_status status = parscan_find_scalar(call->context, lower_name, options->lower, size,
                                                &call->lower_on_device);
    if (status == PARSCAN_OK)
        status = parscan_find_scalar(call->context, upper_name, options->upper, size,
                                     &call->upper_on_device);
    if (status != PARSCAN_OK)
        return status;
    if (parscan_is_float(call->type) && (options->lower == NULL || options->upper == NULL)) {
        options->lower = call->lower_on_device ? &any : options->lower;
        options->upper = call->upper_on_device ? &any : options->upper;
        call->lower_on_device = call->upper_on_device = false;
    }
    if (!histogram_has_bounds_on_device(call))
        return prepare_map(call, options);
    call->options = *options;
    call->map = (bin_map){.bins = (uint32_t)call->bins};
    return PARSCAN_OK;
}

/* All but the bounds. */
static parscan_status begin_histogram(parscan_context *context, parscan_type type, size_t bins,
                                      parscan_type count_type,
                                      const parscan_histogram_options *given,
                                      parscan_histogram_options *options, histogram_call *call)
{
    parscan_status status = parscan_check_type(context, "type", type);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", given, PARSCAN_OLDEST_HISTOGRAM_OPTIONS,
                                     options, sizeof *options);
    if (status != PARSCAN_OK)
        return status;
    if (bins == 0 || bins > MAX_BINS)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "bins = %zu: it must be 1 to %d", bins, MAX_BINS);
    status = parscan_check_index_type(context, "count_type", count_type);
    if (status != PARSCAN_OK)
        return status;
    *call = (histogram_call){.context = context,
                             .type = type,
                             .kernel = parscan_bin_map_of(type)->kernel(context->isa),
                             .element_size = parscan_type_size(type),
                             .bins = bins,
                             .count_size = parscan_type_size(count_type)};
    return PARSCAN_OK;
}

parscan_status parscan_check_histogram(parscan_context *context, parscan_type type, size_t bins,
                                       parscan_type count_type,
                                       const parscan_histogram_options *given,
                                       parscan_histogram_options *options, histogram_call *call)
{
    parscan_status status = begin_histogram(context, type, bins, count_type, given, options, call);
    if (status == PARSCAN_OK)
        status = place_bounds(context, type, options);
    return status == PARSCAN_OK ? prepare_map(call, options) : status;
}

parscan_status parscan_run_histogram(histogram_call *call)
{
    static parscan_status (*const engines[])(histogram_call * call) =
        PARSCAN_ENGINES(parscan_histogram_cpu, parscan_histogram_cuda);
    /* Bins are found by arithmetic of double, those of integers too. */
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    const parscan_status status = engines[call->context->backend](call);
    parscan_float_end(before);
    return status;
}

parscan_status parscan_histogram(parscan_context *context, parscan_type type, const void *in,
                                 size_t n, size_t bins, parscan_type count_type, void *counts,
                                 const parscan_histogram_options *given)
{
    parscan_histogram_options options;
    histogram_call call;
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = begin_histogram(context, type, bins, count_type, given, &options, &call);
    if (status == PARSCAN_OK)
        status = find_bounds(&call, &options);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "in", in, n, parscan_type_size(type));
    if (status != PARSCAN_OK)
        return status;
    if (counts == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "counts is NULL");
    /* The engines find counts beyond u32 only. */
    if (count_type == PARSCAN_I32 && n > parscan_most_index(count_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: a count may not fit count_type = i32", n);
    status =
        parscan_check_apart(context, (parscan_extent){"counts", counts, bins * call.count_size},
                            (parscan_extent){"in", in, n * call.element_size});
    if (status != PARSCAN_OK)
        return status;
    call.in = in;
    call.n = parscan_length(&lengths, LENGTH_N, n);
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    call.counts = counts;
    return parscan_end_lengths(context, &lengths, parscan_run_histogram(&call));
}
