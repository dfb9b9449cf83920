/* The public functions about the code of an operator. */
#include "scan/runtime/operator_code.h"

#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/custom/operator_state.h"

static const operator_code_engine *const engines[] = PARSCAN_ENGINES(NULL, &parscan_operator_cuda);

/* CUDA's, whatever the backend of a context is; NULL: the build has none. */
static const operator_code_engine *code_engine(void)
{
    return sizeof engines / sizeof *engines > PARSCAN_BACKEND_CUDA
               ? engines[sizeof engines / sizeof *engines - 1]
               : NULL;
}

parscan_status parscan_operator_take_text(parscan_operator *op,
                                          const parscan_operator_options *options)
{
    const operator_code_engine *const engine = code_engine();
    return engine == NULL ? PARSCAN_OK : engine->take(op, options);
}

void parscan_operator_leave_text(parscan_operator *op)
{
    if (op->code != NULL)
        code_engine()->leave(op);
}

const char *parscan_operator_log(const parscan_operator *op)
{
    return op == NULL || op->code == NULL ? "" : code_engine()->log(op);
}

/* That there is an operator, with a text that this build can compile. */
static parscan_status check_code(parscan_context *context, const parscan_operator *op)
{
    if (op == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "op is NULL");
    if (op->code == NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "op: %s",
                            code_engine() == NULL ? "this build of parscan has no CUDA"
                                                  : "the operator has nothing for CUDA");
    return PARSCAN_OK;
}

parscan_status parscan_operator_save(parscan_context *context, const parscan_operator *op,
                                     void *blob, size_t capacity, size_t *size)
{
    const char *words;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (size == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "size is NULL");
    if (blob == NULL && capacity > 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "blob is NULL, capacity = %zu",
                            capacity);
    parscan_status status = check_code(context, op);
    if (status != PARSCAN_OK)
        return status;
    status = code_engine()->save(op, blob, capacity, size, &words);
    if (status == PARSCAN_ERROR_CAPACITY)
        return parscan_fail(context, status, "capacity = %zu: the blob has %zu bytes", capacity,
                            *size);
    return status == PARSCAN_OK ? status : parscan_fail(context, status, "%s", words);
}

parscan_status parscan_operator_load(parscan_context *context, parscan_operator *op,
                                     const void *blob, size_t size)
{
    const char *words;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (blob == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "blob is NULL");
    parscan_status status = check_code(context, op);
    if (status != PARSCAN_OK)
        return status;
    status = code_engine()->load(op, blob, size, &words);
    return status == PARSCAN_OK ? status : parscan_fail(context, status, "blob: %s", words);
}

static parscan_status check_uses(parscan_context *context, unsigned uses, unsigned all)
{
    if (uses == 0 || (uses & ~all) != 0)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "uses = %#x: it must be of parscan_operator_use, of the operator's kind", uses);
    return PARSCAN_OK;
}

static parscan_status prepare_predicate(parscan_context *context, const parscan_operator *op,
                                        unsigned uses)
{
    parscan_status status = check_uses(context, uses, PARSCAN_USE_PREDICATE);
    if (status != PARSCAN_OK || engines[context->backend] == NULL)
        return status;
    status = check_code(context, op);
    return status == PARSCAN_OK ? engines[context->backend]->prepare_test(context, op) : status;
}

static parscan_status prepare_relation(parscan_context *context, const parscan_operator *op,
                                       unsigned uses)
{
    const operator_code_engine *const engine = engines[context->backend];
    parscan_status status = check_uses(context, uses, PARSCAN_USE_SORT_BY | PARSCAN_USE_UNIQUE_BY);
    if (status != PARSCAN_OK || engine == NULL)
        return status;
    status = check_code(context, op);
    if (status == PARSCAN_OK && (uses & PARSCAN_USE_SORT_BY) != 0)
        status = engine->prepare_sort(context, op);
    if (status == PARSCAN_OK && (uses & PARSCAN_USE_UNIQUE_BY) != 0)
        status = engine->prepare_test(context, op);
    return status;
}

/* The first bits of uses are in the order of parscan_scan_kind. */
static parscan_status prepare_uses(const parscan_scan_call *given, unsigned uses)
{
    const operator_code_engine *const engine = engines[given->context->backend];
    parscan_scan_call call = *given;
    parscan_status status = PARSCAN_OK;
    for (unsigned kind = PARSCAN_KIND_INCLUSIVE;
         kind <= PARSCAN_KIND_REDUCE && status == PARSCAN_OK; kind++)
        if ((uses & (1u << kind)) != 0) {
            call.kind = (parscan_scan_kind)kind;
            status = engine->prepare(&call);
        }
    call.kind = PARSCAN_KIND_INCLUSIVE;
    if (status == PARSCAN_OK && (uses & PARSCAN_USE_SEGMENTED_SCAN) != 0)
        status = engine->prepare_segments(&call);
    call.kind = PARSCAN_KIND_REDUCE;
    if (status == PARSCAN_OK && (uses & PARSCAN_USE_SEGMENTED_REDUCE) != 0)
        status = engine->prepare_segments(&call);
    return status;
}

parscan_status parscan_operator_prepare(parscan_context *context, parscan_operator *op,
                                        unsigned uses, const parscan_scan_options *options)
{
    parscan_scan_options local = PARSCAN_SCAN_OPTIONS(.custom = op);
    parscan_scan_call call = {.takes_custom = true};
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (op == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "op is NULL");
    if (op->kind == PARSCAN_OPERATOR_PREDICATE)
        return prepare_predicate(context, op, uses);
    if (op->kind == PARSCAN_OPERATOR_RELATION)
        return prepare_relation(context, op, uses);
    parscan_status status = PARSCAN_OK;
    if (options != NULL)
        status = parscan_read_struct(context, "options", options, PARSCAN_OLDEST_SCAN_OPTIONS,
                                     &local, sizeof local);
    local.custom = op;
    local.init = NULL;
    if (status == PARSCAN_OK)
        status = parscan_check_scan_options(context, PARSCAN_CUSTOM, &local, &call, NULL);
    if (status == PARSCAN_OK)
        status = check_uses(context, uses,
                            PARSCAN_USE_INCLUSIVE_SCAN | PARSCAN_USE_EXCLUSIVE_SCAN |
                                PARSCAN_USE_REDUCE | PARSCAN_USE_SEGMENTED_SCAN |
                                PARSCAN_USE_SEGMENTED_REDUCE);
    return status == PARSCAN_OK && engines[context->backend] != NULL ? prepare_uses(&call, uses)
                                                                     : status;
}
