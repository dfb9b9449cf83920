/*
 * Scans and reductions along an axis on the CPU. Where the elements of a line lie next to each other,
 * lines are taken one by one (axis_lines_cpu.c). Otherwise neighbouring lines are columns: a thread
 * takes some of them, row by row, with their sums in its cache (column_kernels.h).
 *
 * Few columns are not enough for all threads. Then rows are divided in tiles, which the threads take in
 * turn: a thread reduces a tile, waits for the sums before it, adds its own, and scans the tile from its
 * cache. So memory is read and written once.
 *
 * Compiled once for each element type (scan/cpu/element.h).
 */
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "scan/axis/axis_pass.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/scan_element_cpu.h"

enum {
    BLOCK = COLUMNS_MOST,
    LEAST_BLOCK = 2048 / sizeof(T), /* of several threads */
    STAGE = 8192 / sizeof(T),       /* elements in a buffer on the stack */
    TILE_LINES = 2048               /* of 64 bytes, in a tile of rows */
};

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

/* One row of a set to T, in a buffer. */
static void read_row(const axis_pass *pass, const char *from, size_t width, T *row)
{
    alignas(64) char packed[BLOCK * sizeof(T)];
    const int64_t stride = pass->in_stride[AXIS_INNER];
    if (stride != (int64_t)pass->in_size) {
        copy_strided(packed, (int64_t)pass->in_size, from, stride, width, pass->in_size);
        from = packed;
    }
    const VIEW view = {(void *)(uintptr_t)from, pass->call->in_type, width, false};
    pass->kernels->gather(&view, 0, width, row);
}

static void write_row(const axis_pass *pass, char *to, size_t width, const T *row)
{
    alignas(64) char packed[BLOCK * sizeof(T)];
    const int64_t stride = pass->out_stride[AXIS_INNER], size = (int64_t)pass->out_size;
    const VIEW view = {stride == size ? to : packed, pass->call->out_type, width, false};
    pass->kernels->scatter(&view, 0, width, row, false);
    if (stride != size)
        copy_strided(to, stride, packed, size, width, pass->out_size);
}

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
            read_row(pass, in, set->width, buffer + i * set->width);
        if (reduces) {
            pass->columns->reduce(pass->op, &block);
            continue;
        }
        pass->columns->scan(pass->op, &block);
        for (size_t i = 0; i < block.rows; i++, out += pass->out_stride[AXIS_N])
            write_row(pass, out, set->width, buffer + i * set->width);
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
    write_row(pass, pass->out + line_place(pass->out_stride, set->outer, set->inner), set->width,
              sums);
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

typedef struct row_chain {
    const column_pass *columns;
    const column_set *set;
    size_t tile, tiles; /* rows of a tile; tiles */
    T *sums;            /* of all rows of the tiles that have passed */
    alignas(64) atomic_size_t next, passed;
} row_chain;

/* A tile's turn comes when all tiles before it have passed. These have been taken before, each by a
   thread that runs. */
static void wait_for_turn(row_chain *chain, size_t tile, size_t bytes)
{
    const unsigned patience = parscan_tile_patience(bytes);
    for (unsigned looks = 0; atomic_load_explicit(&chain->passed, memory_order_acquire) != tile;
         looks++)
        if (looks < patience)
            parscan_relax();
        else
            sched_yield();
}

static void take_tiles(void *state, size_t part)
{
    row_chain *const chain = state;
    const column_pass *const columns = chain->columns;
    const axis_pass *const pass = &columns->axis;
    const size_t width = chain->set->width;
    alignas(64) T sums[BLOCK];
    (void)part;
    for (size_t tile; (tile = atomic_fetch_add_explicit(&chain->next, 1, memory_order_relaxed)) <
                      chain->tiles;) {
        const size_t begin = tile * chain->tile, rows = size_min(chain->tile, pass->n - begin);
        for (size_t i = 0; i < width; i++)
            sums[i] = identity(pass->op);
        take_rows(columns, chain->set, begin, rows, sums, true);
        wait_for_turn(chain, tile, rows * width * sizeof(T));
        for (size_t i = 0; i < width; i++) {
            const T before = chain->sums[i];
            chain->sums[i] = combine(pass->op, before, sums[i]);
            sums[i] = before;
        }
        atomic_store_explicit(&chain->passed, tile + 1, memory_order_release);
        if (!pass->reduces)
            take_rows(columns, chain->set, begin, rows, sums, false);
    }
    if (columns->stream)
        pass->kernels->fence();
}

static void take_set_together(const column_pass *columns, size_t index, unsigned threads)
{
    const axis_pass *const pass = &columns->axis;
    const column_set set = set_of(columns, index);
    const size_t row = size_max(set.width * sizeof(T) / 64, 1);
    alignas(64) T sums[BLOCK];
    row_chain chain = {.columns = columns, .set = &set, .sums = sums};
    chain.tile = size_max(TILE_LINES / row, 1);
    chain.tiles = pass->n / chain.tile + (pass->n % chain.tile != 0);
    atomic_init(&chain.next, 0);
    atomic_init(&chain.passed, 0);
    for (size_t i = 0; i < set.width; i++)
        sums[i] = pass->first;
    parscan_team_run(pass->call->context, threads, take_tiles, &chain);
    finish_set(columns, &set, sums);
}

/* ---- */

static void run_columns(column_pass *columns)
{
    const axis_pass *const pass = &columns->axis;
    parscan_context *const context = pass->call->context;
    const size_t lines = pass->outer * pass->inner;
    const unsigned threads = parscan_threads_for(context, size_max(pass->n, 1) * lines * sizeof(T));
    const size_t share = (lines + threads - 1) / threads;
    columns->width = size_min(pass->inner, BLOCK);
    if (threads > 1 && columns->width > share)
        columns->width = size_min(columns->width, share > LEAST_BLOCK ? share : LEAST_BLOCK);
    columns->blocks = (pass->inner + columns->width - 1) / columns->width;
    if (pass->outer * columns->blocks >= threads) {
        parscan_team_for(context, threads, pass->outer * columns->blocks, 1, take_set, columns);
        return;
    }
    columns->width = size_min(pass->inner, BLOCK);
    columns->blocks = (pass->inner + columns->width - 1) / columns->width;
    for (size_t index = 0; index < pass->outer * columns->blocks; index++)
        take_set_together(columns, index, threads);
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
    const bool is_tree = call->reproducible && PARSCAN_ELEMENT_IS_FLOAT;
    if (is_tree || has_whole_lines(pass))
        return NAMED(parscan_axis_lines)(pass);
    if (call->context->measures)
        return PARSCAN_OK;
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
