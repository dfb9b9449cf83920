/* Sorts along an axis on the CPU: rows are segments. */
#include "apps/sort/sort_axis.h"

#include <string.h>

#include "apps/sort/sort_kernels.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

typedef struct numbered_rows {
    const sort_call *call;
    char *indices;
    size_t n;
} numbered_rows;

static void number_row(void *state, size_t row, unsigned worker)
{
    const numbered_rows *const rows = state;
    (void)worker;
    rows->call->kernels->indices(rows->indices + row * rows->n * rows->call->value_size, 0,
                                 rows->n);
}

static void number_rows(const axis_sort *sort, void *indices, size_t rows, size_t n)
{
    const sort_call *const call = sort->call;
    numbered_rows numbered = {call, indices, n};
    parscan_team_for(call->context, parscan_threads_for(call->context, rows * n * call->value_size),
                     rows, 1 + 4096 / (n + 1), number_row, &numbered);
}

parscan_status parscan_sort_rows_cpu(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    return parscan_sort_rows_together(rows, batch, batch->out, sort->values_in.size, batch->in2,
                                      batch->out2);
}

size_t parscan_sort_rows_own_cpu(const axis_sort *sort, size_t lines)
{
    (void)sort, (void)lines;
    return 0;
}

/* The sorted keys are not wanted: they go to the call's own scratch. */
parscan_status parscan_argsort_rows_cpu(const axis_rows *rows, const axis_batch *batch)
{
    const size_t n = rows->in.length;
    if (n == 1 && !rows->context->measures) {
        memset(batch->out, 0, batch->lines * rows->out.size);
        return PARSCAN_OK;
    }
    if (!rows->context->measures)
        number_rows(rows->work, batch->out, batch->lines, n);
    return parscan_sort_rows_together(rows, batch, batch->own, rows->out.size, batch->out,
                                      batch->out);
}

size_t parscan_argsort_rows_own_cpu(const axis_sort *sort, size_t lines)
{
    (void)lines;
    return sort->n * sort->call->key_size;
}

bool parscan_sort_rows_apart_cpu(const sort_call *call, size_t lines, size_t n)
{
    (void)call, (void)lines, (void)n;
    return false;
}
