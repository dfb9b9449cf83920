/*
 * Segmented scans and reductions with an operator of the caller's, in one pass over memory, like
 * scan/custom/custom_pass_cpu.c: a tile is some panels (segment_panel.h). The look-back carries what is open at a
 * tile's end, and how many segments have started: that places the results of a reduction.
 *
 * A reduction scans its panels too (custom_results.h).
 */
#include "apps/segmented/custom_results.h"
#include "apps/segments/check_segments.h"
#include "apps/segments/heads.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

/* What a tile, or some panels of it, contribute: what is open at their end, whether a segment has started in them, and
   how many have. */
typedef struct segment_summary {
    custom_value open;
    bool begun;
    size_t heads;
} segment_summary;

#define SUMMARY segment_summary
#define PREFIX segment_carry
#include "scan/cpu/look_back.h"

/* The bytes of a row; the part of the plan's tile that a tile here is (scan/custom/custom_pass_cpu.c). */
enum { ROW_BYTES = 512, TILE_PART = 4 };

typedef struct custom_segmented {
    custom_results to; /* and what else there is to know of the segments */
    parscan_read_heads *read_heads;
    size_t panels; /* of a tile */
    bool exclusive, reduces, continues;
    custom_value init;
    tile_plan plan;
    look_back look_back;
} custom_segmented;

/* The memory of a thread. */
typedef struct segmented_work {
    custom_work base;
    head_reader reader;
    segment_heads heads;     /* of one panel */
    segment_panel_sum *sums; /* of each panel of a tile */
    uint64_t *bits;          /* the same: words of heads */
} segmented_work;

