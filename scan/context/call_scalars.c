#include "scan/context/call_scalars.h"

#include <string.h>

#include "scan/context/engine.h"

/* Of a scalar in device memory: the largest power of two, up to 16, that divides its size. */
static size_t alignment_of(size_t size)
{
    const size_t power = size & (~size + 1);
    return power < 16 ? power : 16;
}

parscan_status parscan_find_scalar(parscan_context *context, const char *name, const void *scalar,
                                   size_t size, bool *on_device)
{
    *on_device = false;
    if (scalar == NULL)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_engine_of(context->backend)->only_on_device(context, name, scalar, on_device);
    if (status != PARSCAN_OK || !*on_device)
        return status;
    if (context->backend == PARSCAN_BACKEND_CPU)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s = %p: the host cannot read this memory; device memory needs a "
                            "context with backend = cuda",
                            name, scalar);
    if ((uintptr_t)scalar % alignment_of(size) != 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s = %p: in device memory it must be aligned to %zu bytes", name,
                            scalar, alignment_of(size));
    return PARSCAN_OK;
}

parscan_status parscan_fetch_scalar(parscan_context *context, const char *name, unsigned which,
                                    const void **scalar, size_t size)
{
    const void *const at = *scalar;
    unsigned char *const copy = context->scalars[which];
    *scalar = copy;
    if (context->measures) { /* which has no memory there: a second bound is above the first */
        memset(copy, which == 0 ? 0 : 0x3f, size);
        return PARSCAN_OK;
    }
    const parscan_status status =
        parscan_engine_of(context->backend)->copy(context, copy, at, size);
    if (status != PARSCAN_ERROR_UNSUPPORTED)
        return status;
    return parscan_fail(context, status,
                        "%s = %p: it is in device memory, and the host has to know it for this "
                        "call, which cannot be captured in a graph",
                        name, at);
}

parscan_status parscan_scalar_on_host(parscan_context *context, const char *name, unsigned which,
                                      const void **scalar, size_t size)
{
    bool on_device;
    const parscan_status status = parscan_find_scalar(context, name, *scalar, size, &on_device);
    return status == PARSCAN_OK && on_device
               ? parscan_fetch_scalar(context, name, which, scalar, size)
               : status;
}
