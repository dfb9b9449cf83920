/*
 * The launches of a radix sort on CUDA for one class of keys. A file of a few lines for each
 * includes this.
 */
#ifndef PARSCAN_APPS_SORT_SORT_LAUNCHES_CUH
#define PARSCAN_APPS_SORT_SORT_LAUNCHES_CUH

#include "apps/sort/block_sort_kernels.cuh"
#include "apps/sort/digit_histogram_kernels.cuh"
#include "apps/sort/digit_pass_kernels.cuh"
#include "apps/sort/sort_tuning.cuh"
#include "scan/context/context.h"

template <typename KEY, bool MANY>
static cudaError_t launch_histogram(const parscan_sort_cuda_call *call,
                                    digit_histogram_call<KEY> *on_device)
{
    typedef digit_histogram_shape<KEY, MANY> shape;
    const void *const function = (const void *)digit_histogram<KEY, MANY>;
    parscan_cuda_kernel kernel;
    const cudaError_t error = parscan_cuda_kernel_of(call->context->cuda, function, shape::THREADS,
                                                     shape::BYTES, &kernel);
    if (error != cudaSuccess)
        return error;
    const size_t useful = call->n * sizeof(typename KEY::Bits) / (shape::THREADS * 16) + 1;
    void *arguments[] = {on_device};
    return cudaLaunchKernel(
        function, dim3(useful < kernel.blocks ? (unsigned)useful : kernel.blocks),
        dim3(shape::THREADS), arguments, shape::BYTES, call->context->cuda->stream);
}

/* Whether a block can have as much shared memory as the histogram of many keys likes. */
static cudaError_t has_shared_memory(const parscan_cuda *cuda, size_t bytes, bool *has)
{
    int most;
    const cudaError_t error =
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device);
    *has = error == cudaSuccess && bytes + 1024 <= (size_t)most;
    return error;
}

template <typename KEY>
static cudaError_t count_digits(const parscan_sort_cuda_call *call)
{
    const parscan_cuda *const cuda = call->context->cuda;
    digit_histogram_call<KEY> on_device = {};
    on_device.keys = (const typename KEY::Bits *)call->keys[SORT_IN];
    on_device.n = call->n;
    on_device.plan = call->plan;
    on_device.passes = call->passes;
    on_device.flip = (typename KEY::Bits)call->flip;
    for (unsigned p = 0; p < call->passes && call->digits[p].mask != 0; p++) {
        on_device.digit[p] = digit_of<KEY>::make(call->digits[p], call->flip);
        on_device.digits = p + 1;
    }
    const bool keys_stay = call->keys[SORT_IN] == call->keys[SORT_OUT];
    const bool values_stay =
        call->value_size != 0 && !call->numbers && call->values[SORT_IN] == call->values[SORT_OUT];
    on_device.aliased = keys_stay || values_stay;
    on_device.settled = keys_stay && (call->value_size == 0 || values_stay);
    bool many = false;
    cudaError_t error = cudaMemsetAsync(call->plan, 0, offsetof(sort_plan, passes), cuda->stream);
    if (error == cudaSuccess && call->n >= MANY_KEYS)
        error = has_shared_memory(cuda, digit_histogram_shape<KEY, true>::BYTES, &many);
    if (error != cudaSuccess)
        return error;
    return many ? launch_histogram<KEY, true>(call, &on_device)
                : launch_histogram<KEY, false>(call, &on_device);
}

/* The kernel of all passes, and room for the words of its blocks. */
template <typename S>
static parscan_status prepare_passes(const parscan_sort_cuda_call *call,
                                     digit_pass_call<S> *on_device, unsigned *blocks)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(call->context->cuda, (const void *)digit_pass<S>, S::THREADS,
                               sizeof(digit_pass_shared<S>), &kernel);
    if (error != cudaSuccess)
        return parscan_cuda_fail(call->context, error, "a kernel");
    *blocks = on_device->tiles < kernel.blocks ? (unsigned)on_device->tiles : kernel.blocks;
    on_device->rows = 4;
    while (on_device->rows <= 3 * *blocks)
        on_device->rows *= 2;
    parscan_chain_memory chain;
    const parscan_status status =
        parscan_cuda_chain_memory(call->context, (size_t)on_device->rows * SORT_DIGITS, &chain);
    unsigned long long *const control = (unsigned long long *)chain.control;
    on_device->chain = tile_chain{control, (unsigned *)(control + 1), chain.status, chain.words};
    return status;
}

