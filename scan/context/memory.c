#include "parscan/memory.h"

#include "scan/context/check.h"
#include "scan/context/context_state.h"
#include "scan/context/engine.h"

parscan_status parscan_malloc_shared(parscan_context *context, void **pointer, size_t size)
{
    *pointer = NULL;
    return size == 0 ? PARSCAN_OK
                     : parscan_engine_of(context->backend)->allocate_shared(context, pointer, size);
}

parscan_status parscan_malloc(parscan_context *context, void **pointer, size_t size)
{
    if (pointer != NULL)
        *pointer = NULL;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (pointer == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "pointer is NULL");
    if (size == 0)
        return PARSCAN_OK;
    return parscan_engine_of(context->backend)->allocate(context, pointer, size);
}

parscan_status parscan_free(parscan_context *context, void *pointer)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    return parscan_engine_of(context->backend)->release(context, pointer);
}

parscan_status parscan_copy(parscan_context *context, void *to, const void *from, size_t size)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (size == 0)
        return PARSCAN_OK;
    if (to == NULL || from == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s is NULL",
                            to == NULL ? "to" : "from");
    const parscan_status status = parscan_check_same_or_apart(
        context, (parscan_extent){"to", to, size}, (parscan_extent){"from", from, size});
    if (status != PARSCAN_OK || to == from || context->measures)
        return status;
    return parscan_engine_of(context->backend)->copy(context, to, from, size);
}
