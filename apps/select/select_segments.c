#include "apps/select/select_segments.h"

#include "apps/segments/heads.h"
#include "scan/cpu/team.h"

#define WORD 64u

enum {
    CHUNK = 16384,       /* elements, a multiple of WORD */
    MOST_CHUNKS = 65536, /* more elements in a chunk then */
    GROUPS_A_THREAD = 64,
    LONG = 1 << 20 /* from here on all threads together are quicker than one */
};

/* The state of one walk over all segments. */
typedef struct segment_walk {
    const segment_division *division;
    take_segment *take;
    void *state;
    parscan_read_heads *read_heads;
    size_t *heads,
        *first; /* of each chunk: the segments that start in it, or before; the first of these */
    one_segment *longs;
    atomic_size_t long_count;
    atomic_bool wrong; /* offsets decrease */
} segment_walk;

size_t parscan_most_segments(const parscan_segments *segments, size_t n)
{
    return parscan_by_offsets(segments) ? parscan_segment_count(segments, n) : n;
}

segment_division parscan_divide_segments(parscan_context *context, const parscan_segments *segments,
                                         size_t n, unsigned threads)
{
    segment_division d = {.context = context, .segments = segments, .n = n};
    size_t items;
    if (parscan_by_offsets(segments)) {
        items = parscan_segment_count(segments, n);
        d.length = items / (threads * GROUPS_A_THREAD) + 1;
    } else {
        items = n;
        d.length = CHUNK;
        while (n / d.length >= MOST_CHUNKS)
            d.length *= 2;
    }
    d.parts = items / d.length + (items % d.length != 0);
    d.long_from = LONG;
    d.most_long = n / d.long_from;
    d.bytes = d.most_long * sizeof(one_segment);
    if (!parscan_by_offsets(segments))
        d.bytes += 2 * (d.parts + 1) * sizeof(size_t);
    return d;
}

/* Offsets may change during the call, so the number of long segments is bounded here. */
static void take(segment_walk *walk, one_segment s, unsigned worker)
{
    if (s.end - s.begin <= walk->division->long_from) {
        walk->take(walk->state, s, worker);
        return;
    }
    const size_t k = atomic_fetch_add(&walk->long_count, 1);
    if (k < walk->division->most_long)
        walk->longs[k] = s;
}

/* ---- by offsets and rows ---- */

static void take_group(void *state, size_t group, unsigned worker)
{
    segment_walk *const walk = state;
    const segment_division *const d = walk->division;
    const size_t count = parscan_segment_count(d->segments, d->n), first = group * d->length;
    const size_t last = count - first < d->length ? count : first + d->length;
    uint64_t begin = parscan_segment_offset(d->segments, first);
    for (size_t s = first; s < last; s++) {
        const uint64_t end = parscan_segment_offset(d->segments, s + 1);
        if (end < begin || end > d->n) {
            atomic_store_explicit(&walk->wrong, true, memory_order_relaxed);
            return;
        }
        take(walk, (one_segment){s, (size_t)begin, (size_t)end}, worker);
        begin = end;
    }
}

/* ---- by flags and keys ---- */

static size_t chunk_end(const segment_division *d, size_t chunk)
{
    return d->n - chunk * d->length < d->length ? d->n : (chunk + 1) * d->length;
}

/* The heads of the CHUNK elements from `begin` on, or up to `end`. */
static size_t read_piece(const segment_walk *walk, size_t begin, size_t end, uint64_t *words)
{
    head_reader reader = {.segments = walk->division->segments, .n = walk->division->n};
    walk->read_heads(&reader, begin, end - begin < CHUNK ? end - begin : CHUNK, words);
    return reader.heads;
}

static size_t lowest_head(const uint64_t *words, size_t begin)
{
    size_t w = 0;
    while (words[w] == 0)
        w++;
    return begin + w * WORD + (size_t)__builtin_ctzll(words[w]);
}

static void count_chunk(void *state, size_t chunk, unsigned worker)
{
    segment_walk *const walk = state;
    uint64_t words[CHUNK / WORD];
    const size_t end = chunk_end(walk->division, chunk);
    size_t heads = 0, first = walk->division->n;
    (void)worker;
    for (size_t begin = chunk * walk->division->length; begin < end; begin += CHUNK) {
        const size_t found = read_piece(walk, begin, end, words);
        if (found > 0 && heads == 0)
            first = lowest_head(words, begin);
        heads += found;
    }
    walk->heads[chunk + 1] = heads;
    walk->first[chunk] = first;
}

/* The sums of heads, and for each chunk the first head that is in it or behind it. */
static void link_chunks(segment_walk *walk)
{
    const size_t chunks = walk->division->parts, n = walk->division->n;
    walk->heads[0] = 0;
    for (size_t c = 0; c < chunks; c++)
        walk->heads[c + 1] += walk->heads[c];
    walk->first[chunks] = n;
    for (size_t c = chunks; c-- > 0;)
        if (walk->first[c] == n)
            walk->first[c] = walk->first[c + 1];
}

/* Flags may have changed since they were counted: no more segments are taken than were counted. */
static void take_chunk(void *state, size_t chunk, unsigned worker)
{
    segment_walk *const walk = state;
    uint64_t words[CHUNK / WORD];
    const size_t end = chunk_end(walk->division, chunk), last = walk->heads[chunk + 1];
    one_segment s = {.segment = walk->heads[chunk], .begin = walk->division->n};
    bool open = false;
    for (size_t begin = chunk * walk->division->length; begin < end; begin += CHUNK) {
        read_piece(walk, begin, end, words);
        const size_t count = end - begin < CHUNK ? end - begin : CHUNK;
        for (size_t w = 0; w * WORD < count; w++)
            for (uint64_t bits = words[w]; bits != 0 && s.segment < last; bits &= bits - 1) {
                s.end = begin + w * WORD + (size_t)__builtin_ctzll(bits);
                if (open) {
                    take(walk, s, worker);
                    s.segment++;
                }
                open = true;
                s.begin = s.end;
            }
    }
    s.end = walk->first[chunk + 1];
    if (open && s.segment < last)
        take(walk, s, worker);
}

parscan_status parscan_each_segment(const segment_division *division, void *scratch,
                                    unsigned threads, take_segment *take_short,
                                    take_segment *take_long, void *state, uint64_t *count)
{
    parscan_context *const context = division->context;
    const bool counted = !parscan_by_offsets(division->segments);
    segment_walk walk = {
        .division = division,
        .take = take_short,
        .state = state,
        .read_heads = parscan_heads_of(context->isa),
        .longs = scratch,
        .heads = (size_t *)((one_segment *)scratch + division->most_long),
    };
    walk.first = walk.heads + division->parts + 1;
    atomic_init(&walk.long_count, 0);
    atomic_init(&walk.wrong, false);
    if (counted) {
        parscan_team_for(context, threads, division->parts, 1, count_chunk, &walk);
        link_chunks(&walk);
    }
    parscan_team_for(context, threads, division->parts, 1, counted ? take_chunk : take_group,
                     &walk);
    if (atomic_load_explicit(&walk.wrong, memory_order_relaxed))
        return parscan_fail_offsets(context, division->segments);
    const size_t found = atomic_load(&walk.long_count);
    for (size_t k = 0; k < found && k < division->most_long; k++)
        take_long(state, walk.longs[k], 0);
    if (count != NULL)
        *count = counted ? walk.heads[division->parts]
                         : parscan_segment_count(division->segments, division->n);
    return PARSCAN_OK;
}
