/*
 * Scans and reductions along an axis on the CPU. Where the elements of a line lie next to each other,
 * lines are taken one by one (axis_lines_cpu.c). Otherwise neighbouring lines are columns: a thread
 * takes some of them, row by row, with their sums in its cache (column_kernels.h).
 *
 * Few columns are not enough for all threads. Then rows are divided in tiles, with the look-back of the
 * single pass (scan/cpu/look_back.h): a thread reduces a tile, learns the sums before it, and scans the
 * tile from its cache. So memory is read and written once.
 *
 * Compiled once for each element type (scan/cpu/element.h).
 */
#include "scan/axis/axis_pass.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/scan_element_cpu.h"

enum {
    BLOCK = COLUMNS_MOST,
    FEW_COLUMNS = 128 / sizeof(T), /* two cache lines: the least for a thread */
    STAGE = 8192 / sizeof(T)       /* elements in a buffer on the stack */
};

/* The sums of a tile of few columns. */
typedef struct column_sums {
    T of[FEW_COLUMNS];
} column_sums;
#define SUMMARY column_sums
#define PREFIX column_sums
#include "scan/cpu/look_back.h"

/* Neighbouring columns of a pass. */
typedef struct column_set {
    const axis_pass *pass;
    size_t outer, inner, width;
} column_set;

typedef struct column_pass {
    axis_pass axis;
    bool staged; /* the kernels do not take the elements as they are: rows go through a buffer */
    bool stream;
    size_t width, blocks; /* columns of a set, and sets of an index of outer */
} column_pass;

/* Combines `rows` rows of a set from `begin` on with the sums before them; reduces: writes none. */
static void take_rows_staged(const column_set *set, size_t begin, size_t rows, T *sums,
                             bool reduces)
{
    const axis_pass *const pass = set->pass;
    const size_t most = size_max(STAGE / set->width, 1);
    const char *in = pass->in + line_place(pass->in_stride, set->outer, set->inner) +
                     (int64_t)begin * pass->in_stride[AXIS_N];
    char *out = pass->out + line_place(pass->out_stride, set->outer, set->inner) +
                (int64_t)begin * pass->out_stride[AXIS_N];
    alignas(64) T buffer[STAGE];
    const int64_t row = (int64_t)(set->width * sizeof(T));
    column_block block = {PARSCAN_ELEMENT_TYPE, (char *)buffer, (char *)buffer, row,  row, 0,
                          set->width,           sums,           false,          false};
    block.exclusive = pass->call->kind == PARSCAN_KIND_EXCLUSIVE;
    for (; rows > 0; rows -= block.rows) {
        block.rows = size_min(rows, most);
        for (size_t i = 0; i < block.rows; i++, in += pass->in_stride[AXIS_N])
            read_columns(pass, in, set->width, buffer + i * set->width);
        if (reduces) {
            pass->columns->reduce(pass->op, &block);
            continue;
        }
        pass->columns->scan(pass->op, &block);
        for (size_t i = 0; i < block.rows; i++, out += pass->out_stride[AXIS_N])
            write_columns(pass, out, set->width, buffer + i * set->width);
    }
}

static void take_rows(const column_pass *columns, const column_set *set, size_t begin, size_t rows,
                      T *sums, bool reduces)
{
    const axis_pass *const pass = &columns->axis;
    if (columns->staged) {
        take_rows_staged(set, begin, rows, sums, reduces);
        return;
    }
    const column_block block = {
        .type = pass->call->in_type,
        .in = pass->in + line_place(pass->in_stride, set->outer, set->inner) +
              (int64_t)begin * pass->in_stride[AXIS_N],
        .out = reduces ? NULL
                       : pass->out + line_place(pass->out_stride, set->outer, set->inner) +
                             (int64_t)begin * pass->out_stride[AXIS_N],
        .in_row = pass->in_stride[AXIS_N],
        .out_row = pass->out_stride[AXIS_N],
        .rows = rows,
        .width = set->width,
        .sums = sums,
        .exclusive = pass->call->kind == PARSCAN_KIND_EXCLUSIVE,
        .stream = columns->stream,
    };
    if (reduces)
        pass->columns->reduce(pass->op, &block);
    else
        pass->columns->scan(pass->op, &block);
}

