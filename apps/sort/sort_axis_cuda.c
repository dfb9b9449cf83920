/*
 * Sorts along an axis on CUDA, once lines are rows: as segments, one row after the other, or all rows at once by key and
 * then by row, or each in registers (sort_axis_plan.h). By key and row is two radix sorts: pairs of a key and its row by key, then, stably, by
 * row. Indices are those of all elements until then.
 */
#include "apps/sort/number_rows.h"
#include "apps/sort/sort_axis.h"
#include "apps/sort/sort_axis_plan.h"
#include "apps/sort/sort_rows_cuda.h"

static sort_axis_variant plan_of(const parscan_context *context, const sort_axis_facts *facts)
{
    return parscan_sort_axis_plan(&context->cuda->plan_device, facts);
}

/* The bytes of a code of sort_rows_kernels.cuh: equal keys alone must have the same bits. */
static size_t code_size_of(const sort_call *call, bool indexed)
{
    if (indexed)
        return call->key == KEY_U32 || call->key == KEY_F32 ? sizeof(uint64_t) : 0;
    return call->whole_keys && (call->key == KEY_U32 || call->key == KEY_U64) ? call->key_size : 0;
}

static sort_axis_variant variant_of(const axis_sort *sort, size_t lines, size_t n, bool indexed)
{
    const sort_axis_facts facts = {.rows = lines,
                                   .n = n,
                                   .has_values = sort->values_in.size > 0,
                                   .code_size = code_size_of(sort->call, indexed)};
    return plan_of(sort->call->context, &facts);
}

bool parscan_sort_rows_apart_cuda(const sort_call *call, size_t lines, size_t n)
{
    const sort_axis_facts facts = {.rows = lines, .n = n, .code_size = code_size_of(call, false)};
    return plan_of(call->context, &facts) != SORT_AXIS_SEGMENTS;
}

static sort_axis_variant choose(const axis_rows *rows, const axis_batch *batch, bool indexed)
{
    const size_t n = rows->in.length;
    const sort_axis_variant variant = variant_of(rows->work, batch->lines, n, indexed);
    if (rows->context->cuda->prints_plans)
        parscan_plan_print(&parscan_sort_axis_plans, variant, "%zu rows of %zu elements",
                           batch->lines, n);
    return variant;
}

/* Whether rows may be sorted by key and row; the device may find a shorter length. */
static bool may_go_by_row(const axis_sort *sort, size_t lines)
{
    return sort->n_at != NULL || variant_of(sort, lines, sort->n, false) == SORT_AXIS_BY_ROW;
}

/* Sorts 32-bit row numbers, in place, with values. */
static parscan_status sort_by_row(const axis_rows *rows, const axis_batch *batch, uint32_t *numbers,
                                  size_t value_size, const void *values_in, void *values_out)
{
    unsigned bits = 1;
    while (bits < 32 && (batch->lines - 1) >> bits != 0)
        bits++;
    return parscan_sort_pairs(rows->context, PARSCAN_U32, numbers, numbers, value_size, values_in,
                              values_out, batch->lines * rows->in.length,
                              &PARSCAN_SORT_OPTIONS(.end_bit = bits));
}

/* Each row in registers. */
static parscan_status sort_by_networks(const axis_rows *rows, const axis_batch *batch, bool indexed)
{
    const sort_call *const sort = ((const axis_sort *)rows->work)->call;
    const parscan_sort_rows_call call = {.context = rows->context,
                                         .keys = batch->in,
                                         .keys_out = indexed ? NULL : batch->out,
                                         .indices = indexed ? batch->out : NULL,
                                         .index_size = rows->out.size,
                                         .rows = batch->lines,
                                         .n = rows->in.length,
                                         .flip = sort->order.flip,
                                         .keep = sort->order.keep};
    parscan_sort_rows_launch *const launch = sort->key == KEY_F32   ? parscan_sort_rows_launch_f32
                                             : sort->key == KEY_U64 ? parscan_sort_rows_launch_u64
                                                                    : parscan_sort_rows_launch_u32;
    return PARSCAN_CUDA_QUEUE(rows->context, launch(&call));
}

/* ---- keys ---- */

/* Keys of 1 and 2 bytes are moved as words, in their place in scratch. */
static parscan_status sort_short_by_row(const axis_rows *rows, const axis_batch *batch,
                                        uint32_t *numbers, const char *keys)
{
    parscan_context *const context = rows->context;
    const size_t all = batch->lines * rows->in.length, size = rows->in.size;
    uint32_t *const wide = numbers + all;
    parscan_status status =
        PARSCAN_CUDA_QUEUE(context, parscan_widen_launch(context->cuda, keys, size, wide, all));
    if (status == PARSCAN_OK)
        status = sort_by_row(rows, batch, numbers, sizeof *wide, wide, wide);
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(
                     context, parscan_narrow_launch(context->cuda, wide, batch->out, size, all))
               : status;
}

