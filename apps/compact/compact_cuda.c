/* Compaction on CUDA: what the driver (scan/cuda/driver.h) needs to know of it. */
#include "apps/compact/compact_chunks_cuda.h"

#include <string.h>

#include "apps/compact/compact_sizes_cuda.h"

typedef struct compact_run {
    compact_call call;
    parscan_deferred error; /* where the kernels leave an OVERFLOW; no words: there can be none */
    uint64_t kept;          /* the count, if the host had to know it for what it copied back */
} compact_run;

/* Sets the records, and the largest piece, a power of two, that divides their size and to which both
   arrays are aligned. */
static void set_records(compact_cuda_call *on_device, const void *in, void *out, size_t size)
{
    const uintptr_t all = (uintptr_t)in | (uintptr_t)out | size | 16;
    on_device->records = in;
    on_device->records_out = out;
    on_device->record_size = size;
    on_device->unit = (size_t)(all & (0 - all));
}

static unsigned describe_compact(const void *given, parscan_cuda_array *arrays)
{
    const compact_call *const call = &((const compact_run *)given)->call;
    const size_t n = elements_of(call), size = call->size;
    const size_t index = call->index_type != 0 ? parscan_type_size(call->index_type) : 1;
    const bool pairs = call->beside != NULL;
    arrays[IN] = parscan_cuda_input(pairs ? "keys_in" : "in", call->in, n, size);
    arrays[FLAGS] = parscan_cuda_input("flags", call->flags, n, 1);
    arrays[BY] = parscan_cuda_input("by", call->by, n, tested_size(call));
    arrays[BESIDE_IN] = parscan_cuda_input("values_in", call->beside_in, n, call->beside_size);
    arrays[VALUES] = parscan_cuda_output(pairs ? "keys_out" : "out", call->values, n, size);
    arrays[BESIDE] = parscan_cuda_output("values_out", call->beside, n, call->beside_size);
    arrays[INDICES] = parscan_cuda_output("indices", call->indices, n, index);
    arrays[LENGTHS] = parscan_cuda_output("lengths", call->lengths, n, index);
    arrays[ROW_OFFSETS] =
        parscan_cuda_result("row_offsets", call->row_offsets, call->rows + 1, index);
    arrays[COUNT] = parscan_cuda_count("count", call->count, n);
    if (call->flags != NULL || call->by != NULL) /* records, which may have any alignment */
        arrays[IN].alignment = arrays[VALUES].alignment = 1;
    arrays[BESIDE_IN].alignment = arrays[BESIDE].alignment = 1;
    if (call->custom != NULL) {
        arrays[VALUES].alignment = 1;
        arrays[call->by != NULL ? BY : IN].alignment = call->custom->alignment;
    }
    return ARRAYS;
}

static unsigned lengths_of_compact(void *given, parscan_cuda_length *lengths)
{
    compact_call *const call = &((compact_run *)given)->call;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    if (call->row_offsets == NULL)
        return 1;
    lengths[0].n = &call->rows;
    lengths[1] = (parscan_cuda_length){LENGTH_N2, &call->columns, &call->columns_at};
    return 2;
}

/* Sets where the kernels leave an OVERFLOW, which is possible only with more than 2^32 elements.
   If the count is on the host, the call itself reports the error. */
static parscan_status prepare_error(const compact_call *call, bool count_on_host,
                                    parscan_deferred *error)
{
    parscan_context *const context = call->context;
    *error = (parscan_deferred){0};
    if ((call->lengths != NULL || call->row_offsets != NULL) && call->given_type == PARSCAN_I32 &&
        call->n > INT32_MAX) /* the kernels find what is beyond u32 */
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "n = %zu: on CUDA so many elements need u32, u64 or i64, not i32",
                            call->n);
    if (call->index_type != PARSCAN_U32 || call->n <= UINT32_MAX)
        return PARSCAN_OK;
    if (!count_on_host) {
        *error = parscan_cuda_deferred(context);
        return PARSCAN_OK;
    }
    void *words;
    const size_t bytes = 2 * sizeof *error->words;
    const parscan_status status = parscan_cuda_scratch(context, bytes, &words);
    if (status != PARSCAN_OK)
        return status;
    error->words = words;
    return PARSCAN_CUDA_QUEUE(context, cudaMemsetAsync(words, 0, bytes, context->cuda->stream));
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

/* Moves records, where there are any. In place they are first gathered in scratch: a tile is published
   when what is tested has been read, so other tiles might overwrite its records before they are read. */
static parscan_status run_kernels(compact_cuda_call *on_device)
{
    const compact_call *const call = on_device->call;
    void *const out = on_device->records_out;
    if (out == NULL || out != on_device->records)
        return parscan_compact_launch(on_device);
    const size_t before = before_records(call);
    void *scratch = NULL;
    parscan_status status =
        parscan_cuda_scratch(call->context, before + call->n * on_device->record_size, &scratch);
    void *const gathered = (char *)scratch + before;
    on_device->records_out = gathered;
    if (status == PARSCAN_OK)
        status = parscan_compact_launch(on_device);
    if (status == PARSCAN_OK)
        status = parscan_compact_copy_back(on_device, gathered, out, NULL);
    return status;
}

