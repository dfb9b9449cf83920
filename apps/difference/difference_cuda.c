#include "apps/difference/difference_call.h"

parscan_status parscan_difference_cuda(const difference_call *call)
{
    return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                        "backend = cuda: a difference needs a CPU context");
}
