/*
 * Scans and reductions with an operator of the caller's in one pass over memory, like
 * scan/single_pass/single_pass_cpu.c: a tile is some panels (panel.h). A thread transposes them, which
 * reads the tile from memory, and reduces their columns; the look-back tells it what comes before the
 * tile; then it scans the columns and transposes them back.
 *
 * A reduction takes ranges of panels. If the operator commutes, nothing is transposed: consecutive
 * elements are added to as many sums at once.
 */
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/custom/custom_arrays.h"
#include "scan/custom/custom_cpu.h"

#define SUMMARY custom_value
#define PREFIX custom_value
#include "scan/cpu/look_back.h"

/* The rows of a panel, and the bytes of one: a panel and its elements, transposed back, share the
   first-level cache. */
enum { ROWS = 32, FEWEST_ROWS = 4, ROW_BYTES = 512, FEWEST_COLUMNS = 8 };

/* A tile is this part of one of other passes, since its panels are written, and read again; or a panel. */
enum { TILE_PART = 4 };

/* Fewer elements are combined one after another. */
enum { SEQUENTIAL_BELOW = 16 };

/* A reduction is cut in so many ranges for each thread, so that a late thread holds up little. */
enum { RANGES_A_THREAD = 4 };

typedef struct custom_pass {
    custom_arrays arrays;
    panel_shape shape;
    size_t tile, panels; /* elements and panels of a tile */
    bool exclusive;
    custom_value start; /* of an exclusive scan without init: its first result */
    tile_plan plan;
    look_back look_back;
} custom_pass;

/* Few elements make low panels. */
static panel_shape shape_for(size_t size, size_t n)
{
    const size_t columns = ROW_BYTES / size;
    size_t rows = n / columns;
    rows = rows < ROWS ? rows : ROWS;
    return panel_of(size, rows > FEWEST_ROWS ? rows : FEWEST_ROWS, columns);
}

_Static_assert(ROW_BYTES / CUSTOM_MOST >= FEWEST_COLUMNS, "rows are long enough");

static size_t length_at(size_t n, size_t begin, size_t most)
{
    return n - begin < most ? n - begin : most;
}

/* ---- scan ---- */

/* Scans and stores a panel that has been reduced. */
static void finish_panel(const custom_pass *pass, size_t begin, size_t n, char *panel,
                         const custom_value *before, custom_work *work)
{
    if (pass->exclusive && !before->present)
        memcpy(panel, pass->start.bytes, pass->shape.size);
    parscan_panel_scan(pass->arrays.op, &pass->shape, panel, n, before, &work->panel);
    const char *const rows = panel + (pass->exclusive ? 0 : pass->shape.stride);
    parscan_custom_store_panel(&pass->arrays, &pass->shape, rows, begin, n, work);
}

static custom_value open_panel(const custom_pass *pass, size_t begin, size_t n, char *panel,
                               custom_work *work)
{
    parscan_custom_load_panel(&pass->arrays, &pass->shape, begin, n, panel, work);
    return parscan_panel_reduce(pass->arrays.op, &pass->shape, panel, n, &work->panel);
}

static custom_value add_tile(const void *pass, const custom_value *prefix, const custom_value *sum)
{
    return custom_add(((const custom_pass *)pass)->arrays.op, prefix, sum);
}

/* The work of a thread, beside the memory of a tile: one panel more, for tiles of others. */
static custom_work *work_of(const custom_pass *pass, size_t part)
{
    return (custom_work *)(void *)(pass->plan.work + part * pass->plan.work_bytes);
}

