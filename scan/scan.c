#include "parscan/scan.h"

#include "scan/axis/axis.h"
#include "scan/context/call_lengths.h"
#include "scan/context/call_scalars.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/context/float_mode.h"
#include "scan/custom/custom_check.h"
#include "scan/scan_call.h"

static const parscan_scan_engine *const engines[] =
    PARSCAN_ENGINES(&parscan_scan_cpu, &parscan_scan_cuda);

static parscan_status check_block_shape(parscan_context *context,
                                        const parscan_scan_options *options,
                                        parscan_block_shape *shape, size_t element_size)
{
    *shape = (parscan_block_shape){options->algorithm, options->block_threads,
                                   options->items_per_thread};
    engines[context->backend]->default_shape(shape);
    bool threads_wrong;
    const char *const wrong = parscan_block_shape_complete(shape, element_size, &threads_wrong);
    if (wrong == NULL)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s = %u: %s",
                        threads_wrong ? "block_threads" : "items_per_thread",
                        threads_wrong ? shape->threads : shape->items, wrong);
}

PARSCAN_STRUCT_CAN_GROW(parscan_scan_options, custom, PARSCAN_OLDEST_SCAN_OPTIONS);

/* The operator and the types of elements. */
static parscan_status check_operator(parscan_context *context, parscan_type type,
                                     const parscan_scan_options *options, parscan_scan_call *call)
{
    call->custom = options->custom;
    call->out_type = options->out_type == 0 ? type : options->out_type;
    if (type == PARSCAN_CUSTOM || options->custom != NULL)
        return parscan_check_custom(context, type, options, call);
    const parscan_status status = parscan_check_op(context, options->op, type);
    return status == PARSCAN_OK ? parscan_check_out_type(context, options->op, type, call->out_type)
                                : status;
}

/* All but where init is. */
static parscan_status read_scan_options(parscan_context *context, parscan_type type,
                                        const parscan_scan_options *given, parscan_scan_call *call,
                                        const parscan_shape **shape)
{
    parscan_scan_options local;
    const parscan_scan_options *const options = &local;
    parscan_status status =
        type == PARSCAN_CUSTOM ? PARSCAN_OK : parscan_check_type(context, "type", type);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", given, PARSCAN_OLDEST_SCAN_OPTIONS, &local,
                                     sizeof local);
    if (status == PARSCAN_OK)
        status = check_operator(context, type, options, call);
    if (status != PARSCAN_OK)
        return status;
    if (parscan_algorithm_name(options->algorithm) == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "algorithm = %d is not a parscan_algorithm", (int)options->algorithm);
    if (options->reproducible && options->algorithm != PARSCAN_AUTO)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "reproducible = %d with algorithm = %s: algorithm must be auto",
                            options->reproducible, parscan_algorithm_name(options->algorithm));
    if (shape == NULL && options->shape != NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "shape: this call has none");
    if (shape != NULL)
        *shape = options->shape;
    call->context = context;
    call->op = options->op;
    call->in_type = type;
    call->init = options->init;
    call->init_at = NULL;
    call->reverse = options->reverse != 0;
    call->reproducible = options->reproducible != 0;
    call->carried = false;
    return check_block_shape(context, options, &call->shape, parscan_sum_size(call));
}

size_t parscan_in_size(const parscan_scan_call *call)
{
    return call->custom != NULL ? call->custom->in_size : parscan_type_size(call->in_type);
}

size_t parscan_out_size(const parscan_scan_call *call)
{
    return call->custom != NULL ? call->custom->out_size : parscan_type_size(call->out_type);
}

size_t parscan_sum_size(const parscan_scan_call *call)
{
    return call->custom != NULL ? call->custom->size : parscan_type_size(parscan_sum_type(call));
}

static size_t init_size(const parscan_scan_call *call)
{
    return call->custom != NULL ? call->custom->size : parscan_type_size(parscan_init_type(call));
}

parscan_status parscan_check_scan_options(parscan_context *context, parscan_type type,
                                          const parscan_scan_options *given,
                                          parscan_scan_call *call, const parscan_shape **shape)
{
    const parscan_status status = read_scan_options(context, type, given, call, shape);
    return status == PARSCAN_OK
               ? parscan_scalar_on_host(context, "init", 0, &call->init, init_size(call))
               : status;
}

static parscan_status place_init(parscan_scan_call *call)
{
    bool on_device;
    const parscan_status status =
        parscan_find_scalar(call->context, "init", call->init, init_size(call), &on_device);
    call->init_at = on_device ? call->init : NULL;
    if (on_device)
        call->init = NULL;
    return status;
}

parscan_status parscan_read_scan_options(parscan_context *context, parscan_type type,
                                         const parscan_scan_options *given, parscan_scan_call *call,
                                         const parscan_shape **shape)
{
    const parscan_status status = read_scan_options(context, type, given, call, shape);
    return status == PARSCAN_OK ? place_init(call) : status;
}

parscan_status parscan_fetch_init(parscan_scan_call *call)
{
    if (call->init_at == NULL)
        return PARSCAN_OK;
    call->init = call->init_at;
    call->init_at = NULL;
    return parscan_fetch_scalar(call->context, "init", 0, &call->init, init_size(call));
}

