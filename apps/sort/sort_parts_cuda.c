/*
 * A sort in parts on CUDA: a split is one pass of the radix sort. The buckets of a round are sorted
 * by the bits below the digit, in launches that they share; the first pass takes them from the pieces
 * of all sources. All work is put on the context's stream, so a round is sorted while the next one
 * travels.
 */
#include "apps/sort/sort_parts_cuda.h"

#include <string.h>

#include "apps/sort/bucket_sort_cuda.h"
#include "apps/sort/sort_chunks_cuda.h"
#include "apps/sort/sort_cuda.h"
#include "apps/sort/sort_cuts_cuda.h"
#include "apps/sort/sort_parts_call.h"
#include "apps/sort/sort_parts_plan.h"
#include "parscan/memory.h"

enum { DIGIT_BITS = 8, ALIGNMENTS = 4096 /* bytes, more than those between pieces of scratch */ };

static sort_parts_plan parts_plan_of(const sort_parts *parts)
{
    const sort_call *const call = &parts->call;
    const size_t size = call->value_size;
    const sort_parts_facts facts = {
        .n = parts->n_in > parts->n_out ? parts->n_in : parts->n_out,
        .moves = size == 0 || ((size == 4 || size == 8) && (uintptr_t)call->out.values % size == 0),
    };
    return parscan_sort_parts_plan(&call->context->cuda->plan_device, &facts);
}

static parscan_status prepare_parts(sort_parts *parts)
{
    const sort_parts_plan plan = parts_plan_of(parts);
    parts->digit_bits = DIGIT_BITS;
    parts->bucket_bytes = plan.bucket_bytes;
    parts->small = plan.small;
    parts->limit = SIZE_MAX;
    parts->round = parts->least_round = plan.round;
    parts->joins = plan.variant == PARTS_JOINED;
    parts->merges = true;
    parts->piece = plan.piece;
    if (parts->call.context->cuda->prints_plans)
        parscan_plan_print(&parscan_sort_parts_plans, plan.variant,
                           "%zu elements before, %zu after, rounds of %zu", parts->n_in,
                           parts->n_out, plan.round);
    return PARSCAN_OK;
}

static parscan_status is_near(sort_parts *parts, const char *name, const void *array,
                              size_t alignment, bool *near)
{
    parscan_context *const context = parts->call.context;
    parscan_status status = parscan_cuda_begin(context, "parscan_dist_sort");
    if (status == PARSCAN_OK)
        status = parscan_cuda_on_device(context, name, array, near);
    if (status == PARSCAN_OK && *near)
        status = parscan_cuda_check_alignment(context, name, array, alignment);
    return parscan_cuda_end(context, status);
}

