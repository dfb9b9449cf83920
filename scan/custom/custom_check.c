#include "scan/custom/custom_check.h"

#include "scan/context/check.h"

/* That both are the caller's. */
static parscan_status check_both(parscan_context *context, parscan_type type,
                                 const parscan_operator *op)
{
    if (op == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "type = custom, but options->custom is NULL");
    if (type == PARSCAN_CUSTOM)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "type = %s with options->custom: it must be PARSCAN_CUSTOM",
                        parscan_type_name(type));
}

parscan_status parscan_check_custom(parscan_context *context, parscan_type type,
                                    const parscan_scan_options *options,
                                    const parscan_scan_call *call)
{
    if (!call->takes_custom)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "type = custom: this call takes no operator of the caller's");
    const parscan_status status = check_both(context, type, options->custom);
    if (status != PARSCAN_OK)
        return status;
    if (options->custom->kind != PARSCAN_OPERATOR_COMBINE)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "custom is of kind %d: it must be an operator that combines",
                            (int)options->custom->kind);
    if (options->op != 0 || options->out_type != 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "op = %d, out_type = %d with type = custom: both must be 0",
                            (int)options->op, (int)options->out_type);
    if (options->shape != NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "shape with type = custom: operators of the caller's have one line");
    if (context->backend == PARSCAN_BACKEND_CPU && options->custom->combine == NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "custom: the operator has no combine, so it has nothing for the CPU");
    return PARSCAN_OK;
}

parscan_status parscan_check_relation(parscan_context *context, const char *name,
                                      const parscan_operator *op)
{
    const bool on_cpu = context->backend == PARSCAN_BACKEND_CPU;
    if (op == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
    if (op->kind != PARSCAN_OPERATOR_RELATION)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is of kind %d: it must be a relation", name, (int)op->kind);
    if (on_cpu ? op->relate == NULL : op->code == NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "%s: the relation has no %s", name,
                            on_cpu ? "relate, so it has nothing for the CPU"
                                   : "cuda_source, so it has nothing for CUDA");
    return PARSCAN_OK;
}

parscan_status parscan_check_custom_start(const parscan_scan_call *call)
{
    if (call->custom == NULL || call->custom->has_identity || parscan_has_init(call))
        return PARSCAN_OK;
    if (call->kind == PARSCAN_KIND_EXCLUSIVE)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "init is NULL: an exclusive scan by an operator without an identity "
                            "needs one");
    if (call->kind == PARSCAN_KIND_REDUCE && call->n == 0)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "init is NULL, n = 0: a reduction of nothing by an operator without an "
                            "identity needs one");
    return PARSCAN_OK;
}
