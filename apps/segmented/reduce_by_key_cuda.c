/* On CUDA a reduction by keys writes their first ones in its pass (segment_keys.cuh). */
#include "apps/segmented/reduce_by_key.h"
#include "apps/segmented/segmented_chunks_cuda.h"

parscan_status parscan_reduce_by_key_cuda(const segmented_call *given, size_t capacity)
{
    segmented_call call = *given;
    parscan_segments keys = *given->segments;
    call.segments = &keys;
    call.capacity = capacity < call.scan.n ? capacity : 0;
    return parscan_run_segmented_cuda(&call);
}