/* When all rows have been taken: stores the sums of a reduction, or what comes before the first row. */
static void finish_set(const column_pass *columns, const column_set *set, T *sums)
{
    const axis_pass *const pass = &columns->axis;
    const bool shows = pass->call->kind == PARSCAN_KIND_EXCLUSIVE && pass->call->init == NULL;
    if (columns->stream)
        pass->kernels->fence();
    if (!pass->reduces && !shows)
        return;
    for (size_t i = 0; i < set->width && (shows || pass->n == 0); i++)
        sums[i] = pass->shown;
    write_columns(pass, pass->out + line_place(pass->out_stride, set->outer, set->inner),
                  set->width, sums);
}

static column_set set_of(const column_pass *columns, size_t index)
{
    const size_t begin = index % columns->blocks * columns->width;
    return (column_set){&columns->axis, index / columns->blocks, begin,
                        size_min(columns->width, columns->axis.inner - begin)};
}

/* A set of columns by one thread. */
static void take_set(void *state, size_t index, unsigned worker)
{
    const column_pass *const columns = state;
    const column_set set = set_of(columns, index);
    alignas(64) T sums[BLOCK];
    (void)worker;
    for (size_t i = 0; i < set.width; i++)
        sums[i] = columns->axis.first;
    take_rows(columns, &set, 0, columns->axis.n, sums, columns->axis.reduces);
    finish_set(columns, &set, sums);
}

/* ---- a set of columns by all threads ---- */

typedef struct row_pass {
    const column_pass *columns;
    column_set set;
    size_t tile; /* rows of a tile; the last one may have fewer */
    look_back look_back;
} row_pass;

static size_t tile_rows(const row_pass *pass, size_t tile)
{
    return size_min(pass->tile, pass->columns->axis.n - tile * pass->tile);
}

static column_sums add_tile(const void *state, const column_sums *before, const column_sums *sums)
{
    const row_pass *const pass = state;
    column_sums through = {{0}};
    for (size_t i = 0; i < pass->set.width; i++)
        through.of[i] = combine(pass->columns->axis.op, before->of[i], sums->of[i]);
    return through;
}

static column_sums sum_tile(const void *state, void *work, size_t tile)
{
    const row_pass *const pass = state;
    column_sums sums = {{0}};
    (void)work;
    for (size_t i = 0; i < pass->set.width; i++)
        sums.of[i] = identity(pass->columns->axis.op);
    take_rows(pass->columns, &pass->set, tile * pass->tile, tile_rows(pass, tile), sums.of, true);
    return sums;
}

static const tile_functions row_sums = {.add = add_tile, .summarise = sum_tile};

static void take_tiles(void *state, size_t part)
{
    row_pass *const pass = state;
    look_back *const l = &pass->look_back;
    (void)part;
    for (size_t tile; (tile = look_back_claim(l)) < l->tiles;) {
        const column_sums sums = sum_tile(pass, NULL, tile);
        look_back_publish(l, tile, &sums);
        column_sums before = look_back_prefix(l, tile, &row_sums, pass, NULL);
        const column_sums through = add_tile(pass, &before, &sums);
        look_back_pass(l, tile, &through);
        if (!pass->columns->axis.reduces)
            take_rows(pass->columns, &pass->set, tile * pass->tile, tile_rows(pass, tile),
                      before.of, false);
    }
    if (pass->columns->stream)
        pass->columns->axis.kernels->fence();
}

static tile_plan plan_of_rows(const column_pass *columns)
{
    const tile_demand demand = {.bytes = columns->axis.n * columns->width * sizeof(T),
                                .slot_bytes = sizeof(tile_slot)};
    return parscan_plan_tiles(columns->axis.call->context, &demand);
}

static void take_set_together(column_pass *columns, size_t index, const tile_plan *plan)
{
    row_pass pass = {.columns = columns, .set = set_of(columns, index)};
    const size_t n = columns->axis.n;
    column_sums first = {{0}};
    if (plan->threads == 1) {
        take_set(columns, index, 0);
        return;
    }
    for (size_t i = 0; i < pass.set.width; i++)
        first.of[i] = columns->axis.first;
    pass.tile = size_max(plan->tile_bytes / (columns->width * sizeof(T)), 1);
    look_back_begin(&pass.look_back, plan, n / pass.tile + (n % pass.tile != 0), plan->tile_bytes,
                    first, columns->axis.call->in == columns->axis.call->out);
    parscan_team_run(columns->axis.call->context, plan->threads, take_tiles, &pass);
    first = look_back_end(&pass.look_back);
    finish_set(columns, &pass.set, first.of);
}

/* ---- */

/* Cuts the columns in sets of at most `most`. */
static size_t cut_in_sets(column_pass *columns, size_t most)
{
    columns->width = size_min(columns->axis.inner, most);
    columns->blocks = (columns->axis.inner + columns->width - 1) / columns->width;
    return columns->axis.outer * columns->blocks;
}

