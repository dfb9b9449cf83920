/*
 * Host memory and the device: tells device memory from host memory, and copies between them through
 * pinned memory, piece by piece. CUDA copies one piece while the host fills or empties the other.
 */
#include <string.h>

#include "scan/cuda/cuda_memory.h"

/* What kind of memory it is; that of another device is an error. */
static parscan_status ask_memory(parscan_context *context, const char *name, const void *pointer,
                                 enum cudaMemoryType *type)
{
    struct cudaPointerAttributes attributes;
    const parscan_status status =
        parscan_cuda_check(context, cudaPointerGetAttributes(&attributes, pointer), name);
    if (status != PARSCAN_OK)
        return status;
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != context->cuda->device)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is on device %d, the context is on device %d", name,
                            attributes.device, context->cuda->device);
    *type = attributes.type;
    return PARSCAN_OK;
}

parscan_status parscan_cuda_on_device(parscan_context *context, const char *name,
                                      const void *pointer, bool *on_device)
{
    enum cudaMemoryType type = cudaMemoryTypeUnregistered;
    *on_device = false;
    if (context->measures) {
        *on_device = !context->cuda->measures_host || (uintptr_t)pointer >= PARSCAN_FIRST_ADDRESS;
        return PARSCAN_OK;
    }
    const parscan_status status = ask_memory(context, name, pointer, &type);
    *on_device = type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
    return status;
}

/* A context that measures gives out addresses that no memory has. */
parscan_status parscan_cuda_only_on_device(parscan_context *context, const char *name,
                                           const void *pointer, bool *on_device)
{
    enum cudaMemoryType type = cudaMemoryTypeUnregistered;
    const parscan_status status =
        context->measures ? PARSCAN_OK : ask_memory(context, name, pointer, &type);
    *on_device = context->measures ? (uintptr_t)pointer >= PARSCAN_FIRST_ADDRESS
                                   : type == cudaMemoryTypeDevice;
    return status;
}

parscan_status parscan_cuda_is_direct(parscan_context *context, const char *name,
                                      const void *pointer, size_t size, bool *direct)
{
    const char *const ends[2] = {pointer, (const char *)pointer + (size > 0 ? size - 1 : 0)};
    *direct = true;
    for (unsigned k = 0; k < 2 && *direct; k++) {
        struct cudaPointerAttributes attributes;
        const parscan_status status =
            parscan_cuda_check(context, cudaPointerGetAttributes(&attributes, ends[k]), name);
        if (status != PARSCAN_OK)
            return status;
        *direct = attributes.type != cudaMemoryTypeUnregistered;
    }
    return PARSCAN_OK;
}

parscan_status parscan_cuda_prepare_pinned(parscan_context *context, parscan_cuda_lane *lane)
{
    if (context->measures)
        return PARSCAN_OK;
    for (int k = 0; k < 2; k++) {
        if (lane->pinned[k] == NULL &&
            cudaMallocHost(&lane->pinned[k], PARSCAN_PINNED_BYTES) != cudaSuccess) {
            lane->pinned[k] = NULL;
            cudaGetLastError();
            return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                                "no pinned memory for %zu bytes", PARSCAN_PINNED_BYTES);
        }
        if (lane->travelled[k] == NULL) {
            const cudaError_t error =
                cudaEventCreateWithFlags(&lane->travelled[k], cudaEventDisableTiming);
            if (error != cudaSuccess) {
                lane->travelled[k] = NULL;
                return parscan_cuda_fail(context, error, "an event");
            }
        }
    }
    return PARSCAN_OK;
}

static size_t piece_at(size_t done, size_t size)
{
    return size - done < PARSCAN_PINNED_BYTES ? size - done : PARSCAN_PINNED_BYTES;
}

static void read_memory(const void *from, size_t at, size_t n, void *to)
{
    memcpy(to, (const char *)from + at, n);
}

parscan_status parscan_cuda_send(parscan_context *context, parscan_cuda_lane *lane, void *device,
                                 const void *from, size_t size, parscan_cuda_fill *fill)
{
    parscan_cuda_fill *const read = fill != NULL ? fill : read_memory;
    const parscan_status status = parscan_cuda_prepare_pinned(context, lane);
    cudaError_t error = cudaSuccess;
    unsigned turn = 0;
    if (status != PARSCAN_OK || context->measures)
        return status;
    for (size_t done = 0; done < size && error == cudaSuccess; turn ^= 1) {
        const size_t piece = piece_at(done, size);
        error = cudaEventSynchronize(lane->travelled[turn]);
        if (error != cudaSuccess)
            break;
        read(from, done, piece, lane->pinned[turn]);
        error = cudaMemcpyAsync((char *)device + done, lane->pinned[turn], piece,
                                cudaMemcpyHostToDevice, lane->stream);
        if (error == cudaSuccess)
            error = cudaEventRecord(lane->travelled[turn], lane->stream);
        done += piece;
    }
    return parscan_cuda_check(context, error, "a copy to the device");
}

