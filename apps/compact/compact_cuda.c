/* The host side of compaction on CUDA: it places the arrays, launches the kernels and copies
   results to the host. */
#include "apps/compact/compact_cuda.h"

#include "scan/cuda/cuda_arrays.h"

enum { IN, FLAGS, VALUES, INDICES, LENGTHS, ROW_OFFSETS, COUNT, ARRAYS };

/* Whether records are moved as elements and not in pieces: they have the size of an element type
   and are aligned to it. */
static bool moves_as_element(const compact_call *call)
{
    const size_t size = call->size;
    return (size == 1 || size == 2 || size == 4 || size == 8) &&
           ((uintptr_t)call->in | (uintptr_t)call->values) % size == 0;
}

/* The largest piece, a power of two, that divides the record size and to which both arrays are
   aligned. */
static size_t unit_of(const compact_call *call, const void *in, const void *out)
{
    const uintptr_t all = (uintptr_t)in | (uintptr_t)out | call->size | 16;
    return (size_t)(all & (0 - all));
}

static void describe(const compact_call *call, parscan_cuda_array arrays[ARRAYS])
{
    const size_t n = call->n, element = call->flags != NULL ? 1 : call->size;
    const size_t index = call->index_type != 0 ? parscan_type_size(call->index_type) : 1;
    arrays[IN] = (parscan_cuda_array){.name = "in",
                                      .given = call->in,
                                      .bytes = n * call->size,
                                      .alignment = element,
                                      .access = PARSCAN_READ};
    arrays[FLAGS] = (parscan_cuda_array){
        .name = "flags", .given = call->flags, .bytes = n, .alignment = 1, .access = PARSCAN_READ};
    arrays[VALUES] = (parscan_cuda_array){.name = "out",
                                          .given = call->values,
                                          .bytes = n * call->size,
                                          .alignment = element,
                                          .access = PARSCAN_WRITE};
    arrays[INDICES] = (parscan_cuda_array){.name = "indices",
                                           .given = call->indices,
                                           .bytes = n * index,
                                           .alignment = index,
                                           .access = PARSCAN_WRITE};
    arrays[LENGTHS] = (parscan_cuda_array){.name = "lengths",
                                           .given = call->lengths,
                                           .bytes = n * index,
                                           .alignment = index,
                                           .access = PARSCAN_WRITE};
    arrays[ROW_OFFSETS] = (parscan_cuda_array){.name = "row_offsets",
                                               .given = call->row_offsets,
                                               .bytes = (call->rows + 1) * index,
                                               .alignment = index,
                                               .access = PARSCAN_WRITE};
    arrays[COUNT] = (parscan_cuda_array){.name = "count",
                                         .given = call->count,
                                         .bytes = sizeof *call->count,
                                         .alignment = sizeof *call->count,
                                         .access = PARSCAN_WRITE};
}

/* Sets where the kernels leave an OVERFLOW, which is possible only with more than 2^32 elements.
   If the count is on the host, the call itself reports the error. */
static parscan_status prepare_error(const compact_call *call, bool count_on_host, uint64_t **error)
{
    parscan_context *const context = call->context;
    *error = NULL;
    if (call->index_type != PARSCAN_U32 || call->n <= UINT32_MAX)
        return PARSCAN_OK;
    if (!count_on_host) {
        *error = parscan_cuda_deferred(context);
        return PARSCAN_OK;
    }
    const parscan_status status = parscan_cuda_scratch(context, 2 * sizeof **error, (void **)error);
    if (status != PARSCAN_OK)
        return status;
    const cudaError_t failed =
        cudaMemsetAsync(*error, 0, 2 * sizeof **error, context->cuda->stream);
    return failed == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, failed, "clearing");
}

static parscan_status report_error(const compact_call *call, const uint64_t *on_device)
{
    uint64_t error[2];
    const parscan_status status =
        parscan_cuda_unstage(call->context, error, on_device, sizeof error);
    if (status != PARSCAN_OK || error[0] == PARSCAN_OK)
        return status;
    const unsigned long long value = error[1];
    if (call->lengths != NULL)
        return parscan_fail(call->context, PARSCAN_ERROR_OVERFLOW,
                            "a run of %llu elements does not fit count_type = u32", value);
    return parscan_fail(call->context, PARSCAN_ERROR_OVERFLOW,
                        "%llu entries do not fit index_type = u32", value);
}

