#include "parscan/memory.h"

#include <string.h>

#include "scan/context/context.h"
#include "scan/context/cuda.h"

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
    if (context->cuda != NULL)
        return parscan_cuda_malloc(context, pointer, size);
    *pointer = parscan_host_allocate(&context->allocator, size);
    if (*pointer == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes", size);
    return PARSCAN_OK;
}

parscan_status parscan_free(parscan_context *context, void *pointer)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (context->cuda != NULL)
        return parscan_cuda_free(context, pointer);
    parscan_host_release(&context->allocator, pointer);
    return PARSCAN_OK;
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
    if (context->cuda != NULL)
        return parscan_cuda_copy(context, to, from, size);
    memcpy(to, from, size);
    return PARSCAN_OK;
}
