/*
 * The segmented scan in one pass over memory, like scan/single_pass/single_pass_cpu.c: the tiles
 * fit the first-level cache and are chained from core to core. Compiled once for each element type
 * (scan/cpu/element.h). The reduction by flags or keys is the same pass with less output.
 *
 * A tile passes on the sum of the segment that is open at its end. So before a core passes the turn
 * on, it reduces only what comes after the tile's last head, which is very little with short
 * segments. The number of segments begun so far is passed on as well: it places the results of a
 * reduction.
 *
 * Source: G. Blelloch, Prefix sums and their applications, 1990: the operator on pairs of a value
 * and a head flag; Merrill & Garland 2016, in spirit.
 */
#include <omp.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "apps/segmented/segmented_element_cpu.h"
#include "apps/segmented/segmented_kernels.h"
#include "apps/segments/check_segments.h"
#include "apps/segments/heads.h"
#include "scan/call_element.h"
#include "scan/cpu/tuning.h"

typedef struct segment_carry {
    T sum;           /* of the open segment */
    size_t segments; /* begun so far */
    size_t
        offset; /* the index of the offset with which the next tile must begin; in reverse, end */
} segment_carry;
#define CHAIN_T segment_carry
#include "scan/cpu/chain.h"

#define TILE (TILE_BYTES / sizeof(T))
#define WORD 64u
#define LINE 64u

typedef struct segmented_pass {
    OPERATOR op;
    const tile_kernels *plain;
    const segmented_kernels *kernels;
    parscan_read_heads *read_heads;
    const parscan_segments *segments;
    VIEW in, out;
    size_t n, tiles;
    size_t shift; /* tiles begin so many elements early, so that streaming stores are aligned */
    const T *init;
    T start;
    bool exclusive, reduction, reverse, staged, stream, singly;
    size_t first_offset; /* carry.offset before the first tile */
    atomic_bool wrong;   /* offsets decrease */
    chain chain;
} segmented_pass;

/* The buffers of one core, for one tile. */
typedef struct tile_work {
    head_reader reader;
    size_t tile, begin, n;
    const T *in;
    uint64_t heads[TILE / WORD];
    alignas(64) T buffer[TILE];
} tile_work;

static size_t tile_begin(const segmented_pass *pass, size_t tile)
{
    const size_t begin = tile * TILE;
    return begin < pass->shift ? 0 : begin - pass->shift < pass->n ? begin - pass->shift : pass->n;
}

/* Returns the input of a whole tile, for the kernels to prefetch, or NULL. */
static const void *tile_memory(const segmented_pass *pass, size_t tile)
{
    const size_t begin = tile_begin(pass, tile), end = begin + TILE;
    if (end > pass->n || pass->in.type != pass->out.type)
        return NULL;
    return (const T *)pass->in.data + (pass->in.reverse ? pass->n - end : begin);
}

/* The same for its flags or keys. */
static const void *segments_memory(const segmented_pass *pass, size_t tile, size_t bytes)
{
    const size_t begin = tile_begin(pass, tile), end = begin + TILE;
    if (end > pass->n || pass->segments->kind == PARSCAN_SEGMENTS_OFFSETS)
        return NULL;
    return (const char *)pass->segments->data + (pass->reverse ? pass->n - end : begin) * bytes;
}

/* Reads a tile's heads. Also gathers its elements, if the kernels cannot read them in place. */
static void open_tile(const segmented_pass *pass, tile_work *work, size_t tile)
{
    work->tile = tile;
    work->begin = tile_begin(pass, tile);
    work->n = tile_begin(pass, tile + 1) - work->begin;
    pass->read_heads(&work->reader, work->begin, work->n, work->heads);
    work->in = (const T *)pass->in.data + work->begin;
    if (pass->staged) {
        pass->plain->gather(&pass->in, work->begin, work->n, work->buffer);
        work->in = work->buffer;
    }
}

/* Returns the index of the last head, or n if there is none. */
static size_t last_head(const tile_work *work)
{
    for (size_t w = (work->n + WORD - 1) / WORD; w-- > 0;)
        if (work->heads[w] != 0)
            return w * WORD + WORD - 1 - (size_t)__builtin_clzll(work->heads[w]);
    return work->n;
}

/* Returns the sum of the segment that is open at the tile's end, and sets *begun if it began in
   the tile. */
static T sum_open(const segmented_pass *pass, const tile_work *work, const void *next, bool *begun)
{
    const size_t last = last_head(work);
    *begun = last < work->n;
    const size_t from = *begun ? last : 0;
    const void *const ahead = next != NULL ? (const T *)next + from : NULL;
    const T sum = pass->plain->reduce(pass->op, work->in + from, work->n - from, ahead);
    return *begun && pass->init != NULL ? combine(pass->op, *pass->init, sum) : sum;
}

/* Counts a tile's segments. Checks that its offsets continue where those of the tile before
   ended. */
static void advance(segmented_pass *pass, const tile_work *work, segment_carry *carry)
{
    carry->segments += work->reader.heads;
    if (pass->segments->kind != PARSCAN_SEGMENTS_OFFSETS)
        return;
    const head_reader *const reader = &work->reader;
    const size_t from = pass->reverse ? reader->last : reader->first;
    if (work->tile == 0)
        pass->first_offset = from;
    else if (from != carry->offset)
        atomic_store_explicit(&pass->wrong, true, memory_order_relaxed);
    carry->offset = pass->reverse ? reader->first : reader->last;
}

