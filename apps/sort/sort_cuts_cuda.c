/* What ranks see of each other's sorted keys: keys of windows come to the host; or a kernel finds all cuts. */
#include <string.h>

#include "apps/sort/sort_cuts_cuda.h"
#include "apps/sort/sort_parts_cuda.h"
#include "apps/sort/sort_windows.h"

/* Begins a call whose kernels write to pinned memory: *lane has it. */
static parscan_status begin_pinned(parscan_context *context, parscan_cuda_lane **lane)
{
    *lane = &context->cuda->lanes[PARSCAN_LANE_CALL];
    parscan_status status = parscan_cuda_begin(context, "parscan_dist_sort");
    if (status == PARSCAN_OK)
        status = parscan_cuda_prepare_pinned(context, *lane);
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(context, cudaEventSynchronize((*lane)->travelled[0]))
               : status;
}

/* A kernel writes the keys of all windows to host memory: a copy for each window takes 10 us. */
static cudaError_t show_all(parscan_cuda *cuda, const char *keys, size_t size,
                            const sort_window *windows, size_t count, void *to)
{
    cudaError_t error = cudaSuccess;
    uint32_t at = 0;
    for (size_t k = 0; k < count && error == cudaSuccess;) {
        shown_windows some = {.keys = keys, .to = to};
        size_t taken = 0;
        for (; k < count && taken < WINDOWS_AT_ONCE; k++) {
            const sort_window *const from = &windows[k];
            if (from->count > 0)
                some.window[taken++] =
                    (shown_window){from->first, from->step, at, (uint32_t)from->count};
            at += (uint32_t)from->count;
        }
        if (taken > 0)
            error = parscan_show_windows_launch(cuda, &some, taken, size);
    }
    return error;
}

parscan_status parscan_sort_parts_show(sort_parts *parts, const char *keys,
                                       const sort_window *windows, size_t count, char *to)
{
    parscan_context *const context = parts->call.context;
    parscan_cuda_lane *lane;
    const size_t size = parts->call.key_size;
    size_t shown = 0;
    for (size_t k = 0; k < count; k++)
        shown += windows[k].count;
    parscan_status status = begin_pinned(context, &lane);
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(
            context, show_all(context->cuda, keys, size, windows, count, lane->pinned[0]));
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(context, cudaStreamSynchronize(context->cuda->stream));
    if (status == PARSCAN_OK)
        memcpy(to, lane->pinned[0], shown * size);
    return parscan_cuda_end(context, status);
}

parscan_status parscan_sort_parts_cut(sort_parts *parts, const sort_cuts *of, uint64_t *cuts)
{
    parscan_context *const context = parts->call.context;
    parscan_cuda_lane *lane;
    parscan_status status = begin_pinned(context, &lane);
    if (status == PARSCAN_OK) {
        const parts_cuts params = {.of = *of, .order = parts->call.order, .cuts = lane->pinned[0]};
        status = PARSCAN_CUDA_QUEUE(
            context,
            parscan_sort_parts_launches(parts->call.key)->find_cuts(context->cuda, &params));
    }
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(context, cudaStreamSynchronize(context->cuda->stream));
    if (status == PARSCAN_OK)
        memcpy(cuts, lane->pinned[0], (size_t)of->count * of->ranks * sizeof *cuts);
    return parscan_cuda_end(context, status);
}
