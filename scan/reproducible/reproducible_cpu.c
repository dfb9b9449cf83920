/*
 * The reproducible scan of the CPU engine. It evaluates the tree of tree.h in one pass, with the
 * look-back of the single pass. Compiled once for each element type.
 *
 * Integer sums do not depend on the grouping, so integers use the single pass.
 */
#include "scan/call_element.h"
#include "scan/scan_element_cpu.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include "scan/block/block.h"
#include "scan/reproducible/row_kernels.h"
#include "scan/reproducible/tree.h"

/* A thread takes groups of tree tiles, as many as a power of two. The sum of a whole group is then
   one block of the tree's binary counter. The prefix of a group is a counter of such blocks. */
enum { GROUP_LEVELS = 40 };
typedef struct group_counter {
    T blocks[GROUP_LEVELS];
    size_t groups;
} group_counter;
#define SUMMARY T
#define PREFIX group_counter
#include "scan/cpu/isa.h"
#include "scan/cpu/look_back.h"
#include "scan/cpu/tile_kernels.h"

typedef struct tree_pass {
    OPERATOR op;
    const tile_kernels *kernels;
    const row_kernels *rows;
    VIEW in, out;
    size_t tiles; /* tree tiles */
    bool exclusive, reduce, stream, staged;
    bool sums;      /* of tiles are all that is wanted, and vectors make them */
    T init;         /* the identity if there is none */
    TILE_TREE tree; /* of the whole tiles before the pass; when it is over, of all whole tiles */
    TILE_TREE end;  /* of several threads, the one with the last group sets it */
    T rest; /* when the pass is over: the sum of a last tile that is not whole, or the identity */
    unsigned level; /* a group has 1 << level tree tiles */
    size_t skipped; /* tree tiles before the pass that belong to its first group */
    tile_plan plan;
    look_back look_back;
} tree_pass;

/* The buffers for one tree tile: its elements, its results and the sums of its rows. */
typedef struct tile_work {
    alignas(64) T elements[TREE_TILE];
    alignas(64) T results[TREE_TILE];
    alignas(64) T rows[ROW_WORK];
    const T *scanned; /* the scan of the sums of the rows, in `rows` */
} tile_work;

static size_t tile_elements(const tree_pass *pass, size_t tile)
{
    const size_t left = pass->in.n - tile * TREE_TILE;
    return left < TREE_TILE ? left : TREE_TILE;
}

static const void *tile_memory(const tree_pass *pass, size_t tile)
{
    return pass->staged || tile + 1 >= pass->tiles ? NULL
                                                   : (const T *)pass->in.data + tile * TREE_TILE;
}

/* Scans the rows of a tile. Returns the scan of the sums of its rows, of which only the last one is there if no more
   than sums are wanted. */
static const T *scan_rows(const tree_pass *pass, size_t tile, tile_work *work, const void *ahead)
{
    const T *in = work->elements;
    const size_t n = tile_elements(pass, tile);
    if (pass->staged)
        pass->kernels->gather(&pass->in, tile * TREE_TILE, n, work->elements);
    else
        in = (const T *)pass->in.data + tile * TREE_TILE;
    if (pass->sums) {
        work->rows[PADDED_INDEX((n - 1) / ROW)] = pass->rows->sum_tile(pass->op, in, n);
        return work->rows;
    }
    return pass->rows->scan_rows(pass->op, in, n, work->results, work->rows, ahead);
}

static T tile_sum(const tree_pass *pass, size_t tile, const T *rows)
{
    return rows[PADDED_INDEX((tile_elements(pass, tile) - 1) / ROW)];
}

/* Writes the results of a tile whose rows are scanned, and adds the tile to the tree if it is
   whole. Returns what the tree then lacks. */
static T finish_tile(const tree_pass *pass, TILE_TREE *tree, size_t tile, tile_work *work,
                     const T *rows)
{
    const size_t n = tile_elements(pass, tile);
    const T before = tile_tree_sum(pass->op, tree, pass->init, identity(pass->op));
    T rest = tile_sum(pass, tile, rows);
    if (n == TREE_TILE) {
        tile_tree_add(pass->op, tree, rest);
        rest = identity(pass->op);
    }
    if (pass->reduce)
        return rest;
    pass->rows->add_rows(pass->op, work->results, n, rows, before, pass->exclusive);
    pass->kernels->scatter(&pass->out, tile * TREE_TILE, n, work->results, pass->stream);
    return rest;
}

