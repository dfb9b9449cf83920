/* The host side of an allocation on CUDA. */
#include "apps/allocate/allocate_cuda.h"

#include "apps/allocate/allocate_call.h"
#include "scan/cuda/cuda_arrays.h"

static unsigned log2_of(uint64_t power)
{
    unsigned log2 = 0;
    while (power >> log2 > 1)
        log2++;
    return log2;
}

static parscan_status launch(const allocate_call *call, uint64_t capacity,
                             const parscan_cuda_array *arrays, uint64_t *state)
{
    parscan_context *const context = call->context;
    const bool here = arrays[2].staged; /* the total is in host memory */
    parscan_chain_memory chain;
    const parscan_status status =
        parscan_cuda_chain_memory(context, parscan_units_chain_words(call->n), &chain);
    if (status != PARSCAN_OK)
        return status;
    const allocate_sum_params units = {
        .size_type = call->size_type,
        .offset_type = call->offset_type,
        .sizes = arrays[0].device,
        .offsets = arrays[1].device,
        .n = call->n,
        .shift = log2_of(call->alignment),
        .before = call->start >> log2_of(call->alignment),
        .most = call->offset_type == PARSCAN_U32 ? UINT32_MAX : UINT64_MAX,
        .capacity = capacity,
        .largest = UINT64_MAX,
        .state = here ? state : NULL,
        .total = here ? NULL : arrays[2].device,
        .deferred = here ? NULL : parscan_cuda_deferred(context),
    };
    const cudaError_t error = parscan_units_launch(context, &chain, &units);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

static parscan_status allocate(const allocate_call *call, uint64_t capacity,
                               parscan_cuda_array *arrays, uint64_t *total)
{
    parscan_context *const context = call->context;
    void *state = NULL;
    uint64_t found[UNITS_STATE] = {PARSCAN_OK, 0, 0};
    if (call->n == 0) {
        const cudaError_t error =
            cudaMemsetAsync(arrays[2].device, 0, sizeof *total, context->cuda->stream);
        return error == cudaSuccess ? parscan_cuda_return(context, arrays, 3)
                                    : parscan_cuda_fail(context, error, "the total");
    }
    parscan_status status = parscan_cuda_scratch(context, sizeof found, &state);
    if (status == PARSCAN_OK)
        status = launch(call, capacity, arrays, state);
    if (status == PARSCAN_OK && arrays[2].staged) {
        status = parscan_cuda_unstage(context, found, state, UNITS_LARGE * sizeof *found);
        if (status == PARSCAN_OK)
            *total = found[UNITS_TOTAL];
        arrays[2].bytes = 0;
    }
    if (status == PARSCAN_OK && found[UNITS_STATUS] != PARSCAN_ERROR_OVERFLOW)
        status = parscan_cuda_return(context, arrays, 3);
    if (status == PARSCAN_OK && found[UNITS_STATUS] != PARSCAN_OK)
        status = parscan_fail_total(context, (parscan_status)found[UNITS_STATUS],
                                    found[UNITS_TOTAL], capacity);
    return status;
}

parscan_status parscan_allocate_cuda(const allocate_call *call, uint64_t capacity, uint64_t *total)
{
    parscan_context *const context = call->context;
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t offset_bytes = parscan_type_size(call->offset_type);
    parscan_cuda_array arrays[] = {
        {.name = "sizes",
         .given = call->sizes,
         .bytes = call->n * size_bytes,
         .alignment = size_bytes,
         .access = PARSCAN_READ},
        {.name = "offsets",
         .given = call->offsets,
         .bytes = call->offsets != NULL ? call->n * offset_bytes : 0,
         .alignment = offset_bytes,
         .access = PARSCAN_WRITE},
        {.name = "total",
         .given = total,
         .bytes = sizeof *total,
         .alignment = sizeof *total,
         .access = PARSCAN_WRITE},
    };
    parscan_status status = parscan_cuda_begin(context, "parscan_allocate");
    if (status == PARSCAN_OK)
        status = parscan_cuda_place(context, arrays, 3);
    if (status == PARSCAN_OK)
        status = allocate(call, capacity, arrays, total);
    return parscan_cuda_end(context, status);
}
