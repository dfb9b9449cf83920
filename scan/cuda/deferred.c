/* The errors that kernels leave, on the host. */
#include "scan/context/check.h"
#include "scan/cuda/cuda_context.h"

parscan_deferred parscan_cuda_deferred(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    cuda->may_defer = true;
    return (parscan_deferred){cuda->deferred, cuda->ordinal, 0};
}

static parscan_status fail_capacity(parscan_context *context, unsigned ordinal,
                                    unsigned long long value)
{
    if (value & PARSCAN_IS_LENGTH)
        return parscan_fail(context, PARSCAN_ERROR_CAPACITY,
                            "call %u of this context: a length in device memory, %llu, is more "
                            "than its argument has room for",
                            ordinal, value & ~PARSCAN_IS_LENGTH);
    if (value & PARSCAN_IS_COUNT)
        return parscan_fail(context, PARSCAN_ERROR_CAPACITY,
                            "call %u of this context: count = %llu exceeds lengths->out_capacity",
                            ordinal, value & ~PARSCAN_IS_COUNT);
    return parscan_fail(context, PARSCAN_ERROR_CAPACITY,
                        "call %u of this context: total = %llu exceeds capacity", ordinal, value);
}

static parscan_status fail_argument(parscan_context *context, unsigned ordinal,
                                    unsigned long long value)
{
    if (value & PARSCAN_IS_INDEX)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "call %u of this context: indices[%llu] is out of range", ordinal,
                            value & ~PARSCAN_IS_INDEX);
    if (value & PARSCAN_IS_BOUND)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "call %u of this context: options->lower, options->upper: bounds in "
                            "device memory must be finite, lower below upper, and neither too near "
                            "to each other nor too far apart",
                            ordinal);
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "call %u of this context: segments->data[%llu] is wrong: offsets must "
                        "begin with 0, end with n and not decrease",
                        ordinal, value);
}

static parscan_status fail_deferred(parscan_context *context, const uint64_t words[2])
{
    const unsigned ordinal = (unsigned)(words[0] >> 32);
    const unsigned long long value = words[1];
    switch ((parscan_status)(uint32_t)words[0]) {
    case PARSCAN_OK:
        return PARSCAN_OK;
    case PARSCAN_ERROR_OVERFLOW:
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "call %u of this context: a total or count of %llu does not fit its "
                            "type",
                            ordinal, value);
    case PARSCAN_ERROR_CAPACITY:
        return fail_capacity(context, ordinal, value);
    default:
        return fail_argument(context, ordinal, value);
    }
}

parscan_status parscan_cuda_take_deferred(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    uint64_t words[2];
    cudaError_t error =
        cudaMemcpyAsync(words, cuda->deferred, sizeof words, cudaMemcpyDeviceToHost, cuda->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(cuda->stream);
    if (error == cudaSuccess && words[0] != 0)
        error = cudaMemsetAsync(cuda->deferred, 0, sizeof words, cuda->stream);
    return error == cudaSuccess ? fail_deferred(context, words)
                                : parscan_cuda_fail(context, error, "the device");
}

/* Words of 64 bits begin with their low half. */
parscan_status parscan_cuda_status_word(parscan_context *context, const uint32_t **word)
{
    if (context->measures)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "a status word: a context that measures has no device memory");
    *word = (const uint32_t *)(const void *)context->cuda->deferred;
    return PARSCAN_OK;
}
