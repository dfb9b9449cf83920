/*
 * The segmented scan in one pass over memory, like scan/single_pass/single_pass_cpu.c: a tile fits a
 * core's caches, and a look-back tells what comes before it. Compiled once for each element type
 * (scan/cpu/element.h). The reduction by flags or keys is the same pass with less output.
 *
 * The look-back carries the sum of the segment that is open at a tile's end. So a thread reduces
 * only what comes after the tile's last head, which is very little with short segments. The number
 * of segments started so far is carried as well: it places the results of a reduction.
 *
 * Elements that are not of type T, or in reverse, are gathered to a buffer first. Results that are not,
 * floats of 16 bits, are written to that buffer, and rounded once when they are scattered from it.
 *
 * Source: G. Blelloch, Prefix sums and their applications, 1990: the operator on pairs of a value
 * and a head flag; Merrill & Garland 2016, in spirit.
 */
#include <stdalign.h>

#include "apps/segmented/segment_tile.h"

#define LINE 64u

/* While heads are read, and while a tile is computed from a buffer, elements are not read from memory unless the
   next tile is prefetched: one thread does so from this many bytes of input on. Within the caches the computation
   from a buffer takes longest. */
#define PREFETCH_FROM_BYTES (4u << 20)
#define STAGED_PREFETCH_FROM_BYTES (8u << 20)

/* How many sums a reduction has room for. */
static size_t room_of(const segmented_call *call)
{
    if (parscan_by_offsets(call->segments))
        return parscan_segment_count(call->segments, call->scan.n);
    return call->capacity > 0 && call->capacity < call->scan.n ? call->capacity : call->scan.n;
}

/* The length of a tile up to the last head whose sum has room; all of it, where nobody changes offsets
   meanwhile and there is no capacity. A head writes the sum of the segment before it. */
static size_t length_with_room(const segmented_pass *pass, const tile_work *work, size_t segments)
{
    if (segments + work->reader.heads <= pass->room)
        return work->n;
    size_t heads = pass->room >= segments ? pass->room - segments + 1 : 0, w = 0;
    for (size_t had; heads > (had = (size_t)__builtin_popcountll(work->heads[w])); w++)
        heads -= had;
    uint64_t bits = work->heads[w];
    for (; heads > 1; heads--)
        bits &= bits - 1;
    return heads == 0 ? 0 : w * WORD + (size_t)__builtin_ctzll(bits) + 1;
}

/* The sums of a tile that starts after `segments` heads. */
static T reduce_tile(const segmented_pass *pass, const tile_work *work, segmented_tile *tile,
                     size_t segments)
{
    const size_t begin = segments - (tile->first ? 0 : 1);
    if (pass->out.type == PARSCAN_ELEMENT_TYPE) {
        tile->out = (T *)pass->out.data + begin;
        return pass->kernels->reduce(pass->op, tile);
    }
    tile->out = work->buffer;
    const T open = pass->kernels->reduce(pass->op, tile);
    const size_t sums = work->reader.heads - (tile->first && (work->heads[0] & 1) != 0);
    const size_t room = pass->room - begin;
    pass->plain->scatter(&pass->sums, begin, sums < room ? sums : room, work->buffer, false);
    return open;
}

/* Scans or reduces a tile. next: the tile that this thread takes next; it is prefetched. */
static T run_tile(const segmented_pass *pass, tile_work *work, segment_carry before, size_t next)
{
    const size_t bytes =
        pass->segments->kind == PARSCAN_SEGMENTS_KEYS ? parscan_type_size(pass->segments->type) : 1;
    segmented_tile tile = {
        .plain = pass->plain,
        .heads = work->heads,
        .in = work->in,
        .n = work->n,
        .before = before.sum,
        .init = pass->init,
        .start = pass->start,
        .exclusive = pass->exclusive,
        .first = work->tile == 0 && !(pass->reduction && pass->continues),
        .singly = pass->singly,
        .stream = pass->stream && (work->tile > 0 || pass->shift == 0),
        .next = tile_memory(pass, next),
        .next_segments = segments_memory(pass, next, bytes),
        .segment_bytes = bytes,
    };
    if (pass->reduction) {
        parscan_write_run_keys(&pass->keys, work->heads, work->begin, work->n, before.segments);
        tile.n = length_with_room(pass, work, before.segments);
        if (tile.n < work->n)
            tile.next = tile.next_segments = NULL;
        return tile.n > 0 ? reduce_tile(pass, work, &tile, before.segments) : tile.before;
    }
    if (!pass->out.reverse && pass->out.type == PARSCAN_ELEMENT_TYPE) {
        tile.out = (T *)pass->out.data + work->begin;
        return pass->kernels->scan(pass->op, &tile);
    }
    tile.out = work->buffer;
    tile.stream = false;
    const T through = pass->kernels->scan(pass->op, &tile);
    pass->plain->scatter(&pass->out, work->begin, work->n, work->buffer, pass->stream);
    return through;
}

