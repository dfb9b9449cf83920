/*
 * The host side of a sort by columns on CUDA. The first keys are sorted with the indices of their rows.
 * Then as many rounds are launched as any rows may need by the types of their columns; the device knows
 * how many rows each of them has, often none, and its kernels read that.
 */
#include "apps/sort/sort_columns_cuda.h"

#include <stdio.h>

#include "apps/sort/sort_columns_call.h"
#include "apps/sort/sort_columns_plan.h"
#include "apps/sort/sort_cuda.h"
#include "scan/cuda/driver.h"

enum { NAME_ROOM = 24 };

/* The arrays after those of the columns. */
enum { VALUES_IN, ORDER, HEADS, VALUES_OUT, OTHERS };
_Static_assert(COLUMNS_MOST + OTHERS <= PARSCAN_CUDA_ARRAYS, "a call has arrays enough");

typedef struct columns_run {
    columns_call *call;
    char names[COLUMNS_MOST][NAME_ROOM];
    columns_plan plan;
    columns_params params;
    sort_state *sort;
    void *keys[SORT_PLACES], *rows[SORT_PLACES], *places[2];
} columns_run;

static unsigned describe_columns(const void *given, parscan_cuda_array *arrays)
{
    columns_run *const run = (columns_run *)given;
    const columns_call *const call = run->call;
    for (unsigned k = 0; k < call->count; k++) {
        const sorted_column *const column = &call->columns[k];
        snprintf(run->names[k], NAME_ROOM, "columns[%u].data", k);
        arrays[k] = parscan_cuda_input(run->names[k], column->data, call->n, column->size);
        if (column->key == KEY_CLASSES)
            arrays[k].alignment = 1;
    }
    parscan_cuda_array *const others = arrays + call->count;
    others[VALUES_IN] =
        parscan_cuda_input("options->values_in", call->values_in, call->n, call->value_size);
    others[ORDER] = parscan_cuda_output("indices_out", call->order, call->n, call->index_size);
    others[HEADS] = parscan_cuda_output("options->heads_out", call->heads, call->n, 1);
    others[VALUES_OUT] =
        parscan_cuda_output("options->values_out", call->values_out, call->n, call->value_size);
    others[VALUES_IN].alignment = others[VALUES_OUT].alignment = 1;
    return call->count + OTHERS;
}

static unsigned lengths_of_columns(void *given, parscan_cuda_length *lengths)
{
    columns_call *const call = ((columns_run *)given)->call;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

static void choose_plan(columns_run *run)
{
    const parscan_cuda *const cuda = run->call->context->cuda;
    const columns_facts facts = {.n = run->call->n, .bits = run->call->bits};
    run->plan = parscan_sort_columns_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_sort_columns_plans, run->plan.variant,
                           "%zu rows of %u bits, %u rounds", facts.n, facts.bits, run->plan.rounds);
}

static parscan_status take_scratch(columns_run *run)
{
    const columns_call *const call = run->call;
    const bool alone = run->plan.rounds == 1;
    const size_t keys = call->n * (alone ? run->plan.first_bits / 8 : sizeof(uint64_t));
    const size_t numbers = call->n * call->index_size, listed = alone ? 0 : numbers;
    const scratch_piece pieces[] = {
        {sizeof *run->sort, (void **)&run->sort},
        {sizeof *run->params.state, (void **)&run->params.state},
        {keys, &run->keys[SORT_IN]},
        {keys, &run->keys[SORT_OUT]},
        {keys, &run->keys[SORT_SPARE]},
        {listed, &run->rows[SORT_IN]},
        {listed, &run->rows[SORT_OUT]},
        {numbers, &run->rows[SORT_SPARE]},
        {listed, &run->places[0]},
        {listed, &run->places[1]},
    };
    return parscan_sort_take_scratch(call->context, pieces, sizeof pieces / sizeof *pieces);
}

static void set_params(columns_run *run, const parscan_cuda_array *arrays)
{
    const columns_call *const call = run->call;
    columns_params *const params = &run->params;
    params->n = call->n;
    params->n_at = call->n_at;
    params->keys = run->keys[SORT_IN];
    params->wide = call->index_size == sizeof(uint64_t);
    params->order = arrays[call->count + ORDER].device;
    params->heads = arrays[call->count + HEADS].device;
    params->listers = run->plan.lister_count;
    /* Keys of the last bits first do not tell which rows are equal. */
    params->sampled_equal = params->heads == NULL ? run->plan.sampled_equal : 0;
    params->count = call->count;
    for (unsigned k = 0; k < call->count; k++) {
        params->columns[k] = call->columns[k];
        params->columns[k].data = arrays[k].device;
    }
}