/* Never inlined: its buffers would be on the stack of the whole call. */
static __attribute__((noinline)) void take_tiles_alone(tree_pass *pass)
{
    tile_work work;
    for (size_t tile = 0; tile < pass->tiles; tile++)
        pass->rest = finish_tile(pass, &pass->tree, tile, &work,
                                 scan_rows(pass, tile, &work, tile_memory(pass, tile + 1)));
    if (pass->stream)
        pass->kernels->fence();
}

/* ---- several threads ---- */

static group_counter add_group(const void *state, const group_counter *before, const T *sum)
{
    const tree_pass *const pass = state;
    group_counter counter = *before;
    T block = *sum;
    unsigned level = 0;
    for (; counter.groups >> level & 1; level++)
        block = combine(pass->op, counter.blocks[level], block);
    counter.blocks[level] = block;
    counter.groups++;
    return counter;
}

/* The whole groups before the pass. */
static group_counter groups_before(const tree_pass *pass)
{
    group_counter counter = {.groups = pass->tree.tiles >> pass->level};
    for (unsigned k = 0; k < GROUP_LEVELS && counter.groups >> k != 0; k++)
        counter.blocks[k] = pass->tree.blocks[k + pass->level];
    return counter;
}

/* The tree of a group's tiles, where there are none yet but those that came before the pass. */
static TILE_TREE tree_in_group(const tree_pass *pass, size_t group)
{
    TILE_TREE tree = {.tiles = group == 0 ? pass->skipped : 0};
    for (unsigned k = 0; k < pass->level && tree.tiles >> k != 0; k++)
        tree.blocks[k] = pass->tree.blocks[k];
    return tree;
}

/* The tree of all tiles before those that a group has in the pass. */
static TILE_TREE tree_before(const tree_pass *pass, const group_counter *before, size_t group)
{
    TILE_TREE tree = tree_in_group(pass, group);
    tree.tiles += before->groups << pass->level;
    for (unsigned k = 0; k < GROUP_LEVELS && before->groups >> k != 0; k++)
        tree.blocks[k + pass->level] = before->blocks[k];
    return tree;
}

/* The sum of a group from a tree of its tiles. Nobody needs that of the last group, if it is not
   whole. */
static T group_sum(const tree_pass *pass, const TILE_TREE *tree)
{
    return tree->tiles == (size_t)1 << pass->level ? tree->blocks[pass->level] : identity(pass->op);
}

static size_t group_begin(const tree_pass *pass, size_t group)
{
    return group == 0 ? 0 : (group << pass->level) - pass->skipped;
}

static size_t group_end(const tree_pass *pass, size_t group)
{
    const size_t end = group_begin(pass, group + 1);
    return end < pass->tiles ? end : pass->tiles;
}

static T sum_group(const void *state, void *memory, size_t group)
{
    const tree_pass *const pass = state;
    tile_work *const work = memory;
    TILE_TREE tree = tree_in_group(pass, group);
    for (size_t tile = group_begin(pass, group); tile < group_end(pass, group); tile++)
        tile_tree_add(pass->op, &tree, tile_sum(pass, tile, scan_rows(pass, tile, work, NULL)));
    return group_sum(pass, &tree);
}

static const tile_functions group_sums = {.add = add_group, .summarise = sum_group};

