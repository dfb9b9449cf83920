/* The launches of a counting sort by bins on CUDA. Compiled once for each type of bin that the
   passes sort, u32 and u64. */
#include "apps/histogram/bin_block_kernels.cuh"
#include "apps/histogram/bin_cuda.h"
#include "apps/radix/radix_launches.cuh"
#include "scan/cuda/cuda_element.cuh"
#include "scan/cuda/launch.cuh"

template <typename S>
static cudaError_t bin_few(const parscan_sort_cuda_call *call)
{
    bin_block_params<S> params = {};
    params.sort = in_block_of<S>(call);
    params.bins = call->bins;
    params.kept = call->plan == NULL ? NULL : &call->plan->kept;
    const size_t bytes = sizeof(bin_block_shared<S>);
    const size_t blocks = 1 + bin_ranges(call->bins.bins);
    return launch_dependent(bin_in_block<S>, call->context->cuda, blocks, S::THREADS, bytes,
                            params);
}

template <typename KEY, unsigned VALUE_BYTES>
static cudaError_t bin_values(const parscan_sort_cuda_call *call)
{
    typedef block_sort_shape<KEY, true, 16, 8, 1, false> in_block;
    static_assert(in_block::MOST == BIN_BLOCK_ELEMENTS, "of a block");
    static_assert(sizeof(bin_block_shared<in_block>) <= EVERYWHERE_BYTES,
                  "the block must fit shared memory");
    return call->in_block ? bin_few<in_block>(call)
                          : sort_in_tiles<KEY, VALUE_BYTES>(call, plan_of<KEY>(call));
}

template <typename KEY>
static parscan_status bin_keys_of(const parscan_sort_cuda_call *call)
{
    return PARSCAN_CUDA_QUEUE(call->context, call->value_size == 4 ? (bin_values<KEY, 4>(call))
                                                                   : (bin_values<KEY, 8>(call)));
}

parscan_status NAMED(parscan_bin_cuda)(const parscan_sort_cuda_call *call)
{
    return bin_keys_of<bin_key<T>>(call);
}