/* next: the tile that this core takes next; it is prefetched. */
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
        .first = work->tile == 0,
        .singly = pass->singly,
        .stream = pass->stream && (work->tile > 0 || pass->shift == 0),
        .next = tile_memory(pass, next),
        .next_segments = segments_memory(pass, next, bytes),
        .segment_bytes = bytes,
    };
    if (pass->reduction) {
        tile.out = (T *)pass->out.data + before.segments - (tile.first ? 0 : 1);
        return pass->kernels->reduce(pass->op, &tile);
    }
    if (!pass->out.reverse) {
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

static void begin_tiles(const segmented_pass *pass, tile_work *work)
{
    work->reader =
        (head_reader){.segments = pass->segments, .n = pass->n, .reverse = pass->reverse};
}

/* The work of one core. */
static void run_tiles(segmented_pass *pass)
{
    tile_work work;
    chain *const c = &pass->chain;
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    begin_tiles(pass, &work);
    while (tile < pass->tiles) {
        const void *const ahead = tile_memory(pass, next);
        bool begun;
        open_tile(pass, &work, tile);
        const T sum = sum_open(pass, &work, ahead, &begun);
        chain_wait(c, tile);
        const segment_carry before = c->before;
        c->before.sum = begun ? sum : combine(pass->op, before.sum, sum);
        advance(pass, &work, &c->before);
        const size_t claimed = chain_claim(c, team);
        chain_pass(c, tile);
        run_tile(pass, &work, before, next);
        tile = next;
        next = claimed;
    }
    close_tiles(pass, &work);
}

/* The same on one core, which gets the open sum from the scan itself. */
static void run_tiles_alone(segmented_pass *pass)
{
    tile_work work;
    segment_carry *const carry = &pass->chain.before;
    begin_tiles(pass, &work);
    for (size_t tile = 0; tile < pass->tiles; tile++) {
        open_tile(pass, &work, tile);
        const segment_carry before = *carry;
        advance(pass, &work, carry);
        carry->sum = run_tile(pass, &work, before, pass->tiles);
    }
    close_tiles(pass, &work);
}

/* Checks that the offsets that no tile has read belong to empty segments at either end. */
static parscan_status check_offsets(const segmented_pass *pass, const segmented_call *call)
{
    const parscan_segments *const segments = pass->segments;
    if (segments->kind != PARSCAN_SEGMENTS_OFFSETS || segments->data == NULL)
        return PARSCAN_OK;
    const size_t from = pass->first_offset, to = pass->chain.before.offset;
    const size_t low = pass->reverse ? to : from, high = pass->reverse ? from : to;
    bool wrong = atomic_load_explicit(&pass->wrong, memory_order_relaxed);
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
    T *const out = pass->out.data;
    for (size_t low = 0, high = sums; low + 1 < high; low++) {
        T a, b;
        high--;
        memcpy(&a, out + low, sizeof a);
        memcpy(&b, out + high, sizeof b);
        memcpy(out + low, &b, sizeof b);
        memcpy(out + high, &a, sizeof a);
    }
    if (pass->segments->kind != PARSCAN_SEGMENTS_OFFSETS)
        return;
    for (size_t s = pass->segments->count; s-- > 0;) {
        const bool empty = parscan_segment_offset(pass->segments, s) ==
                           parscan_segment_offset(pass->segments, s + 1);
        memmove(out + s, empty ? &pass->start : out + --sums, sizeof *out);
    }
}

static void finish_reduction(const segmented_pass *pass, const segmented_call *call)
{
    const segment_carry all = pass->chain.before;
    if (all.segments > 0)
        memcpy((T *)pass->out.data + all.segments - 1, &all.sum, sizeof all.sum);
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
    const size_t bytes = scan->n * sizeof(T);
    segmented_pass pass = {
        .op = scan->op,
        .plain = NAMED(parscan_tile_kernels)(scan->context->isa),
        .kernels = NAMED(parscan_segmented_kernels)(scan->context->isa),
        .read_heads = parscan_heads_of(scan->context->isa),
        .segments = call->segments,
        .in = in,
        .out = out,
        .n = scan->n,
        .init = given,
        .start = start_value(scan->op, given),
        .exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE,
        .reduction = scan->kind == PARSCAN_KIND_REDUCE,
        .reverse = scan->reverse,
        .staged = in.reverse || in.type != out.type,
        .singly = scan->shape.algorithm == PARSCAN_SEQUENTIAL,
    };
    pass.stream =
        !pass.reduction && bytes >= STREAM_FROM_BYTES && (uintptr_t)out.data % sizeof(T) == 0;
    pass.shift = pass.stream && !out.reverse ? (uintptr_t)out.data % LINE / sizeof(T) : 0;
    pass.tiles = (pass.n + pass.shift + TILE - 1) / TILE;
    chain_begin(&pass.chain, (segment_carry){.sum = identity(scan->op)});
    const unsigned threads = bytes >= THREADS_FROM_BYTES && !pass.singly ? scan->threads : 1;
    if (threads == 1) {
        run_tiles_alone(&pass);
    } else {
#pragma omp parallel num_threads(threads)
        run_tiles(&pass);
    }
    const parscan_status status = check_offsets(&pass, call);
    if (status == PARSCAN_OK && pass.reduction)
        finish_reduction(&pass, call);
    return status;
}