static parscan_status sort_keys_by_row(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    parscan_context *const context = rows->context;
    const size_t n = rows->in.length, all = batch->lines * n, size = rows->in.size;
    char *const keys = batch->own;
    uint32_t *const numbers = (uint32_t *)(keys + (all * size + 7) / 8 * 8);
    parscan_status status =
        PARSCAN_CUDA_QUEUE(context, parscan_number_rows_launch(context->cuda, numbers, all, n));
    if (status == PARSCAN_OK)
        status = parscan_sort_pairs(context, sort->key_type, batch->in, keys, sizeof *numbers,
                                    numbers, numbers, all, &sort->options);
    if (status != PARSCAN_OK)
        return status;
    return size < sizeof *numbers ? sort_short_by_row(rows, batch, numbers, keys)
                                  : sort_by_row(rows, batch, numbers, size, keys, batch->out);
}

static parscan_status sort_row(const axis_rows *rows, const axis_batch *batch, size_t k)
{
    const axis_sort *const sort = rows->work;
    const size_t n = rows->in.length, size = sort->values_in.size;
    const char *const keys_in = (const char *)batch->in + k * n * rows->in.size;
    char *const keys_out = (char *)batch->out + k * n * rows->in.size;
    return size == 0 ? parscan_sort_keys(rows->context, sort->key_type, keys_in, keys_out, n,
                                         &sort->options)
                     : parscan_sort_pairs(rows->context, sort->key_type, keys_in, keys_out, size,
                                          (const char *)batch->in2 + k * n * size,
                                          (char *)batch->out2 + k * n * size, n, &sort->options);
}

parscan_status parscan_sort_rows_cuda(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    const sort_axis_variant variant = choose(rows, batch, false);
    parscan_status status = PARSCAN_OK;
    if (variant == SORT_AXIS_SEGMENTS)
        return parscan_sort_rows_together(rows, batch, batch->out, sort->values_in.size, batch->in2,
                                          batch->out2);
    if (variant == SORT_AXIS_NETWORKS)
        return sort_by_networks(rows, batch, false);
    if (variant == SORT_AXIS_BY_ROW)
        return sort_keys_by_row(rows, batch);
    for (size_t k = 0; k < batch->lines && status == PARSCAN_OK; k++)
        status = sort_row(rows, batch, k);
    return status;
}

size_t parscan_sort_rows_own_cuda(const axis_sort *sort, size_t lines)
{
    const size_t size = sort->in.size, word = sizeof(uint32_t);
    return sort->values_in.size == 0 && may_go_by_row(sort, lines)
               ? sort->n * (size + word + (size < word ? word : 0)) + 8
               : 0;
}

/* ---- indices ---- */

/* Numbers below 2^32, of 4 bytes or, in the caller's indices, of 8. */
static parscan_status argsort_by_row(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    parscan_context *const context = rows->context;
    const size_t n = rows->in.length, all = batch->lines * n;
    uint32_t *const numbers = batch->own;
    uint32_t *const order = rows->out.size == sizeof *order ? batch->out : numbers + all;
    parscan_status status = parscan_argsort(context, sort->key_type, batch->in, PARSCAN_U32, order,
                                            all, &sort->options);
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(
            context, parscan_rows_of_indices_launch(context->cuda, order, numbers, all, n));
    if (status == PARSCAN_OK)
        status = sort_by_row(rows, batch, numbers, sizeof *order, order, order);
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(context,
                                    parscan_places_in_rows_launch(context->cuda, order, batch->out,
                                                                  rows->out.size, all, n))
               : status;
}

/* Indices go along with the keys, whose order is not wanted. */
static parscan_status argsort_together(const axis_rows *rows, const axis_batch *batch)
{
    parscan_context *const context = rows->context;
    const size_t n = rows->in.length, size = rows->out.size;
    const parscan_status status = PARSCAN_CUDA_QUEUE(
        context, parscan_places_launch(context->cuda, batch->out, size, batch->lines * n, n));
    return status == PARSCAN_OK
               ? parscan_sort_rows_together(rows, batch, batch->own, size, batch->out, batch->out)
               : status;
}

parscan_status parscan_argsort_rows_cuda(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    const sort_axis_variant variant = choose(rows, batch, true);
    const size_t n = rows->in.length, size = rows->out.size;
    const parscan_type type = size == sizeof(uint32_t) ? PARSCAN_U32 : PARSCAN_U64;
    parscan_status status = PARSCAN_OK;
    if (variant == SORT_AXIS_SEGMENTS)
        return argsort_together(rows, batch);
    if (variant == SORT_AXIS_NETWORKS)
        return sort_by_networks(rows, batch, true);
    if (variant == SORT_AXIS_BY_ROW)
        return argsort_by_row(rows, batch);
    for (size_t k = 0; k < batch->lines && status == PARSCAN_OK; k++)
        status = parscan_argsort(rows->context, sort->key_type,
                                 (const char *)batch->in + k * n * rows->in.size, type,
                                 (char *)batch->out + k * n * size, n, &sort->options);
    return status;
}

/* By segments the keys, by row two times 4 bytes. */
size_t parscan_argsort_rows_own_cuda(const axis_sort *sort, size_t lines)
{
    const size_t keys = sort->n * sort->in.size, pairs = sort->n * 2 * sizeof(uint32_t);
    const sort_axis_variant variant = variant_of(sort, lines, sort->n, true);
    if (sort->n_at != NULL)
        return keys > pairs ? keys : pairs;
    return variant == SORT_AXIS_SEGMENTS ? keys : variant == SORT_AXIS_BY_ROW ? pairs : 0;
}
