/*
 * Host memory and the device: tells device memory from host memory, and copies between them through
 * pinned memory, piece by piece. CUDA copies one piece while the host fills or empties the other.
 */
#include <string.h>

#include "scan/cuda/cuda_context.h"

parscan_status parscan_cuda_on_device(parscan_context *context, const char *name,
                                      const void *pointer, bool *on_device)
{
    struct cudaPointerAttributes attributes;
    *on_device = false;
    const parscan_status status =
        parscan_cuda_check(context, cudaPointerGetAttributes(&attributes, pointer), name);
    if (status != PARSCAN_OK)
        return status;
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != context->cuda->device)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is on device %d, the context is on device %d", name,
                            attributes.device, context->cuda->device);
    *on_device =
        attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    return PARSCAN_OK;
}

static parscan_status prepare_pinned(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    for (int k = 0; k < 2; k++) {
        if (cuda->pinned[k] == NULL &&
            cudaMallocHost(&cuda->pinned[k], PARSCAN_PINNED_BYTES) != cudaSuccess) {
            cuda->pinned[k] = NULL;
            cudaGetLastError();
            return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                                "no pinned memory for %zu bytes", PARSCAN_PINNED_BYTES);
        }
        if (cuda->travelled[k] == NULL) {
            const cudaError_t error =
                cudaEventCreateWithFlags(&cuda->travelled[k], cudaEventDisableTiming);
            if (error != cudaSuccess)
                return parscan_cuda_fail(context, error, "an event");
        }
    }
    return PARSCAN_OK;
}

static size_t piece_at(size_t done, size_t size)
{
    return size - done < PARSCAN_PINNED_BYTES ? size - done : PARSCAN_PINNED_BYTES;
}

static parscan_status to_device(parscan_context *context, char *device, const char *from,
                                size_t size)
{
    parscan_cuda *const cuda = context->cuda;
    cudaError_t error = cudaSuccess;
    unsigned turn = 0;
    for (size_t done = 0; done < size && error == cudaSuccess; turn ^= 1) {
        const size_t piece = piece_at(done, size);
        error = cudaEventSynchronize(cuda->travelled[turn]);
        if (error != cudaSuccess)
            break;
        memcpy(cuda->pinned[turn], from + done, piece);
        error = cudaMemcpyAsync(device + done, cuda->pinned[turn], piece, cudaMemcpyHostToDevice,
                                cuda->stream);
        if (error == cudaSuccess)
            error = cudaEventRecord(cuda->travelled[turn], cuda->stream);
        done += piece;
    }
    return parscan_cuda_check(context, error, "a copy to the device");
}

static parscan_status from_device(parscan_context *context, char *to, const char *device,
                                  size_t size)
{
    parscan_cuda *const cuda = context->cuda;
    cudaError_t error = cudaSuccess;
    size_t arrived = 0;
    unsigned turn = 0;
    /* CUDA copies a piece while the host copies the piece before it out of pinned memory. */
    for (size_t sent = 0; arrived < size && error == cudaSuccess; turn ^= 1) {
        const size_t piece = piece_at(sent, size);
        if (piece > 0) {
            error = cudaMemcpyAsync(cuda->pinned[turn], device + sent, piece,
                                    cudaMemcpyDeviceToHost, cuda->stream);
            if (error == cudaSuccess)
                error = cudaEventRecord(cuda->travelled[turn], cuda->stream);
        }
        const bool first = sent == 0 && arrived == 0;
        sent += piece;
        if (first || error != cudaSuccess)
            continue;
        error = cudaEventSynchronize(cuda->travelled[turn ^ 1]);
        if (error != cudaSuccess)
            break;
        const size_t back = piece_at(arrived, size);
        memcpy(to + arrived, cuda->pinned[turn ^ 1], back);
        arrived += back;
    }
    return parscan_cuda_check(context, error, "a copy from the device");
}

parscan_status parscan_cuda_stage(parscan_context *context, unsigned which, const void *from,
                                  size_t size, void **device)
{
    parscan_cuda *const cuda = context->cuda;
    parscan_status status = parscan_cuda_refuse_in_capture(context, "host memory");
    if (status == PARSCAN_OK)
        status = prepare_pinned(context);
    if (status != PARSCAN_OK)
        return status;
    if (size > cuda->staged_size[which]) {
        cudaFree(cuda->staged[which]);
        cuda->staged_size[which] = 0;
        const cudaError_t error = cudaMalloc(&cuda->staged[which], size);
        if (error != cudaSuccess) {
            cuda->staged[which] = NULL;
            return parscan_cuda_check_size(context, error, size);
        }
        cuda->staged_size[which] = size;
    }
    cuda->staged_in_use |= 1u << which;
    *device = cuda->staged[which];
    return from == NULL ? PARSCAN_OK : to_device(context, *device, from, size);
}

parscan_status parscan_cuda_unstage(parscan_context *context, void *to, const void *device,
                                    size_t size)
{
    const parscan_status status = prepare_pinned(context);
    return status == PARSCAN_OK ? from_device(context, to, device, size) : status;
}

static parscan_status copy(parscan_context *context, void *to, const void *from, size_t size)
{
    bool to_is_device, from_is_device;
    parscan_status status = parscan_cuda_on_device(context, "to", to, &to_is_device);
    if (status == PARSCAN_OK)
        status = parscan_cuda_on_device(context, "from", from, &from_is_device);
    if (status != PARSCAN_OK)
        return status;
    if (to_is_device && from_is_device)
        return parscan_cuda_check(
            context,
            cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, context->cuda->stream),
            "a copy on the device");
    if (!to_is_device && !from_is_device) {
        memcpy(to, from, size);
        return PARSCAN_OK;
    }
    status = parscan_cuda_refuse_in_capture(context, "host memory");
    if (status == PARSCAN_OK)
        status = prepare_pinned(context);
    if (status != PARSCAN_OK)
        return status;
    return to_is_device ? to_device(context, to, from, size) : from_device(context, to, from, size);
}

parscan_status parscan_cuda_copy(parscan_context *context, void *to, const void *from, size_t size)
{
    parscan_status status = parscan_cuda_begin(context, "parscan_copy");
    if (status == PARSCAN_OK)
        status = copy(context, to, from, size);
    return parscan_cuda_end(context, status);
}
