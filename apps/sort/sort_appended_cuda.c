#include "apps/sort/sort_appended_cuda.h"

#include "apps/join/merge_cuda.h"

/* The tail is one of so many parts: all of it then takes half the time of a sort. Heads and tails start at lines of
   memory if the arrays do. */
enum { PARTS = 16, LINE = 128 };

static void *beyond(const void *array, size_t count, size_t size)
{
    return array == NULL ? NULL : (char *)array + count * size;
}

void parscan_sort_set_head(const sort_call *call, parscan_sort_cuda_call *on_device)
{
    const size_t head = call->n - call->n / PARTS / LINE * LINE;
    on_device->head = head;
    on_device->keys[SORT_TAIL] = beyond(on_device->keys[SORT_IN], head, call->key_size);
    on_device->values[SORT_TAIL] = beyond(on_device->values[SORT_IN], head, on_device->value_size);
}

parscan_status parscan_sort_merge_tail(const sort_call *call,
                                       const parscan_sort_cuda_call *on_device)
{
    const merge_facts facts = {.count = call->n,
                               .key_size = call->key_size,
                               .value_size = on_device->value_size,
                               .alignment = on_device->value_size};
    const merge_plan plan = parscan_merge_plan(&call->context->cuda->plan_device, &facts);
    merge_params params = {
        .keys = {.a = on_device->keys[SORT_IN],
                 .b = on_device->keys[SORT_SPARE],
                 .out = on_device->keys[SORT_OUT],
                 .n = on_device->head,
                 .n2 = call->n - on_device->head,
                 .n_at = &on_device->plan->head,
                 .n2_at = &on_device->plan->tail,
                 .flip = on_device->flip},
        .variant = plan.variant,
        .least_span = plan.least_span,
    };
    if (on_device->value_size != 0)
        params.values = (merge_values){.a = on_device->values[SORT_IN],
                                       .b = on_device->values[SORT_SPARE],
                                       .out = on_device->values[SORT_OUT],
                                       .unit = plan.unit,
                                       .units = 1};
    return parscan_merge_launches(call->context, call->key, &params);
}
