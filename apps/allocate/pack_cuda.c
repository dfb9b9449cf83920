/*
 * The host side of moving records on CUDA. One launch moves small records and lists large ones in
 * scratch; a second launch divides the listed records evenly (pack_kernels.cuh). For records in
 * host memory, all from the first byte to the last byte of any record is copied.
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/allocate_cuda.h"
#include "scan/cuda/driver.h"

enum { IN_OFFSETS, SIZES, OUT_OFFSETS, IN, OUT, ARRAYS };

typedef struct pack_pass {
    parscan_context *context;
    const pack_records *records;
    size_t n;
    const uint64_t *n_at;
    parscan_cuda_array *arrays; /* the driver's */
    uint64_t *state;            /* in scratch */
    size_t room;                /* the number of large records that can be listed */
    const char *in;             /* in device memory */
    char *out;
} pack_pass;

/* Makes room for listing all records, since all may be large. More large records than
   PACK_MOST_LISTED fit no device's memory. */
static parscan_status make_room_for_large(pack_pass *pass)
{
    void *scratch = NULL;
    pass->room = pass->n < PACK_MOST_LISTED ? pass->n : PACK_MOST_LISTED - 1;
    const parscan_status status = parscan_cuda_scratch(
        pass->context, (UNITS_ROOM + 2 * pass->room) * sizeof(uint64_t), &scratch);
    pass->state = scratch;
    return status;
}

/* For records in host memory: checks the sum of sizes before any record is read. */
static parscan_status check_sum(pack_pass *pass)
{
    uint64_t found[UNITS_STATE];
    parscan_chain_memory chain;
    const allocate_sum_params units = {
        .size_type = pass->records->size_type,
        .offset_type = PARSCAN_U64,
        .sizes = pass->arrays[SIZES].device,
        .n = pass->n,
        .most = UINT64_MAX,
        .capacity = UINT64_MAX,
        .largest = UINT64_MAX,
        .state = pass->state,
    };
    parscan_status status =
        parscan_cuda_chain_memory(pass->context, parscan_units_chain_words(pass->n), &chain);
    if (status == PARSCAN_OK)
        status =
            PARSCAN_CUDA_QUEUE(pass->context, parscan_units_launch(pass->context, &chain, &units));
    if (status == PARSCAN_OK)
        status = parscan_cuda_unstage(pass->context, found, pass->state, sizeof found);
    if (status == PARSCAN_OK && found[UNITS_STATUS] != PARSCAN_OK)
        status =
            parscan_fail_total(pass->context, PARSCAN_ERROR_OVERFLOW, PARSCAN_U64, UINT64_MAX, 0);
    return status;
}

/* Reads the first byte and the end of the records at the offsets of an array. */
static parscan_status learn_extent(pack_pass *pass, const parscan_cuda_array *offsets,
                                   uint64_t extent[2])
{
    cudaStream_t const stream = pass->context->cuda->stream;
    uint64_t *const found = pass->state + UNITS_EXTENT;
    const extent_params params = {
        .size_type = pass->records->size_type,
        .offset_type = pass->records->offset_type,
        .sizes = pass->arrays[SIZES].device,
        .offsets = offsets->device,
        .n = pass->n,
        .extent = found,
    };
    parscan_status status =
        PARSCAN_CUDA_QUEUE(pass->context, cudaMemsetAsync(found, 0xff, sizeof *extent, stream));
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(pass->context,
                                    cudaMemsetAsync(found + 1, 0, sizeof *extent, stream));
    if (status == PARSCAN_OK)
        status =
            PARSCAN_CUDA_QUEUE(pass->context, parscan_extent_launch(pass->context->cuda, &params));
    if (status == PARSCAN_OK)
        status = parscan_cuda_unstage(pass->context, extent, found, 2 * sizeof *extent);
    return status;
}

/* Makes copies of the ranges that records in host memory take. */
static parscan_status place_records(pack_pass *pass, bool *empty)
{
    uint64_t extents[2][2];
    parscan_cuda_array *const arrays = pass->arrays;
    parscan_status status = check_sum(pass);
    if (status == PARSCAN_OK)
        status = learn_extent(pass, &arrays[IN_OFFSETS], extents[0]);
    if (status == PARSCAN_OK)
        status = learn_extent(pass, &arrays[OUT_OFFSETS], extents[1]);
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
    status = parscan_cuda_place(pass->context, arrays, ARRAYS);
    if (status != PARSCAN_OK)
        return status;
    /* The address of byte 0, computed as an integer, since it may lie before the array. */
    pass->in = (const char *)((uintptr_t)arrays[IN].device - extents[0][0]);
    pass->out = (char *)((uintptr_t)arrays[OUT].device - extents[1][0]);
    return PARSCAN_OK;
}

