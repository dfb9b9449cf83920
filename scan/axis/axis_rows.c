#include "scan/axis/axis_rows.h"

#include "scan/context/check.h"
#include "scan/context/size_math.h"
#include "scan/cpu/tiles.h"

enum {
    LEAST_LINES = 16,     /* neighbours share cache lines */
    BATCH_BYTES = 1 << 20 /* of rows, for each thread */
};

/* Whether the lines of an array are rows without gaps, one after the other. */
static bool are_rows(const axis_rows *rows, const axis_side *side, const int64_t strides[AXES])
{
    const int64_t size = (int64_t)side->size, n = (int64_t)side->length;
    return rows->axis->inner == 1 && (n == 1 || strides[AXIS_N] == size) &&
           (rows->axis->outer == 1 || strides[AXIS_OUTER] == n * size);
}

/* How the lines of a call are divided, and where the rows of a batch are in scratch. */
typedef struct rows_plan {
    const axis_rows *rows;
    bool copies_in, copies_out, shared; /* shared: out has the rows of in */
    size_t all;                         /* lines */
} rows_plan;

static size_t row_bytes(const axis_side *side)
{
    return side->length * side->size;
}

/* The bytes of scratch of so many lines, for in, out and run() itself. */
static size_t in_room(const rows_plan *plan, size_t lines)
{
    return plan->copies_in ? whole_lines(lines * row_bytes(&plan->rows->in)) : 0;
}

static size_t in2_room(const rows_plan *plan, size_t lines)
{
    return plan->rows->in2 != NULL ? in_room(plan, lines) : 0;
}

static size_t out_room(const rows_plan *plan, size_t lines)
{
    return plan->copies_out && !plan->shared ? whole_lines(lines * row_bytes(&plan->rows->out)) : 0;
}

static size_t room_of(const rows_plan *plan, size_t lines)
{
    return in_room(plan, lines) + in2_room(plan, lines) + out_room(plan, lines) +
           whole_lines(lines * plan->rows->own);
}

static size_t lines_at_once(const rows_plan *plan, unsigned threads)
{
    const size_t each = room_of(plan, 1);
    if (each == 0)
        return plan->all;
    return size_min(plan->all, size_max(LEAST_LINES, (size_t)threads * BATCH_BYTES / each));
}

static size_t scratch_of(const void *state, unsigned threads)
{
    const rows_plan *const plan = state;
    return room_of(plan, lines_at_once(plan, threads));
}

static void copy(const rows_plan *plan, const axis_batch *batch, const void *array,
                 const void *packed, bool to_rows)
{
    const axis_rows *const rows = plan->rows;
    const axis_side *const side = to_rows ? &rows->in : &rows->out;
    const lines_copy lines = {.rows = rows,
                              .array = (char *)array,
                              .packed = (char *)packed,
                              .strides = to_rows ? rows->axis->in : rows->axis->out,
                              .size = side->size,
                              .length = side->length,
                              .first = batch->first,
                              .lines = batch->lines,
                              .to_rows = to_rows};
    if (array != NULL && !rows->context->measures && (to_rows ? plan->copies_in : plan->copies_out))
        parscan_copy_lines_cpu(&lines);
}

static const char *rows_of_input(const rows_plan *plan, const void *array, size_t first,
                                 const char *scratch)
{
    return plan->copies_in ? scratch : (const char *)array + first * row_bytes(&plan->rows->in);
}

static axis_batch batch_of(const rows_plan *plan, size_t first, size_t lines, char *scratch)
{
    const axis_rows *const rows = plan->rows;
    axis_batch batch = {.first = first, .lines = size_min(lines, plan->all - first)};
    char *const in = scratch, *const in2 = in + in_room(plan, lines);
    char *const out = in2 + in2_room(plan, lines);
    batch.in = rows_of_input(plan, rows->in.data, first, in);
    if (rows->in2 != NULL)
        batch.in2 = rows_of_input(plan, rows->in2, first, in2);
    if (rows->out.length > 0)
        batch.out = plan->shared       ? in
                    : plan->copies_out ? out
                                       : (char *)rows->out.data + first * row_bytes(&rows->out);
    batch.own = out + out_room(plan, lines);
    return batch;
}

static parscan_status run_batches(const rows_plan *plan, size_t lines, char *scratch)
{
    parscan_status status = PARSCAN_OK;
    for (size_t first = 0; first < plan->all && status == PARSCAN_OK; first += lines) {
        const axis_batch batch = batch_of(plan, first, lines, scratch);
        copy(plan, &batch, plan->rows->in.data, batch.in, true);
        copy(plan, &batch, plan->rows->in2, batch.in2, true);
        status = plan->rows->run(plan->rows, &batch);
        if (status == PARSCAN_OK)
            copy(plan, &batch, plan->rows->out.data, batch.out, false);
        if (plan->rows->context->measures) /* no other one needs more */
            break;
    }
    return status;
}

parscan_status parscan_run_rows(const axis_rows *rows)
{
    parscan_context *const context = rows->context;
    rows_plan plan = {.rows = rows, .all = rows->axis->outer * rows->axis->inner};
    plan.copies_in = !are_rows(rows, &rows->in, rows->axis->in);
    plan.copies_out = rows->out.length > 0 && !are_rows(rows, &rows->out, rows->axis->out);
    plan.shared = plan.copies_in && plan.copies_out && rows->in_place;
    if (context->backend != PARSCAN_BACKEND_CPU)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "shape: it needs a CPU context");
    unsigned threads = parscan_threads_for(context, plan.all * row_bytes(&rows->in));
    held_scratch held;
    char none; /* a place of no bytes: NULL has no offsets */
    if (room_of(&plan, 1) == 0)
        return run_batches(&plan, plan.all, &none);
    parscan_status status = parscan_hold_scratch(context, &threads, scratch_of, &plan,
                                                 LEAST_LINES * row_bytes(&rows->in), &held);
    if (status != PARSCAN_OK)
        return status;
    status = run_batches(&plan, lines_at_once(&plan, threads), held.memory.data);
    parscan_let_scratch(context, &held);
    return status;
}
