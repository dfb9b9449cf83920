/* A build without CUDA: no context has it. */
#include "apps/compact/compact_call.h"

parscan_status parscan_compact_cuda(const compact_call *call)
{
    return parscan_fail(call->context, PARSCAN_ERROR_BACKEND,
                        "backend = cuda: this build has no CUDA engine");
}
