#include "apps/allocate/allocate_call.h"

parscan_status parscan_decode_cuda(const decode_call *call, uint64_t *total)
{
    (void)total;
    return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                        "backend = cuda: run lengths are decoded by a CPU context");
}
