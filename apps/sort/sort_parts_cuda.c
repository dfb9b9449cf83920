/*
 * A sort in parts on CUDA: a split is one pass of the radix sort, a round is sorted by the bits below
 * the digit, and what has come lies one source behind another. All work is put on the context's
 * stream, so a round is sorted while the next one travels.
 */
#include "apps/sort/sort_parts_cuda.h"
#include "apps/sort/bucket_sort_cuda.h"
#include "apps/sort/sort_parts_call.h"
#include "parscan/memory.h"

enum {
    DIGIT_BITS = 8,
    SAMPLES = 4096,
    BUCKET_BYTES = 1 << 20,
    ROUND =
        1 << 20, /* elements that keep the device busy; larger buckets are not sorted together */
    FEW =
        1 << 20 /* elements that may be sorted in one block, which needs their order by all bits */
};

static parscan_status prepare(sort_parts *parts)
{
    parts->digit_bits = DIGIT_BITS;
    parts->bucket_bytes = BUCKET_BYTES;
    parts->limit = parts->round = ROUND;
    return PARSCAN_OK;
}

static parscan_status is_near(sort_parts *parts, const char *name, const void *array, bool *near)
{
    parscan_context *const context = parts->call.context;
    parscan_status status = parscan_cuda_begin(context, "parscan_dist_sort");
    if (status == PARSCAN_OK)
        status = parscan_cuda_on_device(context, name, array, near);
    return parscan_cuda_end(context, status);
}

static const parts_launches *launches_of(const sort_call *call)
{
    switch (call->key_size) {
    case 1:
        return &parscan_sort_parts_u8;
    case 2:
        return &parscan_sort_parts_u16;
    case 4:
        return call->float_keys ? &parscan_sort_parts_f32 : &parscan_sort_parts_u32;
    default:
        return call->float_keys ? &parscan_sort_parts_f64 : &parscan_sort_parts_u64;
    }
}

/* Launches a kernel that writes `count` words, and brings them to the host. */
static parscan_status ask(const sort_call *call, parts_keys keys,
                          cudaError_t (*launch)(const parscan_cuda *, const parts_keys *),
                          uint64_t *words, size_t count)
{
    parscan_context *const context = call->context;
    void *scratch;
    parscan_status status = parscan_cuda_begin(context, "parscan_dist_sort");
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(context, count * sizeof *words, &scratch);
    if (status == PARSCAN_OK) {
        keys.out = scratch;
        keys.order = call->order;
        status = parscan_cuda_check(context, launch(context->cuda, &keys), "a launch");
    }
    if (status == PARSCAN_OK)
        status = parscan_cuda_unstage(context, words, scratch, count * sizeof *words);
    return parscan_cuda_end(context, status);
}

static parscan_status find_bits(sort_parts *parts, const char *keys, size_t n, bool all,
                                sort_bits *bits)
{
    uint64_t words[2] = {0, 0};
    parscan_status status = PARSCAN_OK;
    const parts_keys of = {.keys = keys, .n = n, .stride = all ? 1 : n / SAMPLES + 1};
    if (n > 0)
        status = ask(&parts->call, of, launches_of(&parts->call)->find_bits, words, 2);
    *bits = (sort_bits){words[0], words[1]};
    return status;
}

static parscan_status make_indices(const sort_call *call, char *values, size_t n)
{
    parscan_context *const context = call->context;
    parscan_status status = parscan_cuda_begin(context, "parscan_dist_argsort");
    if (status == PARSCAN_OK)
        status = parscan_cuda_check(
            context,
            parscan_bucket_indices(context->cuda, values, call->value_size, call->first_index, n),
            "a launch");
    return parscan_cuda_end(context, status);
}

/* Keys alone, all of whose bits are compared in the end, need not keep their order in a split. */
static parscan_status split(sort_parts *parts, elements from, elements to, size_t n,
                            key_digit digit, uint64_t *counts)
{
    sort_call call = parts->call;
    const size_t digits = (size_t)1 << digit.bits;
    const bool in_place = from.keys == to.keys;
    uint64_t bounds[(1 << DIGIT_BITS) + 1];
    parscan_status status = PARSCAN_OK;
    call.in = from;
    call.out = in_place ? parts->aside : to;
    call.n = n;
    call.order.keep &= (uint64_t)(digits - 1) << digit.low;
    call.whole_keys = call.whole_keys && n > FEW;
    if (call.value_size > 0 && from.values == NULL) {
        call.in.values = call.out.values;
        status = make_indices(&call, call.out.values, n);
    }
    if (status == PARSCAN_OK && call.order.keep != 0)
        status = parscan_sort_cuda(&call);
    const parts_keys keys = {.keys = call.out.keys, .n = n, .low = digit.low, .bits = digit.bits};
    if (status == PARSCAN_OK)
        status = ask(&parts->call, keys, launches_of(&call)->find_bounds, bounds, digits + 1);
    for (size_t d = 0; status == PARSCAN_OK && d < digits; d++)
        counts[d] = bounds[d + 1] - bounds[d];
    if (status == PARSCAN_OK && in_place)
        status = parscan_copy(call.context, to.keys, call.out.keys, n * call.key_size);
    if (status == PARSCAN_OK && in_place)
        status = parscan_copy(call.context, to.values, call.out.values, n * call.value_size);
    return status;
}

static parscan_status sort_round_of(const sort_parts *parts, const sort_round *round)
{
    sort_call call = parts->call;
    call.in = round->from;
    call.out = elements_from(&call, parts->call.out, round->begin);
    call.n = round->n;
    if (round->high < 64)
        call.order.keep &= ((uint64_t)1 << round->high) - 1;
    if (call.order.keep != 0)
        return parscan_sort_cuda(&call);
    const parscan_status status =
        parscan_copy(call.context, call.out.keys, call.in.keys, call.n * call.key_size);
    return status == PARSCAN_OK ? parscan_copy(call.context, call.out.values, call.in.values,
                                               call.n * call.value_size)
                                : status;
}

static parscan_status sort(sort_parts *parts, const sort_round *round, sort_meanwhile *meanwhile,
                           void *state)
{
    const parscan_status status = sort_round_of(parts, round);
    meanwhile(state);
    return status;
}

const sort_parts_engine parscan_sort_parts_cuda = {.gathers = false,
                                                   .prepare = prepare,
                                                   .is_near = is_near,
                                                   .find_bits = find_bits,
                                                   .split = split,
                                                   .sort = sort};