static size_t words_of(const custom_segmented *pass)
{
    return pass->to.panel / 64 + 1;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The bytes of a thread that holds so many panels, and one more for tiles of others. */
static size_t segmented_work_bytes(const custom_segmented *pass, size_t panels)
{
    return rounded(sizeof(segmented_work)) + rounded(pass->to.panel * sizeof(uint16_t)) +
           (panels + 1) * rounded(sizeof(segment_panel_sum)) +
           rounded((panels + 1) * words_of(pass) * sizeof(uint64_t)) +
           parscan_custom_work_bytes(&pass->to.shape, panels + 1);
}

static segmented_work *segmented_work_at(const custom_segmented *pass, size_t panels, char *memory)
{
    segmented_work *const work = (segmented_work *)(void *)memory;
    char *at = memory + rounded(sizeof *work);
    work->heads.columns = (uint16_t *)(void *)at;
    at += rounded(pass->to.panel * sizeof(uint16_t));
    work->sums = (segment_panel_sum *)(void *)at;
    at += (panels + 1) * rounded(sizeof(segment_panel_sum));
    work->bits = (uint64_t *)(void *)at;
    at += rounded((panels + 1) * words_of(pass) * sizeof(uint64_t));
    work->base = parscan_custom_work_at(&pass->to.shape, panels + 1, at);
    work->reader = (head_reader){.segments = pass->to.segments,
                                 .n = pass->to.arrays.n,
                                 .reverse = pass->to.arrays.reverse,
                                 .continues = pass->continues};
    return work;
}

static size_t length_at(size_t n, size_t begin, size_t most)
{
    return n - begin < most ? n - begin : most;
}

static char *panel_at(const custom_segmented *pass, const segmented_work *work, size_t k)
{
    return work->base.panels + k * panel_bytes(&pass->to.shape);
}

/* ---- panels ---- */

/* Reads panel k of this thread's memory, the elements from begin on, and reduces it. */
static const segment_panel_sum *open_panel(const custom_segmented *pass, segmented_work *work,
                                           size_t k, size_t begin, size_t n)
{
    const parscan_operator *const op = pass->to.arrays.op;
    uint64_t *const bits = work->bits + k * words_of(pass);
    char *const panel = panel_at(pass, work, k);
    pass->read_heads(&work->reader, begin, n, bits);
    parscan_list_heads(&work->heads, &pass->to.shape, bits, n);
    parscan_custom_load_panel(&pass->to.arrays, &pass->to.shape, begin, n, panel, &work->base);
    parscan_segment_init(op, &pass->to.shape, panel, &work->heads, &pass->init, &work->base.panel);
    work->sums[k] =
        parscan_segment_reduce(op, &pass->to.shape, panel, n, &work->heads, &work->base.panel);
    return &work->sums[k];
}

static segment_carry add_panel(const custom_segmented *pass, const segment_carry *before,
                               const custom_value *open, bool begun, size_t heads)
{
    segment_carry through = {.open = *open, .segments = before->segments + heads};
    if (!begun)
        through.open = custom_add(pass->to.arrays.op, &before->open, open);
    return through;
}

/* Scans panel k and stores what is asked for. */
static void finish_panel(custom_segmented *pass, segmented_work *work, size_t k, size_t begin,
                         size_t n, const segment_carry *before)
{
    char *const panel = panel_at(pass, work, k);
    parscan_list_heads(&work->heads, &pass->to.shape, work->bits + k * words_of(pass), n);
    parscan_segment_scan(pass->to.arrays.op, &pass->to.shape, panel, n, &work->heads,
                         work->sums[k].first, &before->open,
                         pass->exclusive ? &pass->to.start : NULL, &work->base.panel);
    if (!pass->reduces)
        parscan_custom_store_panel(&pass->to.arrays, &pass->to.shape,
                                   panel + (pass->exclusive ? 0 : pass->to.shape.stride), begin, n,
                                   &work->base);
    else
        parscan_store_ended(&pass->to, &work->base,
                            (scanned_panel){panel, begin, n, work->bits + k * words_of(pass)},
                            before);
}

/* ---- tiles ---- */

static segment_carry add_tile(const void *pass, const segment_carry *before,
                              const segment_summary *sum)
{
    return add_panel(pass, before, &sum->open, sum->begun, sum->heads);
}

/* Reads a tile to panels from `first` on, one after another, or all to that one. */
static segment_summary open_tile(const custom_segmented *pass, segmented_work *work, size_t tile,
                                 size_t first, bool to_one)
{
    const size_t n = pass->to.arrays.n, begin = tile * pass->panels * pass->to.panel;
    segment_carry carry = {.open = {.present = false}};
    bool begun = false;
    for (size_t k = 0, at = begin; k < pass->panels && at < n; k++, at += pass->to.panel) {
        const segment_panel_sum *const sum = open_panel(pass, work, to_one ? first : first + k, at,
                                                        length_at(n, at, pass->to.panel));
        carry = add_panel(pass, &carry, &sum->open, sum->begun, work->heads.all);
        begun |= sum->begun;
    }
    return (segment_summary){.open = carry.open, .begun = begun, .heads = carry.segments};
}

static segment_summary summarise_tile(const void *pass, void *work, size_t tile)
{
    return open_tile(pass, work, tile, ((const custom_segmented *)pass)->panels, true);
}

static const tile_functions tile_sums = {.add = add_tile, .summarise = summarise_tile};

static void finish_tile(custom_segmented *pass, segmented_work *work, size_t tile,
                        segment_carry before)
{
    const size_t n = pass->to.arrays.n, begin = tile * pass->panels * pass->to.panel;
    for (size_t k = 0, at = begin; k < pass->panels && at < n; k++, at += pass->to.panel) {
        finish_panel(pass, work, k, at, length_at(n, at, pass->to.panel), &before);
        before =
            add_panel(pass, &before, &work->sums[k].open, work->sums[k].begun, work->heads.all);
    }
}

static void run_tiles(void *state, size_t part)
{
    custom_segmented *const pass = state;
    look_back *const l = &pass->look_back;
    segmented_work *const work =
        segmented_work_at(pass, pass->panels, pass->plan.work + part * pass->plan.work_bytes);
    for (size_t tile; (tile = look_back_claim(l)) < l->tiles;) {
        const segment_summary sum = open_tile(pass, work, tile, 0, false);
        look_back_publish(l, tile, &sum);
        const segment_carry before = look_back_prefix(l, tile, &tile_sums, pass, work);
        const segment_carry through = add_tile(pass, &before, &sum);
        look_back_pass(l, tile, &through);
        finish_tile(pass, work, tile, before);
    }
    if (work->reader.wrong)
        atomic_store_explicit(&pass->to.wrong, true, memory_order_relaxed);
    parscan_custom_end(&pass->to.arrays, &work->base);
}

static segment_carry run_alone(custom_segmented *pass, segment_carry carry, char *memory)
{
    const size_t n = pass->to.arrays.n;
    segmented_work *const work = segmented_work_at(pass, 1, memory);
    for (size_t at = 0; at < n; at += pass->to.panel) {
        const size_t length = length_at(n, at, pass->to.panel);
        if (n - at > pass->to.panel)
            parscan_custom_fetch(&pass->to.arrays, at + pass->to.panel,
                                 length_at(n, at + pass->to.panel, pass->to.panel),
                                 2 * SEGMENT_ROWS, &work->base);
        open_panel(pass, work, 0, at, length);
        finish_panel(pass, work, 0, at, length, &carry);
        carry = add_panel(pass, &carry, &work->sums[0].open, work->sums[0].begun, work->heads.all);
    }
    if (work->reader.wrong)
        atomic_store_explicit(&pass->to.wrong, true, memory_order_relaxed);
    parscan_custom_end(&pass->to.arrays, &work->base);
    return carry;
}

/* ---- calls ---- */

/* Panels, with gaps between their rows, a bit an element and their sums, take less than 16 eighths of a tile. */
static void plan_tiles(custom_segmented *pass, const segmented_call *call)
{
    const bool singly = call->scan.shape.algorithm == PARSCAN_SEQUENTIAL;
    const size_t one = pass->to.panel * pass->to.shape.size;
    const tile_demand demand = {
        .bytes = singly ? 0 : call->scan.n * pass->to.shape.size,
        .slot_bytes = 2 * TILE_PART * sizeof(tile_slot),
        .work_eighths = 16 / TILE_PART,
        .work_bytes = segmented_work_bytes(pass, 1),
    };
    pass->plan = parscan_plan_tiles(call->scan.context, &demand);
    const size_t tile = pass->plan.tile_bytes / TILE_PART;
    pass->panels = tile > one ? tile / one : 1;
    assert(pass->plan.threads == 1 ||
           segmented_work_bytes(pass, pass->panels) <= pass->plan.work_bytes);
}

static parscan_status run_pass(custom_segmented *pass, const segmented_call *call)
{
    parscan_context *const context = call->scan.context;
    const size_t n = pass->to.arrays.n, tile = pass->panels * pass->to.panel;
    void *memory = NULL;
    const parscan_status status =
        pass->plan.threads == 1 ? parscan_scratch(context, segmented_work_bytes(pass, 1), &memory)
                                : PARSCAN_OK;
    if (status != PARSCAN_OK || context->measures)
        return status;
    segment_carry carry = {.open = custom_value_of(pass->to.arrays.op, call->open),
                           .segments = pass->continues && pass->reduces};
    if (pass->plan.threads == 1) {
        carry = run_alone(pass, carry, memory);
    } else {
        look_back_begin(&pass->look_back, &pass->plan, n / tile + (n % tile != 0),
                        tile * pass->to.shape.size, carry,
                        pass->to.arrays.in == pass->to.arrays.out);
        parscan_team_run(context, pass->plan.threads, run_tiles, pass);
        carry = look_back_end(&pass->look_back);
    }
    if (atomic_load_explicit(&pass->to.wrong, memory_order_relaxed))
        return parscan_fail_offsets(context, pass->to.segments);
    if (pass->reduces)
        parscan_end_results(&pass->to, &carry);
    if (call->count != NULL)
        *call->count = parscan_count_results(&pass->to, &carry);
    if (call->scan.carry != NULL)
        memcpy(call->scan.carry, carry.open.bytes, pass->to.arrays.op->size);
    return PARSCAN_OK;
}

parscan_status parscan_custom_segmented_cpu(const segmented_call *call)
{
    const parscan_scan_call *const scan = &call->scan;
    const size_t size = scan->custom->size;
    custom_segmented pass = {
        .to = {.arrays = parscan_custom_arrays_of(scan),
               .segments = call->segments,
               .shape = panel_of(size, SEGMENT_ROWS, ROW_BYTES / size),
               .room = call->capacity > 0 ? call->capacity : SIZE_MAX,
               .start = parscan_custom_start(scan)},
        .read_heads = parscan_heads_of(scan->context->isa),
        .exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE,
        .reduces = scan->kind == PARSCAN_KIND_REDUCE,
        .continues = call->open != NULL,
        .init = custom_value_of(scan->custom, scan->init),
    };
    pass.to.keys = run_keys_of(call, pass.to.room);
    pass.to.panel = panel_elements(&pass.to.shape);
    if (pass.reduces)
        pass.to.arrays.stream = false;
    if (call->segments->kind == PARSCAN_SEGMENTS_OFFSETS && !scan->context->measures) {
        const parscan_status status =
            parscan_check_all_offsets(scan->context, call->segments, scan->n);
        if (status != PARSCAN_OK)
            return status;
    }
    plan_tiles(&pass, call);
    if (scan->context->measures && call->count != NULL)
        *call->count = parscan_by_offsets(call->segments)
                           ? parscan_segment_count(call->segments, scan->n)
                           : scan->n;
    return run_pass(&pass, call);
}
