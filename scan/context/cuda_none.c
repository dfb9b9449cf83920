/* A build without CUDA: no context has it. */
#include "scan/context/cuda.h"

#include "scan/scan_call.h"

static parscan_status none(parscan_context *context)
{
    return parscan_fail(context, PARSCAN_ERROR_BACKEND,
                        "backend = cuda: this build has no CUDA engine");
}

parscan_status parscan_cuda_create(parscan_context *context, const parscan_context_options *options)
{
    (void)options;
    return none(context);
}

void parscan_cuda_destroy(parscan_context *context)
{
    (void)context;
}

parscan_status parscan_cuda_synchronize(parscan_context *context)
{
    return none(context);
}

parscan_status parscan_cuda_malloc(parscan_context *context, void **pointer, size_t size)
{
    (void)pointer, (void)size;
    return none(context);
}

parscan_status parscan_cuda_free(parscan_context *context, void *pointer)
{
    (void)pointer;
    return none(context);
}

parscan_status parscan_cuda_copy(parscan_context *context, void *to, const void *from, size_t size)
{
    (void)to, (void)from, (void)size;
    return none(context);
}

parscan_status parscan_cuda_scan(const parscan_scan_call *call)
{
    return none(call->context);
}