static unsigned lengths_of_pack(void *given, parscan_cuda_length *lengths)
{
    pack_pass *const pass = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &pass->n, &pass->n_at};
    return 1;
}

static parscan_status find_records(const pack_pass *pass, bool *on_device)
{
    bool out_on_device = false;
    parscan_status status =
        parscan_cuda_on_device(pass->context, "in", pass->records->in, on_device);
    if (status == PARSCAN_OK)
        status = parscan_cuda_on_device(pass->context, "out", pass->records->out, &out_on_device);
    *on_device = *on_device && out_on_device;
    return status;
}

/* An error is found again by the launch. */
static bool reads_lengths(const void *given)
{
    bool on_device;
    const pack_pass *const pass = given;
    return pass->n_at != NULL && find_records(pass, &on_device) == PARSCAN_OK && on_device;
}

static parscan_status launch_pack(void *given, parscan_cuda_array *arrays)
{
    pack_pass *const pass = given;
    parscan_context *const context = pass->context;
    bool on_device, empty = false;
    pass->arrays = arrays;
    if (pass->n == 0)
        return PARSCAN_OK;
    parscan_status status = find_records(pass, &on_device);
    if (status == PARSCAN_OK)
        status = make_room_for_large(pass);
    if (status != PARSCAN_OK)
        return status;
    const bool staged = !on_device;
    if (staged && context->measures)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "measure_host: where records lie is not known without the offsets");
    if (staged)
        status = place_records(pass, &empty);
    if (status != PARSCAN_OK || empty)
        return status;
    uint64_t *const list = pass->state + UNITS_ROOM;
    const pack_params params = {
        .size_type = pass->records->size_type,
        .offset_type = pass->records->offset_type,
        .sizes = arrays[SIZES].device,
        .in_offsets = pass->arrays[IN_OFFSETS].device,
        .out_offsets = arrays[OUT_OFFSETS].device,
        .in = pass->in,
        .out = pass->out,
        .n = pass->n,
        .n_at = pass->n_at,
        .state = pass->state,
        .deferred = staged ? (parscan_deferred){0} : parscan_cuda_deferred(context),
        .listed = pass->state + UNITS_LISTED,
        .items = list,
        .ends = list + pass->room,
        .room = pass->room,
    };
    status = PARSCAN_CUDA_QUEUE(
        context, cudaMemsetAsync(pass->state, 0, UNITS_ROOM * sizeof *list, context->cuda->stream));
    return status == PARSCAN_OK ? PARSCAN_CUDA_QUEUE(context, parscan_pack_launch(context, &params))
                                : status;
}

/* Which bytes of `in` and `out` are records is not known before the offsets are read. */
static unsigned describe_pack(const void *given, parscan_cuda_array *arrays)
{
    const pack_pass *const pass = given;
    const pack_records *const records = pass->records;
    const size_t offset_size = parscan_type_size(records->offset_type);
    const size_t size_size = parscan_type_size(records->size_type);
    arrays[IN_OFFSETS] =
        parscan_cuda_input("in_offsets", records->in_offsets, pass->n, offset_size);
    arrays[SIZES] = parscan_cuda_input("sizes", records->sizes, pass->n, size_size);
    arrays[OUT_OFFSETS] =
        parscan_cuda_input("out_offsets", records->out_offsets, pass->n, offset_size);
    arrays[IN] = parscan_cuda_input("in", records->in, 0, 1);
    arrays[OUT] = parscan_cuda_output("out", records->out, 0, 1);
    arrays[OUT].access = PARSCAN_READ_WRITE; /* what lies between records stays */
    return ARRAYS;
}

parscan_status parscan_pack_cuda(parscan_context *context, const pack_records *records, size_t n)
{
    static const parscan_cuda_operation operation = {.describe = describe_pack,
                                                     .lengths = lengths_of_pack,
                                                     .reads_lengths = reads_lengths,
                                                     .launch = launch_pack};
    pack_pass pass = {.context = context,
                      .records = records,
                      .n = n,
                      .n_at = records->n_at,
                      .in = records->in,
                      .out = records->out};
    return parscan_cuda_run(context, "parscan_pack", &operation, &pass);
}
