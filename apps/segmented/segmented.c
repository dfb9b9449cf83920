#include "parscan/segmented.h"

#include "apps/segmented/recurrence_axis.h"
#include "apps/segmented/segmented_call.h"
#include "apps/segments/check_segments.h"
#include "apps/segments/segment_heads.h"
#include "scan/context/call_lengths.h"
#include "scan/context/call_scalars.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/custom/custom_check.h"

static parscan_status check_algorithm(parscan_context *context, const parscan_scan_call *scan)
{
    const parscan_algorithm algorithm = scan->shape.algorithm;
    if (algorithm != PARSCAN_AUTO && algorithm != PARSCAN_SEQUENTIAL &&
        algorithm != PARSCAN_SINGLE_PASS)
        return parscan_fail(
            context, PARSCAN_ERROR_UNSUPPORTED,
            "algorithm = %s: for segments it must be auto, sequential or single-pass",
            parscan_algorithm_name(algorithm));
    if (scan->reproducible && scan->custom != NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "reproducible = 1 with type = custom: segments are not reproducible");
    if (scan->reproducible && parscan_is_float(scan->out_type))
        return parscan_fail(
            context, PARSCAN_ERROR_UNSUPPORTED,
            "reproducible = 1 with type = %s: segments of floats are not reproducible",
            parscan_type_name(scan->out_type));
    return PARSCAN_OK;
}

parscan_status parscan_check_segmented_places(const segmented_call *call, size_t out_bytes)
{
    const parscan_scan_call *const scan = &call->scan;
    const bool reduces = scan->kind == PARSCAN_KIND_REDUCE; /* scans may be in place */
    const parscan_extent arrays[] = {
        {"out", scan->out, out_bytes},
        parscan_segments_extent(call->segments, scan->n),
        {"in", scan->in, reduces ? scan->n * parscan_in_size(scan) : 0}};
    return parscan_check_all_apart(scan->context, arrays, 1, 3);
}

static parscan_status check_scan(parscan_context *context, const segmented_call *call)
{
    const parscan_status status = parscan_check_scan_arrays(context, &call->scan);
    return status == PARSCAN_OK
               ? parscan_check_segmented_places(call, call->scan.n * parscan_out_size(&call->scan))
               : status;
}

parscan_status parscan_check_sums(const segmented_call *call, size_t least)
{
    const bool offsets = parscan_by_offsets(call->segments);
    const size_t size = parscan_out_size(&call->scan);
    if (!offsets && call->scan.out == NULL && least > 0)
        return parscan_fail(call->scan.context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "out is NULL, n = %zu", call->scan.n);
    return parscan_check_counted_array(call->scan.context, "out", call->scan.out,
                                       "the number of segments", least, size);
}

/* Checks the arrays of a reduction. Its output has one element for each segment, of which flags and
   keys have at least one. */
static parscan_status check_reduction(parscan_context *context, const segmented_call *call)
{
    const bool offsets = parscan_by_offsets(call->segments);
    const size_t least =
        offsets ? parscan_segment_count(call->segments, call->scan.n) : call->scan.n > 0;
    if (!offsets && call->count == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "count is NULL: it may be NULL only for segments given by offsets or rows");
    const size_t out_size = parscan_out_size(&call->scan), in_size = parscan_in_size(&call->scan);
    parscan_status status =
        in_size == 0 ? PARSCAN_OK
                     : parscan_check_array(context, "in", call->scan.in, call->scan.n, in_size);
    if (status == PARSCAN_OK)
        status = parscan_check_sums(call, least);
    return status == PARSCAN_OK ? parscan_check_segmented_places(call, least * out_size) : status;
}

parscan_status parscan_check_segmented_options(parscan_context *context, parscan_type type,
                                               const parscan_scan_options *options,
                                               segmented_call *call)
{
    const parscan_status status =
        parscan_check_scan_options(context, type, options, &call->scan, NULL);
    return status == PARSCAN_OK ? check_algorithm(context, &call->scan) : status;
}

parscan_status parscan_read_segmented_options(parscan_context *context, parscan_type type,
                                              const parscan_scan_options *options,
                                              segmented_call *call)
{
    const parscan_status status =
        parscan_read_scan_options(context, type, options, &call->scan, NULL);
    return status == PARSCAN_OK ? check_algorithm(context, &call->scan) : status;
}

parscan_status parscan_run_segmented(const segmented_call *call)
{
    static parscan_status (*const engines[])(const segmented_call *call) =
        PARSCAN_ENGINES(parscan_segmented_cpu, parscan_segmented_cuda);
    return engines[call->scan.context->backend](call);
}

