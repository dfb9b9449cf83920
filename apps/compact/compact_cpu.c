/*
 * Stream compaction on the CPU: one pass over memory; the tiles are chained from core to core.
 *
 * Compaction is flags -> exclusive scan -> scatter. A core takes a tile, finds which elements are
 * kept (the flags, as bits) and packs them into a buffer. The scan is over the numbers of kept
 * elements: the chain (scan/cpu/chain.h) tells where the tile's elements go. The core adds its own
 * number, passes the turn on, and writes its buffer there in whole lines. So every element is read
 * once, and every kept element is written once.
 *
 * This is safe in place. A tile's elements are written at or before the tile's own place, and a
 * core passes its turn on only after it has read its whole tile. So when a tile has its turn, all
 * elements that it overwrites have been read. The element before a tile, which tells whether a run
 * continues in it, may have been overwritten by then, so the chain carries it.
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
#include "scan/cpu/chain.h"

/* Bytes of input from which on waking a second thread pays (bench/notes/compact.md). */
#define THREADS_FROM_BYTES (256u << 10)

/* Bytes of input from which on results bypass the caches, since they would not fit. */
#define STREAM_FROM_BYTES (4u << 20)

/* Bytes written at once from which on streaming stores pay. */
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

extern const place_kernels parscan_place_kernels_portable, parscan_place_kernels_avx2,
    parscan_place_kernels_avx512;

const place_kernels *parscan_place_kernels(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_place_kernels_portable, &parscan_place_kernels_avx2,
                          &parscan_place_kernels_avx512);
}

void parscan_compact_elements(compact_pass *pass, parscan_type type, const void *in)
{
    const compact_element *const element = parscan_compact_element(type);
    pass->in = pass->tested = in;
    pass->size = pass->tested_size = element->size;
    pass->test = pass->move = element->kernels_of(pass->context->isa);
}

/* The number of elements in a tile: whole words of bits, as many as fit, but at least one word. */
static size_t tile_elements(const compact_pass *pass)
{
    const size_t widest = pass->size > pass->tested_size ? pass->size : pass->tested_size;
    const size_t words = COMPACT_TILE_BYTES / widest / KEEP_BITS;
    return words > 0 ? words * KEEP_BITS : KEEP_BITS;
}

static size_t tile_count(const compact_pass *pass)
{
    return pass->n / pass->tile + (pass->n % pass->tile != 0);
}

static compact_tile tile_at(const compact_pass *pass, size_t number, const uint64_t *keep)
{
    const size_t begin = number * pass->tile, left = pass->n - begin;
    return (compact_tile){.begin = begin, .n = left < pass->tile ? left : pass->tile, .keep = keep};
}

static unsigned team_size(const compact_pass *pass)
{
    if (pass->n < THREADS_FROM_BYTES / pass->size)
        return 1;
    const size_t tiles = tile_count(pass);
    return tiles < pass->context->threads ? (unsigned)tiles : pass->context->threads;
}

void parscan_compact_write(const compact_pass *pass, char *to, const void *from, size_t size)
{
    if (pass->stream && size >= STREAM_TILE_FROM_BYTES)
        pass->kernels->stream(to, from, size);
    else
        memcpy(to, from, size);
}

/* The parts of the next tile that are prefetched while this tile is tested, packed and written.
   Spread like this, a core always has reads of main memory in flight, but never so many that its
   own loads wait for them. */
typedef struct read_ahead {
    compact_ahead test, pack, place;
    const char *write;
    size_t write_bytes;
} read_ahead;

