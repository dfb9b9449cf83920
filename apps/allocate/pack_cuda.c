/*
 * The CUDA engine's host side of moving records: in one launch small ones are moved and large ones listed in
 * scratch, which another shares (pack_kernels.cuh). Of records in host memory, what lies between the first
 * and the last byte of all is copied.
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/allocate_cuda.h"
#include "scan/cuda/cuda_arrays.h"

enum { IN_OFFSETS, SIZES, OUT_OFFSETS, IN, OUT, ARRAYS };

typedef struct pack_job {
    parscan_context *context;
    const pack_records *records;
    size_t n;
    parscan_cuda_array arrays[ARRAYS];
    uint64_t *state; /* scratch */
    size_t room;     /* for so many large records */
    const char *in;  /* on the device */
    char *out;
} pack_job;

static parscan_status check(parscan_context *context, cudaError_t error)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

/* For all records, if they are large; of more than are listed, memory holds no more. */
static parscan_status make_room(pack_job *job)
{
    void *scratch = NULL;
    job->room = job->n < PACK_MOST_LISTED ? job->n : PACK_MOST_LISTED - 1;
    const parscan_status status = parscan_cuda_scratch(
        job->context, (UNITS_ROOM + 2 * job->room) * sizeof(uint64_t), &scratch);
    job->state = scratch;
    return status;
}

/* Of records in host memory, before any is looked at. */
static parscan_status check_sum(pack_job *job)
{
    uint64_t found[UNITS_STATE];
    parscan_chain_memory chain;
    const units_call units = {
        .size_type = job->records->size_type,
        .offset_type = PARSCAN_U64,
        .sizes = job->arrays[SIZES].device,
        .n = job->n,
        .most = UINT64_MAX,
        .capacity = UINT64_MAX,
        .largest = UINT64_MAX,
        .state = job->state,
    };
    parscan_status status =
        parscan_cuda_chain_memory(job->context, parscan_units_chain_words(job->n), &chain);
    if (status == PARSCAN_OK)
        status = check(job->context, parscan_units_launch(job->context, &chain, &units));
    if (status == PARSCAN_OK)
        status = parscan_cuda_unstage(job->context, found, job->state, sizeof found);
    if (status == PARSCAN_OK && found[UNITS_STATUS] != PARSCAN_OK)
        status = parscan_fail_total(job->context, PARSCAN_ERROR_OVERFLOW, UINT64_MAX, 0);
    return status;
}

/* Where the records begin and end that are at the offsets of an array. */
static parscan_status learn_extent(pack_job *job, const parscan_cuda_array *offsets,
                                   uint64_t extent[2])
{
    cudaStream_t const stream = job->context->cuda->stream;
    uint64_t *const found = job->state + UNITS_EXTENT;
    const extent_call call = {
        .size_type = job->records->size_type,
        .offset_type = job->records->offset_type,
        .sizes = job->arrays[SIZES].device,
        .offsets = offsets->device,
        .n = job->n,
        .extent = found,
    };
    parscan_status status =
        check(job->context, cudaMemsetAsync(found, 0xff, sizeof *extent, stream));
    if (status == PARSCAN_OK)
        status = check(job->context, cudaMemsetAsync(found + 1, 0, sizeof *extent, stream));
    if (status == PARSCAN_OK)
        status = check(job->context, parscan_extent_launch(job->context->cuda, &call));
    if (status == PARSCAN_OK)
        status = parscan_cuda_unstage(job->context, extent, found, 2 * sizeof *extent);
    return status;
}

/* Copies of what records in host memory take. */
static parscan_status place_records(pack_job *job, bool *empty)
{
    uint64_t extents[2][2];
    parscan_cuda_array *const arrays = job->arrays;
    parscan_status status = check_sum(job);
    if (status == PARSCAN_OK)
        status = learn_extent(job, &arrays[IN_OFFSETS], extents[0]);
    if (status == PARSCAN_OK)
        status = learn_extent(job, &arrays[OUT_OFFSETS], extents[1]);
    *empty = status == PARSCAN_OK && extents[0][1] == 0;
    if (status != PARSCAN_OK || *empty)
        return status;
    for (int k = IN_OFFSETS; k <= OUT_OFFSETS; k++)
        arrays[k].given = arrays[k].device;
    for (int k = IN; k <= OUT; k++) {
        const uint64_t *const extent = extents[k - IN];
        arrays[k].given = (const char *)arrays[k].given + extent[0];
        arrays[k].bytes = extent[1] - extent[0];
    }
    status = parscan_cuda_place(job->context, arrays, ARRAYS);
    if (status != PARSCAN_OK)
        return status;
    job->in = (const char *)arrays[IN].device - extents[0][0];
    job->out = (char *)arrays[OUT].device - extents[1][0];
    return PARSCAN_OK;
}

static parscan_status pack(pack_job *job)
{
    parscan_context *const context = job->context;
    bool in_on_device, out_on_device, empty = false;
    parscan_status status = parscan_cuda_on_device(context, "in", job->in, &in_on_device);
    if (status == PARSCAN_OK)
        status = parscan_cuda_on_device(context, "out", job->out, &out_on_device);
    if (status == PARSCAN_OK)
        status = make_room(job);
    if (status != PARSCAN_OK)
        return status;
    const bool staged = !in_on_device || !out_on_device;
    if (staged)
        status = place_records(job, &empty);
    if (status != PARSCAN_OK || empty)
        return status;
    uint64_t *const list = job->state + UNITS_ROOM;
    const pack_call call = {
        .size_type = job->records->size_type,
        .offset_type = job->records->offset_type,
        .sizes = job->arrays[SIZES].device,
        .in_offsets = job->arrays[IN_OFFSETS].device,
        .out_offsets = job->arrays[OUT_OFFSETS].device,
        .in = job->in,
        .out = job->out,
        .n = job->n,
        .state = job->state,
        .deferred = staged ? NULL : parscan_cuda_deferred(context),
        .listed = job->state + UNITS_LISTED,
        .items = list,
        .ends = list + job->room,
        .room = job->room,
    };
    status = check(
        context, cudaMemsetAsync(job->state, 0, UNITS_ROOM * sizeof *list, context->cuda->stream));
    if (status == PARSCAN_OK)
        status = check(context, parscan_pack_launch(context->cuda, &call));
    return status == PARSCAN_OK ? parscan_cuda_return(context, job->arrays, ARRAYS) : status;
}

parscan_status parscan_pack_cuda(parscan_context *context, const pack_records *records, size_t n)
{
    const size_t offset_bytes = parscan_type_size(records->offset_type);
    const size_t size_bytes = parscan_type_size(records->size_type);
    pack_job job = {
        .context = context,
        .records = records,
        .n = n,
        .arrays = {{"in_offsets", records->in_offsets, n * offset_bytes, offset_bytes, PARSCAN_READ,
                    NULL, 0},
                   {"sizes", records->sizes, n * size_bytes, size_bytes, PARSCAN_READ, NULL, 0},
                   {"out_offsets", records->out_offsets, n * offset_bytes, offset_bytes,
                    PARSCAN_READ, NULL, 0},
                   {"in", records->in, 0, 1, PARSCAN_READ, NULL, 0},
                   {"out", records->out, 0, 1, PARSCAN_READ_WRITE, NULL, 0}},
        .in = records->in,
        .out = records->out,
    };
    parscan_status status = parscan_cuda_begin(context, "parscan_pack");
    if (status == PARSCAN_OK)
        status = parscan_cuda_place(context, job.arrays, ARRAYS);
    if (status == PARSCAN_OK)
        status = pack(&job);
    return parscan_cuda_end(context, status);
}