parscan_status parscan_check_scan_arrays(parscan_context *context, const parscan_scan_call *call)
{
    const size_t in_size = parscan_in_size(call), out_size = parscan_out_size(call);
    parscan_status status =
        in_size == 0 ? PARSCAN_OK : parscan_check_array(context, "in", call->in, call->n, in_size);
    if (status != PARSCAN_OK)
        return status;
    if (call->kind == PARSCAN_KIND_REDUCE && call->out == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "out is NULL: it must have room for one element");
    const size_t out_n = call->kind == PARSCAN_KIND_REDUCE ? 1 : call->n;
    const parscan_extent in = {"in", call->in, call->n * in_size};
    const parscan_extent out = {"out", call->out, out_n * out_size};
    status = parscan_check_array(context, "out", call->out, out_n, out_size);
    if (status == PARSCAN_OK && (call->kind == PARSCAN_KIND_REDUCE || parscan_has_maps(call)))
        return parscan_check_apart(context, out, in);
    if (status == PARSCAN_OK && call->n > 0 && call->in == call->out && in_size != out_size)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "out = in, but out_type = %s and type = %s differ in size",
                              parscan_type_name(call->out_type), parscan_type_name(call->in_type));
    return status == PARSCAN_OK ? parscan_check_same_or_apart(context, out, in) : status;
}

bool parscan_scan_has_tree(const parscan_scan_call *call)
{
    return call->reproducible && parscan_is_float(call->out_type);
}

parscan_scan_call parscan_scan_signless(const parscan_scan_call *call)
{
    parscan_scan_call signless = *call;
    switch ((int)call->op) {
#define X(ctx, NAME) case PARSCAN_##NAME:
        PARSCAN_SIGNLESS_OPS(X, )
#undef X
        signless.out_type = parscan_signless(call->out_type);
        if (call->in_type == call->out_type)
            signless.in_type = signless.out_type;
    }
    return signless;
}

bool parscan_op_rounds(parscan_op op)
{
#define X(ctx, NAME) || op == PARSCAN_##NAME
    return false PARSCAN_ROUNDING_OPS(X, );
#undef X
}

bool parscan_op_commutes(parscan_op op)
{
    enum { ORDERED, COMMUTES };
    switch (op) {
#define X(ctx, NAME, number, name, meaning, order, ...) \
    case PARSCAN_##NAME:                                \
        return order == COMMUTES;
        PARSCAN_OPS(X, )
#undef X
    }
    return false;
}

parscan_float_mode parscan_scan_float_mode(const parscan_scan_call *call)
{
    return parscan_op_rounds(call->op) && !call->reproducible ? FLOAT_CALLERS : FLOAT_DEFAULT;
}

void parscan_round_carry(parscan_context *context, parscan_type type, const void *carry,
                         void *result)
{
    /* The reduction of no elements is init. */
    const parscan_scan_call nothing = {
        .context = context,
        .kind = PARSCAN_KIND_REDUCE,
        .in_type = type,
        .out_type = type,
        .init = carry,
        .carried = true,
        .out = result,
        .shape = {.algorithm = PARSCAN_SEQUENTIAL},
    };
    parscan_scan_cpu.run(&nothing);
}

parscan_status parscan_run_scan(const parscan_scan_call *call)
{
    return engines[call->context->backend]->run(call);
}

static parscan_status run_checked_scan(parscan_context *context, parscan_scan_kind kind,
                                       parscan_type type, const void *in, void *out, size_t n,
                                       const parscan_scan_options *options)
{
    parscan_scan_call call = {.kind = kind, .takes_custom = true, .in = in, .out = out, .n = n};
    const parscan_shape *shape = NULL;
    parscan_axis axis;
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_read_scan_options(context, type, options, &call, &shape);
    if (status == PARSCAN_OK)
        status = shape != NULL ? parscan_check_axis(&call, shape, &axis)
                               : parscan_check_scan_arrays(context, &call);
    if (status != PARSCAN_OK)
        return status;
    call.n = parscan_length(&lengths, LENGTH_N, n);
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    status = parscan_check_custom_start(&call);
    if (status != PARSCAN_OK)
        return status;
    const bool has_lines = call.axis == NULL || (axis.outer > 0 && axis.inner > 0);
    if (has_lines && (call.n > 0 || kind == PARSCAN_KIND_REDUCE))
        status = parscan_run_scan(&call);
    return parscan_end_lengths(context, &lengths, status);
}

parscan_status parscan_inclusive_scan(parscan_context *context, parscan_type type, const void *in,
                                      void *out, size_t n, const parscan_scan_options *options)
{
    return run_checked_scan(context, PARSCAN_KIND_INCLUSIVE, type, in, out, n, options);
}

parscan_status parscan_exclusive_scan(parscan_context *context, parscan_type type, const void *in,
                                      void *out, size_t n, const parscan_scan_options *options)
{
    return run_checked_scan(context, PARSCAN_KIND_EXCLUSIVE, type, in, out, n, options);
}

parscan_status parscan_reduce(parscan_context *context, parscan_type type, const void *in,
                              void *out, size_t n, const parscan_scan_options *options)
{
    return run_checked_scan(context, PARSCAN_KIND_REDUCE, type, in, out, n, options);
}