static read_ahead ahead_of(const compact_pass *pass, size_t number)
{
    read_ahead ahead = {.write = NULL};
    const size_t tile = pass->tile, begin = number * tile;
    if (number >= pass->n / tile) /* only full tiles are prefetched */
        return ahead;
    const char *const next = pass->in + begin * pass->size;
    const size_t bytes = tile * pass->size, word_bytes = KEEP_BITS * pass->size;
    ahead.test =
        (compact_ahead){pass->tested + begin * pass->tested_size, KEEP_BITS * pass->tested_size};
    if (pass->values == NULL && pass->placed != NULL) {
        ahead.test.bytes_a_word = word_bytes / 2;
        ahead.place = (compact_ahead){next + bytes / 2, word_bytes / 2};
    }
    if (pass->values == NULL)
        return ahead;
    size_t tested = 0; /* eighths of the bytes that are moved */
    if (pass->tested == pass->in) {
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

static size_t find(const compact_pass *pass, const compact_tile *tile, uint64_t *keep,
                   compact_ahead ahead)
{
    const char *const tested = pass->tested + tile->begin * pass->tested_size;
    return pass->runs ? pass->test->heads(tested, tile->n, keep, ahead)
                      : pass->test->in_range(&pass->range, tested, tile->n, keep, ahead);
}

/* Packs the kept elements of a tile into a buffer. For a partition, the other elements follow
   them. */
static void pack(const compact_pass *pass, const compact_tile *tile, uint64_t *keep, char *buffer,
                 compact_ahead ahead)
{
    const char *const in = pass->in + tile->begin * pass->size;
    if (pass->move == NULL) {
        parscan_compact_records(in, pass->size, tile->n, keep, buffer);
        return;
    }
    pass->move->compress(in, tile->n, keep, buffer, ahead);
    if (pass->rest == NULL)
        return;
    const size_t words = (tile->n + KEEP_BITS - 1) / KEEP_BITS;
    for (size_t w = 0; w < words; w++)
        keep[w] = ~keep[w];
    if (tile->n % KEEP_BITS != 0)
        keep[words - 1] &= UINT64_MAX >> (KEEP_BITS - tile->n % KEEP_BITS);
    ahead.from = NULL;
    pass->move->compress(in, tile->n, keep, buffer + tile->kept * pass->size, ahead);
}

/* What the chain carries for runs, as far as it is known before the tile's turn. */
static compact_before runs_in_tile(const compact_pass *pass, const compact_tile *tile)
{
    compact_before through = {0};
    size_t word = (tile->n - 1) / KEEP_BITS;
    while (tile->keep[word] == 0)
        word--;
    through.head =
        tile->begin + word * KEEP_BITS + KEEP_BITS - 1 - (size_t)__builtin_clzll(tile->keep[word]);
    memcpy(through.last, pass->tested + (tile->begin + tile->n - 1) * pass->tested_size,
           pass->tested_size);
    return through;
}

/* A tile is tested as if a run began at its first element. Now, in its turn, it is known whether
   that is so. Returns how many elements at the beginning of the buffer are not kept after all:
   one or none. */
static size_t join_runs(const compact_pass *pass, compact_tile *tile, uint64_t *keep,
                        compact_before *through)
{
    const compact_before *const before = &tile->before;
    const bool goes_on =
        tile->begin > 0 &&
        pass->test->same(before->last, pass->tested + tile->begin * pass->tested_size);
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

/* Alternates between writing and prefetching. */
static void write_and_fetch(const compact_pass *pass, char *to, const char *from, size_t size,
                            const read_ahead *ahead)
{
    const bool stream = pass->stream && size >= STREAM_TILE_FROM_BYTES;
    const size_t share = ahead->write_bytes / (size / PIECE + 1) / LINE * LINE;
    size_t done = 0, fetched = 0;
    while (stream && size - done > PIECE) {
        /* A piece ends where a line ends, so that each line is streamed whole. */
        const size_t some = PIECE - (uintptr_t)(to + done) % LINE;
        fetch(ahead->write, fetched, fetched + share);
        pass->kernels->stream(to + done, from + done, some);
        done += some;
        fetched += share;
    }
    fetch(ahead->write, fetched, ahead->write_bytes);
    parscan_compact_write(pass, to + done, from + done, size - done);
}

static void write_tile(const compact_pass *pass, const compact_tile *tile, const char *buffer,
                       const read_ahead *ahead)
{
    const size_t kept = (size_t)tile->before.kept;
    const size_t bytes = tile->kept * pass->size;
    if (pass->rest == NULL) {
        write_and_fetch(pass, pass->values + kept * pass->size, buffer, bytes, ahead);
        return;
    }
    read_ahead first = *ahead, second = *ahead;
    first.write_bytes = ahead->write_bytes / 2 / LINE * LINE;
    second.write_bytes -= first.write_bytes;
    if (second.write != NULL)
        second.write += first.write_bytes;
    write_and_fetch(pass, pass->values + kept * pass->size, buffer, bytes, &first);
    write_and_fetch(pass, pass->rest + (tile->begin - kept) * pass->size, buffer + bytes,
                    (tile->n - tile->kept) * pass->size, &second);
}

static void move_records(const compact_pass *pass, const compact_tile *tile)
{
    parscan_compact_records(pass->in + tile->begin * pass->size, pass->size, tile->n, tile->keep,
                            pass->values + (size_t)tile->before.kept * pass->size);
}

/* The work of one core. */
static void compact_tiles(compact_pass *pass, chain *c, size_t team, size_t me)
{
    alignas(64) char buffer[COMPACT_TILE_BYTES + COMPACT_SLACK];
    uint64_t keep[COMPACT_WORDS];
    const size_t tiles = tile_count(pass);
    /* Records too large for the buffer are written directly to their place; if in place, during
       the tile's turn. */
    const bool straight = pass->values != NULL && pass->tile * pass->size > COMPACT_TILE_BYTES;
    const bool buffered = pass->values != NULL && !straight;
    size_t number = me, next = me + team;
    while (number < tiles) {
        compact_tile tile = tile_at(pass, number, keep);
        const read_ahead ahead = ahead_of(pass, next);
        tile.ahead = ahead.place;
        tile.kept = find(pass, &tile, keep, ahead.test);
        if (buffered)
            pack(pass, &tile, keep, buffer, ahead.pack);
        compact_before through = pass->runs ? runs_in_tile(pass, &tile) : (compact_before){0};
        chain_wait(c, number);
        tile.before = c->before;
        const size_t dropped = pass->runs ? join_runs(pass, &tile, keep, &through) : 0;
        through.kept = tile.before.kept + tile.kept;
        c->before = through;
        const size_t claimed = chain_claim(c, team);
        if (straight && pass->values == pass->in)
            move_records(pass, &tile);
        chain_pass(c, number);
        if (straight && pass->values != pass->in)
            move_records(pass, &tile);
        if (buffered)
            write_tile(pass, &tile, buffer + dropped * pass->size, &ahead);
        if (pass->place != NULL)
            pass->place(pass, &tile);
        number = next;
        next = claimed;
    }
    if (pass->stream)
        pass->kernels->fence();
}

void parscan_compact_run(compact_pass *pass, compact_before *end)
{
    pass->tile = tile_elements(pass);
    const unsigned threads = team_size(pass);
    pass->kernels = parscan_place_kernels(pass->context->isa);
    pass->stream = pass->n >= STREAM_FROM_BYTES / pass->size;
    chain c;
    chain_begin(&c, (compact_before){0});
    if (threads == 1) {
        compact_tiles(pass, &c, 1, 0);
    } else {
#pragma omp parallel num_threads(threads)
        compact_tiles(pass, &c, (size_t)omp_get_num_threads(), (size_t)omp_get_thread_num());
    }
    *end = c.before;
}

static uint64_t count_tile(const compact_pass *pass, size_t number)
{
    uint64_t keep[COMPACT_WORDS];
    const compact_tile tile = tile_at(pass, number, keep);
    return find(pass, &tile, keep, (compact_ahead){NULL, 0});
}

uint64_t parscan_compact_count(compact_pass *pass)
{
    pass->tile = tile_elements(pass);
    const unsigned threads = team_size(pass);
    const size_t tiles = tile_count(pass);
    uint64_t kept = 0;
    if (threads == 1) {
        for (size_t number = 0; number < tiles; number++)
            kept += count_tile(pass, number);
        return kept;
    }
#pragma omp parallel for num_threads(threads) reduction(+ : kept)
    for (size_t number = 0; number < tiles; number++)
        kept += count_tile(pass, number);
    return kept;
}
