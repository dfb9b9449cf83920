/*
 * Reproducible scans and reductions with an operator of the caller's: the tree of
 * scan/reproducible/tree.h, whose tiles are panels here and whose rows are their columns.
 *
 * One thread goes tile after tile. Several reduce all tiles first, in any order; then one combines the
 * sums as the tree says, and all scan the tiles with what comes before them.
 */
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/custom/custom_arrays.h"
#include "scan/custom/custom_cpu.h"

typedef custom_value T;
typedef const parscan_operator *OPERATOR;

static inline T combine(OPERATOR op, T earlier, T later)
{
    return custom_add(op, &earlier, &later);
}

#include "scan/reproducible/tree.h"

typedef struct custom_tree {
    custom_arrays arrays;
    panel_shape shape;
    size_t tiles;
    bool exclusive, reduce;
    custom_value init, start;
    unsigned threads;
    char *works; /* of each thread, work_bytes */
    size_t work_bytes;
    /* Of several threads: the sum of each tile, then what comes before it. Only that of the first tile
       may not be there. */
    char *sums;
} custom_tree;

static const custom_value nothing = {.present = false};

static size_t tile_length(const custom_tree *pass, size_t tile)
{
    const size_t left = pass->arrays.n - tile * TREE_TILE;
    return left < TREE_TILE ? left : TREE_TILE;
}

static custom_value open_tile(const custom_tree *pass, size_t tile, custom_work *work)
{
    const size_t n = tile_length(pass, tile);
    if (tile + 1 < pass->tiles)
        parscan_custom_fetch(&pass->arrays, (tile + 1) * TREE_TILE, tile_length(pass, tile + 1),
                             2 * ROW, work);
    parscan_custom_load_panel(&pass->arrays, &pass->shape, tile * TREE_TILE, n, work->panels, work);
    return parscan_panel_tree_reduce(pass->arrays.op, &pass->shape, work->panels, n, &work->panel);
}

static void finish_tile(const custom_tree *pass, size_t tile, const custom_value *before,
                        custom_work *work)
{
    const size_t n = tile_length(pass, tile);
    if (pass->exclusive && !before->present)
        memcpy(work->panels, pass->start.bytes, pass->shape.size);
    parscan_panel_tree_scan(pass->arrays.op, &pass->shape, work->panels, n, before, pass->exclusive,
                            &work->panel);
    parscan_custom_store_panel(&pass->arrays, &pass->shape, work->panels + pass->shape.stride,
                               tile * TREE_TILE, n, work);
}

/* Adds a tile to the tree if it is whole. Returns what the tree then lacks. */
static custom_value add_tile(const custom_tree *pass, TILE_TREE *tree, size_t tile,
                             custom_value sum)
{
    if (tile_length(pass, tile) < TREE_TILE)
        return sum;
    tile_tree_add(pass->arrays.op, tree, sum);
    return nothing;
}

static custom_value take_tiles_alone(const custom_tree *pass, TILE_TREE *tree)
{
    custom_work work = parscan_custom_work_at(&pass->shape, 1, pass->works);
    custom_value rest = nothing;
    for (size_t tile = 0; tile < pass->tiles; tile++) {
        const custom_value sum = open_tile(pass, tile, &work);
        if (!pass->reduce) {
            const custom_value before = tile_tree_sum(pass->arrays.op, tree, pass->init, nothing);
            finish_tile(pass, tile, &before, &work);
        }
        rest = add_tile(pass, tree, tile, sum);
    }
    parscan_custom_end(&pass->arrays, &work);
    return rest;
}

static void sum_tile(void *state, size_t tile, unsigned worker)
{
    const custom_tree *const pass = state;
    custom_work work =
        parscan_custom_work_at(&pass->shape, 1, pass->works + worker * pass->work_bytes);
    const custom_value sum = open_tile(pass, tile, &work);
    memcpy(pass->sums + tile * pass->shape.size, sum.bytes, pass->shape.size);
}

static void scan_tile(void *state, size_t tile, unsigned worker)
{
    const custom_tree *const pass = state;
    custom_work work =
        parscan_custom_work_at(&pass->shape, 1, pass->works + worker * pass->work_bytes);
    custom_value before = custom_value_of(pass->arrays.op, pass->sums + tile * pass->shape.size);
    before.present = tile > 0 || pass->init.present;
    open_tile(pass, tile, &work);
    finish_tile(pass, tile, &before, &work);
    parscan_custom_end(&pass->arrays, &work);
}

/* Replaces the sum of each tile by what comes before it. */
static custom_value add_sums(const custom_tree *pass, TILE_TREE *tree)
{
    const size_t size = pass->shape.size;
    custom_value rest = nothing;
    for (size_t tile = 0; tile < pass->tiles; tile++) {
        char *const at = pass->sums + tile * size;
        const custom_value sum = custom_value_of(pass->arrays.op, at);
        if (!pass->reduce) {
            const custom_value before = tile_tree_sum(pass->arrays.op, tree, pass->init, nothing);
            memcpy(at, before.bytes, size);
        }
        rest = add_tile(pass, tree, tile, sum);
    }
    return rest;
}

static custom_value take_tiles_together(custom_tree *pass, parscan_context *context,
                                        TILE_TREE *tree)
{
    const size_t grain = TILE_BYTES / (TREE_TILE * pass->shape.size) + 1;
    parscan_team_for(context, pass->threads, pass->tiles, grain, sum_tile, pass);
    const custom_value rest = add_sums(pass, tree);
    if (!pass->reduce)
        parscan_team_for(context, pass->threads, pass->tiles, grain, scan_tile, pass);
    return rest;
}

static size_t tree_scratch_need(const void *state, unsigned threads)
{
    const custom_tree *const pass = state;
    const size_t sums = threads > 1 ? (pass->tiles * pass->shape.size + 63) / 64 * 64 : 0;
    return sums + threads * pass->work_bytes;
}

parscan_status parscan_custom_tree_cpu(const parscan_scan_call *call)
{
    const panel_shape shape = panel_of(call->custom->size, ROW, TILE_ROWS);
    custom_tree pass = {
        .arrays = parscan_custom_arrays_of(call),
        .shape = shape,
        .tiles = call->n / TREE_TILE + (call->n % TREE_TILE != 0),
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .reduce = call->kind == PARSCAN_KIND_REDUCE,
        .init = custom_value_of(call->custom, call->init),
        .start = parscan_custom_start(call),
        .threads = parscan_threads_for(call->context, call->n * shape.size),
        .work_bytes = parscan_custom_work_bytes(&shape, 1),
    };
    void *scratch;
    const parscan_status status = parscan_scratch_of_threads(call->context, &pass.threads,
                                                             tree_scratch_need, &pass, &scratch);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    pass.works = scratch;
    pass.sums = pass.works + pass.threads * pass.work_bytes;
    TILE_TREE tree = {.tiles = 0};
    const custom_value rest = pass.threads == 1 ? take_tiles_alone(&pass, &tree)
                                                : take_tiles_together(&pass, call->context, &tree);
    if (pass.reduce) {
        const custom_value all = tile_tree_sum(pass.arrays.op, &tree, pass.init, rest);
        parscan_custom_store_at(&pass.arrays, 0, all.bytes);
    }
    return PARSCAN_OK;
}