/* Whether the host knows the count at the end of the call. */
static bool host_learns_count(const parscan_cuda_array *arrays)
{
    bool learns = arrays[COUNT].staged;
    for (unsigned k = VALUES; k <= LENGTHS; k++)
        learns = learns || (arrays[k].staged && arrays[k].bytes > 0);
    return learns;
}

static parscan_status launch_kernels(const compact_call *call, const parscan_cuda_array *arrays,
                                     parscan_deferred error)
{
    const bool told = parscan_compact_room(call) != SIZE_MAX && !host_learns_count(arrays);
    compact_cuda_call on_device = {
        .call = call,
        .in = arrays[IN].device,
        .width = call->size,
        .flags = arrays[FLAGS].device,
        .values = arrays[VALUES].device,
        .indices = arrays[INDICES].device,
        .lengths = arrays[LENGTHS].device,
        .row_offsets = arrays[ROW_OFFSETS].device,
        .count = arrays[COUNT].device,
        .error = error,
        .exceeded = told ? parscan_cuda_deferred(call->context) : (parscan_deferred){0},
    };
    if (call->by != NULL || (call->flags != NULL && !moves_as_element(call))) {
        set_records(&on_device, on_device.in, on_device.values, call->size);
        on_device.in = call->by != NULL ? arrays[BY].device : arrays[FLAGS].device;
        on_device.width = tested_size(call);
        on_device.flags = NULL;
        on_device.values = NULL;
    } else if (call->beside != NULL) {
        set_records(&on_device, arrays[BESIDE_IN].device, arrays[BESIDE].device, call->beside_size);
    }
    return run_kernels(&on_device);
}

/* Elements and their indices by flags that set_flags() has made, in two passes: the kernels for flags write no
   indices. */
static parscan_status keep_both_by_flags(const compact_call *call, const parscan_cuda_array *arrays,
                                         parscan_deferred error)
{
    parscan_cuda_array tested[ARRAYS];
    compact_call part = *call;
    part.indices = NULL;
    memcpy(tested, arrays, sizeof tested);
    tested[INDICES].device = NULL;
    parscan_status status = launch_kernels(&part, tested, error);
    part = *call;
    part.values = NULL;
    part.flags = NULL;
    part.type = PARSCAN_U8;
    part.size = 1;
    memcpy(tested, arrays, sizeof tested);
    tested[IN].device = arrays[FLAGS].device;
    tested[FLAGS].device = tested[VALUES].device = NULL;
    return status == PARSCAN_OK ? launch_kernels(&part, tested, error) : status;
}

/* A partition by flags that set_flags() has made: what is kept, and after it the others, which are first
   gathered in scratch. */
static parscan_status divide_by_flags(const compact_call *call, const parscan_cuda_array *arrays,
                                      parscan_deferred error)
{
    uint8_t *const flags = arrays[FLAGS].device;
    const predicate_params others = {
        .comparison = PARSCAN_EQUAL, .in = flags, .flags = flags, .n = call->n}; /* to 0 */
    parscan_cuda_array rest[ARRAYS];
    compact_call part = *call;
    void *scratch = NULL;
    const size_t before = before_records(call);
    part.partition = false;
    parscan_status status = launch_kernels(&part, arrays, error);
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(call->context, before + call->n * call->size, &scratch);
    if (status != PARSCAN_OK)
        return status;
    memcpy(rest, arrays, sizeof rest);
    rest[VALUES].device = (char *)scratch + before;
    rest[COUNT].device = (char *)scratch + REST_COUNT;
    status = PARSCAN_CUDA_QUEUE(
        call->context, parscan_predicate_launch(call->context, PARSCAN_U8, &others, call->n_at));
    if (status == PARSCAN_OK)
        status = launch_kernels(&part, rest, error);
    if (status != PARSCAN_OK)
        return status;
    compact_cuda_call copied = {.call = &part, .count = rest[COUNT].device};
    set_records(&copied, rest[VALUES].device, arrays[VALUES].device, call->size);
    return parscan_compact_copy_back(&copied, rest[VALUES].device, arrays[VALUES].device,
                                     arrays[COUNT].device);
}

/* Clears the outputs of a call without elements. */
static parscan_status clear_outputs(const compact_call *call, const parscan_cuda_array *arrays)
{
    parscan_context *const context = call->context;
    const cudaStream_t stream = context->cuda->stream;
    const parscan_status status = PARSCAN_CUDA_QUEUE(
        context, cudaMemsetAsync(arrays[COUNT].device, 0, sizeof *call->count, stream));
    return status == PARSCAN_OK && call->row_offsets != NULL
               ? PARSCAN_CUDA_QUEUE(context, cudaMemsetAsync(arrays[ROW_OFFSETS].device, 0,
                                                             arrays[ROW_OFFSETS].bytes, stream))
               : status;
}

/* Makes flags by a predicate on the device, or one of the caller's. They take the place of the elements, if only
   their indices or their number is wanted. */
