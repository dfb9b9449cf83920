/* Thrust as a contestant: asynchronous where possible. Its temporary memory is kept from call to
   call, as a caller who needs speed would do; its default is a cudaMalloc and a cudaFree in each
   call. */
#ifndef PARSCAN_BENCH_CUDA_THRUST_H
#define PARSCAN_BENCH_CUDA_THRUST_H

#include <vector>

#include <thrust/system/cuda/execution_policy.h>

#include "cuda_harness.h"

struct kept_memory {
    typedef char value_type;
    struct block {
        char *data;
        size_t bytes;
        bool used;
    };
    std::vector<block> blocks;

    char *allocate(std::ptrdiff_t wanted)
    {
        const size_t bytes = (size_t)wanted;
        for (block &b : blocks)
            if (!b.used && b.bytes >= bytes) {
                b.used = true;
                return b.data;
            }
        block added = {NULL, bytes, true};
        MUST(cudaMalloc(&added.data, bytes));
        blocks.push_back(added);
        return added.data;
    }

    void deallocate(char *data, size_t)
    {
        for (block &b : blocks)
            if (b.data == data)
                b.used = false;
    }

    void release()
    {
        for (block &b : blocks)
            MUST(cudaFree(b.data));
        blocks.clear();
    }
};

/* The execution policy for a call. */
inline auto thrust_on(kept_memory &memory, cudaStream_t stream)
{
    return thrust::cuda::par_nosync(memory).on(stream);
}

#endif