static void close_tiles(segmented_pass *pass, const tile_work *work)
{
    if (work->reader.wrong)
        atomic_store_explicit(&pass->wrong, true, memory_order_relaxed);
    if (pass->stream)
        pass->plain->fence();
}

static tile_work begin_tiles(const segmented_pass *pass, uint64_t *heads, T *buffer)
{
    return (tile_work){
        .reader = {.segments = pass->segments,
                   .n = pass->n,
                   .reverse = pass->reverse,
                   .continues = pass->continues},
        .heads = heads,
        .buffer = buffer,
    };
}

/* Pair 0 or 1 of the buffers of a thread. */
static tile_work work_of(const segmented_pass *pass, size_t part, size_t pair)
{
    char *const mine =
        pass->plan.work + part * pass->plan.work_bytes + pair * pass->plan.work_bytes / 2;
    return begin_tiles(pass, (uint64_t *)mine, (T *)(mine + pass->plan.tile_bytes / 8));
}

static segment_summary summarise_tile(const void *pass, void *work, size_t tile)
{
    open_tile(pass, work, tile);
    return summary_of(pass, work, NULL);
}

static const tile_functions open_segments = {.add = add_tile, .summarise = summarise_tile};

static void note_first_offset(segmented_pass *pass, size_t tile, const segment_summary *summary)
{
    if (tile == 0)
        atomic_store_explicit(&pass->first_offset, summary->from, memory_order_relaxed);
}

/* The work of one thread. */
static void run_tiles(void *state, size_t part)
{
    segmented_pass *const pass = state;
    look_back *const l = &pass->look_back;
    tile_work work = work_of(pass, part, 0), second = work_of(pass, part, 1);
    size_t tile = look_back_claim(l);
    while (tile < l->tiles) {
        const size_t next = look_back_early(l);
        open_tile(pass, &work, tile);
        const segment_summary summary = summary_of(pass, &work, tile_memory(pass, next));
        note_first_offset(pass, tile, &summary);
        look_back_publish(l, tile, &summary);
        const segment_carry before = look_back_prefix(l, tile, &open_segments, pass, &second);
        const segment_carry through = add_tile(pass, &before, &summary);
        look_back_pass(l, tile, &through);
        run_tile(pass, &work, before, next);
        tile = look_back_next(l, next);
    }
    close_tiles(pass, &work);
}

/* The tile of one thread alone. Its buffers are on the stack of the caller, which may have 64 KiB;
   the kernels of bytes may need 25 KiB of it. */
#define ALONE_BYTES (sizeof(T) == 1 ? TILE_BYTES / 2 : TILE_BYTES)

/* The same on one thread, which gets the open sum from the scan itself. */
static segment_carry run_tiles_alone(segmented_pass *pass, segment_carry carry)
{
    alignas(64) T buffer[ALONE_BYTES / sizeof(T)];
    uint64_t heads[ALONE_BYTES / sizeof(T) / WORD];
    tile_work work = begin_tiles(pass, heads, buffer);
    for (size_t tile = 0; tile < pass->tiles; tile++) {
        open_tile(pass, &work, tile);
        segment_summary summary = heads_of(pass, &work);
        summary.begun = true;
        note_first_offset(pass, tile, &summary);
        summary.sum = run_tile(pass, &work, carry, pass->prefetches ? tile + 1 : pass->tiles);
        carry = add_tile(pass, &carry, &summary);
    }
    close_tiles(pass, &work);
    return carry;
}

static segment_carry run_in_parallel(segmented_pass *pass, parscan_context *context,
                                     segment_carry carry)
{
    look_back_begin(&pass->look_back, &pass->plan, pass->tiles, pass->plan.tile_bytes, carry,
                    pass->in.data == pass->out.data);
    parscan_team_run(context, pass->plan.threads, run_tiles, pass);
    return look_back_end(&pass->look_back);
}

/* Each thread has two pairs of heads, a bit an element, and a buffer. */
static tile_plan segmented_plan_of(const segmented_call *call, bool buffers)
{
    const parscan_scan_call *const scan = &call->scan;
    const bool singly = scan->shape.algorithm == PARSCAN_SEQUENTIAL;
    const tile_demand demand = {
        .bytes = singly ? 0 : scan->n * sizeof(T),
        .slot_bytes = sizeof(tile_slot),
        .work_eighths = 2 * (buffers ? 1 + 8 : 1),
    };
    return parscan_plan_tiles(scan->context, &demand);
}