static parscan_status set_flags(compact_call *call, parscan_cuda_array *arrays)
{
    parscan_context *const context = call->context;
    void *scratch = NULL;
    const parscan_status status = parscan_cuda_scratch(context, scratch_with_flags(call), &scratch);
    if (status != PARSCAN_OK)
        return status;
    const flags_call made = {
        .context = context,
        .custom = call->custom,
        .type = call->type,
        .keep = call->on_device,
        .on_device = true,
        .in = arrays[call->by != NULL ? BY : IN].device,
        .flags = (uint8_t *)scratch + BEFORE_FLAGS,
        .n = call->n,
        .n_at = call->n_at,
    };
    call->runs = false; /* those of a relation are flags now */
    if (call->values != NULL) {
        call->flags = made.flags;
        call->by = NULL;
        arrays[FLAGS].device = made.flags;
    } else {
        arrays[IN].device = made.flags;
        call->type = PARSCAN_U8;
        call->size = 1;
    }
    return parscan_flags_launch(&made);
}

/* A predicate whose values are on the device: host arrays wait for the stream anyway. One of the caller's is
   always there. */
static parscan_status settle_predicate(compact_call *call, parscan_cuda_array *arrays)
{
    if (!makes_flags(call))
        return PARSCAN_OK;
    if (call->n == 0) {
        if (call->custom != NULL)
            call->n_at = NULL;
        return PARSCAN_OK;
    }
    if (call->custom != NULL)
        return set_flags(call, arrays);
    for (unsigned k = 0; k < ARRAYS; k++)
        if (arrays[k].staged)
            return parscan_fetch_predicate(call);
    return set_flags(call, arrays);
}

static parscan_status launch_compact(void *given, parscan_cuda_array *arrays)
{
    compact_run *const run = given;
    compact_call *const call = &run->call;
    call->n = elements_of(call);
    parscan_status status = settle_predicate(call, arrays);
    if (status != PARSCAN_OK)
        return status;
    status = prepare_error(call, arrays[COUNT].staged, &run->error);
    if (status != PARSCAN_OK)
        return status;
    const bool on_device = call->n_at != NULL || call->columns_at != NULL;
    if (call->partition && call->flags != NULL)
        return divide_by_flags(call, arrays, run->error);
    if (call->indices != NULL && call->flags != NULL)
        return keep_both_by_flags(call, arrays, run->error);
    return call->n > 0 || on_device ? launch_kernels(call, arrays, run->error)
                                    : clear_outputs(call, arrays);
}

/* Only what was written is copied to the host, so the count must be known here. */
static parscan_status learn_count(void *given, parscan_cuda_array *arrays)
{
    compact_run *const run = given;
    const compact_call *const call = &run->call;
    bool staged = false;
    for (unsigned k = VALUES; k <= LENGTHS; k++)
        staged = staged || (arrays[k].staged && arrays[k].bytes > 0);
    if (staged) {
        const parscan_status status =
            parscan_cuda_unstage(call->context, &run->kept, arrays[COUNT].device, sizeof run->kept);
        if (status != PARSCAN_OK)
            return status;
    }
    const size_t room = parscan_compact_room(call);
    const size_t written = run->kept < room ? (size_t)run->kept : room;
    for (unsigned k = VALUES; k <= LENGTHS; k++)
        if (call->n > 0 && !(call->partition && k == VALUES))
            arrays[k].bytes = written * (arrays[k].bytes / call->n);
    return PARSCAN_OK;
}

static parscan_status report_compact(void *given, const parscan_cuda_array *arrays)
{
    const compact_run *const run = given;
    const compact_call *const call = &run->call;
    const bool on_host = arrays[COUNT].staged;
    if (run->error.words != NULL && on_host) {
        const parscan_status status = report_error(call, run->error.words);
        if (status != PARSCAN_OK)
            return status;
    }
    return parscan_check_capacity(call->context, on_host ? *call->count : run->kept,
                                  parscan_compact_room(call));
}

static size_t scratch_of_compact(const void *given)
{
    const compact_call *const call = &((const compact_run *)given)->call;
    return call->custom != NULL ? scratch_with_flags(call) : 0;
}

static bool can_pass_compact(const void *given, const parscan_cuda_passage *passage)
{
    return parscan_compact_can_pass(&((const compact_run *)given)->call, passage);
}

static parscan_status compact_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    compact_call call = ((const compact_run *)given)->call;
    const parscan_status status =
        call.on_device.comparison != PARSCAN_NONZERO ? parscan_fetch_predicate(&call) : PARSCAN_OK;
    return status == PARSCAN_OK ? parscan_compact_in_chunks(&call, passage) : status;
}

parscan_status parscan_compact_cuda(const compact_call *call)
{
    static const parscan_cuda_operation operation = {.describe = describe_compact,
                                                     .lengths = lengths_of_compact,
                                                     .scratch = scratch_of_compact,
                                                     .can_pass = can_pass_compact,
                                                     .in_chunks = compact_in_chunks,
                                                     .launch = launch_compact,
                                                     .finish = learn_count,
                                                     .report = report_compact};
    compact_run run = {.call = *call};
    return parscan_cuda_run(call->context, call->name, &operation, &run);
}
