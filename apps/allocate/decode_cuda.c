#include "apps/allocate/allocate_call.h"

parscan_status parscan_decode_cuda(const decode_call *call, uint64_t *total)
{
    (void)total;
    return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                        "backend = cuda: parscan_run_length_decode() needs a CPU context");
}