template <typename S>
static cudaError_t pass_digits(const parscan_sort_cuda_call *call, unsigned blocks,
                               digit_pass_call<S> *on_device)
{
    cudaError_t error = cudaSuccess;
    for (unsigned p = 0; p < call->passes && error == cudaSuccess; p++) {
        const sort_digit digit = call->digits[p];
        on_device->pass = &call->plan->passes[p];
        on_device->digit = digit_of<typename S::Key>::make(digit, call->flip);
        on_device->known = digit.mask == 0
                               ? 0
                               : (typename S::Bits)(((uint64_t)digit.mask << digit.low) |
                                                    (((uint64_t)1 << digit.low) - 1));
        void *arguments[] = {on_device};
        error = cudaLaunchCooperativeKernel(
            (const void *)digit_pass<S>, dim3(blocks), dim3(S::THREADS), arguments,
            sizeof(digit_pass_shared<S>), call->context->cuda->stream);
    }
    return error;
}

template <typename S>
static parscan_status sort_tiles(const parscan_sort_cuda_call *call)
{
    digit_pass_call<S> on_device = {};
    on_device.n = call->n;
    on_device.tiles = call->n / S::TILE + (call->n % S::TILE != 0);
    on_device.flip = (typename S::Bits)call->flip;
    on_device.beyond = S::Key::beyond(on_device.flip);
    on_device.numbers = call->numbers;
    on_device.drops_keys = call->drops_keys;
    for (unsigned k = 0; k < SORT_PLACES; k++) {
        on_device.keys[k] = (typename S::Bits *)call->keys[k];
        on_device.values[k] = call->values[k];
    }
    unsigned blocks;
    const parscan_status status = prepare_passes(call, &on_device, &blocks);
    if (status != PARSCAN_OK)
        return status;
    cudaError_t error = count_digits<typename S::Key>(call);
    if (error == cudaSuccess)
        error = pass_digits(call, blocks, &on_device);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(call->context, error, "a launch");
}

template <typename S>
static parscan_status sort_in_block(const parscan_sort_cuda_call *call)
{
    const unsigned n = (unsigned)call->n, round = S::THREADS * S::MATCHED;
    const bool has_values = S::HAS_VALUES && !call->numbers;
    block_sort_call<S> on_device = {};
    on_device.keys_in = (const typename S::Bits *)call->keys[SORT_IN];
    on_device.keys_out = call->drops_keys ? NULL : (typename S::Bits *)call->keys[SORT_OUT];
    on_device.values_in = has_values ? (const typename S::Value *)call->values[SORT_IN] : NULL;
    on_device.values_out = (typename S::Value *)call->values[SORT_OUT];
    on_device.n = n;
    on_device.items = (n + round - 1) / round * S::MATCHED;
    on_device.flip = (typename S::Bits)call->flip;
    on_device.beyond = S::Key::beyond(on_device.flip);
    for (unsigned p = 0; p < call->passes && call->digits[p].mask != 0; p++) {
        on_device.digit[p] = digit_of<typename S::Key>::make(call->digits[p], call->flip);
        on_device.passes = p + 1;
    }
    const void *const function = (const void *)block_sort<S>;
    const size_t bytes = sizeof(block_sort_shared<S>);
    parscan_cuda_kernel kernel;
    cudaError_t error =
        parscan_cuda_kernel_of(call->context->cuda, function, S::THREADS, bytes, &kernel);
    void *arguments[] = {&on_device};
    if (error == cudaSuccess)
        error = cudaLaunchKernel(function, dim3(1), dim3(S::THREADS), arguments, bytes,
                                 call->context->cuda->stream);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(call->context, error, "a launch");
}

template <typename KEY, unsigned VALUE_BYTES>
static parscan_status sort_digits(const parscan_sort_cuda_call *call)
{
    typedef block_sort_shape<KEY, VALUE_BYTES> in_block;
    if (call->n <= in_block::MOST)
        return sort_in_block<in_block>(call);
    if constexpr (VALUE_BYTES == 0 && !KEY::IS_FLOAT)
        if (call->whole_keys)
            return sort_tiles<typename digit_pass_of<KEY, VALUE_BYTES, RANK_BY_COUNTS>::shape>(
                call);
    return sort_tiles<typename digit_pass_of<KEY, VALUE_BYTES, RANK_BY_VOTES>::shape>(call);
}

template <typename KEY>
static parscan_status sort_keys_of(const parscan_sort_cuda_call *call)
{
    switch (call->value_size) {
    case 0:
        return sort_digits<KEY, 0>(call);
    case 4:
        return sort_digits<KEY, 4>(call);
    default:
        return sort_digits<KEY, 8>(call);
    }
}

#endif
