#include "scan/cuda/cuda_arrays.h"

#include <string.h>

#include "scan/context/host_memory.h"
#include "scan/cuda/cuda_memory.h"

parscan_status parscan_cuda_check_alignment(parscan_context *context, const char *name,
                                            const void *array, size_t alignment)
{
    if ((uintptr_t)array % alignment == 0)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %p: device memory must be aligned to its elements, %zu bytes", name,
                        array, alignment);
}

/* Of a context that measures: a count is in host memory, unless it is in memory of such a context, or in
   that of a device that is present. */
static bool is_out_of_reach(const parscan_context *context, const void *count)
{
    return (uintptr_t)count >= PARSCAN_FIRST_ADDRESS ||
           (context->near_device && !parscan_host_can_read(count));
}

/* Finds out whether an array is in device memory, or in host memory that must be staged. */
static parscan_status look_at(parscan_context *context, parscan_cuda_array *array)
{
    bool on_device = array->lent;
    parscan_status status = PARSCAN_OK;
    array->device = (void *)array->given;
    array->staged = false;
    if (array->given == NULL || array->bytes == 0)
        return PARSCAN_OK;
    if (!array->lent)
        status = parscan_cuda_on_device(context, array->name, array->given, &on_device);
    if (status != PARSCAN_OK)
        return status;
    if (context->measures && array->counts)
        on_device = is_out_of_reach(context, array->given);
    if (on_device)
        return parscan_cuda_check_alignment(context, array->name, array->given, array->alignment);
    array->staged = true;
    return PARSCAN_OK;
}

parscan_status parscan_cuda_look_up(parscan_context *context, parscan_cuda_array *arrays,
                                    unsigned count)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < count; k++)
        arrays[k].staged = false;
    for (unsigned k = 0; k < count && status == PARSCAN_OK; k++)
        status = look_at(context, &arrays[k]);
    return status;
}

/* The index of the first array that is staged from the same host memory: k if there is no earlier
   one. */
static unsigned first_of_same(const parscan_cuda_array *arrays, unsigned k)
{
    unsigned first = 0;
    while (first < k && !(arrays[first].staged && arrays[first].given == arrays[k].given &&
                          arrays[first].bytes == arrays[k].bytes))
        first++;
    return first;
}

/* The bytes of all copies. *grows: the context does not have memory for each of them yet. */
static size_t copies_of(const parscan_cuda *cuda, const parscan_cuda_array *arrays, unsigned count,
                        bool *grows)
{
    size_t needed = 0;
    *grows = false;
    for (unsigned k = 0; k < count; k++) {
        if (!arrays[k].staged || first_of_same(arrays, k) < k)
            continue;
        needed += arrays[k].bytes;
        *grows = *grows || arrays[k].bytes > cuda->staged_size[k];
    }
    return needed;
}

/* What the device has for the copies, scratch and slots of the context, with what these have. */
static size_t memory_of_device(const parscan_cuda *cuda)
{
    size_t available = parscan_cuda_available(cuda);
    if (available == SIZE_MAX)
        return SIZE_MAX;
    for (unsigned k = 0; k < PARSCAN_CUDA_ARRAYS; k++)
        available += cuda->staged_size[k];
    if (!cuda->captured)
        available += cuda->scratch.size + cuda->beside.size + cuda->chain.size;
    return available + cuda->slots_size;
}

