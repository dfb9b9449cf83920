#include "parscan/sort.h"

#include "apps/segments/check_segments.h"
#include "apps/sort/sort_axis.h"
#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"
#include "apps/sort/sort_parts_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/type_traits.h"

static parscan_status check_bits(parscan_context *context, parscan_type type,
                                 const parscan_sort_options *options)
{
    const unsigned bits = 8 * (unsigned)parscan_type_size(type);
    if (options->begin_bit == 0 && options->end_bit == 0)
        return PARSCAN_OK;
    if (parscan_is_float(type))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "begin_bit = %u, end_bit = %u: both must be 0 for key_type = %s",
                            options->begin_bit, options->end_bit, parscan_type_name(type));
    const unsigned end = options->end_bit != 0 ? options->end_bit : bits;
    if (end > bits)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "end_bit = %u: key_type = %s has only %u bits", end,
                            parscan_type_name(type), bits);
    if (options->begin_bit >= end)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "begin_bit = %u: it must be below end_bit = %u", options->begin_bit,
                            end);
    return PARSCAN_OK;
}

static const sort_kernels *sort_kernels_of(parscan_isa isa, key_class key, size_t value_size)
{
    const value_class value = value_size == 0   ? VALUE_NONE
                              : value_size == 4 ? VALUE_4
                              : value_size == 8 ? VALUE_8
                                                : VALUE_ANY;
    return PARSCAN_BY_ISA(isa, &parscan_sort_kernels_portable[key][value],
                          &parscan_sort_kernels_avx2[key][value],
                          &parscan_sort_kernels_avx512[key][value]);
}

PARSCAN_STRUCT_CAN_GROW(parscan_sort_options, values_out_strides, PARSCAN_OLDEST_SORT_OPTIONS);

static bool has_values_strides(const parscan_sort_options *options)
{
    return options->values_in_strides != NULL || options->values_out_strides != NULL;
}

/* local: receives the options. */
static parscan_status begin(sort_call *call, parscan_context *context, parscan_type type,
                            size_t value_size, size_t n, const parscan_sort_options *given,
                            parscan_sort_options *local)
{
    const parscan_sort_options *const options = local;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_status status = parscan_check_key_type(context, type);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", given, PARSCAN_OLDEST_SORT_OPTIONS, local,
                                     sizeof *local);
    if (status != PARSCAN_OK)
        return status;
    if (options->shape == NULL && has_values_strides(options))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "values_in_strides, values_out_strides: they need a shape");
    status = check_bits(context, type, options);
    if (status != PARSCAN_OK)
        return status;
    const parscan_type_traits key = parscan_type_traits_of(type);
    const unsigned bits = 8 * (unsigned)key.size;
    const unsigned end = options->end_bit != 0 ? options->end_bit : bits;
    *call = (sort_call){
        .context = context,
        .kernels = sort_kernels_of(context->isa, key.key, value_size),
        .order = parscan_key_order(type, options->descending != 0, options->begin_bit, end),
        .key = key.key,
        .key_size = key.size,
        .value_size = value_size,
        .n = n,
        .float_keys = key.is_float,
        .whole_keys = options->begin_bit == 0 && end == bits,
    };
    return PARSCAN_OK;
}

uint64_t parscan_sort_rank(const sort_call *call, const char *key)
{
    return call->kernels->rank(&call->order, key);
}

static parscan_status refuse_shape(parscan_context *context)
{
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "shape: this call has none");
}

parscan_status parscan_sort_begin(sort_call *call, parscan_context *context, parscan_type type,
                                  size_t value_size, size_t n, const parscan_sort_options *given)
{
    parscan_sort_options options;
    const parscan_status status = begin(call, context, type, value_size, n, given, &options);
    return status == PARSCAN_OK && options.shape != NULL ? refuse_shape(context) : status;
}

