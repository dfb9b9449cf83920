/* A build without CUDA. */
#include "apps/histogram/bin_call.h"
#include "apps/histogram/histogram_call.h"

static parscan_status none(parscan_context *context)
{
    return parscan_fail(context, PARSCAN_ERROR_BACKEND,
                        "backend = cuda: this build has no CUDA engine");
}

parscan_status parscan_histogram_cuda(const histogram_call *call)
{
    return none(call->context);
}

parscan_status parscan_bin_cuda(const bin_call *call)
{
    return none(call->context);
}