parscan_status parscan_reduce_within(const segmented_call *given, size_t capacity)
{
    segmented_call call = *given;
    const parscan_segments *const segments = call.segments;
    const size_t n = call.scan.n;
    const bool counted =
        segments->kind == PARSCAN_SEGMENTS_FLAGS || segments->kind == PARSCAN_SEGMENTS_KEYS;
    if (capacity != SIZE_MAX && !counted)
        return parscan_fail(call.scan.context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->out_capacity = %zu: it needs segments by flags or keys",
                            capacity);
    if (capacity >= n)
        return parscan_run_segmented(&call);
    uint64_t count = 0;
    call.capacity = capacity;
    if (call.scan.context->backend ==
        PARSCAN_BACKEND_CUDA) /* its kernels find out what is left out */
        return parscan_run_segmented(&call);
    if (call.scan
            .reverse) /* which writes the last segments: those that have no room are left out */
        for (size_t at = 0; (at = segment_head(segments, at, n, NULL)) < n; at++)
            if (count++ == capacity)
                call.scan.n = at;
    const parscan_status status = parscan_run_segmented(&call);
    if (call.scan.reverse)
        *call.count = count;
    return status == PARSCAN_OK ? parscan_check_capacity(call.scan.context, *call.count, capacity)
                                : status;
}

/* That there is what an exclusive scan has first, and a segment without elements gives: only offsets tell of such.
   A reduction of rows, flags and keys has none. */
static parscan_status check_start(const segmented_call *call)
{
    parscan_scan_call scan = call->scan;
    if (scan.kind == PARSCAN_KIND_REDUCE)
        scan.n = call->segments->kind != PARSCAN_SEGMENTS_OFFSETS;
    return parscan_check_custom_start(&scan);
}

static parscan_status run_segmented_call(const segmented_call *asked, parscan_context *context,
                                         parscan_type type, const parscan_scan_options *options)
{
    segmented_call call = *asked;
    parscan_segments segments; /* a checked copy replaces the caller's struct */
    call_lengths lengths;
    const bool reduces = call.scan.kind == PARSCAN_KIND_REDUCE;
    parscan_status status =
        parscan_take_lengths(context,
                             LENGTH_N | LENGTH_SEGMENT_COUNT | LENGTH_ON_DEVICE |
                                 (reduces ? LENGTH_OUT_CAPACITY | LENGTH_CAPACITY_ON_CUDA : 0),
                             &lengths);
    if (status == PARSCAN_OK)
        status = parscan_read_segmented_options(context, type, options, &call);
    if (status == PARSCAN_OK)
        status = parscan_check_most_segments(context, call.segments, call.scan.n, &segments);
    call.segments = &segments;
    if (status == PARSCAN_OK)
        status = reduces ? check_reduction(context, &call) : check_scan(context, &call);
    if (status == PARSCAN_OK)
        status = check_start(&call);
    if (status == PARSCAN_OK)
        status = parscan_segment_lengths(context, &lengths, &call.scan.n, &segments);
    call.scan.n_at = parscan_length_at(&lengths, LENGTH_N);
    call.segment_count_at = parscan_length_at(&lengths, LENGTH_SEGMENT_COUNT);
    if (status == PARSCAN_OK)
        status =
            reduces ? parscan_reduce_within(&call, lengths.capacity) : parscan_run_segmented(&call);
    return parscan_end_lengths(context, &lengths, status);
}

parscan_status parscan_segmented_inclusive_scan(parscan_context *context, parscan_type type,
                                                const void *in, void *out, size_t n,
                                                const parscan_segments *segments,
                                                const parscan_scan_options *options)
{
    const segmented_call call = {
        .scan =
            {.kind = PARSCAN_KIND_INCLUSIVE, .takes_custom = true, .in = in, .out = out, .n = n},
        .segments = segments,
    };
    return run_segmented_call(&call, context, type, options);
}

parscan_status parscan_segmented_exclusive_scan(parscan_context *context, parscan_type type,
                                                const void *in, void *out, size_t n,
                                                const parscan_segments *segments,
                                                const parscan_scan_options *options)
{
    const segmented_call call = {
        .scan =
            {.kind = PARSCAN_KIND_EXCLUSIVE, .takes_custom = true, .in = in, .out = out, .n = n},
        .segments = segments,
    };
    return run_segmented_call(&call, context, type, options);
}