/* Sorts keys by their lowest bits, with the rows' indices, or with rows that lie in rows_in. */
static parscan_status sort_keys(const columns_run *run, unsigned bits, const uint64_t *n_at,
                                void *rows_in, void *rows_out)
{
    const columns_call *const call = run->call;
    parscan_sort_cuda_call sort = {
        .context = call->context,
        .plan = run->sort,
        .keys = {run->keys[SORT_IN], run->keys[SORT_OUT], run->keys[SORT_SPARE]},
        .values = {rows_in, rows_out, run->rows[SORT_SPARE]},
        .n = call->n,
        .n_at = n_at,
        .value_size = call->index_size,
        .indices = rows_in == NULL,
        .drops_keys = run->plan.rounds == 1 && run->params.heads == NULL,
    };
    const bool narrow = rows_in == NULL && run->plan.first_bits == 32;
    sort.whole_keys = bits == (narrow ? 32 : 64);
    parscan_sort_choose_digits(&sort, bits_below(bits > 0 ? bits : 1), false);
    return narrow ? parscan_sort_cuda_u32(&sort) : parscan_sort_cuda_u64(&sort);
}

/* Marks which of the keys that have been sorted differ from the one before. */
static parscan_status mark_heads(columns_run *run, bool narrow, const void *places)
{
    columns_params *const params = &run->params;
    if (params->heads == NULL)
        return PARSCAN_OK;
    params->sorted = run->keys[SORT_OUT];
    params->narrow = narrow;
    params->marked = places;
    return PARSCAN_CUDA_QUEUE(run->call->context, parscan_columns_mark(run->call->context, params));
}

static parscan_status sort_first(columns_run *run)
{
    parscan_context *const context = run->call->context;
    const unsigned first_bits = run->plan.first_bits;
    run->params.narrow = first_bits == 32;
    run->params.room = first_bits;
    parscan_status status =
        PARSCAN_CUDA_QUEUE(context, parscan_columns_first(context, &run->params));
    if (status == PARSCAN_OK)
        status = sort_keys(run, run->call->bits < first_bits ? run->call->bits : first_bits,
                           run->call->n_at, NULL, run->params.order);
    return status == PARSCAN_OK ? mark_heads(run, first_bits == 32, NULL) : status;
}

static parscan_status sort_round(columns_run *run, unsigned round)
{
    parscan_context *const context = run->call->context;
    columns_params *const params = &run->params;
    params->sorted = run->keys[SORT_OUT];
    params->narrow = round == 1 && run->plan.first_bits == 32;
    params->room = 64;
    params->places_in = round == 1 ? NULL : run->places[round % 2];
    params->places_out = run->places[(round + 1) % 2];
    params->rows = run->rows[SORT_IN];
    parscan_status status = PARSCAN_CUDA_QUEUE(context, parscan_columns_list(context, params));
    if (status == PARSCAN_OK)
        status = sort_keys(run, run->plan.later_bits, &params->state->n, run->rows[SORT_IN],
                           run->rows[SORT_OUT]);
    params->rows = run->rows[SORT_OUT];
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(context, parscan_columns_return(context, params));
    return status == PARSCAN_OK ? mark_heads(run, false, params->places_out) : status;
}

static parscan_status gather_values(const columns_call *call, const parscan_cuda_array *others)
{
    const parscan_gather_call gather = {.in = others[VALUES_IN].device,
                                        .index = others[ORDER].device,
                                        .out = others[VALUES_OUT].device,
                                        .size = call->value_size,
                                        .n = call->n,
                                        .index_size = call->index_size,
                                        .n_at = call->n_at};
    return call->value_size == 0 ? PARSCAN_OK : parscan_gather_cuda(call->context, &gather);
}

static parscan_status launch_columns(void *given, parscan_cuda_array *arrays)
{
    columns_run *const run = given;
    if (run->call->n == 0)
        return PARSCAN_OK;
    choose_plan(run);
    parscan_status status = take_scratch(run);
    if (status != PARSCAN_OK)
        return status;
    set_params(run, arrays);
    status = sort_first(run);
    for (unsigned round = 1; round < run->plan.rounds && status == PARSCAN_OK; round++)
        status = sort_round(run, round);
    return status == PARSCAN_OK ? gather_values(run->call, arrays + run->call->count) : status;
}

parscan_status parscan_sort_columns_cuda(columns_call *call)
{
    static const parscan_cuda_operation operation = {
        .describe = describe_columns, .lengths = lengths_of_columns, .launch = launch_columns};
    columns_run run = {.call = call};
    return parscan_cuda_run(call->context, "parscan_sort_columns", &operation, &run);
}
