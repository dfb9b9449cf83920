#include "apps/sort/counting_cuda.h"

#include "apps/sort/sort_place.h"
#include "parscan/histogram.h"
#include "parscan/lengths.h"
#include "parscan/scan.h"

/* The launches for a class of keys. */
typedef struct counting_launches {
    counting_launch *order, *write;
} counting_launches;

static const counting_launches launches_of[KEY_CLASSES] = {
    [KEY_U8] = {parscan_order_counts_u8, parscan_write_runs_u8},
    [KEY_U16] = {parscan_order_counts_u16, parscan_write_runs_u16},
#define X(ctx, NAME, bits, name, ...) \
    [KEY_##NAME] = {parscan_order_counts_##name, parscan_write_runs_##name},
    PARSCAN_STORED_KEY_CLASSES(X, )
#undef X
};

/* Takes scratch for counts and starts, and for the passes of floats whose NaNs differ. */
static parscan_status take_counts(const sort_call *call, parscan_sort_cuda_call *on_device,
                                  size_t bytes, void **counts, void **starts)
{
    parscan_context *const context = call->context;
    scratch_piece pieces[4] = {{bytes, counts}, {bytes, starts}};
    if (!call->float_keys)
        return parscan_sort_take_scratch(context, pieces, 2);
    parscan_sort_choose_digits(on_device, call->order.keep,
                               on_device->keys[SORT_IN] == on_device->keys[SORT_OUT]);
    pieces[2] = (scratch_piece){sizeof(sort_state), (void **)&on_device->plan};
    pieces[3] = (scratch_piece){call->n * call->key_size, &on_device->keys[SORT_SPARE]};
    const parscan_status status = parscan_sort_take_scratch(context, pieces, 4);
    if (status != PARSCAN_OK)
        return status;
    on_device->cleared = on_device->only_nans = true;
    return PARSCAN_CUDA_QUEUE(
        context, cudaMemsetAsync(on_device->plan, 0, sizeof(sort_state), context->cuda->stream));
}

parscan_status parscan_sort_by_counting_cuda(const sort_call *call,
                                             parscan_sort_cuda_call *on_device)
{
    parscan_context *const context = call->context;
    const counting_launches launches = launches_of[call->key];
    const parscan_type type = call->key_size == 1 ? PARSCAN_U8 : PARSCAN_U16;
    const size_t codes = (size_t)1 << 8 * call->key_size;
    const bool wide = call->n > UINT32_MAX;
    const parscan_type count_type = wide ? PARSCAN_U64 : PARSCAN_U32;
    void *counts, *starts;
    parscan_status status =
        take_counts(call, on_device, codes * parscan_type_size(count_type), &counts, &starts);
    if (status == PARSCAN_OK && call->n_at != NULL)
        status = parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = call->n_at));
    if (status == PARSCAN_OK)
        status = parscan_histogram(context, type, on_device->keys[SORT_IN], call->n, codes,
                                   count_type, counts, NULL);
    if (status != PARSCAN_OK)
        return status;
    counting_on_device params = {
        .counts = counts,
        .starts = starts,
        .wide = wide,
        .flip = on_device->flip,
        .nans = call->float_keys ? &on_device->plan->nans : NULL,
        .out = on_device->keys[SORT_OUT],
        .n = call->n,
    };
    if (call->n_at != NULL) {
        params.n_at = call->n_at;
        params.deferred = parscan_cuda_deferred(context);
    }
    status = PARSCAN_CUDA_QUEUE(context, launches.order(context->cuda, &params));
    if (status == PARSCAN_OK)
        status = parscan_exclusive_scan(context, count_type, starts, starts, codes, NULL);
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(context, launches.write(context->cuda, &params));
    return status == PARSCAN_OK && call->float_keys ? parscan_sort_launches(call->key, on_device)
                                                    : status;
}
