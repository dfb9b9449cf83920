/*
 * The segmented scan in one pass over memory, after scan/single_pass/single_pass_cpu.c: tiles that
 * fit the first-level cache, chained from core to core. Compiled once an element type (see
 * scan/cpu/element.h). The reduction by flags or keys is the same pass that writes less.
 *
 * What a tile hands on is the sum of the segment that is open at its end. So a core reduces only
 * what comes after the tile's last head before it passes the turn on: with short segments, next to
 * nothing. How many segments have begun goes along: it places the results of a reduction.
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
        offset; /* the number of the offset that the next tile must begin, in reverse end, with */
} segment_carry;
#define CHAIN_T segment_carry
#include "scan/cpu/chain.h"

#define TILE (TILE_BYTES / sizeof(T))
#define WORD 64u
#define LINE 64u

typedef struct segmented_job {
    OPERATOR op;
    const tile_kernels *plain;
    const segmented_kernels *kernels;
    parscan_read_heads *read_heads;
    const parscan_segments *segments;
    VIEW in, out;
    size_t n, tiles;
    size_t shift; /* tiles begin so many elements early, for streams to be aligned */
    const T *init;
    T start;
    bool exclusive, reduction, reverse, staged, stream, singly;
    size_t first_offset; /* what the first tile says of carry.offset */
    atomic_bool wrong;   /* offsets decrease */
    chain chain;
} segmented_job;

/* A core's tile. */
typedef struct tile_work {
    head_reader reader;
    size_t tile, begin, n;
    const T *in;
    uint64_t heads[TILE / WORD];
    alignas(64) T buffer[TILE];
} tile_work;

static size_t tile_begin(const segmented_job *job, size_t tile)
{
    const size_t begin = tile * TILE;
    return begin < job->shift ? 0 : begin - job->shift < job->n ? begin - job->shift : job->n;
}

/* Where the input of a whole tile lies, for the kernels to prefetch; else NULL. */
static const void *tile_memory(const segmented_job *job, size_t tile)
{
    const size_t begin = tile_begin(job, tile), end = begin + TILE;
    if (end > job->n || job->in.type != job->out.type)
        return NULL;
    return (const T *)job->in.data + (job->in.reverse ? job->n - end : begin);
}

/* The same of its flags or keys. */
static const void *segments_memory(const segmented_job *job, size_t tile, size_t bytes)
{
    const size_t begin = tile_begin(job, tile), end = begin + TILE;
    if (end > job->n || job->segments->kind == PARSCAN_SEGMENTS_OFFSETS)
        return NULL;
    return (const char *)job->segments->data + (job->reverse ? job->n - end : begin) * bytes;
}

/* Reads a tile's heads and, where the kernels cannot have them in place, its elements. */
static void open_tile(const segmented_job *job, tile_work *work, size_t tile)
{
    work->tile = tile;
    work->begin = tile_begin(job, tile);
    work->n = tile_begin(job, tile + 1) - work->begin;
    job->read_heads(&work->reader, work->begin, work->n, work->heads);
    work->in = (const T *)job->in.data + work->begin;
    if (job->staged) {
        job->plain->gather(&job->in, work->begin, work->n, work->buffer);
        work->in = work->buffer;
    }
}

/* The place of the last head, n if there is none. */
static size_t last_head(const tile_work *work)
{
    for (size_t w = (work->n + WORD - 1) / WORD; w-- > 0;)
        if (work->heads[w] != 0)
            return w * WORD + WORD - 1 - (size_t)__builtin_clzll(work->heads[w]);
    return work->n;
}

/* The sum of what the tile leaves open, and whether that began in it. */
static T sum_open(const segmented_job *job, const tile_work *work, const void *next, bool *begun)
{
    const size_t last = last_head(work);
    *begun = last < work->n;
    const size_t from = *begun ? last : 0;
    const void *const ahead = next != NULL ? (const T *)next + from : NULL;
    const T sum = job->plain->reduce(job->op, work->in + from, work->n - from, ahead);
    return *begun && job->init != NULL ? combine(job->op, *job->init, sum) : sum;
}

/* Counts a tile's segments; sees that its offsets go on where those of the tile before ended. */
static void advance(segmented_job *job, const tile_work *work, segment_carry *carry)
{
    carry->segments += work->reader.heads;
    if (job->segments->kind != PARSCAN_SEGMENTS_OFFSETS)
        return;
    const head_reader *const reader = &work->reader;
    const size_t from = job->reverse ? reader->last : reader->first;
    if (work->tile == 0)
        job->first_offset = from;
    else if (from != carry->offset)
        atomic_store_explicit(&job->wrong, true, memory_order_relaxed);
    carry->offset = job->reverse ? reader->first : reader->last;
}

/* next: the tile that this core takes next, to be prefetched. */
static T run_tile(const segmented_job *job, tile_work *work, segment_carry before, size_t next)
{
    const size_t bytes =
        job->segments->kind == PARSCAN_SEGMENTS_KEYS ? parscan_type_size(job->segments->type) : 1;
    segmented_tile tile = {
        .plain = job->plain,
        .heads = work->heads,
        .in = work->in,
        .n = work->n,
        .before = before.sum,
        .init = job->init,
        .start = job->start,
        .exclusive = job->exclusive,
        .first = work->tile == 0,
        .singly = job->singly,
        .stream = job->stream && (work->tile > 0 || job->shift == 0),
        .next = tile_memory(job, next),
        .next_segments = segments_memory(job, next, bytes),
        .segment_bytes = bytes,
    };
    if (job->reduction) {
        tile.out = (T *)job->out.data + before.segments - (tile.first ? 0 : 1);
        return job->kernels->reduce(job->op, &tile);
    }
    if (!job->out.reverse) {
        tile.out = (T *)job->out.data + work->begin;
        return job->kernels->scan(job->op, &tile);
    }
    tile.out = work->buffer;
    tile.stream = false;
    const T through = job->kernels->scan(job->op, &tile);
    job->plain->scatter(&job->out, work->begin, work->n, work->buffer, job->stream);
    return through;
}

