/*
 * The host side of a sort on CUDA: it places the arrays, takes the scratch and launches the
 * kernels.
 *
 * Many short keys without values are counted (counting_cuda.h), and all others go through a radix sort.
 * Values of 4 and 8 bytes are moved with their keys in every pass; what is appended to sorted elements may be sorted
 * apart (sort_appended_cuda.h). Values of any other size are
 * moved once: their indices are sorted with the keys, and the values are then gathered by the
 * indices.
 */
#include "apps/sort/counting_cuda.h"
#include "apps/sort/sort_appended_cuda.h"
#include "apps/sort/sort_chunks_cuda.h"
#include "apps/sort/sort_plan.h"
#include "scan/cuda/driver.h"

parscan_status parscan_sort_launches(key_class key, const parscan_sort_cuda_call *on_device)
{
    static parscan_sort_launch *const launches[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = parscan_sort_cuda_##name,
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return launches[key](on_device);
}

bool parscan_sort_values_are_words(const sort_call *call, const parscan_cuda_array *arrays)
{
    const size_t size = call->value_size;
    return (size == 4 || size == 8) && (uintptr_t)arrays[VALUES_IN].device % size == 0 &&
           (uintptr_t)arrays[VALUES_OUT].device % size == 0;
}

parscan_status parscan_sort_move_values(const sort_call *call, const parscan_cuda_array *arrays,
                                        const void *indices, size_t index_size, void *copies)
{
    const bool in_place = arrays[VALUES_IN].device == arrays[VALUES_OUT].device;
    const parscan_gather_call gather = {
        .in = arrays[VALUES_IN].device,
        .index = indices,
        .out = in_place ? copies : arrays[VALUES_OUT].device,
        .size = call->value_size,
        .n = call->n,
        .index_size = index_size,
        .n_at = call->n_at,
    };
    const parscan_status status = parscan_gather_cuda(call->context, &gather);
    if (status != PARSCAN_OK || !in_place)
        return status;
    if (call->n_at != NULL) {
        const parscan_gather_call copy = {
            .in = copies,
            .out = arrays[VALUES_OUT].device,
            .size = call->value_size,
            .n = call->n,
            .n_at = call->n_at,
        };
        return parscan_gather_cuda(call->context, &copy);
    }
    return PARSCAN_CUDA_QUEUE(call->context,
                              cudaMemcpyAsync(arrays[VALUES_OUT].device, copies,
                                              call->n * call->value_size, cudaMemcpyDeviceToDevice,
                                              call->context->cuda->stream));
}

static bool is_in_place(const parscan_sort_cuda_call *on_device)
{
    return on_device->keys[SORT_IN] == on_device->keys[SORT_OUT] ||
           (on_device->value_size != 0 &&
            on_device->values[SORT_IN] == on_device->values[SORT_OUT]);
}

static parscan_status sort_words(const sort_call *call, parscan_sort_cuda_call *on_device)
{
    const size_t key_bytes = call->n * call->key_size;
    const size_t value_bytes = call->n * on_device->value_size;
    scratch_piece pieces[4] = {{sizeof(sort_state), (void **)&on_device->plan}};
    unsigned count = 1;
    parscan_sort_choose_digits(on_device, call->order.keep, is_in_place(on_device));
    if (on_device->keys[SORT_OUT] == NULL)
        pieces[count++] = (scratch_piece){key_bytes, &on_device->keys[SORT_OUT]};
    pieces[count++] = (scratch_piece){key_bytes, &on_device->keys[SORT_SPARE]};
    pieces[count++] = (scratch_piece){value_bytes, &on_device->values[SORT_SPARE]};
    const parscan_status status = parscan_sort_take_scratch(call->context, pieces, count);
    return status == PARSCAN_OK ? parscan_sort_launches(call->key, on_device) : status;
}

static parscan_status sort_appended(const sort_call *call, parscan_sort_cuda_call *on_device)
{
    parscan_sort_set_head(call, on_device);
    const parscan_status status = sort_words(call, on_device);
    return status == PARSCAN_OK ? parscan_sort_merge_tail(call, on_device) : status;
}

static parscan_status sort_by_indices(const sort_call *call, parscan_sort_cuda_call *on_device,
                                      const parscan_cuda_array *arrays)
{
    parscan_context *const context = call->context;
    const size_t key_bytes = call->n * call->key_size;
    const size_t value_bytes = call->n * call->value_size;
    const bool in_place = arrays[VALUES_IN].device == arrays[VALUES_OUT].device;
    void *copy;
    on_device->value_size = call->n <= (uint64_t)UINT32_MAX + 1 ? 4 : 8;
    on_device->indices = true;
    const size_t index_bytes = call->n * on_device->value_size;
    const scratch_piece pieces[] = {
        {sizeof(sort_state), (void **)&on_device->plan},
        {key_bytes, &on_device->keys[SORT_SPARE]},
        {index_bytes, &on_device->values[SORT_OUT]},
        {index_bytes, &on_device->values[SORT_SPARE]},
        {in_place ? value_bytes : 0, &copy},
    };
    parscan_sort_choose_digits(on_device, call->order.keep,
                               on_device->keys[SORT_IN] == on_device->keys[SORT_OUT]);
    parscan_status status = parscan_sort_take_scratch(context, pieces, 5);
    if (status == PARSCAN_OK)
        status = parscan_sort_launches(call->key, on_device);
    if (status != PARSCAN_OK)
        return status;
    return parscan_sort_move_values(call, arrays, on_device->values[SORT_OUT],
                                    on_device->value_size, copy);
}

static sort_facts facts_of(const sort_call *call)
{
    return (sort_facts){.n = call->n,
                        .length_on_device = call->n_at != NULL,
                        .key_size = call->key_size,
                        .keys_alone = call->value_size == 0,
                        .whole_keys = call->whole_keys};
}

bool parscan_sort_counts_keys(const sort_call *call)
{
    const sort_facts facts = facts_of(call);
    return parscan_sort_plan(&call->context->cuda->plan_device, &facts) == SORT_BY_COUNTING;
}

parscan_status parscan_sort_placed(const sort_call *call, const parscan_cuda_array *arrays)
{
    parscan_sort_cuda_call on_device = {
        .context = call->context,
        .keys = {arrays[KEYS_IN].device, arrays[KEYS_OUT].device},
        .values = {arrays[VALUES_IN].device, arrays[VALUES_OUT].device},
        .n = call->n,
        .n_at = call->n_at,
        .value_size = call->value_size,
        .flip = call->order.flip,
        .whole_keys = call->whole_keys,
    };
    on_device.drops_keys = on_device.keys[SORT_OUT] == NULL;
    on_device.indices = on_device.drops_keys;
    const parscan_cuda *const cuda = call->context->cuda;
    sort_facts facts = facts_of(call);
    facts.moves =
        call->value_size == 0 || on_device.indices || parscan_sort_values_are_words(call, arrays);
    facts.apart = !on_device.indices && !is_in_place(&on_device) &&
                  !(call->float_keys && call->order.flip != 0);
    const sort_variant variant = parscan_sort_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_sort_plans, variant, "%zu elements, values of %zu bytes",
                           call->n, call->value_size);
    switch (variant) {
    case SORT_BY_COUNTING:
        return parscan_sort_by_counting_cuda(call, &on_device);
    case SORT_WITH_VALUES:
        return sort_words(call, &on_device);
    case SORT_APPENDED:
        return sort_appended(call, &on_device);
    default:
        return sort_by_indices(call, &on_device, arrays);
    }
}

