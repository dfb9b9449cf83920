/*
 * Stream compaction on the CPU: one pass over memory, tiles chained from core to core.
 *
 * Compaction is flags -> exclusive scan -> scatter. A core takes a tile, finds which elements are
 * kept (the flags, as bits) and packs them into a buffer. How many they are is what the tiles' scan
 * is over: the chain (scan/single_pass/chain.h) tells where the tile's elements go. The core adds
 * its own number, passes the turn on, and writes its buffer there in whole lines. So every element
 * is read once, and every one kept is written once.
 *
 * In place this is safe: a tile's elements go to where it or tiles before it lie, never behind its
 * own; a core passes its turn on only when it has read all of its tile; so in a tile's turn all
 * that its elements overwrite has been read. The element before a tile, which says whether a run
 * goes on in it, may be overwritten by then: the chain carries it.
 *
 * Source: M. Billeter, O. Olsson, U. Assarsson, Efficient Stream Compaction on Wide SIMD Many-core
 * Architectures, HPG 2009; D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled
 * Look-back, NVIDIA, 2016, for the single pass.
 */
#include "apps/compact/compact_cpu.h"

#include <omp.h>
#include <string.h>

#include "scan/tables.h"

#define CHAIN_T compact_before
#include "scan/single_pass/chain.h"

/* Bytes of input from which a second thread pays for being woken (bench/NOTES.md). */
#define THREADS_FROM_BYTES (256u << 10)

/* Bytes of input from which results go past the caches, which they would not find room in. */
#define STREAM_FROM_BYTES (4u << 20)

/* Bytes at once from which streaming them pays. */
#define STREAM_TILE_FROM_BYTES 256u

enum { LINE = 64, PIECE = 8 * LINE };

