#include "apps/sort/segment_launches.cuh"

parscan_status parscan_sort_segments_cuda_f32(parscan_sort_segments_cuda_call *call)
{
    return sort_segments_of<key_f32>(call);
}
