/* A build without CUDA: no context has it. */
#include "apps/segmented/segmented_call.h"

static parscan_status none(parscan_context *context)
{
    return parscan_fail(context, PARSCAN_ERROR_BACKEND,
                        "backend = cuda: this build has no CUDA engine");
}

parscan_status parscan_segmented_cuda(const segmented_call *call)
{
    return none(call->scan.context);
}

parscan_status parscan_recurrence_cuda(const recurrence_call *call, parscan_type type)
{
    (void)type;
    return none(call->context);
}
