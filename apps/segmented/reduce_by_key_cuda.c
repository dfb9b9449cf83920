/* On CUDA a reduction by keys and its keys are two passes: the keys are read twice. */
#include "apps/segmented/reduce_by_key.h"
#include "parscan/compact.h"

/* There is no capacity: parscan_take_lengths() refuses it on CUDA. */
parscan_status parscan_reduce_by_key_cuda(const segmented_call *call, size_t capacity)
{
    const parscan_segments *const keys = call->segments;
    const parscan_status status = parscan_reduce_within(call, capacity);
    if (status != PARSCAN_OK || call->keys_out == NULL)
        return status;
    return parscan_unique(call->scan.context, keys->type, keys->data, call->keys_out, call->scan.n,
                          call->count);
}
