/* What sorts along an axis do on the CPU beside a sort of segments. */
#include "apps/sort/sort_axis.h"
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

parscan_status parscan_number_rows_cpu(const sort_call *call, void *indices, size_t rows, size_t n)
{
    numbered_rows numbered = {call, indices, n};
    parscan_team_for(call->context, parscan_threads_for(call->context, rows * n * call->value_size),
                     rows, 1 + 4096 / (n + 1), number_row, &numbered);
    return PARSCAN_OK;
}

/* A sort of segments divides all of them among the threads. */
bool parscan_sort_rows_alone_cpu(const sort_call *call, size_t rows, size_t n)
{
    (void)call, (void)rows, (void)n;
    return false;
}
