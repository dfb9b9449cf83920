/* A build without CUDA. */
#include "apps/histogram/histogram_call.h"

parscan_status parscan_histogram_cuda(const histogram_call *call)
{
    return parscan_fail(call->context, PARSCAN_ERROR_BACKEND,
                        "backend = cuda: this build has no CUDA engine");
}