static void run_columns(column_pass *columns)
{
    const axis_pass *const pass = &columns->axis;
    parscan_context *const context = pass->call->context;
    const size_t lines = pass->outer * pass->inner;
    const unsigned threads = parscan_threads_for(context, size_max(pass->n, 1) * lines * sizeof(T));
    const size_t share = (lines + threads - 1) / threads;
    size_t sets = cut_in_sets(columns, size_min(BLOCK, size_max(share, FEW_COLUMNS)));
    if (sets >= threads) {
        if (!context->measures)
            parscan_team_for(context, threads, sets, 1, take_set, columns);
        return;
    }
    sets = cut_in_sets(columns, FEW_COLUMNS);
    const tile_plan plan = plan_of_rows(columns);
    for (size_t index = 0; index < sets && !context->measures; index++)
        take_set_together(columns, index, &plan);
}

static void exchange_outer_and_inner(axis_pass *pass)
{
    const size_t outer = pass->outer;
    const int64_t in = pass->in_stride[AXIS_OUTER], out = pass->out_stride[AXIS_OUTER];
    pass->outer = pass->inner;
    pass->inner = outer;
    pass->in_stride[AXIS_OUTER] = pass->in_stride[AXIS_INNER];
    pass->in_stride[AXIS_INNER] = in;
    pass->out_stride[AXIS_OUTER] = pass->out_stride[AXIS_INNER];
    pass->out_stride[AXIS_INNER] = out;
}

static axis_pass pass_of(const parscan_scan_call *call)
{
    T init;
    const T *const start = init_of(call, &init);
    const parscan_axis *const axis = call->axis;
    const parscan_isa isa = call->context->isa;
    axis_pass pass = {
        .call = call,
        .op = call->op,
        .kernels = NAMED(parscan_tile_kernels)(isa),
        .columns = PARSCAN_BY_ISA(isa, &NAMED(parscan_column_kernels_portable),
                                  &NAMED(parscan_column_kernels_avx2),
                                  &NAMED(parscan_column_kernels_avx512)),
        .reduces = call->kind == PARSCAN_KIND_REDUCE,
        .in = call->in,
        .out = call->out,
        .outer = axis->outer,
        .n = call->n,
        .inner = axis->inner,
        .in_size = parscan_type_size(call->in_type),
        .out_size = parscan_type_size(call->out_type),
        .first = start != NULL ? *start : identity(call->op),
        .shown = start_value(call->op, start),
    };
    memcpy(pass.in_stride, axis->in, sizeof pass.in_stride);
    memcpy(pass.out_stride, axis->out, sizeof pass.out_stride);
    if (call->reverse && call->n > 0) {
        pass.in += (int64_t)(call->n - 1) * pass.in_stride[AXIS_N];
        pass.in_stride[AXIS_N] = -pass.in_stride[AXIS_N];
        if (!pass.reduces) {
            pass.out += (int64_t)(call->n - 1) * pass.out_stride[AXIS_N];
            pass.out_stride[AXIS_N] = -pass.out_stride[AXIS_N];
        }
    }
    const bool outer_is_near = pass.in_stride[AXIS_OUTER] == (int64_t)pass.in_size;
    if (pass.inner == 1 || (outer_is_near && pass.in_stride[AXIS_INNER] != (int64_t)pass.in_size))
        exchange_outer_and_inner(&pass);
    return pass;
}

parscan_status NAMED(parscan_axis_cpu)(const parscan_scan_call *call)
{
    column_pass columns = {.axis = pass_of(call)};
    const axis_pass *const pass = &columns.axis;
    if (call->reproducible)
        return NAMED(parscan_axis_tree)(pass);
    if (has_whole_lines(pass))
        return NAMED(parscan_axis_lines)(pass);
    columns.staged = !kernels_take(call->in_type) ||
                     pass->in_stride[AXIS_INNER] != (int64_t)pass->in_size ||
                     (!pass->reduces && (call->in_type != call->out_type ||
                                         pass->out_stride[AXIS_INNER] != (int64_t)pass->out_size));
    columns.stream = !pass->reduces && !columns.staged && call->in != call->out &&
                     pass->outer * pass->inner * call->n >= STREAM_FROM_BYTES / pass->out_size &&
                     (uintptr_t)pass->out % pass->out_size == 0 &&
                     pass->out_stride[AXIS_N] % (int64_t)pass->out_size == 0;
    run_columns(&columns);
    return PARSCAN_OK;
}
