/*
 * The host side of gather and scatter on CUDA. Host arrays are copied whole: an index may lead anywhere. An
 * index that is out of range is told by the call itself if it waits for a result, else by
 * parscan_synchronize().
 */
#include "apps/gather/gather_cuda.h"

#include "apps/gather/gather_call.h"
#include "scan/cuda/driver.h"

enum { IN, INDICES, OUT, ARRAYS };

typedef struct gather_run {
    gather_call call;
    uint64_t *error; /* in scratch; NULL: the error is deferred */
    bool reports;
} gather_run;

static unsigned describe_gather(const void *given, parscan_cuda_array *arrays)
{
    const gather_call *const call = &((const gather_run *)given)->call;
    const size_t index_size = parscan_type_size(call->index_type);
    arrays[IN] = parscan_cuda_input("in", call->in, call->scatters ? call->n : call->count,
                                    call->value_size);
    arrays[INDICES] = parscan_cuda_input("indices", call->indices, call->n, index_size);
    arrays[OUT] = parscan_cuda_output("out", call->out, call->scatters ? call->count : call->n,
                                      call->value_size);
    if (call->scatters) /* what has no index stays */
        arrays[OUT].access = PARSCAN_READ_WRITE;
    arrays[IN].alignment = arrays[OUT].alignment = 1;
    return ARRAYS;
}

static unsigned lengths_of_gather(void *given, parscan_cuda_length *lengths)
{
    gather_run *const run = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &run->call.n, &run->call.n_at};
    return 1;
}

/* The largest power of two, up to 16, that divides all places of bytes. */
static size_t alignment_of(const parscan_cuda_array *arrays, size_t value_size)
{
    const uintptr_t all =
        (uintptr_t)arrays[IN].device | (uintptr_t)arrays[OUT].device | value_size | 16;
    return (size_t)(all & -all);
}

static gather_plan plan_of(const gather_call *call, const parscan_cuda_array *arrays)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const gather_facts facts = {.n = call->n,
                                .value_size = call->value_size,
                                .alignment = alignment_of(arrays, call->value_size),
                                .scatters = call->scatters,
                                .last_wins = call->last_wins};
    const gather_plan plan = parscan_gather_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_gather_plans, plan.variant, "%zu indices, units of %u bytes",
                           call->n, plan.unit);
    return plan;
}

enum { ERROR_BYTES = 256 }; /* before the winners, which are aligned then */

/* Takes scratch, and clears it, for the winners and for an error that the call itself returns. */
static parscan_status take_scratch(gather_run *run, const gather_plan *plan, void **winners)
{
    parscan_context *const context = run->call.context;
    const bool has_winners = plan->variant == GATHER_WINNERS;
    const size_t count = has_winners ? (size_t)run->call.limit : 0;
    const size_t bytes = ERROR_BYTES + count * (plan->wide_winners ? 8 : 4);
    void *scratch = NULL;
    *winners = NULL;
    if (!has_winners && !run->reports)
        return PARSCAN_OK;
    const parscan_status status = parscan_cuda_scratch(context, bytes, &scratch);
    if (status != PARSCAN_OK)
        return status;
    run->error = run->reports ? scratch : NULL;
    *winners = has_winners ? (char *)scratch + ERROR_BYTES : NULL;
    return PARSCAN_CUDA_QUEUE(context, cudaMemsetAsync(scratch, 0, bytes, context->cuda->stream));
}

static parscan_status launch_gather(void *given, parscan_cuda_array *arrays)
{
    gather_run *const run = given;
    const gather_call *const call = &run->call;
    parscan_context *const context = call->context;
    const gather_plan plan = plan_of(call, arrays);
    void *winners;
    if (call->n == 0)
        return PARSCAN_OK;
    run->reports = arrays[OUT].staged;
    const parscan_status status = take_scratch(run, &plan, &winners);
    if (status != PARSCAN_OK)
        return status;
    const gather_params params = {
        .in = arrays[IN].device,
        .out = arrays[OUT].device,
        .indices = arrays[INDICES].device,
        .n = call->n,
        .n_at = call->n_at,
        .limit = call->limit,
        .value_size = call->value_size,
        .wide = call->wide,
        .winners = winners,
        .wide_winners = plan.wide_winners,
        .error = run->error != NULL ? (parscan_deferred){.words = run->error}
                                    : parscan_cuda_deferred(context),
    };
    return PARSCAN_CUDA_QUEUE(context, parscan_gather_launch(context, &plan, &params));
}

/* The error, if the call has waited. An index in host memory is there to be told. */
static parscan_status report_gather(void *given, const parscan_cuda_array *arrays)
{
    const gather_run *const run = given;
    const gather_call *const call = &run->call;
    uint64_t error[2];
    if (run->error == NULL)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_cuda_unstage(call->context, error, run->error, sizeof error);
    if (status != PARSCAN_OK || error[0] == PARSCAN_OK)
        return status;
    index_fault fault = {true, (size_t)(error[1] & ~PARSCAN_IS_INDEX), 0};
    if (arrays[INDICES].staged && call->indices != call->out) {
        fault.index = parscan_index_at(call, fault.place);
        return parscan_fail_index(call, &fault);
    }
    return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "indices[%zu] is out of range: it must be at least 0 and below %s = %zu",
                        fault.place, call->scatters ? "out_count" : "in_count", call->count);
}

parscan_status parscan_gather_by_index_cuda(const gather_call *call)
{
    static const parscan_cuda_operation operation = {.describe = describe_gather,
                                                     .lengths = lengths_of_gather,
                                                     .launch = launch_gather,
                                                     .report = report_gather};
    gather_run run = {.call = *call};
    return parscan_cuda_run(call->context, call->scatters ? "parscan_scatter" : "parscan_gather",
                            &operation, &run);
}
