#include "apps/sort/counting_cuda.h"

#include "apps/radix/radix_cuda.h"
#include "apps/sort/sort_place.h"
#include "parscan/histogram.h"
#include "parscan/scan.h"

/* The launches for keys of a size. */
typedef struct counting_launches {
    parscan_type keys;
    counting_launch *order, *write;
} counting_launches;

static counting_launches launches_of(size_t key_size)
{
    return key_size == 1
               ? (counting_launches){PARSCAN_U8, parscan_order_counts_u8, parscan_write_runs_u8}
               : (counting_launches){PARSCAN_U16, parscan_order_counts_u16, parscan_write_runs_u16};
}

parscan_status parscan_sort_by_counting_cuda(const sort_call *call,
                                             const parscan_cuda_array *arrays)
{
    parscan_context *const context = call->context;
    const counting_launches launches = launches_of(call->key_size);
    const size_t codes = (size_t)1 << 8 * call->key_size;
    const bool wide = call->n > UINT32_MAX;
    const parscan_type count_type = wide ? PARSCAN_U64 : PARSCAN_U32;
    const size_t bytes = codes * parscan_type_size(count_type);
    void *counts, *starts;
    const scratch_piece pieces[] = {{bytes, &counts}, {bytes, &starts}};
    parscan_status status = parscan_sort_take_scratch(context, pieces, 2);
    if (status == PARSCAN_OK)
        status = parscan_histogram(context, launches.keys, arrays[KEYS_IN].device, call->n, codes,
                                   count_type, counts, NULL);
    if (status != PARSCAN_OK)
        return status;
    const counting_on_device params = {.counts = counts,
                                       .starts = starts,
                                       .wide = wide,
                                       .flip = call->order.flip,
                                       .out = arrays[KEYS_OUT].device,
                                       .n = call->n};
    status = parscan_cuda_launched(context, launches.order(context->cuda, &params));
    if (status == PARSCAN_OK)
        status = parscan_exclusive_scan(context, count_type, starts, starts, codes, NULL);
    return status == PARSCAN_OK
               ? parscan_cuda_launched(context, launches.write(context->cuda, &params))
               : status;
}
