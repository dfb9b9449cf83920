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

static parscan_status run_described(parscan_cuda_passage *passage, void *call)
{
    const parscan_cuda_operation *const operation = passage->operation;
    parscan_status status;
    if (operation->in_chunks == NULL)
        status = parscan_cuda_look_up(passage->context, passage->arrays, passage->count);
    else
        status = parscan_cuda_find_room(passage->context, passage->arrays, passage->count,
                                        operation->scratch != NULL ? operation->scratch(call) : 0,
                                        &passage->room);
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
    return passes ? operation->in_chunks(call, passage) : run_whole(passage, call);
}

parscan_status parscan_cuda_run(parscan_context *context, const char *name,
                                const parscan_cuda_operation *operation, void *call)
{
    parscan_cuda_array arrays[PARSCAN_CUDA_ARRAYS];
    parscan_cuda_passage passage = {.context = context, .operation = operation, .arrays = arrays};
    parscan_status status = parscan_cuda_begin(context, name);
    if (status == PARSCAN_OK) {
        passage.count = operation->describe(call, arrays);
        status = run_described(&passage, call);
    }
    return parscan_cuda_end(context, status);
}