static custom_value sum_tile(const void *state, void *work, size_t tile)
{
    const custom_pass *const pass = state;
    custom_work *const mine = work;
    const size_t panel = panel_elements(&pass->shape);
    const size_t begin = tile * pass->tile;
    const size_t end = begin + length_at(pass->arrays.n, begin, pass->tile);
    char *const spare = mine->panels + pass->panels * panel_bytes(&pass->shape);
    custom_value sum = {.present = false};
    for (size_t at = begin; at < end; at += panel) {
        const custom_value part = open_panel(pass, at, length_at(end, at, panel), spare, mine);
        sum = custom_add(pass->arrays.op, &sum, &part);
    }
    return sum;
}

static const tile_functions tile_sums = {.add = add_tile, .summarise = sum_tile};

/* The part of a tile of n elements that is prefetched while panel k is opened: the first half has been
   before, panel by panel the second one follows. */
static void fetch_rest(const custom_pass *pass, size_t begin, size_t n, size_t k, custom_work *work)
{
    const size_t panel = panel_elements(&pass->shape), half = pass->panels / 2;
    const size_t at = (half + k) * panel;
    if (k < pass->panels - half && at < n)
        parscan_custom_fetch(&pass->arrays, begin + at, length_at(n, at, panel), pass->shape.rows,
                             work);
}

/* The same while panel k is finished: of the tile that this thread takes next, half a panel. */
static void fetch_next(const custom_pass *pass, size_t next, size_t k, custom_work *work)
{
    const size_t part = panel_elements(&pass->shape) / 2, at = next * pass->tile + k * part;
    if (next < pass->look_back.tiles && at < pass->arrays.n)
        parscan_custom_fetch(&pass->arrays, at, length_at(pass->arrays.n, at, part),
                             pass->shape.rows, work);
}

/* Opens all panels of a tile, whose sums go to `sums`. Returns the sum of all. */
static custom_value open_tile(const custom_pass *pass, size_t begin, size_t n, custom_work *work,
                              custom_value *sums)
{
    const size_t panel = panel_elements(&pass->shape);
    custom_value sum = {.present = false};
    for (size_t at = 0, k = 0; at < n; at += panel, k++) {
        char *const memory = work->panels + k * panel_bytes(&pass->shape);
        fetch_rest(pass, begin, n, k, work);
        sums[k] = open_panel(pass, begin + at, length_at(n, at, panel), memory, work);
        sum = custom_add(pass->arrays.op, &sum, &sums[k]);
    }
    return sum;
}

/* next: the tile that this thread takes then. */
static void finish_tile(const custom_pass *pass, size_t begin, size_t n, size_t next,
                        custom_work *work, const custom_value *sums, custom_value before)
{
    const size_t panel = panel_elements(&pass->shape);
    for (size_t at = 0, k = 0; at < n; at += panel, k++) {
        char *const memory = work->panels + k * panel_bytes(&pass->shape);
        fetch_next(pass, next, k, work);
        finish_panel(pass, begin + at, length_at(n, at, panel), memory, &before, work);
        before = custom_add(pass->arrays.op, &before, &sums[k]);
    }
}

/* The memory of a thread: custom_work, the sums of a tile's panels, then the panels and buffers. */
static size_t sums_bytes(size_t panels)
{
    return (sizeof(custom_work) + 63) / 64 * 64 + panels * sizeof(custom_value);
}

static void scan_tiles(void *state, size_t part)
{
    custom_pass *const pass = state;
    look_back *const l = &pass->look_back;
    custom_work *const work = work_of(pass, part);
    char *const memory = (char *)work;
    custom_value *const sums =
        (custom_value *)(void *)(memory + (sizeof(custom_work) + 63) / 64 * 64);
    *work =
        parscan_custom_work_at(&pass->shape, pass->panels + 1, memory + sums_bytes(pass->panels));
    size_t tile = look_back_claim(l);
    while (tile < l->tiles) {
        const size_t next = look_back_early(l);
        const size_t begin = tile * pass->tile;
        const size_t n = length_at(pass->arrays.n, begin, pass->tile);
        const custom_value sum = open_tile(pass, begin, n, work, sums);
        look_back_publish(l, tile, &sum);
        const custom_value before = look_back_prefix(l, tile, &tile_sums, pass, work);
        const custom_value through = add_tile(pass, &before, &sum);
        look_back_pass(l, tile, &through);
        finish_tile(pass, begin, n, next, work, sums, before);
        tile = look_back_next(l, next);
    }
    parscan_custom_end(&pass->arrays, work);
}

