#include "apps/histogram/bin_launches.cuh"

parscan_status parscan_bin_cuda_u32(const parscan_sort_cuda_call *call)
{
    return bin_keys_of<bin_key<uint32_t>>(call);
}