/* Checks that the offsets that no tile has read belong to empty segments at either end. */
static parscan_status check_offsets(const segmented_pass *pass, const segmented_call *call,
                                    const segment_carry *end)
{
    const parscan_segments *const segments = pass->segments;
    if (segments->kind != PARSCAN_SEGMENTS_OFFSETS || segments->data == NULL)
        return PARSCAN_OK;
    const size_t from = atomic_load_explicit(&pass->first_offset, memory_order_relaxed);
    const size_t to = end->offset == NO_OFFSET ? 0 : end->offset;
    const size_t low = pass->reverse ? to : from, high = pass->reverse ? from : to;
    bool wrong = end->segments > segments->count || end->wrong ||
                 atomic_load_explicit(&pass->wrong, memory_order_relaxed);
    for (size_t k = 0; k < low; k++)
        wrong |= parscan_segment_offset(segments, k) != 0;
    for (size_t k = high; k <= segments->count; k++)
        wrong |= parscan_segment_offset(segments, k) != pass->n;
    return wrong ? parscan_fail_offsets(call->scan.context, segments) : PARSCAN_OK;
}

/* Moves the sums of the segments that have elements, which are in the order of combination, to
   their places among all segments. */
static void place_reversed(const segmented_pass *pass, size_t sums)
{
    const size_t size = parscan_type_size(pass->sums.type);
    char *const out = pass->sums.data;
    parscan_reverse_elements(out, size, sums < pass->room ? sums : pass->room);
    if (pass->segments->kind != PARSCAN_SEGMENTS_OFFSETS)
        return;
    for (size_t s = pass->segments->count; s-- > 0;) {
        const bool empty = parscan_segment_offset(pass->segments, s) ==
                           parscan_segment_offset(pass->segments, s + 1);
        if (empty || sums == 0)
            store(&pass->sums, s, pass->start);
        else
            memmove(out + s * size, out + --sums * size, size);
    }
}

static void finish_reduction(const segmented_pass *pass, const segmented_call *call,
                             const segment_carry *end)
{
    const segment_carry all = *end;
    if (all.segments > 0 && all.segments <= pass->room)
        store(&pass->sums, all.segments - 1, all.sum);
    parscan_end_run_keys(&pass->keys, all.segments);
    if (pass->reverse)
        place_reversed(pass, all.segments);
    if (call->count != NULL)
        *call->count =
            pass->segments->kind == PARSCAN_SEGMENTS_OFFSETS ? pass->segments->count : all.segments;
}

parscan_status NAMED(parscan_segmented_tiles_cpu)(const segmented_call *call)
{
    const parscan_scan_call *const scan = &call->scan;
    T init;
    const T *const given = init_of(scan, &init);
    const VIEW in = input_of(scan), out = output_of(scan);
    const size_t size = parscan_type_size(out.type), bytes = scan->n * size;
    const bool staged = in.reverse || in.type != PARSCAN_ELEMENT_TYPE;
    const bool direct = !out.reverse && out.type == PARSCAN_ELEMENT_TYPE;
    tile_plan plan = segmented_plan_of(call, staged);
    if (scan->context->measures) {
        if (call->count != NULL)
            *call->count = parscan_by_offsets(call->segments)
                               ? parscan_segment_count(call->segments, scan->n)
                               : scan->n;
        return PARSCAN_OK;
    }
    if (plan.threads == 1)
        plan.tile_bytes = ALONE_BYTES;
    segmented_pass pass = {
        .op = scan->op,
        .plain = NAMED(parscan_tile_kernels)(scan->context->isa),
        .kernels = NAMED(parscan_segmented_kernels)(scan->context->isa),
        .read_heads = parscan_heads_of(scan->context->isa),
        .segments = call->segments,
        .in = in,
        .out = out,
        .sums = {out.data, out.type, scan->n, false},
        .keys = run_keys_of(call, room_of(call)),
        .room = room_of(call),
        .n = scan->n,
        .init = given,
        .start = start_value(scan->op, given),
        .continues = call->open != NULL,
        .exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE,
        .reduction = scan->kind == PARSCAN_KIND_REDUCE,
        .reverse = scan->reverse,
        .staged = staged,
        .prefetches = scan->n * parscan_type_size(in.type) >=
                      (staged ? STAGED_PREFETCH_FROM_BYTES : PREFETCH_FROM_BYTES),
        .singly = scan->shape.algorithm == PARSCAN_SEQUENTIAL,
        .tile = plan.tile_bytes / sizeof(T),
        .plan = plan,
    };
    pass.stream = !pass.reduction && bytes >= STREAM_FROM_BYTES && (uintptr_t)out.data % size == 0;
    pass.shift = pass.stream && direct ? (uintptr_t)out.data % LINE / sizeof(T) : 0;
    pass.tiles = (pass.n + pass.shift + pass.tile - 1) / pass.tile;
    segment_carry first = {.sum = identity(scan->op), .offset = NO_OFFSET};
    if (call->open != NULL) {
        first.segments = pass.reduction;
        memcpy(&first.sum, call->open, sizeof first.sum);
    }
    const segment_carry end = plan.threads == 1 ? run_tiles_alone(&pass, first)
                                                : run_in_parallel(&pass, scan->context, first);
    const parscan_status status = check_offsets(&pass, call, &end);
    if (status == PARSCAN_OK && pass.reduction)
        finish_reduction(&pass, call, &end);
    store_carry(scan, end.sum);
    return status;
}
