/* A build without CUDA: no context has it. */
#include "apps/sort/sort_job.h"

static parscan_status none(parscan_context *context)
{
    return parscan_fail(context, PARSCAN_ERROR_BACKEND, "this build has no CUDA engine");
}

parscan_status parscan_sort_cuda(const sort_job *job)
{
    return none(job->context);
}

parscan_status parscan_sort_segments_cuda(const sort_job *job, const parscan_segments *segments)
{
    (void)segments;
    return none(job->context);
}