static parscan_status check_sort_values(sort_call *call, const void *values_in, void *values_out)
{
    const size_t size = call->value_size;
    parscan_status status = parscan_check_value_size(call->context, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(call->context, "values_in", values_in, call->n, size);
    if (status != PARSCAN_OK)
        return status;
    call->in.values = (char *)values_in;
    call->out.values = values_out;
    return parscan_check_array(call->context, "values_out", values_out, call->n, size);
}

static parscan_status check_keys(sort_call *call, const void *keys_in, void *keys_out)
{
    const size_t size = call->key_size;
    const parscan_status status =
        parscan_check_array(call->context, "keys_in", keys_in, call->n, size);
    if (status != PARSCAN_OK)
        return status;
    call->in.keys = (char *)keys_in; /* not written, unless it is keys_out too */
    call->out.keys = keys_out;
    return parscan_check_array(call->context, "keys_out", keys_out, call->n, size);
}

/* Keys and values may each be sorted in place; otherwise no output overlaps another array. */
static parscan_status check_sort_places(const sort_call *call)
{
    const size_t key_bytes = call->n * call->key_size, value_bytes = call->n * call->value_size;
    const parscan_extent keys_in = {"keys_in", call->in.keys, key_bytes};
    const parscan_extent keys_out = {"keys_out", call->out.keys, key_bytes};
    const parscan_extent values_in = {"values_in", call->in.values, value_bytes};
    const parscan_extent values_out = {"values_out", call->out.values, value_bytes};
    parscan_status status = parscan_check_same_or_apart(call->context, keys_out, keys_in);
    if (status == PARSCAN_OK)
        status = parscan_check_same_or_apart(call->context, values_out, values_in);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(call->context, values_out, keys_out);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(call->context, values_out, keys_in);
    return status == PARSCAN_OK ? parscan_check_apart(call->context, keys_out, values_in) : status;
}

static parscan_status run_sort_call(sort_call *call, call_lengths *lengths)
{
    static parscan_status (*const engines[])(sort_call * call) =
        PARSCAN_ENGINES(parscan_sort_cpu, parscan_sort_cuda);
    parscan_context *const context = call->context;
    call->n = parscan_length(lengths, LENGTH_N, call->n);
    call->n_at = parscan_length_at(lengths, LENGTH_N);
    return parscan_end_lengths(context, lengths,
                               call->n == 0 ? PARSCAN_OK : engines[context->backend](call));
}

/* What is known of a call with a shape. */
static axis_sort along(const sort_call *call, const parscan_sort_options *options,
                       parscan_type key_type, axis_side in, axis_side out)
{
    axis_sort sort = {.call = call,
                      .options = *options,
                      .key_type = key_type,
                      .shape = options->shape,
                      .in = in,
                      .out = out};
    sort.options.shape = NULL;
    return sort;
}

static parscan_status sort_along(axis_sort *sort, call_lengths *lengths,
                                 parscan_status (*run)(axis_sort *sort))
{
    parscan_context *const context = sort->call->context;
    if (sort->values_in.size == 0 && has_values_strides(&sort->options))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "values_in_strides, values_out_strides: this call has no values");
    sort->n = parscan_length(lengths, LENGTH_N, sort->call->n);
    sort->n_at = parscan_length_at(lengths, LENGTH_N);
    return parscan_end_lengths(context, lengths, run(sort));
}

/* Pairs with a shape. */
static parscan_status sort_pairs_along(axis_sort *sort, call_lengths *lengths,
                                       const void *values_in, void *values_out)
{
    const sort_call *const call = sort->call;
    const parscan_status status = parscan_check_value_size(call->context, call->value_size);
    sort->values_in = (axis_side){"values_in", values_in, call->value_size, call->n, false};
    sort->values_out = (axis_side){"values_out", values_out, call->value_size, call->n, false};
    return status == PARSCAN_OK ? sort_along(sort, lengths, parscan_sort_axis) : status;
}

parscan_status parscan_sort_keys(parscan_context *context, parscan_type key_type,
                                 const void *keys_in, void *keys_out, size_t n,
                                 const parscan_sort_options *options)
{
    sort_call call;
    call_lengths lengths;
    parscan_sort_options local;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = begin(&call, context, key_type, 0, n, options, &local);
    if (status == PARSCAN_OK && local.shape != NULL) {
        axis_sort sort =
            along(&call, &local, key_type, (axis_side){"keys_in", keys_in, call.key_size, n, false},
                  (axis_side){"keys_out", keys_out, call.key_size, n, false});
        return sort_along(&sort, &lengths, parscan_sort_axis);
    }
    if (status == PARSCAN_OK)
        status = check_keys(&call, keys_in, keys_out);
    if (status == PARSCAN_OK)
        status = check_sort_places(&call);
    return status == PARSCAN_OK ? run_sort_call(&call, &lengths) : status;
}

parscan_status parscan_sort_pairs(parscan_context *context, parscan_type key_type,
                                  const void *keys_in, void *keys_out, size_t value_size,
                                  const void *values_in, void *values_out, size_t n,
                                  const parscan_sort_options *options)
{
    sort_call call;
    call_lengths lengths;
    parscan_sort_options local;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = begin(&call, context, key_type, value_size, n, options, &local);
    if (status == PARSCAN_OK && local.shape != NULL) {
        axis_sort sort =
            along(&call, &local, key_type, (axis_side){"keys_in", keys_in, call.key_size, n, false},
                  (axis_side){"keys_out", keys_out, call.key_size, n, false});
        return sort_pairs_along(&sort, &lengths, values_in, values_out);
    }
    if (status == PARSCAN_OK)
        status = check_keys(&call, keys_in, keys_out);
    if (status == PARSCAN_OK)
        status = check_sort_values(&call, values_in, values_out);
    if (status == PARSCAN_OK)
        status = check_sort_places(&call);
    return status == PARSCAN_OK ? run_sort_call(&call, &lengths) : status;
}

