#include "scan/cuda/driver.h"

/* The flows of the arrays, with the same indices. An array without elements has an empty flow. */
static void flows_of(const parscan_cuda_passage *passage, parscan_cuda_flow *flows)
{
    for (unsigned k = 0; k < passage->count; k++) {
        const parscan_cuda_array *const array = &passage->arrays[k];
        flows[k] = (parscan_cuda_flow){.name = array->name, .size = array->element};
        if (array->element == 0)
            continue;
        if (array->access & PARSCAN_READ)
            flows[k].from = array->given;
        if (array->access & PARSCAN_WRITE)
            flows[k].to = (void *)array->given;
        flows[k].fill = array->fill;
        if (array->shares != 0 && passage->arrays[array->shares - 1].element == array->element)
            flows[k].shares = array->shares;
    }
}

size_t parscan_cuda_passage_length(const parscan_cuda_passage *passage, size_t scratch)
{
    parscan_cuda_flow flows[PARSCAN_CUDA_ARRAYS];
    flows_of(passage, flows);
    return parscan_cuda_chunk_length(flows, passage->count, passage->room, scratch);
}

parscan_status parscan_cuda_pass_in_chunks(const parscan_cuda_passage *passage,
                                           parscan_cuda_chunks how)
{
    parscan_cuda_flow flows[PARSCAN_CUDA_ARRAYS];
    flows_of(passage, flows);
    how.context = passage->context;
    how.flows = flows;
    how.count = passage->count;
    if (how.most == 0)
        how.most = parscan_cuda_chunk_length(flows, passage->count, passage->room, 0);
    return parscan_cuda_run_chunks(&how);
}

/* The call with its arrays whole: place, launch, finish, return, report. */
static parscan_status run_whole(const parscan_cuda_passage *whole, void *call)
{
    const parscan_cuda_operation *const operation = whole->operation;
    parscan_status status = parscan_cuda_place_found(whole->context, whole->arrays, whole->count);
    if (status == PARSCAN_OK)
        status = operation->launch(call, whole->arrays);
    if (status == PARSCAN_OK && operation->finish != NULL && !whole->context->measures)
        status = operation->finish(call, whole->arrays);
    if (status == PARSCAN_OK)
        status = parscan_cuda_return(whole->context, whole->arrays, whole->count);
    if (status == PARSCAN_OK && operation->report != NULL && !whole->context->measures)
        status = operation->report(call, whole->arrays);
    return status;
}

static parscan_status describe(parscan_cuda_passage *passage, const void *call)
{
    const parscan_cuda_operation *const operation = passage->operation;
    passage->count = operation->describe(call, passage->arrays);
    if (operation->in_chunks == NULL)
        return parscan_cuda_look_up(passage->context, passage->arrays, passage->count);
    return parscan_cuda_find_room(passage->context, passage->arrays, passage->count,
                                  operation->scratch != NULL ? operation->scratch(call) : 0,
                                  &passage->room);
}

/* Whether the kernels can read the lengths of the call. */
static bool stay_on_device(const parscan_cuda_passage *passage, const void *call)
{
    const parscan_cuda_operation *const operation = passage->operation;
    for (unsigned k = 0; k < passage->count; k++)
        if (passage->arrays[k].staged)
            return false;
    return operation->reads_lengths == NULL || operation->reads_lengths(call);
}

/* Whether the call writes to a length. */
static bool is_written(const parscan_cuda_passage *passage, const uint64_t *at)
{
    for (unsigned k = 0; k < passage->count; k++) {
        const parscan_cuda_array *const array = &passage->arrays[k];
        const uintptr_t begin = (uintptr_t)array->given;
        if ((array->access & PARSCAN_WRITE) && (uintptr_t)at < begin + array->bytes &&
            begin < (uintptr_t)(at + 1))
            return true;
    }
    return false;
}

/* A kernel of the call may read a length after another one has written a count to it. */
static parscan_status copy_length(const parscan_cuda_passage *passage, parscan_cuda_length *length,
                                  unsigned k)
{
    parscan_cuda *const cuda = passage->context->cuda;
    if (cuda->measures)
        return PARSCAN_OK;
    uint64_t *const copy = cuda->deferred + PARSCAN_LENGTH_WORDS + k;
    const cudaError_t error =
        cudaMemcpyAsync(copy, *length->at, sizeof *copy, cudaMemcpyDeviceToDevice, cuda->stream);
    *length->at = copy;
    return parscan_cuda_check(passage->context, error, "a copy of a length");
}

static parscan_status fetch_length(const parscan_cuda_passage *passage, call_lengths *fetched,
                                   const parscan_cuda_length *length)
{
    uint64_t value = 0;
    parscan_status status = PARSCAN_OK;
    if (!passage->context->measures)
        status = parscan_fetch_length(passage->context, length->field, *length->at, &value);
    else
        value = *length->n;
    *length->at = NULL;
    *length->n = parscan_clamped_length(fetched, length->field, value, *length->n);
    return status;
}

/* Lengths in device memory: the kernels read them, or they are fetched. */
static parscan_status settle_lengths(parscan_cuda_passage *passage, void *call,
                                     call_lengths *fetched)
{
    parscan_cuda_length lengths[CALL_LENGTHS];
    const unsigned count =
        passage->operation->lengths != NULL ? passage->operation->lengths(call, lengths) : 0;
    const bool stay = stay_on_device(passage, call);
    parscan_status status = PARSCAN_OK;
    bool fetches = false;
    for (unsigned k = 0; k < count && status == PARSCAN_OK; k++) {
        if (*lengths[k].at == NULL)
            continue;
        fetches = fetches || !stay;
        if (!stay)
            status = fetch_length(passage, fetched, &lengths[k]);
        else if (is_written(passage, *lengths[k].at))
            status = copy_length(passage, &lengths[k], k);
    }
    return status == PARSCAN_OK && fetches ? describe(passage, call) : status;
}

static parscan_status run_described(parscan_cuda_passage *passage, void *call)
{
    const parscan_cuda_operation *const operation = passage->operation;
    call_lengths fetched = {.above = NULL};
    parscan_status status = describe(passage, call);
    if (status == PARSCAN_OK)
        status = settle_lengths(passage, call, &fetched);
    if (status == PARSCAN_OK && operation->check != NULL)
        status = operation->check(call, passage->arrays);
    if (status != PARSCAN_OK)
        return status;
    const bool passes =
        passage->room > 0 && (operation->can_pass == NULL || operation->can_pass(call, passage));
    if (passes && passage->context->measures)
        return parscan_fail(passage->context, PARSCAN_ERROR_UNSUPPORTED,
                            "measure_host: within scratch_limit = %zu the arrays go through the "
                            "device in chunks, which cannot be measured",
                            passage->context->scratch_limit);
    status = passes ? operation->in_chunks(call, passage) : run_whole(passage, call);
    return parscan_end_lengths(passage->context, &fetched, status);
}

/* Calls within a call, such as those of its chunks, have its ordinal. */
static void count_call(parscan_cuda *cuda)
{
    if (cuda->depth == 1 && ++cuda->ordinal == 0)
        cuda->ordinal = 1;
}

parscan_status parscan_cuda_run(parscan_context *context, const char *name,
                                const parscan_cuda_operation *operation, void *call)
{
    parscan_cuda_array arrays[PARSCAN_CUDA_ARRAYS];
    parscan_cuda_passage passage = {.context = context, .operation = operation, .arrays = arrays};
    parscan_status status = parscan_cuda_begin(context, name);
    count_call(context->cuda);
    if (status == PARSCAN_OK)
        status = run_described(&passage, call);
    return parscan_cuda_end(context, status);
}
