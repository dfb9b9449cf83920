/* The launches of a sort by counting for one class of keys. Compiled once a class, with
   PARSCAN_ELEMENT_NAME (u8, f16). */
#include "apps/sort/counting_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/tables.h"

typedef NAMED(key) key;
typedef counting_shape<key> shape;

cudaError_t NAMED(parscan_order_counts)(parscan_cuda *cuda, const counting_on_device *params)
{
    const unsigned blocks = shape::CODES / COUNTING_THREADS;
    return params->wide ? launch_dependent(order_counts<key, uint64_t>, cuda, blocks,
                                           COUNTING_THREADS, 0, *params)
                        : launch_dependent(order_counts<key, uint32_t>, cuda, blocks,
                                           COUNTING_THREADS, 0, *params);
}

cudaError_t NAMED(parscan_write_runs)(parscan_cuda *cuda, const counting_on_device *params)
{
    const size_t tiles = params->n / shape::TILE + 2; /* the first one and the last may have few */
    const size_t blocks = tiles / (COUNTING_THREADS / 32) + 1;
    return params->wide ? launch_dependent_persistent(write_runs<key, uint64_t>, cuda, blocks,
                                                      COUNTING_THREADS, 0, *params)
                        : launch_dependent_persistent(write_runs<key, uint32_t>, cuda, blocks,
                                                      COUNTING_THREADS, 0, *params);
}
