/* An allocation on CUDA: what the driver (scan/cuda/driver.h) needs to know of it. */
#include "apps/allocate/allocate_cuda.h"

#include "apps/allocate/allocate_call.h"
#include "scan/context/check.h"
#include "scan/cuda/driver.h"

enum { SIZES, OFFSETS, TOTAL, ARRAYS };

static unsigned log2_of(uint64_t power)
{
    unsigned log2 = 0;
    while (power >> log2 > 1)
        log2++;
    return log2;
}

static parscan_status launch_sums(const allocate_call *call, uint64_t capacity,
                                  const parscan_cuda_array *arrays, uint64_t *state)
{
    parscan_context *const context = call->context;
    const bool here = arrays[TOTAL].staged; /* the total is in host memory */
    parscan_chain_memory chain;
    const parscan_status status =
        parscan_cuda_chain_memory(context, parscan_units_chain_words(call->n), &chain);
    if (status != PARSCAN_OK)
        return status;
    const allocate_sum_params units = {
        .size_type = call->size_type,
        .offset_type = parscan_unsigned_index(call->offset_type),
        .sizes = arrays[SIZES].device,
        .offsets = arrays[OFFSETS].device,
        .n = call->n,
        .n_at = call->n_at,
        .shift = log2_of(call->alignment),
        .before = call->start >> log2_of(call->alignment),
        .most = parscan_most_index(call->offset_type),
        .capacity = capacity,
        .largest = UINT64_MAX,
        .ends = call->close && call->offsets != NULL,
        .state = here ? state : NULL,
        .total = here ? NULL : arrays[TOTAL].device,
        .deferred = here ? (parscan_deferred){0} : parscan_cuda_deferred(context),
    };
    return PARSCAN_CUDA_QUEUE(context, parscan_units_launch(context, &chain, &units));
}

/* A call, and what the device has told of it. */
typedef struct allocate_run {
    allocate_call call;
    uint64_t capacity, *total;
    uint64_t found[UNITS_STATE];
} allocate_run;

static unsigned describe_allocate(const void *given, parscan_cuda_array *arrays)
{
    const allocate_run *const run = given;
    const allocate_call *const call = &run->call;
    arrays[SIZES] =
        parscan_cuda_input("sizes", call->sizes, call->n, parscan_type_size(call->size_type));
    arrays[OFFSETS] = parscan_cuda_output("offsets", call->offsets, parscan_offsets_count(call),
                                          parscan_type_size(call->offset_type));
    arrays[OFFSETS].shares = SIZES + 1; /* the offsets of a chunk take the place of its sizes */
    arrays[TOTAL] =
        parscan_cuda_count("total", run->total, parscan_most_total(call, run->capacity));
    return ARRAYS;
}

static unsigned lengths_of_allocate(void *given, parscan_cuda_length *lengths)
{
    allocate_run *const run = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &run->call.n, &run->call.n_at};
    return 1;
}

/* There are no sizes: the total is 0, and so is the offset that closes. */
static parscan_status launch_zeros(const allocate_run *run, const parscan_cuda_array *arrays)
{
    parscan_context *const context = run->call.context;
    cudaStream_t const stream = context->cuda->stream;
    const parscan_status status = PARSCAN_CUDA_QUEUE(
        context, cudaMemsetAsync(arrays[TOTAL].device, 0, sizeof *run->total, stream));
    return status == PARSCAN_OK && arrays[OFFSETS].bytes > 0
               ? PARSCAN_CUDA_QUEUE(context, cudaMemsetAsync(arrays[OFFSETS].device, 0,
                                                             arrays[OFFSETS].bytes, stream))
               : status;
}

static parscan_status launch_allocate(void *given, parscan_cuda_array *arrays)
{
    allocate_run *const run = given;
    parscan_context *const context = run->call.context;
    void *state = NULL;
    if (run->call.n == 0)
        return launch_zeros(run, arrays);
    parscan_status status = parscan_cuda_scratch(context, UNITS_ROOM * sizeof *run->found, &state);
    if (status == PARSCAN_OK)
        status = launch_sums(&run->call, run->capacity, arrays, state);
    if (status != PARSCAN_OK || !arrays[TOTAL].staged || context->measures)
        return status;
    status = parscan_cuda_unstage(context, run->found, state, UNITS_LARGE * sizeof *run->found);
    if (status == PARSCAN_OK)
        *run->total = run->found[UNITS_TOTAL];
    arrays[TOTAL].bytes = 0;
    if (run->found[UNITS_STATUS] == PARSCAN_ERROR_OVERFLOW)
        arrays[OFFSETS].bytes = 0;
    return status;
}