const parts_launches *parscan_sort_parts_launches(key_class key)
{
    static const parts_launches *const launches[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = &parscan_sort_parts_##name,
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return launches[key];
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
        status = PARSCAN_CUDA_QUEUE(context, launch(context->cuda, &keys));
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
    const parts_keys of = {
        .keys = keys, .n = n, .stride = all ? 1 : n / parts_plan_of(parts).samples + 1};
    if (n > 0)
        status = ask(&parts->call, of, parscan_sort_parts_launches(parts->call.key)->find_bits,
                     words, 2);
    *bits = (sort_bits){words[0], words[1]};
    return status;
}

static parscan_status make_indices(const sort_call *call, char *values, size_t n)
{
    parscan_context *const context = call->context;
    parscan_status status = parscan_cuda_begin(context, "parscan_dist_argsort");
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(
            context,
            parscan_bucket_indices(context->cuda, values, call->value_size, call->first_index, n));
    return parscan_cuda_end(context, status);
}

/* Keys alone, all of whose bits are compared in the end, need not keep their order in a split. */
static parscan_status split_by_digit(sort_parts *parts, elements from, elements to, size_t n,
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
    call.whole_keys = call.whole_keys && n > parts_plan_of(parts).ordered;
    if (call.value_size > 0 && from.values == NULL) {
        call.in.values = call.out.values;
        status = make_indices(&call, call.out.values, n);
    }
    if (status == PARSCAN_OK && call.order.keep != 0)
        status = parscan_sort_cuda(&call);
    const parts_keys keys = {.keys = call.out.keys, .n = n, .low = digit.low, .bits = digit.bits};
    if (status == PARSCAN_OK)
        status = ask(&parts->call, keys, parscan_sort_parts_launches(call.key)->find_bounds, bounds,
                     digits + 1);
    for (size_t d = 0; status == PARSCAN_OK && d < digits; d++)
        counts[d] = bounds[d + 1] - bounds[d];
    if (status == PARSCAN_OK && in_place)
        status = parscan_copy(call.context, to.keys, call.out.keys, n * call.key_size);
    if (status == PARSCAN_OK && in_place)
        status = parscan_copy(call.context, to.values, call.out.values, n * call.value_size);
    return status;
}

/* Lists the pieces of a round, bucket by bucket, and then the buckets as they lie one after another.
   Returns the number of pieces. */
static size_t list_pieces(const sort_call *call, const sort_round *round, sort_piece *list,
                          size_t *buckets)
{
    const intptr_t keys = (intptr_t)round->pieces[0].keys;
    const intptr_t values = (intptr_t)round->pieces[0].values;
    size_t count = 0;
    *buckets = 0;
    for (size_t b = 0; b < round->buckets; b++) {
        const size_t first = count;
        for (size_t k = 0; k < round->sources; k++) {
            const uint64_t *const ends = round->ends + k * round->stride;
            const elements from = elements_from(call, round->pieces[k], ends[b] - ends[0]);
            sort_piece piece = {.n = ends[b + 1] - ends[b], .bucket = *buckets};
            piece.keys_at = (uint64_t)(((intptr_t)from.keys - keys) / (intptr_t)call->key_size);
            if (call->value_size > 0)
                piece.values_at =
                    (uint64_t)(((intptr_t)from.values - values) / (intptr_t)call->value_size);
            if (piece.n > 0)
                list[count++] = piece;
        }
        *buckets += count > first;
    }
    sort_piece *const after = list + count + 1;
    for (size_t k = 0; k < *buckets; k++)
        after[k] = (sort_piece){.bucket = k};
    for (size_t k = 0; k < count; k++)
        after[list[k].bucket].n += list[k].n;
    for (size_t k = 1; k < *buckets; k++)
        after[k].keys_at = after[k].values_at = after[k - 1].keys_at + after[k - 1].n;
    return count;
}

static parscan_status launch_pieces(const sort_call *call, const sort_pieces_call *on_device)
{
    static parscan_sort_pieces_launch *const launches[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = parscan_sort_pieces_##name,
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return launches[call->key](on_device);
}

/* Takes the scratch for the elements, pieces and buckets of a call. */
static parscan_status take_scratch(const sort_call *call, sort_pieces_call *on_device)
{
    parscan_sort_cuda_call *const sort = &on_device->sort;
    const size_t words = on_device->bucket_count * SORT_PASSES * SORT_DIGITS;
    const size_t listed = on_device->piece_count + on_device->bucket_count + 2;
    const scratch_piece pieces[] = {
        {sizeof(sort_state), (void **)&sort->plan},
        {sort->n * call->key_size, &sort->keys[SORT_SPARE]},
        {sort->n * call->value_size, &sort->values[SORT_SPARE]},
        {listed * sizeof(sort_piece), (void **)&on_device->on_device},
        {words * sizeof(uint64_t), (void **)&on_device->counts},
        {words * sizeof(uint64_t), (void **)&on_device->begins},
    };
    return parscan_sort_take_scratch(call->context, pieces, sizeof pieces / sizeof *pieces);
}

static parscan_status reserve(sort_parts *parts, size_t n, size_t buckets, size_t sources)
{
    sort_call call = parts->call;
    sort_pieces_call on_device = {
        .sort.n = n, .piece_count = buckets * sources, .bucket_count = buckets};
    void *scratch;
    call.n = n;
    parscan_status status = parscan_cuda_begin(call.context, "parscan_dist_sort");
    if (status == PARSCAN_OK)
        status = parts->joins ? parscan_cuda_scratch(call.context,
                                                     parscan_sort_chunk_scratch(&call) + ALIGNMENTS,
                                                     &scratch)
                              : take_scratch(&call, &on_device);
    return parscan_cuda_end(call.context, status);
}

/* An exchange beside which a round is sorted, until `meanwhile` has waited for its end. */
typedef struct beside {
    sort_parts *parts;
    sort_meanwhile *meanwhile; /* NULL: it was called */
    void *state;
} beside;

static void end_exchange(beside *b)
{
    sort_meanwhile *const meanwhile = b->meanwhile;
    b->meanwhile = NULL;
    if (meanwhile != NULL)
        meanwhile(b->state);
    b->parts->call.context->cuda->left_free = 0;
}

/* Before the last pass, which then has the whole device. Where the passes before are done by now, the
   exchange is the slower one, and the next rounds do not wait. */
static void end_exchange_early(void *state)
{
    beside *const b = state;
    end_exchange(b);
    if (cudaStreamQuery(b->parts->call.context->cuda->stream) == cudaSuccess)
        b->parts->waited = true;
    else
        cudaGetLastError();
}

/* call: with the output and the bits of the round. */
static parscan_status sort_listed(const sort_call *call, const sort_round *round, sort_piece *list,
                                  beside *exchange)
{
    const bool early = round->beside > 0 && round->next <= round->n && !exchange->parts->waited;
    sort_pieces_call on_device = {
        .sort = {.context = call->context,
                 .keys = {round->pieces[0].keys, call->out.keys},
                 .values = {round->pieces[0].values, call->out.values},
                 .n = round->n,
                 .value_size = call->value_size,
                 .flip = call->order.flip,
                 .whole_keys = call->whole_keys},
        .pieces = list,
        .before_last = early ? end_exchange_early : NULL,
        .state = exchange,
    };
    on_device.piece_count = list_pieces(call, round, list, &on_device.bucket_count);
    parscan_sort_choose_digits(&on_device.sort, call->order.keep, false);
    const parscan_status status = take_scratch(call, &on_device);
    return status == PARSCAN_OK ? launch_pieces(call, &on_device) : status;
}

static parscan_status sort_buckets(const sort_call *call, const sort_round *round, beside *exchange)
{
    parscan_context *const context = call->context;
    const size_t most = round->buckets * (round->sources + 1) + 2;
    sort_piece *const list = parscan_host_allocate(&context->allocator, most * sizeof *list);
    if (list == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu pieces", most);
    parscan_status status = parscan_cuda_begin(context, "parscan_dist_sort");
    if (status == PARSCAN_OK)
        status = sort_listed(call, round, list, exchange);
    status = parscan_cuda_end(context, status);
    parscan_host_release(&context->allocator, list);
    return status;
}

/* Puts the pieces one after another, bucket by bucket. */
static parscan_status join(const sort_call *call, const sort_round *round, elements to)
{
    parscan_status status = PARSCAN_OK;
    size_t at = 0;
    for (size_t b = 0; b < round->buckets; b++)
        for (size_t k = 0; k < round->sources && status == PARSCAN_OK; k++) {
            const uint64_t *const ends = round->ends + k * round->stride;
            const size_t n = ends[b + 1] - ends[b];
            const elements from = elements_from(call, round->pieces[k], ends[b] - ends[0]);
            const elements there = elements_from(call, to, at);
            status = parscan_copy(call->context, there.keys, from.keys, n * call->key_size);
            if (status == PARSCAN_OK)
                status =
                    parscan_copy(call->context, there.values, from.values, n * call->value_size);
            at += n;
        }
    return status;
}

static parscan_status sort_round_of(const sort_parts *parts, const sort_round *round,
                                    beside *exchange)
{
    sort_call call = parts->call;
    const uint64_t keep = call.order.keep;
    call.out = elements_from(&call, parts->call.out, round->begin);
    call.n = round->n;
    if (round->high < 64)
        call.order.keep &= ((uint64_t)1 << round->high) - 1;
    if (round->joined) {
        call.in = call.out;
        return call.order.keep != 0 ? parscan_sort_cuda(&call) : PARSCAN_OK;
    }
    if (call.order.keep == 0)
        return join(&call, round, call.out);
    if (!parts->joins)
        return sort_buckets(&call, round, exchange);
    call.in = parts->aside;
    call.order.keep = keep;
    const parscan_status status = join(&call, round, call.in);
    return status == PARSCAN_OK ? parscan_sort_cuda(&call) : status;
}

static parscan_status sort_round_of_parts(sort_parts *parts, const sort_round *round,
                                          sort_meanwhile *meanwhile, void *state)
{
    parscan_cuda *const cuda = parts->call.context->cuda;
    const unsigned half = (unsigned)cuda->multiprocessors / 2;
    beside exchange = {parts, meanwhile, state};
    cuda->left_free = round->beside < half ? round->beside : half;
    const parscan_status status = sort_round_of(parts, round, &exchange);
    end_exchange(&exchange);
    return status;
}

const sort_parts_engine parscan_sort_parts_cuda = {.prepare = prepare_parts,
                                                   .is_near = is_near,
                                                   .find_bits = find_bits,
                                                   .show = parscan_sort_parts_show,
                                                   .cut = parscan_sort_parts_cut,
                                                   .split = split_by_digit,
                                                   .reserve = reserve,
                                                   .sort = sort_round_of_parts};