/* Moves records of a size that no element type has. In place they are first gathered in scratch:
   a tile is published when its flags have been read, so other tiles might overwrite its records
   before they are read. */
static parscan_status move_records(compact_cuda_call *on_device)
{
    const compact_call *const call = on_device->call;
    void *const out = on_device->values;
    if (out != on_device->in)
        return parscan_compact_launch(on_device);
    parscan_status status =
        parscan_cuda_scratch(call->context, call->n * call->size, &on_device->values);
    if (status == PARSCAN_OK)
        status = parscan_compact_launch(on_device);
    if (status == PARSCAN_OK)
        status = parscan_compact_copy_back(on_device, on_device->values, out);
    return status;
}

static parscan_status launch(const compact_call *call, const parscan_cuda_array *arrays,
                             uint64_t *error)
{
    compact_cuda_call on_device = {
        .call = call,
        .in = arrays[IN].device,
        .flags = arrays[FLAGS].device,
        .values = arrays[VALUES].device,
        .indices = arrays[INDICES].device,
        .lengths = arrays[LENGTHS].device,
        .row_offsets = arrays[ROW_OFFSETS].device,
        .count = arrays[COUNT].device,
        .error = error,
    };
    if (call->flags != NULL && !moves_as_element(call)) {
        on_device.unit = unit_of(call, on_device.in, on_device.values);
        return move_records(&on_device);
    }
    return parscan_compact_launch(&on_device);
}

/* Clears the outputs of a call without elements. */
static parscan_status clear(const compact_call *call, const parscan_cuda_array *arrays)
{
    const cudaStream_t stream = call->context->cuda->stream;
    cudaError_t error = cudaMemsetAsync(arrays[COUNT].device, 0, sizeof *call->count, stream);
    if (error == cudaSuccess && call->row_offsets != NULL)
        error = cudaMemsetAsync(arrays[ROW_OFFSETS].device, 0, arrays[ROW_OFFSETS].bytes, stream);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(call->context, error, "clearing");
}

/* Copies to the host only what was written, so the count must be known here. */
static parscan_status return_arrays(const compact_call *call, parscan_cuda_array arrays[ARRAYS])
{
    bool staged = false;
    for (unsigned k = VALUES; k <= LENGTHS; k++)
        staged = staged || (arrays[k].staged && arrays[k].bytes > 0);
    uint64_t kept = 0;
    if (staged) {
        const parscan_status status =
            parscan_cuda_unstage(call->context, &kept, arrays[COUNT].device, sizeof kept);
        if (status != PARSCAN_OK)
            return status;
    }
    for (unsigned k = VALUES; k <= LENGTHS; k++)
        if (call->n > 0 && !(call->partition && k == VALUES))
            arrays[k].bytes = (size_t)kept * (arrays[k].bytes / call->n);
    return parscan_cuda_return(call->context, arrays, ARRAYS);
}

parscan_status parscan_compact_cuda(const compact_call *call)
{
    parscan_context *const context = call->context;
    parscan_cuda_array arrays[ARRAYS];
    uint64_t *error = NULL;
    describe(call, arrays);
    for (unsigned k = 0; k < ARRAYS; k++)
        if (arrays[k].given == NULL)
            arrays[k].bytes = 0;
    size_t room = 0;
    parscan_status status = parscan_cuda_begin(context, call->name);
    if (status == PARSCAN_OK)
        status = parscan_cuda_find_room(context, arrays, ARRAYS, 0, &room);
    const size_t most = status == PARSCAN_OK ? parscan_compact_chunk_length(call, room) : 0;
    if (most > 0)
        return parscan_cuda_end(context, parscan_compact_in_chunks(call, most));
    if (status == PARSCAN_OK)
        status = parscan_cuda_place_found(context, arrays, ARRAYS);
    if (status == PARSCAN_OK)
        status = prepare_error(call, arrays[COUNT].staged, &error);
    if (status == PARSCAN_OK)
        status = call->n > 0 ? launch(call, arrays, error) : clear(call, arrays);
    if (status == PARSCAN_OK)
        status = return_arrays(call, arrays);
    if (status == PARSCAN_OK && error != NULL && arrays[COUNT].staged)
        status = report_error(call, error);
    return parscan_cuda_end(context, status);
}