static void close_tiles(segmented_job *job, const tile_work *work)
{
    if (work->reader.wrong)
        atomic_store_explicit(&job->wrong, true, memory_order_relaxed);
    if (job->stream)
        job->plain->fence();
}

static void begin_tiles(const segmented_job *job, tile_work *work)
{
    work->reader = (head_reader){.segments = job->segments, .n = job->n, .reverse = job->reverse};
}

/* One core's share. */
static void run_tiles(segmented_job *job)
{
    tile_work work;
    chain *const c = &job->chain;
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    begin_tiles(job, &work);
    while (tile < job->tiles) {
        const void *const ahead = tile_memory(job, next);
        bool begun;
        open_tile(job, &work, tile);
        const T sum = sum_open(job, &work, ahead, &begun);
        chain_wait(c, tile);
        const segment_carry before = c->before;
        c->before.sum = begun ? sum : combine(job->op, before.sum, sum);
        advance(job, &work, &c->before);
        const size_t claimed = chain_claim(c, team);
        chain_pass(c, tile);
        run_tile(job, &work, before, next);
        tile = next;
        next = claimed;
    }
    close_tiles(job, &work);
}

/* The same on one core, which learns the open sum from the scan itself. */
static void run_tiles_alone(segmented_job *job)
{
    tile_work work;
    segment_carry *const carry = &job->chain.before;
    begin_tiles(job, &work);
    for (size_t tile = 0; tile < job->tiles; tile++) {
        open_tile(job, &work, tile);
        const segment_carry before = *carry;
        advance(job, &work, carry);
        carry->sum = run_tile(job, &work, before, job->tiles);
    }
    close_tiles(job, &work);
}

/* The offsets that no tile has read are those of empty segments at either end. */
static parscan_status check_offsets(const segmented_job *job, const segmented_call *call)
{
    const parscan_segments *const segments = job->segments;
    if (segments->kind != PARSCAN_SEGMENTS_OFFSETS || segments->data == NULL)
        return PARSCAN_OK;
    const size_t from = job->first_offset, to = job->chain.before.offset;
    const size_t low = job->reverse ? to : from, high = job->reverse ? from : to;
    bool wrong = atomic_load_explicit(&job->wrong, memory_order_relaxed);
    for (size_t k = 0; k < low; k++)
        wrong |= parscan_segment_offset(segments, k) != 0;
    for (size_t k = high; k <= segments->count; k++)
        wrong |= parscan_segment_offset(segments, k) != job->n;
    return wrong ? parscan_fail_offsets(call->scan.context, segments) : PARSCAN_OK;
}

/* From the sums of the segments that have elements, in the order of combination, to one a segment.
   */
static void place_reversed(const segmented_job *job, size_t sums)
{
    T *const out = job->out.data;
    for (size_t low = 0, high = sums; low + 1 < high; low++) {
        T a, b;
        high--;
        memcpy(&a, out + low, sizeof a);
        memcpy(&b, out + high, sizeof b);
        memcpy(out + low, &b, sizeof b);
        memcpy(out + high, &a, sizeof a);
    }
    if (job->segments->kind != PARSCAN_SEGMENTS_OFFSETS)
        return;
    for (size_t s = job->segments->count; s-- > 0;) {
        const bool empty = parscan_segment_offset(job->segments, s) ==
                           parscan_segment_offset(job->segments, s + 1);
        memmove(out + s, empty ? &job->start : out + --sums, sizeof *out);
    }
}

static void finish_reduction(const segmented_job *job, const segmented_call *call)
{
    const segment_carry all = job->chain.before;
    if (all.segments > 0)
        memcpy((T *)job->out.data + all.segments - 1, &all.sum, sizeof all.sum);
    if (job->reverse)
        place_reversed(job, all.segments);
    if (call->count != NULL)
        *call->count =
            job->segments->kind == PARSCAN_SEGMENTS_OFFSETS ? job->segments->count : all.segments;
}

parscan_status NAMED(parscan_segmented_tiles_cpu)(const segmented_call *call)
{
    const parscan_scan_call *const scan = &call->scan;
    T init;
    const T *const given = init_of(scan, &init);
    const VIEW in = input_of(scan), out = output_of(scan);
    const size_t bytes = scan->n * sizeof(T);
    segmented_job job = {
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
    job.stream =
        !job.reduction && bytes >= STREAM_FROM_BYTES && (uintptr_t)out.data % sizeof(T) == 0;
    job.shift = job.stream && !out.reverse ? (uintptr_t)out.data % LINE / sizeof(T) : 0;
    job.tiles = (job.n + job.shift + TILE - 1) / TILE;
    chain_begin(&job.chain, (segment_carry){.sum = identity(scan->op)});
    const unsigned threads = bytes >= THREADS_FROM_BYTES && !job.singly ? scan->threads : 1;
    if (threads == 1) {
        run_tiles_alone(&job);
    } else {
#pragma omp parallel num_threads(threads)
        run_tiles(&job);
    }
    const parscan_status status = check_offsets(&job, call);
    if (status == PARSCAN_OK && job.reduction)
        finish_reduction(&job, call);
    return status;
}