/* The keys are sorted into scratch; the values are the elements' indices. */
parscan_status parscan_argsort(parscan_context *context, parscan_type key_type, const void *keys,
                               parscan_type index_type, void *indices_out, size_t n,
                               const parscan_sort_options *options)
{
    sort_call call;
    const size_t index_size = parscan_type_size(index_type) == 4 ? 4 : 8;
    call_lengths lengths;
    parscan_sort_options local;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = begin(&call, context, key_type, index_size, n, options, &local);
    if (status != PARSCAN_OK)
        return status;
    status = parscan_check_index_type(context, "index_type", index_type);
    if (status != PARSCAN_OK)
        return status;
    if (n > 0 && n - 1 > parscan_most_index(index_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: the indices do not fit index_type = %s", n,
                            parscan_type_name(index_type));
    if (local.shape != NULL) {
        axis_sort sort =
            along(&call, &local, key_type, (axis_side){"keys", keys, call.key_size, n, false},
                  (axis_side){"indices_out", indices_out, index_size, n, true});
        return sort_along(&sort, &lengths, parscan_argsort_axis);
    }
    status = parscan_check_array(context, "keys", keys, n, call.key_size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "indices_out", indices_out, n, index_size);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context,
                                     (parscan_extent){"indices_out", indices_out, n * index_size},
                                     (parscan_extent){"keys", keys, n * call.key_size});
    call.in.keys = (char *)keys;
    call.out.values = indices_out;
    return status == PARSCAN_OK ? run_sort_call(&call, &lengths) : status;
}

/* Rows that the engine sorts in another way than as segments: lines of a shape. */
static bool are_rows_apart(const sort_call *call, const parscan_segments *segments)
{
    static bool (*const engines[])(const sort_call *call, size_t lines, size_t n) =
        PARSCAN_ENGINES(parscan_sort_rows_apart_cpu, parscan_sort_rows_apart_cuda);
    const size_t n = segments->count;
    return segments->kind == PARSCAN_SEGMENTS_ROWS && call->value_size == 0 && call->n_at == NULL &&
           call->n > 0 && n > 0 && call->n % n == 0 &&
           engines[call->context->backend](call, call->n / n, n);
}

static parscan_status sort_rows_apart(const sort_call *call, const parscan_sort_options *options,
                                      parscan_type key_type, size_t n)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = call->n / n, .inner = 1);
    axis_sort sort = along(call, options, key_type,
                           (axis_side){"keys_in", call->in.keys, call->key_size, n, false},
                           (axis_side){"keys_out", call->out.keys, call->key_size, n, false});
    sort.shape = &shape;
    sort.n = n;
    return parscan_sort_axis(&sort);
}

parscan_status parscan_sort_segments(parscan_context *context, parscan_type key_type,
                                     const void *keys_in, void *keys_out, size_t value_size,
                                     const void *values_in, void *values_out, size_t n,
                                     const parscan_segments *segments,
                                     const parscan_sort_options *options)
{
    static parscan_status (*const engines[])(sort_call * call, const parscan_segments *segments) =
        PARSCAN_ENGINES(parscan_sort_segments_cpu, parscan_sort_segments_cuda);
    sort_call call;
    parscan_segments local;
    parscan_sort_options local_options;
    call_lengths lengths;
    parscan_status status =
        parscan_take_lengths(context, LENGTH_N | LENGTH_SEGMENT_COUNT | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = begin(&call, context, key_type, value_size, n, options, &local_options);
    if (status == PARSCAN_OK && local_options.shape != NULL)
        status = refuse_shape(context);
    if (status == PARSCAN_OK)
        status = check_keys(&call, keys_in, keys_out);
    if (status == PARSCAN_OK && (value_size != 0 || values_in != NULL || values_out != NULL))
        status = check_sort_values(&call, values_in, values_out);
    if (status == PARSCAN_OK)
        status = check_sort_places(&call);
    if (status == PARSCAN_OK)
        status = parscan_check_most_segments(context, segments, n, &local);
    if (status == PARSCAN_OK) {
        const parscan_extent arrays[] = {parscan_segments_extent(&local, n),
                                         {"keys_out", keys_out, n * call.key_size},
                                         {"values_out", values_out, n * call.value_size}};
        status = parscan_check_all_apart(context, arrays, 1, 3);
    }
    if (status == PARSCAN_OK)
        status = parscan_segment_lengths(context, &lengths, &call.n, &local);
    if (status != PARSCAN_OK)
        return status;
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    call.segment_count_at = parscan_length_at(&lengths, LENGTH_SEGMENT_COUNT);
    if (are_rows_apart(&call, &local))
        return parscan_end_lengths(context, &lengths,
                                   sort_rows_apart(&call, &local_options, key_type, local.count));
    return parscan_end_lengths(context, &lengths, engines[context->backend](&call, &local));
}