/* The work of one thread. */
static void take_groups(void *state, size_t part)
{
    tree_pass *const pass = state;
    look_back *const l = &pass->look_back;
    tile_work *const works = (tile_work *)(pass->plan.work + part * pass->plan.work_bytes);
    tile_work *const second = works + ((size_t)1 << pass->level);
    size_t group = look_back_claim(l);
    while (group < l->tiles) {
        const size_t next = look_back_early(l);
        const size_t begin = group_begin(pass, group), end = group_end(pass, group);
        TILE_TREE tree = tree_in_group(pass, group);
        for (size_t tile = begin; tile < end; tile++) {
            tile_work *const work = &works[tile - begin];
            const size_t ahead = group_begin(pass, next) + (tile - begin);
            work->scanned = scan_rows(pass, tile, work, tile_memory(pass, ahead));
            tile_tree_add(pass->op, &tree, tile_sum(pass, tile, work->scanned));
        }
        const T sum = group_sum(pass, &tree);
        look_back_publish(l, group, &sum);
        const group_counter before = look_back_prefix(l, group, &group_sums, pass, second);
        const group_counter through = add_group(pass, &before, &sum);
        look_back_pass(l, group, &through);
        tree = tree_before(pass, &before, group);
        T rest = identity(pass->op);
        for (size_t tile = begin; tile < end; tile++)
            rest =
                finish_tile(pass, &tree, tile, &works[tile - begin], works[tile - begin].scanned);
        if (group + 1 == l->tiles) {
            pass->end = tree;
            pass->rest = rest;
        }
        group = look_back_next(l, next);
    }
    if (pass->stream)
        pass->kernels->fence();
}

static void take_groups_in_parallel(tree_pass *pass, parscan_context *context)
{
    while (sizeof(tile_work) << (pass->level + 1) <= pass->plan.tile_bytes)
        pass->level++;
    const size_t group = (size_t)1 << pass->level;
    pass->skipped = pass->tree.tiles % group;
    const size_t groups = (pass->skipped + pass->tiles + group - 1) / group;
    look_back_begin(&pass->look_back, &pass->plan, groups, group * TREE_TILE * sizeof(T),
                    groups_before(pass), pass->in.data == pass->out.data);
    parscan_team_run(context, pass->plan.threads, take_groups, pass);
    pass->tree = pass->end;
}

/* A group is smaller than a tile of other passes, since its results and the scans of its rows share
   the caches with it: at least a fifth, and at least a tree tile. The first group may have fewer
   tiles in the pass than the others, and so may the last. */
static tile_plan tree_plan_of(const tree_pass *pass, parscan_context *context)
{
    const tile_demand demand = {
        .bytes = pass->in.n * sizeof(T),
        .slot_bytes = 5 * sizeof(tile_slot),
        .work_eighths = 8,
        .work_bytes = 2 * sizeof(tile_work),
    };
    return parscan_plan_tiles(context, &demand);
}

/* ---- chunks of an array ---- */

_Static_assert(sizeof(T) <= TREE_FLOAT_BYTES, "a parscan_tree_carry has room for elements");
_Static_assert(TREE_MOST_ELEMENTS <= (uint64_t)TREE_TILE << GROUP_LEVELS, "groups can be counted");

static VIEW view_behind(const VIEW *view, size_t n)
{
    VIEW behind = *view;
    behind.n -= n;
    if (!view->reverse && view->data != NULL)
        behind.data = (char *)view->data + n * parscan_type_size(view->type);
    return behind;
}

static void read_tree(tree_pass *pass, const parscan_tree_carry *carry)
{
    pass->tree.tiles = (size_t)carry->tiles;
    memcpy(pass->tree.blocks, carry->blocks, sizeof pass->tree.blocks);
}

static void write_tree(const tree_pass *pass, parscan_tree_carry *carry)
{
    carry->tiles = pass->tree.tiles;
    for (unsigned k = 0; k < 64; k++)
        if (pass->tree.tiles >> k & 1)
            memcpy(carry->blocks + k * sizeof(T), &pass->tree.blocks[k], sizeof(T));
}

/* Goes on with the tile that the chunks before have begun: evaluates it from its first element, and
   writes the results of this chunk's. Never inlined: as take_tiles_alone(). */
