/* On CUDA a reduction by keys and its keys are two passes: the keys are read twice. */
#include "apps/segmented/reduce_by_key.h"
#include "apps/segmented/segmented_chunks_cuda.h"
#include "parscan/compact.h"
#include "parscan/lengths.h"

/* The keys, for the lengths that the reduction had: its count may be where its length was. */
static parscan_status write_keys(const segmented_call *call)
{
    parscan_context *const context = call->scan.context;
    const parscan_segments *const keys = call->segments;
    const parscan_status status = parscan_set_lengths(
        context, &PARSCAN_LENGTHS(.n = call->scan.n_at, .out_capacity = call->capacity));
    return status == PARSCAN_OK ? parscan_unique(context, keys->type, keys->data, call->keys_out,
                                                 call->scan.n, call->count)
                                : status;
}

parscan_status parscan_reduce_by_key_cuda(const segmented_call *given, size_t capacity)
{
    segmented_call call = *given;
    parscan_segments keys = *given->segments;
    call.segments = &keys;
    call.capacity = capacity < call.scan.n ? capacity : 0;
    const parscan_status reduced = parscan_run_segmented_cuda(&call);
    const bool is_done = reduced == PARSCAN_OK || reduced == PARSCAN_ERROR_CAPACITY;
    if (!is_done || call.keys_out == NULL)
        return reduced;
    const parscan_status status = write_keys(&call);
    return status != PARSCAN_OK ? status : reduced;
}