static parscan_status report_allocate(void *given, const parscan_cuda_array *arrays)
{
    const allocate_run *const run = given;
    (void)arrays;
    return parscan_fail_total(run->call.context, (parscan_status)run->found[UNITS_STATUS],
                              run->call.offset_type, run->found[UNITS_TOTAL], run->capacity);
}

/* A call whose sizes and offsets go through the device in chunks. After a total that does not fit,
   only the total is wanted. */
typedef struct allocate_chunks {
    const parscan_cuda_operation *operation;
    allocate_call next; /* the call of the next chunk, but for its arrays */
    uint64_t total;
    bool overflows;
} allocate_chunks;

static parscan_status allocate_chunk(void *work, parscan_cuda_chunk *chunk)
{
    allocate_chunks *const all = work;
    allocate_run run = {.call = all->next, .capacity = UINT64_MAX, .total = &all->total};
    run.call.sizes = chunk->device[SIZES];
    run.call.offsets = run.call.offsets != NULL ? chunk->device[OFFSETS] : NULL;
    run.call.n = chunk->n;
    run.call.close = false;
    run.call.start = all->total;
    const parscan_status status =
        parscan_cuda_run(run.call.context, "a chunk", all->operation, &run);
    if (status == PARSCAN_ERROR_OVERFLOW) {
        all->overflows = true;
        all->next.offset_type = PARSCAN_U64;
        all->next.offsets = NULL;
    }
    if (all->overflows)
        chunk->count = 0;
    return status == PARSCAN_ERROR_OVERFLOW && all->total != UINT64_MAX ? PARSCAN_OK : status;
}

/* Writes the total behind the offsets of all chunks. */
static parscan_status close_chunks(const allocate_call *call, uint64_t total)
{
    const uint32_t narrow = (uint32_t)total;
    const size_t size = parscan_type_size(call->offset_type);
    return parscan_cuda_copy(call->context, (char *)call->offsets + call->n * size,
                             size == sizeof narrow ? (const void *)&narrow : (const void *)&total,
                             size);
}

static parscan_status allocate_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    const allocate_run *const run = given;
    const allocate_call *const call = &run->call;
    allocate_chunks work = {.operation = passage->operation, .next = *call, .total = call->start};
    const parscan_cuda_chunks how = {.n = call->n, .run = allocate_chunk, .work = &work};
    parscan_status status = parscan_cuda_pass_in_chunks(passage, how);
    if (status != PARSCAN_OK && status != PARSCAN_ERROR_OVERFLOW)
        return status;
    parscan_status copied =
        parscan_cuda_copy(call->context, run->total, &work.total, sizeof *run->total);
    if (copied == PARSCAN_OK && call->close && call->offsets != NULL && !work.overflows)
        copied = close_chunks(call, work.total);
    if (copied != PARSCAN_OK)
        return copied;
    status = work.overflows               ? PARSCAN_ERROR_OVERFLOW
             : work.total > run->capacity ? PARSCAN_ERROR_CAPACITY
                                          : PARSCAN_OK;
    return parscan_fail_total(call->context, status, call->offset_type, work.total, run->capacity);
}

parscan_status parscan_allocate_cuda(const allocate_call *call, uint64_t capacity, uint64_t *total)
{
    static const parscan_cuda_operation allocate = {.describe = describe_allocate,
                                                    .lengths = lengths_of_allocate,
                                                    .in_chunks = allocate_in_chunks,
                                                    .launch = launch_allocate,
                                                    .report = report_allocate};
    allocate_run run = {.call = *call, .capacity = capacity, .total = total};
    return parscan_cuda_run(call->context, "parscan_allocate", &allocate, &run);
}