static __attribute__((noinline)) void continue_tile(tree_pass *pass, parscan_tree_carry *carry)
{
    tile_work work;
    const size_t had = (size_t)carry->pending, room = TREE_TILE - had;
    const size_t n = pass->in.n < room ? pass->in.n : room;
    pass->kernels->gather(&pass->in, 0, n, (T *)(void *)carry->elements + had);
    const VIEW tile = {carry->elements, PARSCAN_ELEMENT_TYPE, had + n, false};
    tree_pass whole = *pass;
    whole.in = tile;
    whole.reduce = true;
    whole.staged = false;
    const T *const rows = scan_rows(&whole, 0, &work, NULL);
    const T before = tile_tree_sum(pass->op, &pass->tree, pass->init, identity(pass->op));
    pass->rest = finish_tile(&whole, &pass->tree, 0, &work, rows);
    carry->pending = (had + n) % TREE_TILE;
    if (!pass->reduce) {
        pass->rows->add_rows(pass->op, work.results, had + n, rows, before, pass->exclusive);
        pass->kernels->scatter(&pass->out, 0, n, work.results + had, false);
        pass->out = view_behind(&pass->out, n);
    }
    pass->in = view_behind(&pass->in, n);
}

/* Keeps the elements of a last tile that is not whole, before they may be overwritten. */
static void keep_rest(const tree_pass *pass, parscan_tree_carry *carry)
{
    const size_t n = pass->in.n % TREE_TILE;
    pass->kernels->gather(&pass->in, pass->in.n - n, n, (T *)(void *)carry->elements);
    carry->pending = n;
}

static void run_pass(tree_pass *pass, const parscan_scan_call *call)
{
    pass->tiles = pass->in.n / TREE_TILE + (pass->in.n % TREE_TILE != 0);
    const size_t out_size = parscan_type_size(pass->out.type);
    pass->stream =
        pass->in.n >= STREAM_FROM_BYTES / out_size && (uintptr_t)pass->out.data % out_size == 0;
    pass->plan = tree_plan_of(pass, call->context);
    if (pass->plan.threads == 1)
        take_tiles_alone(pass);
    else
        take_groups_in_parallel(pass, call->context);
}

parscan_status NAMED(parscan_reproducible_cpu)(const parscan_scan_call *call)
{
    T init;
    const T *const start = init_of(call, &init);
    parscan_tree_carry *const carry = call->tree;
    tree_pass pass = {
        .op = call->op,
        .kernels = NAMED(parscan_tile_kernels)(call->context->isa),
        .rows =
            PARSCAN_BY_ISA(call->context->isa, &NAMED(parscan_row_kernels_portable),
                           &NAMED(parscan_row_kernels_avx2), &NAMED(parscan_row_kernels_avx512)),
        .in = input_of(call),
        .out = output_of(call),
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .reduce = call->kind == PARSCAN_KIND_REDUCE,
        .sums = call->kind == PARSCAN_KIND_REDUCE && parscan_op_rounds(call->op),
        .init = start != NULL ? *start : identity(call->op),
        .rest = identity(call->op),
    };
    if (call->context->measures) {
        tree_plan_of(&pass, call->context);
        return PARSCAN_OK;
    }
    const VIEW out = pass.out;
    const bool begins = carry == NULL || (carry->tiles == 0 && carry->pending == 0);
    /* The exact bits of the first result: combining a NaN with the identity would quiet it. */
    const T none = start_value(call->op, start);
    first_element first = {{0}};
    if (!pass.reduce && call->n > 0)
        first = first_of(&pass.in, &pass.out, pass.exclusive, none);
    pass.staged = pass.in.reverse || pass.in.type != PARSCAN_ELEMENT_TYPE;
    if (carry != NULL) {
        read_tree(&pass, carry);
        if (carry->pending > 0)
            continue_tile(&pass, carry);
        if (pass.in.n > 0)
            keep_rest(&pass, carry);
    }
    if (pass.in.n > 0)
        run_pass(&pass, call);
    if (carry != NULL)
        write_tree(&pass, carry);
    if (pass.reduce)
        store_result(call, call->n == 0 && begins
                               ? none
                               : tile_tree_sum(pass.op, &pass.tree, pass.init, pass.rest));
    else if (begins && (pass.exclusive || start == NULL))
        store_first(&out, &first);
    return PARSCAN_OK;
}

#else

parscan_status NAMED(parscan_reproducible_cpu)(const parscan_scan_call *call)
{
    return NAMED(parscan_single_pass_cpu)(call);
}

#endif
