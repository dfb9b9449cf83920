/* Calls of rows on the CPU. Some neighbours are copied at once, since these share cache lines. */
#include "scan/axis/axis_rows.h"
#include "scan/axis/copy_strided.h"
#include "scan/context/held_scratch.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    BLOCK_LINES = 16,
    BLOCK_ROWS = 64,
    GRAIN = 16,
    BATCH_BYTES = 1 << 20 /* of rows, for each thread */
};

static size_t blocks_of(const lines_copy *copy)
{
    return (copy->length + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

static void copy_block(void *state, size_t index, unsigned worker)
{
    const lines_copy *const copy = state;
    const int64_t *const strides = copy->strides, size = (int64_t)copy->size;
    const size_t inner = copy->rows->axis->inner, row = index % blocks_of(copy) * BLOCK_ROWS;
    const size_t begin = index / blocks_of(copy) * BLOCK_LINES;
    const size_t end = size_min(begin + BLOCK_LINES, copy->lines);
    const size_t n = size_min(BLOCK_ROWS, copy->length - row);
    (void)worker;
    for (size_t line = begin; line < end; line++) {
        const size_t q = copy->first + line;
        char *const packed = copy->packed + (line * copy->length + row) * copy->size;
        char *const element = copy->array + (int64_t)(q / inner) * strides[AXIS_OUTER] +
                              (int64_t)(q % inner) * strides[AXIS_INNER] +
                              (int64_t)row * strides[AXIS_N];
        if (copy->to_rows)
            copy_strided(packed, size, element, strides[AXIS_N], n, copy->size);
        else
            copy_strided(element, strides[AXIS_N], packed, size, n, copy->size);
    }
}

parscan_status parscan_copy_lines_cpu(const lines_copy *copy)
{
    parscan_context *const context = copy->rows->context;
    const size_t groups = (copy->lines + BLOCK_LINES - 1) / BLOCK_LINES;
    const unsigned threads = parscan_threads_for(context, copy->lines * copy->length * copy->size);
    parscan_team_for(context, threads, groups * blocks_of(copy), GRAIN, copy_block, (void *)copy);
    return PARSCAN_OK;
}

static size_t lines_at_once(const rows_plan *plan, unsigned threads)
{
    const size_t each = parscan_rows_room(plan, 1);
    if (each == 0)
        return plan->all;
    return size_min(plan->all, size_max(BLOCK_LINES, (size_t)threads * BATCH_BYTES / each));
}

static size_t scratch_of(const void *state, unsigned threads)
{
    const rows_plan *const plan = state;
    return parscan_rows_room(plan, lines_at_once(plan, threads));
}

parscan_status parscan_run_rows_cpu(const axis_rows *rows)
{
    parscan_context *const context = rows->context;
    rows_plan plan = parscan_plan_rows(rows);
    const size_t row = rows->in.length * rows->in.size;
    unsigned threads = parscan_threads_for(context, plan.all * row);
    held_scratch held;
    char none; /* a place of no bytes: NULL has no offsets */
    if (parscan_rows_room(&plan, 1) == 0)
        return parscan_run_batches(&plan, plan.all, &none);
    parscan_status status =
        parscan_hold_scratch(context, &threads, scratch_of, &plan, BLOCK_LINES * row, &held);
    if (status != PARSCAN_OK)
        return status;
    status = parscan_run_batches(&plan, lines_at_once(&plan, threads), held.memory.data);
    parscan_let_scratch(context, &held);
    return status;
}