const compact_element *parscan_compact_element(parscan_type type)
{
    switch (type) {
#define X(ctx, NAME, number, name, ...)                              \
    case PARSCAN_##NAME: {                                           \
        extern const compact_element parscan_compact_element_##name; \
        return &parscan_compact_element_##name;                      \
    }
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

const place_kernels *parscan_place_kernels(parscan_isa isa)
{
    extern const place_kernels parscan_place_kernels_portable, parscan_place_kernels_avx2,
        parscan_place_kernels_avx512;
#define KERNELS(set) &parscan_place_kernels_##set
    return PARSCAN_OF_ISA(isa, KERNELS);
}

void parscan_compact_elements(compact_job *job, parscan_type type, const void *in)
{
    const compact_element *const element = parscan_compact_element(type);
    job->in = job->tested = in;
    job->size = job->tested_size = element->size;
    job->test = job->move = element->kernels[job->context->isa];
}

/* The elements of a tile: whole words of bits, as many as fit, and one word at least. */
static size_t tile_elements(const compact_job *job)
{
    const size_t widest = job->size > job->tested_size ? job->size : job->tested_size;
    const size_t words = COMPACT_TILE_BYTES / widest / KEEP_BITS;
    return words > 0 ? words * KEEP_BITS : KEEP_BITS;
}

static size_t tile_count(const compact_job *job)
{
    return job->n / job->tile + (job->n % job->tile != 0);
}

static compact_tile tile_at(const compact_job *job, size_t number, const uint64_t *keep)
{
    const size_t begin = number * job->tile, left = job->n - begin;
    return (compact_tile){.begin = begin, .n = left < job->tile ? left : job->tile, .keep = keep};
}

static unsigned team_size(const compact_job *job)
{
    if (job->n < THREADS_FROM_BYTES / job->size)
        return 1;
    const size_t tiles = tile_count(job);
    return tiles < job->context->threads ? (unsigned)tiles : job->context->threads;
}

void parscan_compact_write(const compact_job *job, char *to, const void *from, size_t size)
{
    if (job->stream && size >= STREAM_TILE_FROM_BYTES)
        job->kernels->stream(to, from, size);
    else
        memcpy(to, from, size);
}

/* What of the next tile is prefetched while this one is tested, packed and written: so a core
   has reads of main memory under way all the time, and never so many that its own wait for them. */
typedef struct read_ahead {
    compact_ahead test, pack, place;
    const char *write;
    size_t write_bytes;
} read_ahead;

static read_ahead ahead_of(const compact_job *job, size_t number)
{
    read_ahead ahead = {.write = NULL};
    const size_t tile = job->tile, begin = number * tile;
    if (number >= job->n / tile) /* what there is not, or not in full, is not prefetched */
        return ahead;
    const char *const next = job->in + begin * job->size;
    const size_t bytes = tile * job->size, word_bytes = KEEP_BITS * job->size;
    ahead.test =
        (compact_ahead){job->tested + begin * job->tested_size, KEEP_BITS * job->tested_size};
    if (job->values == NULL && job->placed != NULL) {
        ahead.test.bytes_a_word = word_bytes / 2;
        ahead.place = (compact_ahead){next + bytes / 2, word_bytes / 2};
    }
    if (job->values == NULL)
        return ahead;
    size_t tested = 0; /* eighths of what is moved */
    if (job->tested == job->in) {
        tested = 2;
        ahead.test.bytes_a_word = word_bytes / 8 * tested;
    }
    const size_t packed = (8 - tested) / 2, written = 8 - tested - packed;
    ahead.pack = (compact_ahead){next + bytes / 8 * tested, word_bytes / 8 * packed};
    ahead.write = next + bytes / 8 * (tested + packed);
    ahead.write_bytes = bytes / 8 * written;
    return ahead;
}

compact_ahead parscan_ahead_from(const compact_tile *tile, size_t word)
{
    compact_ahead ahead = tile->ahead;
    if (ahead.from != NULL)
        ahead.from += word * ahead.bytes_a_word;
    return ahead;
}

static size_t find(const compact_job *job, const compact_tile *tile, uint64_t *keep,
                   compact_ahead ahead)
{
    const char *const tested = job->tested + tile->begin * job->tested_size;
    return job->runs ? job->test->heads(tested, tile->n, keep, ahead)
                     : job->test->in_range(&job->range, tested, tile->n, keep, ahead);
}

/* Packs what is kept of a tile into a buffer, and behind it, for a partition, what is not. */
static void pack(const compact_job *job, const compact_tile *tile, uint64_t *keep, char *buffer,
                 compact_ahead ahead)
{
    const char *const in = job->in + tile->begin * job->size;
    if (job->move == NULL) {
        parscan_compact_records(in, job->size, tile->n, keep, buffer);
        return;
    }
    job->move->compress(in, tile->n, keep, buffer, ahead);
    if (job->rest == NULL)
        return;
    const size_t words = (tile->n + KEEP_BITS - 1) / KEEP_BITS;
    for (size_t w = 0; w < words; w++)
        keep[w] = ~keep[w];
    if (tile->n % KEEP_BITS != 0)
        keep[words - 1] &= UINT64_MAX >> (KEEP_BITS - tile->n % KEEP_BITS);
    ahead.from = NULL;
    job->move->compress(in, tile->n, keep, buffer + tile->kept * job->size, ahead);
}

/* What the chain carries of runs, as far as the tile knows before its turn. */
static compact_before runs_in_tile(const compact_job *job, const compact_tile *tile)
{
    compact_before through = {0};
    size_t word = (tile->n - 1) / KEEP_BITS;
    while (tile->keep[word] == 0)
        word--;
    through.head =
        tile->begin + word * KEEP_BITS + KEEP_BITS - 1 - (size_t)__builtin_clzll(tile->keep[word]);
    memcpy(through.last, job->tested + (tile->begin + tile->n - 1) * job->tested_size,
           job->tested_size);
    return through;
}

/* A tile was tested as if a run began in it. Now, in its turn, it is known whether it did:
   returns how many elements at the beginning of the buffer are not kept after all, one or none. */
static size_t join_runs(const compact_job *job, compact_tile *tile, uint64_t *keep,
                        compact_before *through)
{
    const compact_before *const before = &tile->before;
    const bool goes_on =
        tile->begin > 0 &&
        job->test->same(before->last, job->tested + tile->begin * job->tested_size);
    keep[0] -= goes_on;
    tile->kept -= goes_on;
    through->longest = before->longest;
    if (tile->kept == 0) {
        through->head = before->head;
        return goes_on;
    }
    size_t word = 0;
    while (keep[word] == 0)
        word++;
    const size_t begun =
        tile->begin + word * KEEP_BITS + (size_t)__builtin_ctzll(keep[word]) - before->head;
    if (begun > through->longest)
        through->longest = begun;
    return goes_on;
}

static void fetch(const char *from, size_t begin, size_t end)
{
    for (; begin < end; begin += LINE)
        __builtin_prefetch(from + begin, 0, 2);
}

/* Writes and prefetches in turn. */
static void write_and_fetch(const compact_job *job, char *to, const char *from, size_t size,
                            const read_ahead *ahead)
{
    const bool stream = job->stream && size >= STREAM_TILE_FROM_BYTES;
    const size_t share = ahead->write_bytes / (size / PIECE + 1) / LINE * LINE;
    size_t done = 0, fetched = 0;
    while (stream && size - done > PIECE) {
        /* Up to the end of a line: each is streamed whole. */
        const size_t some = PIECE - (uintptr_t)(to + done) % LINE;
        fetch(ahead->write, fetched, fetched + share);
        job->kernels->stream(to + done, from + done, some);
        done += some;
        fetched += share;
    }
    fetch(ahead->write, fetched, ahead->write_bytes);
    parscan_compact_write(job, to + done, from + done, size - done);
}

static void write_tile(const compact_job *job, const compact_tile *tile, const char *buffer,
                       const read_ahead *ahead)
{
    const size_t kept = (size_t)tile->before.kept;
    const size_t bytes = tile->kept * job->size;
    if (job->rest == NULL) {
        write_and_fetch(job, job->values + kept * job->size, buffer, bytes, ahead);
        return;
    }
    read_ahead first = *ahead, second = *ahead;
    first.write_bytes = ahead->write_bytes / 2 / LINE * LINE;
    second.write_bytes -= first.write_bytes;
    if (second.write != NULL)
        second.write += first.write_bytes;
    write_and_fetch(job, job->values + kept * job->size, buffer, bytes, &first);
    write_and_fetch(job, job->rest + (tile->begin - kept) * job->size, buffer + bytes,
                    (tile->n - tile->kept) * job->size, &second);
}

static void move_records(const compact_job *job, const compact_tile *tile)
{
    parscan_compact_records(job->in + tile->begin * job->size, job->size, tile->n, tile->keep,
                            job->values + (size_t)tile->before.kept * job->size);
}

/* One core's share. */
static void compact_tiles(compact_job *job, chain *c, size_t team, size_t me)
{
    alignas(64) char buffer[COMPACT_TILE_BYTES + COMPACT_SLACK];
    uint64_t keep[COMPACT_WORDS];
    const size_t tiles = tile_count(job);
    /* Records too large for the buffer go straight to their place; in place, while it is the
       tile's turn. */
    const bool straight = job->values != NULL && job->tile * job->size > COMPACT_TILE_BYTES;
    const bool buffered = job->values != NULL && !straight;
    size_t number = me, next = me + team;
    while (number < tiles) {
        compact_tile tile = tile_at(job, number, keep);
        const read_ahead ahead = ahead_of(job, next);
        tile.ahead = ahead.place;
        tile.kept = find(job, &tile, keep, ahead.test);
        if (buffered)
            pack(job, &tile, keep, buffer, ahead.pack);
        compact_before through = job->runs ? runs_in_tile(job, &tile) : (compact_before){0};
        chain_wait(c, number);
        tile.before = c->before;
        const size_t dropped = job->runs ? join_runs(job, &tile, keep, &through) : 0;
        through.kept = tile.before.kept + tile.kept;
        c->before = through;
        const size_t claimed = chain_claim(c, team);
        if (straight && job->values == job->in)
            move_records(job, &tile);
        chain_pass(c, number);
        if (straight && job->values != job->in)
            move_records(job, &tile);
        if (buffered)
            write_tile(job, &tile, buffer + dropped * job->size, &ahead);
        if (job->place != NULL)
            job->place(job, &tile);
        number = next;
        next = claimed;
    }
    if (job->stream)
        job->kernels->fence();
}

void parscan_compact_run(compact_job *job, compact_before *end)
{
    job->tile = tile_elements(job);
    const unsigned threads = team_size(job);
    job->kernels = parscan_place_kernels(job->context->isa);
    job->stream = job->n >= STREAM_FROM_BYTES / job->size;
    chain c;
    chain_begin(&c, (compact_before){0});
    if (threads == 1) {
        compact_tiles(job, &c, 1, 0);
    } else {
#pragma omp parallel num_threads(threads)
        compact_tiles(job, &c, (size_t)omp_get_num_threads(), (size_t)omp_get_thread_num());
    }
    *end = c.before;
}

static uint64_t count_tile(const compact_job *job, size_t number)
{
    uint64_t keep[COMPACT_WORDS];
    const compact_tile tile = tile_at(job, number, keep);
    return find(job, &tile, keep, (compact_ahead){NULL, 0});
}

uint64_t parscan_compact_count(compact_job *job)
{
    job->tile = tile_elements(job);
    const unsigned threads = team_size(job);
    const size_t tiles = tile_count(job);
    uint64_t kept = 0;
    if (threads == 1) {
        for (size_t number = 0; number < tiles; number++)
            kept += count_tile(job, number);
        return kept;
    }
#pragma omp parallel for num_threads(threads) reduction(+ : kept)
    for (size_t number = 0; number < tiles; number++)
        kept += count_tile(job, number);
    return kept;
}