parscan_status parscan_segmented_reduce(parscan_context *context, parscan_type type, const void *in,
                                        void *out, size_t n, const parscan_segments *segments,
                                        uint64_t *count, const parscan_scan_options *options)
{
    const segmented_call call = {
        .scan = {.kind = PARSCAN_KIND_REDUCE, .takes_custom = true, .in = in, .out = out, .n = n},
        .segments = segments,
        .count = count,
    };
    return run_segmented_call(&call, context, type, options);
}

parscan_status parscan_check_recurrence_type(parscan_context *context, parscan_type type)
{
    const parscan_status status = parscan_check_type(context, "type", type);
    const parscan_type computed = parscan_compute_type(type);
    if (status != PARSCAN_OK || computed == PARSCAN_F32 || computed == PARSCAN_F64)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                        "type = %s: a recurrence takes floats of at most 64 bits",
                        parscan_type_name(type));
}

parscan_status parscan_run_recurrence(const recurrence_call *call)
{
    static parscan_status (*const engines[])(const recurrence_call *call) =
        PARSCAN_ENGINES(parscan_recurrence_cpu, parscan_recurrence_cuda);
    return engines[call->context->backend](call);
}

parscan_status parscan_check_one_a(const recurrence_call *call)
{
    if (call->a != NULL || call->n == 0)
        return parscan_check_array(call->context, "a", call->a, call->n > 0,
                                   parscan_type_size(call->type));
    return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "a is NULL, n = %zu, constant_a = 1: it must point to one element",
                        call->n);
}

static parscan_status check_recurrence_arrays(const recurrence_call *call)
{
    parscan_context *const context = call->context;
    const size_t size = parscan_type_size(call->type), n = call->n;
    parscan_status status = call->constant_a ? parscan_check_one_a(call)
                                             : parscan_check_array(context, "a", call->a, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "b", call->b, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", call->out, n, size);
    const parscan_extent written = {"out", call->out, n * size};
    if (status == PARSCAN_OK && !call->constant_a)
        status =
            parscan_check_same_or_apart(context, written, (parscan_extent){"a", call->a, n * size});
    if (status == PARSCAN_OK)
        status =
            parscan_check_same_or_apart(context, written, (parscan_extent){"b", call->b, n * size});
    return status;
}

/* Those in device memory stay there. */
static parscan_status find_scalars(recurrence_call *call)
{
    const size_t size = parscan_type_size(call->type);
    bool on_device = false, a_on_device = false;
    parscan_status status = PARSCAN_OK;
    if (call->constant_a)
        status = parscan_find_scalar(call->context, "a", call->a, size, &a_on_device);
    if (status == PARSCAN_OK)
        status = parscan_find_scalar(call->context, "x0", call->x0, size, &on_device);
    if (a_on_device) {
        call->a_at = call->a;
        call->a = NULL;
    }
    if (on_device) {
        call->x0_at = call->x0;
        call->x0 = NULL;
    }
    return status;
}

PARSCAN_STRUCT_CAN_GROW(parscan_recurrence_options, shape, PARSCAN_OLDEST_RECURRENCE_OPTIONS);

parscan_status parscan_recurrence_with(parscan_context *context, parscan_type type, const void *a,
                                       const void *b, const void *x0, void *out, size_t n,
                                       const parscan_recurrence_options *given)
{
    recurrence_call call = {
        .context = context, .type = type, .a = a, .b = b, .x0 = x0, .out = out, .n = n};
    parscan_recurrence_options options;
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_recurrence_type(context, type);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", given, PARSCAN_OLDEST_RECURRENCE_OPTIONS,
                                     &options, sizeof options);
    if (status != PARSCAN_OK)
        return status;
    call.constant_a = options.constant_a != 0;
    parscan_axis axis;
    bool is_plain = true;
    if (options.shape != NULL)
        status = parscan_check_recurrence_axis(&call, options.shape, &axis, &is_plain);
    if (status == PARSCAN_OK && is_plain)
        status = check_recurrence_arrays(&call);
    if (status == PARSCAN_OK)
        status = find_scalars(&call);
    if (status != PARSCAN_OK)
        return status;
    call.n = parscan_length(&lengths, LENGTH_N, n);
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    if (call.n > 0)
        status =
            is_plain ? parscan_run_recurrence(&call) : parscan_run_recurrence_axis(&call, &axis);
    return parscan_end_lengths(context, &lengths, status);
}

parscan_status parscan_recurrence(parscan_context *context, parscan_type type, const void *a,
                                  const void *b, const void *x0, void *out, size_t n)
{
    return parscan_recurrence_with(context, type, a, b, x0, out, n, NULL);
}