void parscan_sort_name_arrays(const sort_call *call, parscan_cuda_array *arrays)
{
    const size_t n = call->n, key_size = call->key_size, value_size = call->value_size;
    const bool argsort = call->out.keys == NULL;
    arrays[KEYS_IN] = parscan_cuda_input(argsort ? "keys" : "keys_in", call->in.keys, n, key_size);
    arrays[KEYS_OUT] = parscan_cuda_output("keys_out", call->out.keys, n, key_size);
    arrays[VALUES_IN] = parscan_cuda_input("values_in", call->in.values, n, value_size);
    arrays[VALUES_OUT] = parscan_cuda_output(argsort ? "indices_out" : "values_out",
                                             call->out.values, n, value_size);
    arrays[VALUES_IN].alignment = 1;
    if (!argsort)
        arrays[VALUES_OUT].alignment = 1;
}

static unsigned describe_sort(const void *call, parscan_cuda_array *arrays)
{
    parscan_sort_name_arrays(call, arrays);
    return PLACED_ARRAYS;
}

static size_t scratch_of_sort(const void *call)
{
    return parscan_sort_chunk_scratch(call);
}

static bool can_sort_chunks(const void *call, const parscan_cuda_passage *passage)
{
    return parscan_sort_chunk_length(call, passage->room) > 0;
}

static parscan_status sort_in_chunks(const void *call, const parscan_cuda_passage *passage)
{
    return parscan_sort_in_chunks(call, parscan_sort_chunk_length(call, passage->room));
}

static unsigned lengths_of_sort(void *given, parscan_cuda_length *lengths)
{
    sort_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

static parscan_status launch_sort(void *given, parscan_cuda_array *arrays)
{
    const sort_call *const call = given;
    return call->n > 0 ? parscan_sort_placed(call, arrays) : PARSCAN_OK;
}

parscan_status parscan_sort_cuda(sort_call *call)
{
    static const parscan_cuda_operation operation = {.describe = describe_sort,
                                                     .lengths = lengths_of_sort,
                                                     .scratch = scratch_of_sort,
                                                     .can_pass = can_sort_chunks,
                                                     .in_chunks = sort_in_chunks,
                                                     .launch = launch_sort};
    const char *const name = call->out.keys == NULL  ? "parscan_argsort"
                             : call->value_size != 0 ? "parscan_sort_pairs"
                                                     : "parscan_sort_keys";
    return parscan_cuda_run(call->context, name, &operation, call);
}
