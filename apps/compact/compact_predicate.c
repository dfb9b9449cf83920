/* Predicates: they are checked, and become ranges, unless they are functions of the caller's. */
#include "apps/compact/compact_checks.h"
#include "apps/compact/compact_kernels.h"
#include "scan/context/call_scalars.h"
#include "scan/context/check.h"
#include "scan/context/float_mode.h"

static const parscan_predicate nonzero = {.struct_size = sizeof nonzero,
                                          .comparison = PARSCAN_NONZERO};

PARSCAN_STRUCT_CAN_GROW(parscan_predicate, custom, PARSCAN_OLDEST_PREDICATE);

static const char value_name[] = "keep->value", upper_name[] = "keep->upper";

static parscan_status place_values(parscan_context *context, parscan_type type,
                                   parscan_predicate *keep)
{
    const size_t size = parscan_type_size(type);
    parscan_status status = PARSCAN_OK;
    if (keep->comparison != PARSCAN_NONZERO)
        status = parscan_scalar_on_host(context, value_name, 0, &keep->value, size);
    if (status == PARSCAN_OK && keep->comparison == PARSCAN_BETWEEN)
        status = parscan_scalar_on_host(context, upper_name, 1, &keep->upper, size);
    return status;
}

static parscan_status read_keep(parscan_context *context, const parscan_predicate *given,
                                parscan_predicate *keep)
{
    return parscan_read_struct(context, "keep", given, PARSCAN_OLDEST_PREDICATE, keep,
                               sizeof *keep);
}

parscan_status parscan_check_tested(parscan_context *context, parscan_type type,
                                    const parscan_predicate *given, const parscan_operator **custom,
                                    size_t *size)
{
    parscan_predicate keep;
    *custom = NULL;
    *size = parscan_type_size(type);
    if (type != PARSCAN_CUSTOM)
        return parscan_check_type(context, "type", type);
    const parscan_status status = read_keep(context, given, &keep);
    if (status != PARSCAN_OK)
        return status;
    if (keep.custom == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "type = custom, but keep->custom is NULL");
    if (keep.custom->kind != PARSCAN_OPERATOR_PREDICATE)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "keep->custom is of kind %d: it must be a predicate",
                            (int)keep.custom->kind);
    if (context->backend == PARSCAN_BACKEND_CPU ? keep.custom->test == NULL
                                                : keep.custom->code == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_UNSUPPORTED, "keep->custom: the predicate has no %s",
            context->backend == PARSCAN_BACKEND_CPU ? "test, so it has nothing for the CPU"
                                                    : "cuda_source, so it has nothing for CUDA");
    *custom = keep.custom;
    *size = keep.custom->size;
    return PARSCAN_OK;
}

/* All but where its values are. */
static parscan_status read_comparison(parscan_context *context, parscan_type type,
                                      const parscan_predicate *given, parscan_predicate *keep)
{
    const parscan_status status = read_keep(context, given, keep);
    if (status != PARSCAN_OK)
        return status;
    if (keep->custom != NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "type = %s with keep->custom: it must be PARSCAN_CUSTOM",
                            parscan_type_name(type));
    if ((unsigned)keep->comparison > PARSCAN_BETWEEN)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "keep->comparison = %d is not a parscan_comparison",
                            (int)keep->comparison);
    if (keep->comparison != PARSCAN_NONZERO && keep->value == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "keep->value is NULL, keep->comparison = %d: only 0 (nonzero) needs no value",
            (int)keep->comparison);
    if (keep->comparison == PARSCAN_BETWEEN && keep->upper == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "keep->upper is NULL, keep->comparison = %d (between): it needs both bounds",
            (int)keep->comparison);
    return PARSCAN_OK;
}

parscan_status parscan_check_predicate(parscan_context *context, parscan_type type,
                                       const parscan_predicate *given, parscan_predicate *keep)
{
    const parscan_status status = read_comparison(context, type, given, keep);
    return status == PARSCAN_OK ? place_values(context, type, keep) : status;
}

/* Whether all values of a predicate are in device memory. */
static parscan_status find_values(parscan_context *context, size_t size,
                                  const parscan_predicate *keep, bool *on_device)
{
    bool upper = true;
    parscan_status status = PARSCAN_OK;
    *on_device = false;
    if (keep->comparison != PARSCAN_NONZERO)
        status = parscan_find_scalar(context, value_name, keep->value, size, on_device);
    if (status == PARSCAN_OK && keep->comparison == PARSCAN_BETWEEN)
        status = parscan_find_scalar(context, upper_name, keep->upper, size, &upper);
    *on_device = *on_device && upper;
    return status;
}

parscan_status parscan_find_predicate(parscan_context *context, parscan_type type,
                                      const parscan_predicate *given, parscan_predicate *keep,
                                      bool *on_device)
{
    parscan_status status = read_comparison(context, type, given, keep);
    if (status == PARSCAN_OK)
        status = find_values(context, parscan_type_size(type), keep, on_device);
    return status == PARSCAN_OK && !*on_device ? place_values(context, type, keep) : status;
}

parscan_status parscan_fetch_predicate(compact_call *call)
{
    parscan_predicate keep = call->on_device;
    const parscan_status status = place_values(call->context, call->type, &keep);
    call->on_device.comparison = PARSCAN_NONZERO;
    if (status == PARSCAN_OK)
        call->range = parscan_compact_range_of(call->type, &keep);
    return status;
}

compact_range parscan_compact_range_of(parscan_type type, const parscan_predicate *keep)
{
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    const compact_range range = parscan_compact_element(type)->range_of(keep);
    parscan_float_end(before);
    return range;
}

compact_range parscan_compact_range_of_nonzero(parscan_type type)
{
    return parscan_compact_range_of(type, &nonzero);
}

compact_range parscan_compact_range_of_flags(void)
{
    return parscan_compact_range_of_nonzero(PARSCAN_U8);
}

parscan_status parscan_begin_filter(compact_call *call, const char *name, unsigned accepts,
                                    call_lengths *lengths, const parscan_predicate *given)
{
    parscan_context *const context = call->context;
    parscan_predicate keep;
    bool on_device = false;
    parscan_status status = parscan_take_lengths(context, accepts, lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_tested(context, call->type, given, &call->custom, &call->size);
    if (status == PARSCAN_OK)
        status = parscan_check_compacted(context, name, call->in, call->n, call->size, call->count);
    if (status == PARSCAN_OK && call->custom != NULL)
        call->range = parscan_compact_range_of_flags();
    if (status != PARSCAN_OK || call->custom != NULL)
        return status;
    status = parscan_find_predicate(context, call->type, given, &keep, &on_device);
    if (status != PARSCAN_OK)
        return status;
    if (on_device)
        call->on_device = keep;
    call->range =
        on_device ? parscan_compact_range_of_flags() : parscan_compact_range_of(call->type, &keep);
    return PARSCAN_OK;
}