/* Begins the copy of a piece to pinned memory. */
static cudaError_t begin_piece(const parscan_cuda *cuda, parscan_cuda_lane *lane, unsigned turn,
                               const char *device, size_t piece)
{
    const bool small = piece <= PARSCAN_FETCH_BYTES && lane->stream == cuda->stream;
    const cudaError_t error =
        small ? parscan_cuda_fetch_launch(cuda, lane->pinned[turn], device, (unsigned)piece)
              : cudaMemcpyAsync(lane->pinned[turn], device, piece, cudaMemcpyDeviceToHost,
                                lane->stream);
    return error == cudaSuccess ? cudaEventRecord(lane->travelled[turn], lane->stream) : error;
}

parscan_status parscan_cuda_receive(parscan_context *context, parscan_cuda_lane *lane, void *to,
                                    const void *device, size_t size)
{
    const parscan_status status = parscan_cuda_prepare_pinned(context, lane);
    cudaError_t error = cudaSuccess;
    size_t arrived = 0;
    unsigned turn = 0;
    if (context->measures) /* what is learned of the device: no error, and 0 */
        memset(to, 0, size);
    if (status != PARSCAN_OK || context->measures)
        return status;
    /* CUDA copies a piece while the host copies the piece before it out of pinned memory. */
    for (size_t sent = 0; arrived < size && error == cudaSuccess; turn ^= 1) {
        const size_t piece = piece_at(sent, size);
        if (piece > 0)
            error = begin_piece(context->cuda, lane, turn, (const char *)device + sent, piece);
        const bool first = sent == 0 && arrived == 0;
        sent += piece;
        if (first || error != cudaSuccess)
            continue;
        error = cudaEventSynchronize(lane->travelled[turn ^ 1]);
        if (error != cudaSuccess)
            break;
        const size_t back = piece_at(arrived, size);
        memcpy((char *)to + arrived, lane->pinned[turn ^ 1], back);
        arrived += back;
    }
    return parscan_cuda_check(context, error, "a copy from the device");
}

parscan_status parscan_cuda_stage(parscan_context *context, unsigned which, const void *from,
                                  size_t size, void **device)
{
    parscan_cuda *const cuda = context->cuda;
    parscan_cuda_lane *const lane = &cuda->lanes[PARSCAN_LANE_CALL];
    parscan_status status = parscan_cuda_refuse_in_capture(context, "host memory");
    if (status == PARSCAN_OK)
        status = parscan_cuda_prepare_pinned(context, lane);
    if (status != PARSCAN_OK)
        return status;
    if (size > cuda->staged_size[which]) {
        parscan_cuda_release(cuda, cuda->staged[which], cuda->staged_size[which]);
        cuda->staged_size[which] = 0;
        const cudaError_t error = parscan_cuda_allocate(cuda, &cuda->staged[which], size);
        if (error != cudaSuccess)
            return parscan_cuda_check_size(context, error, size);
        cuda->staged_size[which] = size;
    }
    cuda->staged_in_use[which] = true;
    *device = cuda->staged[which];
    return from == NULL ? PARSCAN_OK : parscan_cuda_send(context, lane, *device, from, size, NULL);
}

parscan_status parscan_cuda_unstage(parscan_context *context, void *to, const void *device,
                                    size_t size)
{
    return parscan_cuda_receive(context, &context->cuda->lanes[PARSCAN_LANE_CALL], to, device,
                                size);
}

static parscan_status copy_queued(parscan_context *context, void *to, const void *from, size_t size)
{
    parscan_cuda_lane *const lane = &context->cuda->lanes[PARSCAN_LANE_CALL];
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
    if (status != PARSCAN_OK)
        return status;
    return to_is_device ? parscan_cuda_send(context, lane, to, from, size, NULL)
                        : parscan_cuda_receive(context, lane, to, from, size);
}

parscan_status parscan_cuda_copy(parscan_context *context, void *to, const void *from, size_t size)
{
    parscan_status status = parscan_cuda_begin(context, "parscan_copy");
    if (status == PARSCAN_OK)
        status = copy_queued(context, to, from, size);
    return parscan_cuda_end(context, status);
}