static custom_value scan_alone(const custom_pass *pass, custom_value before, char *memory)
{
    const size_t n = pass->arrays.n, panel = panel_elements(&pass->shape);
    custom_work work = parscan_custom_work_at(&pass->shape, 1, memory);
    for (size_t at = 0; at < n; at += panel) {
        const size_t length = length_at(n, at, panel);
        if (n - at > panel)
            parscan_custom_fetch(&pass->arrays, at + panel, length_at(n, at + panel, panel),
                                 2 * pass->shape.rows, &work);
        const custom_value sum = open_panel(pass, at, length, work.panels, &work);
        finish_panel(pass, at, length, work.panels, &before, &work);
        before = custom_add(pass->arrays.op, &before, &sum);
    }
    parscan_custom_end(&pass->arrays, &work);
    return before;
}

static custom_value scan_in_parallel(custom_pass *pass, parscan_context *context,
                                     custom_value before)
{
    const size_t n = pass->arrays.n, tiles = n / pass->tile + (n % pass->tile != 0);
    look_back_begin(&pass->look_back, &pass->plan, tiles, pass->tile * pass->shape.size, before,
                    pass->arrays.in == pass->arrays.out);
    parscan_team_run(context, pass->plan.threads, scan_tiles, pass);
    return look_back_end(&pass->look_back);
}

/* ---- reduction ---- */

typedef struct reduction {
    const custom_pass *pass;
    size_t range, ranges; /* elements of a range; the last has the rest too */
    custom_value *sums;
    char *works; /* of each thread */
    size_t work_bytes;
} reduction;

/* Of a commutative operator: sum k takes the elements k, k + width, k + 2 width and so on. */
static custom_value reduce_commuting(const custom_pass *pass, size_t begin, size_t end,
                                     custom_work *work)
{
    const parscan_operator *const op = pass->arrays.op;
    const size_t width = length_at(end, begin, panel_elements(&pass->shape) / 8);
    memcpy(work->panels, parscan_custom_elements(&pass->arrays, begin, width, work),
           width * op->size);
    for (size_t at = begin + width; at < end; at += width) {
        const size_t n = length_at(end, at, width);
        op->combine(work->panels, parscan_custom_elements(&pass->arrays, at, n, work), work->panels,
                    n, op->state);
    }
    return parscan_panel_fold(op, work->panels, width);
}

static custom_value reduce_in_order(const custom_pass *pass, size_t begin, size_t end,
                                    custom_work *work)
{
    const size_t panel = panel_elements(&pass->shape);
    custom_value sum = {.present = false};
    for (size_t at = begin; at < end; at += panel) {
        if (end - at > panel)
            parscan_custom_fetch(&pass->arrays, at + panel, length_at(end, at + panel, panel),
                                 pass->shape.rows, work);
        const custom_value part =
            open_panel(pass, at, length_at(end, at, panel), work->panels, work);
        sum = custom_add(pass->arrays.op, &sum, &part);
    }
    return sum;
}

static void reduce_range(void *state, size_t index, unsigned worker)
{
    const reduction *const r = state;
    const custom_pass *const pass = r->pass;
    custom_work work = parscan_custom_work_at(&pass->shape, 1, r->works + worker * r->work_bytes);
    const size_t begin = index * r->range;
    const size_t end = index + 1 == r->ranges ? pass->arrays.n : begin + r->range;
    r->sums[index] = pass->arrays.op->commutes ? reduce_commuting(pass, begin, end, &work)
                                               : reduce_in_order(pass, begin, end, &work);
}

