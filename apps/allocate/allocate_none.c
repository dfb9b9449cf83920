/* A build without CUDA. */
#include "apps/allocate/allocate_call.h"

static parscan_status none(parscan_context *context)
{
    return parscan_fail(context, PARSCAN_ERROR_BACKEND,
                        "backend = cuda: this build has no CUDA engine");
}

parscan_status parscan_allocate_cuda(const allocate_call *call, uint64_t capacity, uint64_t *total)
{
    (void)capacity, (void)total;
    return none(call->context);
}

parscan_status parscan_expand_cuda(const expand_call *call, uint64_t *total)
{
    (void)total;
    return none(call->context);
}

parscan_status parscan_pack_cuda(parscan_context *context, const pack_records *records, size_t n)
{
    (void)records, (void)n;
    return none(context);
}
