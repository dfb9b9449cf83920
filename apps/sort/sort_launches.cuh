/*
 * The launches of a radix sort on CUDA for one class of keys. A file of a few lines for each
 * includes this.
 */
#ifndef PARSCAN_APPS_SORT_SORT_LAUNCHES_CUH
#define PARSCAN_APPS_SORT_SORT_LAUNCHES_CUH

#include "apps/sort/digit_histogram_kernels.cuh"
#include "apps/sort/digit_pass_kernels.cuh"
#include "apps/sort/sort_tuning.cuh"
#include "scan/context/context.h"

template <typename KEY>
static cudaError_t count_digits(const parscan_sort_cuda_call *call)
{
    typedef digit_histogram_shape<KEY> shape;
    const parscan_cuda *const cuda = call->context->cuda;
    digit_histogram_call<KEY> on_device = {};
    on_device.keys = (const typename KEY::Bits *)call->keys[SORT_IN];
    on_device.n = call->n;
    on_device.plan = call->plan;
    on_device.passes = call->passes;
    for (unsigned p = 0; p < call->passes && call->digits[p].mask != 0; p++) {
        on_device.digit[p] = digit_of<KEY>::make(call->digits[p], call->flip);
        on_device.digits = p + 1;
    }
    const bool keys_stay = call->keys[SORT_IN] == call->keys[SORT_OUT];
    const bool values_stay =
        call->value_size != 0 && !call->numbers && call->values[SORT_IN] == call->values[SORT_OUT];
    on_device.aliased = keys_stay || values_stay;
    on_device.settled = keys_stay && (call->value_size == 0 || values_stay);
    parscan_cuda_kernel kernel;
    const void *const function = (const void *)digit_histogram<KEY>;
    cudaError_t error = parscan_cuda_kernel_of(call->context->cuda, function, HISTOGRAM_THREADS,
                                               shape::BYTES, &kernel);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(call->plan, 0, offsetof(sort_plan, passes), cuda->stream);
    if (error != cudaSuccess)
        return error;
    const size_t useful = call->n * sizeof(typename KEY::Bits) / (HISTOGRAM_THREADS * 64) + 1;
    void *arguments[] = {&on_device};
    return cudaLaunchKernel(function,
                            dim3(useful < kernel.blocks ? (unsigned)useful : kernel.blocks),
                            dim3(HISTOGRAM_THREADS), arguments, shape::BYTES, cuda->stream);
}

/* The kernel of all passes, and room for the words of its blocks. */
template <typename S>
static parscan_status prepare_passes(const parscan_sort_cuda_call *call,
                                     digit_pass_call<S> *on_device, unsigned *blocks)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(call->context->cuda, (const void *)digit_pass<S>, S::THREADS,
                               digit_pass_bytes<S>::all, &kernel);
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
        on_device->pass = &call->plan->passes[p];
        on_device->digit = digit_of<typename S::Key>::make(call->digits[p], call->flip);
        void *arguments[] = {on_device};
        error = cudaLaunchCooperativeKernel((const void *)digit_pass<S>, dim3(blocks),
                                            dim3(S::THREADS), arguments, digit_pass_bytes<S>::all,
                                            call->context->cuda->stream);
    }
    return error;
}

template <typename KEY, unsigned VALUE_BYTES>
static parscan_status sort_digits(const parscan_sort_cuda_call *call)
{
    typedef typename digit_pass_tuned<KEY, VALUE_BYTES>::shape S;
    digit_pass_call<S> on_device = {};
    on_device.n = call->n;
    on_device.tiles = call->n / S::TILE + (call->n % S::TILE != 0);
    on_device.beyond = (typename S::Bits) ~call->flip;
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
    cudaError_t error = count_digits<KEY>(call);
    if (error == cudaSuccess)
        error = pass_digits(call, blocks, &on_device);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(call->context, error, "a launch");
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
