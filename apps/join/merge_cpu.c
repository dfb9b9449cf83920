/* Merges of two arrays on the CPU: a merge of two runs (apps/merge/merge_runs.h). */
#include "apps/join/join_call.h"
#include "apps/merge/merge_runs.h"
#include "scan/cpu/tiles.h"

static size_t merge_need(const void *call, unsigned threads)
{
    (void)call;
    return parscan_merge_memory(threads, 2);
}

parscan_status parscan_merge_cpu(const merge_arrays *call)
{
    parscan_context *const context = call->context;
    const size_t n = call->a.n + call->b.n, size = call->key_size + call->value_size;
    unsigned threads = parscan_threads_for(context, 2 * n * size);
    void *memory;
    if (n == 0)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_scratch_of_threads(context, &threads, merge_need, call, &memory);
    if (status != PARSCAN_OK || context->measures)
        return status;
    const merge_run runs[2] = {{.keys = call->a.keys, .values = call->a.values, .n = call->a.n},
                               {.keys = call->b.keys, .values = call->b.values, .n = call->b.n}};
    size_t taken[2];
    parscan_merge_runs(&(merge_call){
        .context = context,
        .threads = threads,
        .kernels = parscan_merge_kernels(parscan_type_traits_of(call->type).key),
        .order = parscan_key_order(call->type, false, 0, 8 * (unsigned)call->key_size),
        .key_size = call->key_size,
        .value_size = call->value_size,
        .runs = runs,
        .count = 2,
        .keys_out = call->keys_out,
        .values_out = call->values_out,
        .n = n,
        .stream = true,
        .taken = taken,
        .memory = memory});
    return PARSCAN_OK;
}
