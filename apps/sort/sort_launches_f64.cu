#include "apps/sort/sort_launches.cuh"

parscan_status parscan_sort_cuda_f64(const parscan_sort_cuda_call *call)
{
    return sort_keys_of<key_f64>(call);
}
