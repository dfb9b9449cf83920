/*
 * A length in device memory (parscan_set_lengths()) in the kernels of a call. What a launch knows is the
 * most that it can be: the host chooses the variant and the number of blocks by that, and the kernels read
 * the length before they do anything else:
 *
 *     params.length = length_at(context, call->n_at);         the launch
 *     params.set_length(call->n);
 *
 *     static __global__ void kernel(const __grid_constant__ the_params given)
 *     {
 *         const the_params params = at_its_length(given);
 *
 * set_length(), of host and device, sets n and what follows from it, such as the number of tiles. Blocks
 * without work end at once. A length above the most is an error that parscan_synchronize() returns; the
 * first elements are done.
 */
#ifndef PARSCAN_SCAN_CUDA_LENGTH_CUH
#define PARSCAN_SCAN_CUDA_LENGTH_CUH

#ifndef __CUDACC_RTC__
#include "scan/cuda/cuda_context.h"
#endif
#include "scan/cuda/deferred.cuh"
#include "scan/cuda/pipeline.cuh"

struct device_length {
    const uint64_t *at; /* NULL: the host knows the length */
    parscan_deferred deferred;
};

#ifndef __CUDACC_RTC__
static inline device_length length_at(parscan_context *context, const uint64_t *at)
{
    return device_length{at, at != NULL ? parscan_cuda_deferred(context) : parscan_deferred{}};
}
#endif

static __device__ __forceinline__ uint64_t load_length(const uint64_t *at)
{
    uint64_t given;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(given) : "l"(at) : "memory");
    return given;
}

/* The same value, which all lanes of the warp have, in a uniform register where there are any. */
static __device__ __forceinline__ size_t uniform(size_t value)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t low = __reduce_or_sync(0xffffffffu, (uint32_t)value);
    const uint32_t high = __reduce_or_sync(0xffffffffu, (uint32_t)(value >> 32));
    return (size_t)high << 32 | low;
#else
    return value;
#endif
}

/* A length that has been loaded, at most `most`. */
static __device__ __forceinline__ size_t length_within(const device_length &length, uint64_t given,
                                                       size_t most)
{
    if (given <= most)
        return given;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        leave_error(length.deferred, PARSCAN_ERROR_CAPACITY, PARSCAN_IS_LENGTH | given);
    return most;
}

/* Reads a length. By all threads, or by those that need it. The kernel that has counted it has ended. */
static __device__ __forceinline__ size_t read_length(const device_length &length, size_t most)
{
    return length_within(length, load_length(length.at), most);
}

/* The same, or n if the host knows the length. */
static __device__ __forceinline__ size_t length_of(const device_length &length, size_t n)
{
    if (length.at == NULL)
        return n;
    wait_for_previous_kernel();
    return read_length(length, n);
}

template <typename Params>
static __device__ __forceinline__ Params at_its_length(const Params &given)
{
    Params params = given;
    if (given.length.at != NULL) {
        wait_for_previous_kernel();
        params.set_length(read_length(given.length, given.n));
    }
    return params;
}

#endif