parscan_status parscan_cuda_find_room(parscan_context *context, parscan_cuda_array *arrays,
                                      unsigned count, size_t scratch, size_t *room)
{
    parscan_cuda *const cuda = context->cuda;
    const size_t limit = context->scratch_limit;
    parscan_status status = parscan_cuda_look_up(context, arrays, count);
    bool grows;
    *room = 0;
    if (status != PARSCAN_OK || cuda->depth > 1)
        return status;
    const size_t copies = copies_of(cuda, arrays, count, &grows);
    const bool beyond_limit =
        limit >= PARSCAN_LEAST_ROOM && (copies > limit || scratch > limit - copies);
    if (copies == 0 || (!beyond_limit && !grows && scratch <= cuda->scratch.size))
        return PARSCAN_OK;
    /* First, since a question about the device's pool breaks a capture. */
    status = parscan_cuda_refuse_in_capture(context, "host memory");
    if (status != PARSCAN_OK)
        return status;
    /* Some memory is left to the driver, and to other contexts. Copies do not free the scratch that an
       earlier call has left. */
    const size_t all = memory_of_device(cuda), most = all - all / 16;
    const size_t kept =
        cuda->captured ? 0 : cuda->scratch.size + cuda->beside.size + cuda->chain.size;
    const size_t beside = scratch > kept ? scratch : kept;
    if (!beyond_limit && copies <= most && beside <= most - copies)
        return PARSCAN_OK;
    *room = most;
    if (limit >= PARSCAN_LEAST_ROOM) {
        const size_t held = parscan_cuda_held(cuda), least = PARSCAN_LEAST_ROOM / 2;
        const size_t left = limit > held + least ? limit - held : least;
        *room = left < most ? left : most;
    }
    return PARSCAN_OK;
}

/* If the device cannot hold all copies, the message gives their total size, before anything is
   copied. Copies that no call uses are freed first, but not in a call that another call makes: the
   outer call uses its own copies. */
static parscan_status make_room_for_arrays(parscan_context *context,
                                           const parscan_cuda_array *arrays, unsigned count)
{
    parscan_cuda *const cuda = context->cuda;
    bool grows;
    const size_t needed = copies_of(cuda, arrays, count, &grows);
    if (!grows || cuda->depth > 1)
        return PARSCAN_OK;
    const parscan_status status = parscan_cuda_refuse_in_capture(context, "host memory");
    if (status != PARSCAN_OK || needed <= parscan_cuda_available(cuda))
        return status;
    parscan_cuda_release_copies(cuda);
    return needed <= parscan_cuda_available(cuda) ? PARSCAN_OK
                                                  : parscan_cuda_no_memory(context, needed);
}

static parscan_status stage(parscan_context *context, parscan_cuda_array *arrays, unsigned k)
{
    parscan_cuda_array *const array = &arrays[k];
    const unsigned first = first_of_same(arrays, k);
    if (first < k) {
        array->device = arrays[first].device;
        return PARSCAN_OK;
    }
    return parscan_cuda_stage(context, k, array->access & PARSCAN_READ ? array->given : NULL,
                              array->bytes, &array->device);
}

parscan_status parscan_cuda_place_found(parscan_context *context, parscan_cuda_array *arrays,
                                        unsigned count)
{
    parscan_status status = make_room_for_arrays(context, arrays, count);
    for (unsigned k = 0; k < count && status == PARSCAN_OK; k++)
        if (arrays[k].staged)
            status = stage(context, arrays, k);
    return status;
}

parscan_status parscan_cuda_place(parscan_context *context, parscan_cuda_array *arrays,
                                  unsigned count)
{
    const parscan_status status = parscan_cuda_look_up(context, arrays, count);
    return status == PARSCAN_OK ? parscan_cuda_place_found(context, arrays, count) : status;
}

parscan_status parscan_cuda_return(parscan_context *context, const parscan_cuda_array *arrays,
                                   unsigned count)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < count && context->measures; k++)
        if (arrays[k].staged && arrays[k].counts)
            memcpy((void *)arrays[k].given, &arrays[k].most, sizeof arrays[k].most);
    if (context->measures)
        return PARSCAN_OK;
    for (unsigned k = 0; k < count && status == PARSCAN_OK; k++)
        if (arrays[k].staged && arrays[k].access & PARSCAN_WRITE && arrays[k].bytes > 0)
            status = parscan_cuda_unstage(context, (void *)arrays[k].given, arrays[k].device,
                                          arrays[k].bytes);
    return status;
}
