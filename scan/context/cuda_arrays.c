#include "scan/context/cuda_arrays.h"

static parscan_status check_alignment(parscan_context *context, const parscan_cuda_array *array)
{
    if ((uintptr_t)array->given % array->alignment == 0)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %p: device memory of these elements is a multiple of %zu",
                        array->name, array->given, array->alignment);
}

/* The copy of the same host memory that an earlier array has; NULL: none has. */
static void *copy_among(const parscan_cuda_array *arrays, unsigned count,
                        const parscan_cuda_array *array)
{
    for (unsigned k = 0; k < count; k++)
        if (arrays[k].staged && arrays[k].given == array->given && arrays[k].bytes == array->bytes)
            return arrays[k].device;
    return NULL;
}

static parscan_status place(parscan_context *context, parscan_cuda_array *arrays, unsigned k)
{
    parscan_cuda_array *const array = &arrays[k];
    array->device = (void *)array->given;
    array->staged = false;
    if (array->given == NULL || array->bytes == 0)
        return PARSCAN_OK;
    bool on_device;
    const parscan_status status =
        parscan_cuda_on_device(context, array->name, array->given, &on_device);
    if (status != PARSCAN_OK)
        return status;
    if (on_device)
        return check_alignment(context, array);
    array->staged = true;
    array->device = copy_among(arrays, k, array);
    if (array->device != NULL)
        return PARSCAN_OK;
    return parscan_cuda_stage(context, k, array->access & PARSCAN_READ ? array->given : NULL,
                              array->bytes, &array->device);
}

parscan_status parscan_cuda_place(parscan_context *context, parscan_cuda_array *arrays,
                                  unsigned count)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < count; k++)
        arrays[k].staged = false;
    for (unsigned k = 0; k < count && status == PARSCAN_OK; k++)
        status = place(context, arrays, k);
    return status;
}

parscan_status parscan_cuda_return(parscan_context *context, const parscan_cuda_array *arrays,
                                   unsigned count)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < count && status == PARSCAN_OK; k++)
        if (arrays[k].staged && arrays[k].access & PARSCAN_WRITE && arrays[k].bytes > 0)
            status = parscan_cuda_unstage(context, (void *)arrays[k].given, arrays[k].device,
                                          arrays[k].bytes);
    return status;
}