/* The sums of the ranges are combined in the order of the ranges. */
static custom_value reduce(const custom_pass *pass, parscan_context *context, custom_value before,
                           char *memory)
{
    custom_value alone;
    const unsigned threads = pass->plan.threads;
    reduction r = {.pass = pass, .ranges = 1, .sums = &alone, .works = memory};
    r.work_bytes = pass->plan.work_bytes;
    if (threads > 1) {
        r.ranges = threads * RANGES_A_THREAD;
        r.sums = (custom_value *)(void *)pass->plan.work;
        r.works = pass->plan.work + r.ranges * sizeof(custom_value);
        r.work_bytes = pass->plan.work_bytes - RANGES_A_THREAD * sizeof(custom_value);
    }
    r.range = pass->arrays.n / r.ranges;
    parscan_team_for(context, threads, r.ranges, 1, reduce_range, &r);
    for (size_t k = 0; k < r.ranges; k++)
        before = custom_add(pass->arrays.op, &before, &r.sums[k]);
    return before;
}

/* ---- both ---- */

/* The panels of a tile take up to 11 eighths of it: rows have gaps between them (panel.h). Whole panels are
   more than half of the tile that is asked for. */
static tile_plan pass_plan_of(const parscan_scan_call *call, const panel_shape *shape)
{
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    const size_t panels = TILE_BYTES / (panel_elements(shape) * shape->size) + 1;
    const tile_demand demand = {
        .bytes = call->n * shape->size,
        .slot_bytes = reduces ? 0 : 2 * TILE_PART * sizeof(tile_slot),
        .work_eighths = reduces ? 0 : (11 + TILE_PART - 1) / TILE_PART,
        .work_bytes =
            reduces ? RANGES_A_THREAD * sizeof(custom_value) + parscan_custom_work_bytes(shape, 1)
                    : sums_bytes(panels) + parscan_custom_work_bytes(shape, 2),
    };
    return parscan_plan_tiles(call->context, &demand);
}

static parscan_status run_pass(custom_pass *pass, const parscan_scan_call *call)
{
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    void *memory = NULL;
    const parscan_status status =
        pass->plan.threads == 1
            ? parscan_scratch(call->context, parscan_custom_work_bytes(&pass->shape, 1), &memory)
            : PARSCAN_OK;
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    const custom_value init = custom_value_of(pass->arrays.op, call->init);
    custom_value through;
    if (reduces)
        through = reduce(pass, call->context, init, memory);
    else if (pass->plan.threads == 1)
        through = scan_alone(pass, init, memory);
    else
        through = scan_in_parallel(pass, call->context, init);
    if (reduces)
        parscan_custom_store_at(&pass->arrays, 0, through.bytes);
    if (call->carry != NULL)
        memcpy(call->carry, through.bytes, pass->arrays.op->size);
    return PARSCAN_OK;
}

parscan_status parscan_custom_single_pass_cpu(const parscan_scan_call *call)
{
    if (call->n < SEQUENTIAL_BELOW)
        return call->context->measures ? PARSCAN_OK : parscan_custom_sequential_cpu(call);
    const panel_shape shape = shape_for(call->custom->size, call->n);
    custom_pass pass = {
        .arrays = parscan_custom_arrays_of(call),
        .shape = shape,
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .start = parscan_custom_start(call),
        .plan = pass_plan_of(call, &shape),
    };
    const size_t panel = panel_elements(&shape);
    const size_t tile = pass.plan.tile_bytes / TILE_PART, one = panel * shape.size;
    pass.panels = tile > one ? tile / one : 1;
    pass.tile = pass.panels * panel;
    assert(pass.plan.threads == 1 || call->kind == PARSCAN_KIND_REDUCE ||
           sums_bytes(pass.panels) + parscan_custom_work_bytes(&shape, pass.panels + 1) <=
               pass.plan.work_bytes);
    return run_pass(&pass, call);
}
