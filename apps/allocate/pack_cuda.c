/*
 * The CUDA engine's host side of moving records: the offsets, in scratch, of the pieces of the output that
 * records touch, then pieces shared (slots_kernels.cuh). Of records in host memory, what lies between the
 * first and the last byte of all is copied.
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/allocate_cuda.h"
#include "scan/context/cuda_arrays.h"

enum { IN_OFFSETS, SIZES, OUT_OFFSETS, IN, OUT, ARRAYS };

/* Pieces of 16 bytes beyond which sizes may be beyond 64 bits in all. */
#define MOST_PIECES (((uint64_t)1 << 60) - 1)

typedef struct pack_job {
    parscan_context *context;
    const pack_records *records;
    size_t n;
    parscan_cuda_array arrays[ARRAYS];
    uint64_t *state, *extent, *offsets; /* scratch */
    const char *in;                     /* on the device */
    char *out;
} pack_job;

static parscan_status check(parscan_context *context, cudaError_t error)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

static parscan_status sum_pieces(pack_job *job)
{
    parscan_chain_memory chain;
    void *scratch = NULL;
    parscan_status status =
        parscan_cuda_chain_memory(job->context, parscan_units_chain_words(job->n), &chain);
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(job->context, (UNITS_ROOM + job->n + 1) * sizeof(uint64_t),
                                      &scratch);
    if (status != PARSCAN_OK)
        return status;
    job->state = scratch;
    job->extent = job->state + UNITS_EXTENT;
    job->offsets = job->state + UNITS_ROOM;
    const units_call units = {
        .size_type = job->records->size_type,
        .offset_type = job->records->offset_type,
        .sizes = job->arrays[SIZES].device,
        .offsets = job->offsets,
        .n = job->n,
        .most = MOST_PIECES,
        .capacity = UINT64_MAX,
        .largest = UINT64_MAX,
        .ends = true,
        .state = job->state,
        .out_offsets = job->arrays[OUT_OFFSETS].device,
        .out = (uintptr_t)job->out,
    };
    return check(job->context, parscan_units_launch(job->context, &chain, &units));
}

/* Where the records begin and end that are at the offsets of an array. */
static parscan_status learn_extent(pack_job *job, const parscan_cuda_array *offsets,
                                   uint64_t extent[2])
{
    cudaStream_t const stream = job->context->cuda->stream;
    const extent_call call = {
        .size_type = job->records->size_type,
        .offset_type = job->records->offset_type,
        .sizes = job->arrays[SIZES].device,
        .offsets = offsets->device,
        .n = job->n,
        .extent = job->extent,
    };
    parscan_status status =
        check(job->context, cudaMemsetAsync(job->extent, 0xff, sizeof *extent, stream));
    if (status == PARSCAN_OK)
        status = check(job->context, cudaMemsetAsync(job->extent + 1, 0, sizeof *extent, stream));
    if (status == PARSCAN_OK)
        status = check(job->context, parscan_extent_launch(job->context->cuda, &call));
    if (status == PARSCAN_OK)
        status = parscan_cuda_unstage(job->context, extent, job->extent, 2 * sizeof *extent);
    return status;
}

/* Copies of what records in host memory take, after a look at the sum of the sizes; and the pieces again,
   as they lie in the copy. */
static parscan_status place_records(pack_job *job, bool *empty)
{
    uint64_t state[UNITS_STATE], extents[2][2];
    parscan_cuda_array *const arrays = job->arrays;
    parscan_status status = parscan_cuda_unstage(job->context, state, job->state, sizeof *state);
    if (status == PARSCAN_OK && state[UNITS_STATUS] != PARSCAN_OK)
        return parscan_allocate_says(job->context, PARSCAN_ERROR_OVERFLOW, UINT64_MAX, 0);
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
    return sum_pieces(job);
}

static parscan_status pack(pack_job *job)
{
    parscan_context *const context = job->context;
    bool in_on_device, out_on_device, empty = false;
    parscan_status status = parscan_cuda_on_device(context, "in", job->in, &in_on_device);
    if (status == PARSCAN_OK)
        status = parscan_cuda_on_device(context, "out", job->out, &out_on_device);
    if (status == PARSCAN_OK)
        status = sum_pieces(job);
    if (status != PARSCAN_OK)
        return status;
    const bool staged = !in_on_device || !out_on_device;
    if (staged)
        status = place_records(job, &empty);
    if (status != PARSCAN_OK || empty)
        return status;
    const slots_call slots = {
        .offsets = job->offsets,
        .n = job->n,
        .state = job->state,
        .deferred = staged ? NULL : parscan_cuda_deferred(context),
        .most_work = SIZE_MAX,
        .size_type = job->records->size_type,
        .offset_type = job->records->offset_type,
        .sizes = job->arrays[SIZES].device,
        .in_offsets = job->arrays[IN_OFFSETS].device,
        .out_offsets = job->arrays[OUT_OFFSETS].device,
        .in = job->in,
        .out = job->out,
    };
    status = check(context, parscan_pack_launch(context->cuda, &slots));
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
