/*
 * The CUDA engine's host side of a sort: arrays placed, scratch made ready, launches.
 *
 * Values of 4 and 8 bytes go with their keys in every pass. Any others are moved once: their
 * indices are sorted with the keys, and the values gathered by them.
 */
#include "apps/sort/sort_place.h"

parscan_status parscan_sort_launches(size_t key_size, bool float_keys,
                                     const parscan_sort_cuda_call *call)
{
    switch (key_size) {
    case 1:
        return parscan_sort_cuda_u8(call);
    case 2:
        return parscan_sort_cuda_u16(call);
    case 4:
        return float_keys ? parscan_sort_cuda_f32(call) : parscan_sort_cuda_u32(call);
    default:
        return float_keys ? parscan_sort_cuda_f64(call) : parscan_sort_cuda_u64(call);
    }
}

static parscan_status launch(const sort_job *job, const parscan_sort_cuda_call *call)
{
    return parscan_sort_launches(job->kernels->key_size, job->float_keys, call);
}

bool parscan_sort_values_are_words(const sort_job *job, const parscan_cuda_array *arrays)
{
    const size_t size = job->value_size;
    return (size == 4 || size == 8) && (uintptr_t)arrays[VALUES_IN].device % size == 0 &&
           (uintptr_t)arrays[VALUES_OUT].device % size == 0;
}

static parscan_status sort_words(const sort_job *job, parscan_sort_cuda_call *call)
{
    const size_t key_bytes = job->n * job->kernels->key_size;
    const size_t value_bytes = job->n * call->value_size;
    const bool aliased = call->keys[SORT_IN] == call->keys[SORT_OUT] ||
                         (call->value_size != 0 && call->values[SORT_IN] == call->values[SORT_OUT]);
    scratch_piece pieces[4] = {{sizeof(sort_plan), (void **)&call->plan}};
    unsigned count = 1;
    parscan_sort_choose_digits(call, job->order.keep, aliased);
    if (call->keys[SORT_OUT] == NULL)
        pieces[count++] = (scratch_piece){key_bytes, &call->keys[SORT_OUT]};
    pieces[count++] = (scratch_piece){key_bytes, &call->keys[SORT_SPARE]};
    pieces[count++] = (scratch_piece){value_bytes, &call->values[SORT_SPARE]};
    const parscan_status status = parscan_sort_take_scratch(job->context, pieces, count);
    return status == PARSCAN_OK ? launch(job, call) : status;
}

static parscan_status sort_by_indices(const sort_job *job, parscan_sort_cuda_call *call,
                                      const parscan_cuda_array *arrays)
{
    parscan_context *const context = job->context;
    const size_t key_bytes = job->n * job->kernels->key_size;
    const size_t value_bytes = job->n * job->value_size;
    const bool in_place = arrays[VALUES_IN].device == arrays[VALUES_OUT].device;
    void *copy;
    call->value_size = job->n <= (uint64_t)UINT32_MAX + 1 ? 4 : 8;
    call->numbers = true;
    const size_t index_bytes = job->n * call->value_size;
    const scratch_piece pieces[] = {
        {sizeof(sort_plan), (void **)&call->plan}, {key_bytes, &call->keys[SORT_SPARE]},
        {index_bytes, &call->values[SORT_OUT]},    {index_bytes, &call->values[SORT_SPARE]},
        {in_place ? value_bytes : 0, &copy},
    };
    parscan_sort_choose_digits(call, job->order.keep, call->keys[SORT_IN] == call->keys[SORT_OUT]);
    parscan_status status = parscan_sort_take_scratch(context, pieces, 5);
    if (status == PARSCAN_OK)
        status = launch(job, call);
    if (status != PARSCAN_OK)
        return status;
    const parscan_gather_call gather = {
        .in = arrays[VALUES_IN].device,
        .index = call->values[SORT_OUT],
        .out = in_place ? copy : arrays[VALUES_OUT].device,
        .size = job->value_size,
        .n = job->n,
        .index_size = call->value_size,
    };
    status = parscan_gather_cuda(context, &gather);
    if (status != PARSCAN_OK || !in_place)
        return status;
    const cudaError_t error = cudaMemcpyAsync(arrays[VALUES_OUT].device, copy, value_bytes,
                                              cudaMemcpyDeviceToDevice, context->cuda->stream);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a copy");
}

static parscan_status sort_placed(const sort_job *job, const parscan_cuda_array *arrays)
{
    parscan_sort_cuda_call call = {
        .context = job->context,
        .keys = {arrays[KEYS_IN].device, arrays[KEYS_OUT].device},
        .values = {arrays[VALUES_IN].device, arrays[VALUES_OUT].device},
        .n = job->n,
        .value_size = job->value_size,
        .flip = job->order.flip,
        .whole_keys = job->whole_keys,
    };
    call.drops_keys = call.keys[SORT_OUT] == NULL;
    call.numbers = call.drops_keys;
    if (job->value_size == 0 || call.numbers || parscan_sort_values_are_words(job, arrays))
        return sort_words(job, &call);
    return sort_by_indices(job, &call, arrays);
}

void parscan_sort_name_arrays(const sort_job *job, parscan_cuda_array *arrays)
{
    const size_t key_size = job->kernels->key_size;
    const bool argsort = job->out.keys == NULL;
    const size_t key_bytes = job->n * key_size, value_bytes = job->n * job->value_size;
    const parscan_cuda_array named[PLACED_ARRAYS] = {
        {.name = argsort ? "keys" : "keys_in",
         .given = job->in.keys,
         .bytes = key_bytes,
         .alignment = key_size,
         .access = PARSCAN_READ},
        {.name = "keys_out",
         .given = job->out.keys,
         .bytes = key_bytes,
         .alignment = key_size,
         .access = PARSCAN_WRITE},
        {.name = "values_in",
         .given = job->in.values,
         .bytes = value_bytes,
         .alignment = 1,
         .access = PARSCAN_READ},
        {.name = argsort ? "indices_out" : "values_out",
         .given = job->out.values,
         .bytes = value_bytes,
         .alignment = argsort ? job->value_size : 1,
         .access = PARSCAN_WRITE},
    };
    for (unsigned k = 0; k < PLACED_ARRAYS; k++)
        arrays[k] = named[k];
}

parscan_status parscan_sort_cuda(sort_job *job)
{
    parscan_context *const context = job->context;
    const char *const name = job->out.keys == NULL  ? "parscan_argsort"
                             : job->value_size != 0 ? "parscan_sort_pairs"
                                                    : "parscan_sort_keys";
    parscan_cuda_array arrays[PLACED_ARRAYS];
    parscan_sort_name_arrays(job, arrays);
    parscan_status status = parscan_cuda_begin(context, name);
    if (status == PARSCAN_OK)
        status = parscan_cuda_place(context, arrays, PLACED_ARRAYS);
    if (status == PARSCAN_OK)
        status = sort_placed(job, arrays);
    if (status == PARSCAN_OK)
        status = parscan_cuda_return(context, arrays, PLACED_ARRAYS);
    return parscan_cuda_end(context, status);
}
