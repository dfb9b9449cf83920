/*
 * Reproducible sums and products of rows of memory that have no more than a tile of the tree: vectors sum each on its own
 * (row_kernels.h). Compiled once for each element type.
 */
#include "scan/axis/axis_pass.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/reproducible/row_kernels.h"

enum {
    TURNED = 16,          /* rows of up to so many elements are turned to columns */
    ROWS_BYTES = 32 << 10 /* that a thread takes at once */
};

typedef struct rows_pass {
    const axis_pass *axis;
    const row_kernels *kernels;
    size_t each, rows;
} rows_pass;

static void sum_rows(void *state, size_t index, unsigned worker)
{
    const rows_pass *const pass = state;
    const axis_pass *const axis = pass->axis;
    const size_t begin = index * pass->each, end = size_min(begin + pass->each, pass->rows);
    (void)worker;
    for (size_t row = begin; row < end; row++) {
        const size_t outer = row / axis->inner, inner = row % axis->inner;
        const char *const in = axis->in + line_place(axis->in_stride, outer, inner);
        const T sum =
            combine(axis->op, axis->first,
                    pass->kernels->sum_tile(axis->op, (const T *)(const void *)in, axis->n));
        memcpy(axis->out + line_place(axis->out_stride, outer, inner), &sum, sizeof sum);
    }
}

bool NAMED(parscan_axis_tree_rows)(const axis_pass *axis, const row_kernels *kernels,
                                   unsigned threads)
{
    rows_pass pass = {.axis = axis, .kernels = kernels, .rows = axis->outer * axis->inner};
    if (!axis->reduces || axis->n <= TURNED || axis->n > TREE_TILE ||
        axis->in_stride[AXIS_N] != (int64_t)sizeof(T) ||
        axis->call->in_type != PARSCAN_ELEMENT_TYPE || axis->call->out_type != PARSCAN_ELEMENT_TYPE)
        return false;
    pass.each = size_max(ROWS_BYTES / sizeof(T) / axis->n, 1);
    if (!axis->call->context->measures)
        parscan_team_for(axis->call->context, threads, (pass.rows - 1) / pass.each + 1, 1, sum_rows,
                         &pass);
    return true;
}

#endif
