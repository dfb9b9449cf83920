/*
 * Sorts each segment of an array on the CPU. The array is cut into chunks, and each core takes the
 * next chunk when it is free. It sorts the segments that start and end in the chunk. At most one
 * segment a chunk continues beyond it; it is left for later, since its end is known only when the
 * first segment head of every following chunk is. These segments are then sorted like the buckets
 * of a sort: the large ones by all cores.
 */
#include <stdatomic.h>

#include "apps/segments/heads.h"
#include "apps/segments/segment_heads.h"
#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"

enum { SMALLEST_CHUNK = 4096, LARGEST_CHUNK = 65536, MAX_CHUNKS = 32768, OFFSET_BLOCK = 65536 };

typedef struct segment_sort {
    const sort_call *call;
    const parscan_segments *segments;
    size_t chunk, chunks;
    size_t *first; /* for each chunk: its first segment head, or the chunk's end */
    size_t *begin; /* the segment that continues beyond the chunk: its start, */
    size_t *end;   /* and its end; begin = end if there is none */
} segment_sort;

typedef struct offsets_check {
    const parscan_segments *segments;
    atomic_bool decrease;
} offsets_check;

static void check_offset_block(void *state, size_t block, unsigned worker)
{
    offsets_check *const check = state;
    const parscan_segments *const s = check->segments;
    const size_t begin = block * OFFSET_BLOCK;
    const size_t end = s->count - begin < OFFSET_BLOCK ? s->count : begin + OFFSET_BLOCK;
    bool decrease = false;
    (void)worker;
    for (size_t k = begin; k < end; k++)
        decrease |= parscan_segment_offset(s, k) > parscan_segment_offset(s, k + 1);
    if (decrease)
        atomic_store(&check->decrease, true);
}

/* parscan_check_segments() has checked that offsets start with 0 and end with n. */
static parscan_status check_offsets(const sort_call *call, const parscan_segments *s)
{
    offsets_check check = {.segments = s};
    atomic_init(&check.decrease, false);
    parscan_team_for(call->context, call->threads,
                     s->count / OFFSET_BLOCK + (s->count % OFFSET_BLOCK != 0), 1,
                     check_offset_block, &check);
    return atomic_load(&check.decrease) ? parscan_fail_offsets(call->context, s) : PARSCAN_OK;
}

/* A segment of a chunk. Small ones need no look at the worker's memory each. */
static void sort_segment(const sort_call *call, bucket_sort *bucket, size_t begin, size_t n,
                         unsigned worker)
{
    if (n > call->bucket_limit) {
        parscan_sort_range(call, (sort_range){.from = call->in, .begin = begin, .n = n}, 1, worker);
        return;
    }
    bucket->begin = begin;
    bucket->n = n;
    call->kernels->sort(bucket);
}

static void sort_chunk(void *state, size_t chunk, unsigned worker)
{
    const segment_sort *const s = state;
    const sort_call *const call = s->call;
    const size_t begin = chunk * s->chunk;
    const size_t end = call->n - begin < s->chunk ? call->n : begin + s->chunk;
    const size_t row = s->segments->kind == PARSCAN_SEGMENTS_ROWS ? s->segments->count : 0;
    size_t next = s->segments->kind == PARSCAN_SEGMENTS_OFFSETS
                      ? parscan_find_offset(s->segments, begin, 0)
                      : 0;
    size_t head = segment_head(s->segments, begin, end, &next);
    bucket_sort bucket = parscan_sort_bucket_of(call, call->in, worker);
    s->first[chunk] = head;
    s->begin[chunk] = s->end[chunk] = end;
    while (head < end) {
        const size_t after = row == 0 ? segment_head(s->segments, head + 1, end, &next)
                                      : size_min(row, end - head) + head;
        if (after == end && end < call->n) {
            s->begin[chunk] = head;
            return;
        }
        sort_segment(call, &bucket, head, after - head, worker);
        head = after;
    }
}

/* A segment ends where the next one starts. */
static void find_ends(const segment_sort *s)
{
    size_t end = s->call->n;
    for (size_t chunk = s->chunks; chunk-- > 0;) {
        const size_t chunk_end = chunk + 1 == s->chunks ? s->call->n : (chunk + 1) * s->chunk;
        if (s->begin[chunk] < chunk_end)
            s->end[chunk] = end;
        if (s->first[chunk] < chunk_end)
            end = s->first[chunk];
    }
}

static size_t chunk_size(size_t n, unsigned threads)
{
    size_t chunk = SMALLEST_CHUNK;
    while (chunk < LARGEST_CHUNK && n / chunk > 16 * (size_t)threads)
        chunk *= 2;
    while (n / chunk >= MAX_CHUNKS)
        chunk *= 2;
    return chunk;
}

static size_t chunk_count(size_t n, size_t chunk)
{
    return n / chunk + (n % chunk != 0);
}

/* The bytes of `first`, `begin` and `end` of all chunks. */
static size_t chunk_lists_need(const void *state, unsigned threads)
{
    const sort_call *const call = state;
    return 3 * chunk_count(call->n, chunk_size(call->n, threads)) * sizeof(size_t);
}

parscan_status parscan_sort_segments_cpu(sort_call *call, const parscan_segments *segments)
{
    if (call->n == 0 && call->context->measures)
        return PARSCAN_OK;
    if (call->n == 0) {
        call->threads = 1;
        return segments->kind == PARSCAN_SEGMENTS_OFFSETS ? check_offsets(call, segments)
                                                          : PARSCAN_OK;
    }
    char *memory;
    parscan_status status = parscan_sort_prepare(call, chunk_lists_need, &memory);
    if (call->context->measures)
        return status;
    if (status == PARSCAN_OK && segments->kind == PARSCAN_SEGMENTS_OFFSETS)
        status = check_offsets(call, segments);
    if (status != PARSCAN_OK)
        return status;
    if (segments->kind == PARSCAN_SEGMENTS_ROWS && segments->count == 1) {
        parscan_sort_move(call, (sort_range){.from = call->in, .n = call->n}, call->threads);
        return PARSCAN_OK;
    }
    segment_sort s = {.call = call, .segments = segments};
    s.chunk = chunk_size(call->n, call->threads);
    s.chunks = chunk_count(call->n, s.chunk);
    s.first = (size_t *)memory;
    s.begin = s.first + s.chunks;
    s.end = s.begin + s.chunks;
    parscan_team_for(call->context, call->threads, s.chunks, 1, sort_chunk, &s);
    find_ends(&s);
    parscan_sort_ranges(call, (sort_range){.from = call->in}, s.begin, s.end, s.chunks,
                        call->threads, 0);
    return PARSCAN_OK;
}
