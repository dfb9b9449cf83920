/* The host side of recurrences on CUDA: it places the arrays, takes the scratch and launches the
   kernel. */
#include "apps/segmented/segmented_cuda.h"
#include "scan/cuda/cuda_arrays.h"

enum { A, B, OUT, ARRAYS };

static parscan_status launch(const recurrence_call *call, const parscan_cuda_array *arrays)
{
    parscan_context *const context = call->context;
    const parscan_scan_call scan = {.context = context, .n = call->n, .init = call->x0};
    parscan_recurrence_cuda_call on_device = {
        .scan = {.call = &scan,
                 .in = arrays[B].device,
                 .out = arrays[OUT].device,
                 .stream = context->cuda->stream},
        .a = arrays[A].device,
    };
    const size_t size = parscan_type_size(call->type);
    const size_t tiles = call->n / (SEGMENTED_LEAST_TILE_BYTES / size) + 2;
    const parscan_status status =
        parscan_cuda_chain_memory(context, RECURRENCE_WORDS(size) * tiles, &on_device.scan.chain);
    if (status != PARSCAN_OK)
        return status;
    const cudaError_t error = call->type == PARSCAN_F32 ? parscan_recurrence_cuda_f32(&on_device)
                                                        : parscan_recurrence_cuda_f64(&on_device);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

parscan_status parscan_recurrence_cuda(const recurrence_call *call)
{
    parscan_context *const context = call->context;
    const size_t size = parscan_type_size(call->type), bytes = call->n * size;
    parscan_cuda_array arrays[] = {
        {.name = "a", .given = call->a, .bytes = bytes, .alignment = size, .access = PARSCAN_READ},
        {.name = "b", .given = call->b, .bytes = bytes, .alignment = size, .access = PARSCAN_READ},
        {.name = "out",
         .given = call->out,
         .bytes = bytes,
         .alignment = size,
         .access = PARSCAN_WRITE},
    };
    size_t room = 0;
    parscan_status status = parscan_cuda_begin(context, "parscan_recurrence");
    if (status == PARSCAN_OK && call->carry != NULL)
        status = parscan_cuda_refuse_in_capture(context, "a carry");
    if (status == PARSCAN_OK)
        status = parscan_cuda_find_room(context, arrays, ARRAYS, 0, &room);
    if (status == PARSCAN_OK && room > 0)
        return parscan_cuda_end(context, parscan_recurrence_in_chunks(call, room));
    if (status == PARSCAN_OK)
        status = parscan_cuda_place_found(context, arrays, ARRAYS);
    if (status == PARSCAN_OK)
        status = launch(call, arrays);
    if (status == PARSCAN_OK && call->carry != NULL)
        status = parscan_cuda_unstage(context, call->carry,
                                      (const char *)arrays[OUT].device + bytes - size, size);
    if (status == PARSCAN_OK)
        status = parscan_cuda_return(context, arrays, ARRAYS);
    return parscan_cuda_end(context, status);
}
