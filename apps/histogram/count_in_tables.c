/*
 * The histogram on the CPU, counted in tables for each thread: of 32 bits, which are added to the counts at the
 * end, or of a byte a bin (counters.h). The carries of bytes are added to the counts in batches, so that a thread
 * needs no wider counters. The bytes are added at the end; each thread adds ranges of bins.
 *
 * Up to UNCHECKED_BINS bins, a chunk is first counted in bytes without the test for carries, which is a
 * third of the work. If its counters do not sum to its elements, it is counted again with the test,
 * and so are the next chunks. Then each thread has sums of 32 bits as well, to which it adds the
 * bytes of each chunk.
 */
#include "apps/histogram/count_in_tables.h"

#include <stdatomic.h>

#include "apps/histogram/counters.h"
#include "scan/cpu/team.h"

enum {
    CHUNK_TILES = 16,       /* tiles that a thread claims at once */
    MERGE_BLOCK = 1024,     /* in bins */
    PARALLEL_BLOCKS = 128,  /* of counts, from which on several threads clear them */
    UNCHECKED_BINS = 65536, /* up to here, chunks are counted without the test for carries */
    CHUNK = 512,            /* tiles in such a chunk; the mean of a counter stays below 128 */
    CHECKED_CHUNKS = 16,    /* chunks counted with the test after one that needed it */
    LINE = 64,
    PART = 512 /* elements whose bins are computed at once without the test */
};

typedef struct histogram_team {
    histogram_call *call;
    char *scratch;
    size_t size_each, stride, tables;
    bool unchecked;          /* chunks are first counted without the test for carries */
    byte_counters *counters; /* one for each thread */
    size_t threads;
    atomic_size_t next; /* the next tile that no thread has taken */
} histogram_team;

/* A thread that counts in bytes, and its chunk. */
typedef struct bin_core {
    byte_counters counters;
    uint32_t *sums; /* of the chunks before, if the team counts without the test */
    size_t tiles[CHUNK], used, counted;
    bool checked;
    unsigned checked_chunks; /* chunks still to count with the test */
} bin_core;

static count_ahead ahead_of(const histogram_call *call, size_t tile)
{
    const size_t next = (tile + 1) * COUNTER_TILE;
    if (call->n < COUNTER_TILE || next > call->n - COUNTER_TILE)
        return (count_ahead){NULL, 0};
    return (count_ahead){call->in + next * call->element_size, call->element_size};
}

static void clear_block(void *state, size_t block, unsigned worker)
{
    const histogram_call *const call = state;
    const size_t bytes = MERGE_BLOCK * call->count_size, size = call->bins * call->count_size;
    const size_t begin = block * bytes;
    (void)worker;
    memset(call->counts + begin, 0, size - begin < bytes ? size - begin : bytes);
}

static size_t blocks_of(const histogram_call *call)
{
    return call->bins / MERGE_BLOCK + (call->bins % MERGE_BLOCK != 0);
}

static void clear_counts(histogram_call *call, unsigned threads)
{
    const size_t blocks = blocks_of(call);
    parscan_team_for(call->context, blocks < PARALLEL_BLOCKS ? 1 : threads, blocks, 1, clear_block,
                     call);
}

static size_t histogram_tiles_of(const histogram_call *call)
{
    return call->n / COUNTER_TILE + (call->n % COUNTER_TILE != 0);
}

/* Takes the next tiles, from *tile to *end - 1. Returns false if there is none. */
static bool take_tiles(histogram_team *team, size_t *tile, size_t *end)
{
    const size_t tiles = histogram_tiles_of(team->call);
    *tile = atomic_fetch_add(&team->next, CHUNK_TILES);
    *end = *tile + CHUNK_TILES < tiles ? *tile + CHUNK_TILES : tiles;
    return *tile < tiles;
}

static void flush_words(const histogram_team *team, uint32_t *tables)
{
    const size_t stride = team->stride / sizeof *tables;
    pthread_mutex_lock(team->call->turn);
    for (size_t bin = 0; bin < team->call->bins; bin++) {
        uint64_t sum = 0;
        for (size_t t = 0; t < team->tables; t++)
            sum += tables[t * stride + bin];
        histogram_add(team->call, bin, sum);
    }
    pthread_mutex_unlock(team->call->turn);
    memset(tables, 0, team->tables * team->stride);
}

/* The work of one thread. */
static void count_words(void *state, size_t part)
{
    histogram_team *const team = state;
    uint32_t bins[COUNTER_TILE];
    const size_t flush_from = (size_t)1 << 31;
    const size_t stride = team->tables > 1 ? team->stride / sizeof(uint32_t) : 0;
    size_t counted = 0, tile, end;
    uint32_t *const tables = (uint32_t *)(team->scratch + part * team->size_each);
    memset(tables, 0, team->tables * team->stride);
    while (take_tiles(team, &tile, &end)) {
        for (; tile < end; tile++) {
            const size_t n = histogram_tile_bins(team->call, tile, bins);
            parscan_count_in_words(tables, stride, bins, n, ahead_of(team->call, tile));
            counted += n;
        }
        if (counted >= flush_from) {
            flush_words(team, tables);
            counted = 0;
        }
    }
    flush_words(team, tables);
}

static void add_carries(histogram_call *call, byte_counters *counters)
{
    pthread_mutex_lock(call->turn);
    for (size_t k = 0; k < counters->carried; k++)
        if (counters->carries[k] < call->bins)
            histogram_add(call, counters->carries[k], CARRY);
    pthread_mutex_unlock(call->turn);
    counters->carried = 0;
}

/* The 32-bit sums of a thread that counts without the test, or NULL. */
static uint32_t *sums_of(const histogram_team *team, size_t thread)
{
    char *const mine = team->scratch + thread * team->size_each;
    const size_t bytes = TABLES * team->stride + COUNTER_CARRIES * sizeof(uint32_t);
    return team->unchecked ? (uint32_t *)(mine + bytes) : NULL;
}

/* Adds the sums of all threads to the counts of a block of bins. */
static void merge(void *state, size_t block, unsigned worker)
{
    const histogram_team *const team = state;
    pthread_mutex_lock(team->call->turn); /* another block may set `overflowed` */
    histogram_call counts = *team->call;
    pthread_mutex_unlock(team->call->turn);
    uint32_t sums[MERGE_BLOCK] = {0};
    const size_t first = block * MERGE_BLOCK;
    const size_t bins = counts.bins - first < MERGE_BLOCK ? counts.bins - first : MERGE_BLOCK;
    (void)worker;
    for (size_t thread = 0; thread < team->threads; thread++) {
        const uint32_t *const wide = sums_of(team, thread);
        if (wide == NULL)
            parscan_add_bytes(&team->counters[thread], first, bins, sums);
        for (size_t k = 0; wide != NULL && k < bins; k++)
            sums[k] += wide[first + k];
    }
    for (size_t k = 0; k < bins; k++)
        histogram_add(&counts, first + k, sums[k]);
    if (!counts.overflowed)
        return;
    pthread_mutex_lock(counts.turn);
    team->call->overflowed = true;
    pthread_mutex_unlock(counts.turn);
}

static void count_checked(const histogram_team *team, bin_core *core, size_t tile)
{
    uint32_t bins[COUNTER_TILE];
    const size_t n = histogram_tile_bins(team->call, tile, bins);
    parscan_count_in_bytes(&core->counters, bins, n, ahead_of(team->call, tile));
    if (core->counters.carried > COUNTER_CARRIES - COUNTER_TILE)
        add_carries(team->call, &core->counters);
}

/* Small parts leave the first-level cache to the counters. */
static void count_unchecked(const histogram_team *team, bin_core *core, size_t tile)
{
    uint32_t bins[PART];
    const histogram_call *const call = team->call;
    const size_t begin = tile * COUNTER_TILE;
    const size_t end = call->n - begin < COUNTER_TILE ? call->n : begin + COUNTER_TILE;
    count_ahead ahead = ahead_of(call, tile);
    for (size_t i = begin; i < end; i += PART) {
        const size_t n = end - i < PART ? end - i : PART;
        call->kernel(&call->map, call->in + i * call->element_size, n, bins);
        parscan_count_unchecked(&core->counters, bins, n, ahead);
        if (ahead.next != NULL)
            ahead.next += PART * ahead.size;
    }
    core->counted += end - begin;
}

/* Whether to count a chunk that starts with this tile with the test. */
static bool needs_test(const histogram_team *team, bin_core *core, size_t tile)
{
    uint32_t bins[COUNTER_TILE];
    if (core->checked_chunks > 0) {
        core->checked_chunks--;
        return true;
    }
    return parscan_bins_are_skewed(bins, histogram_tile_bins(team->call, tile, bins));
}

/* Adds the bytes of the chunk to the thread's sums. */
static void close_chunk(const histogram_team *team, bin_core *core)
{
    const size_t bins = team->call->bins + 1;
    if (!core->checked && !parscan_take_bytes(&core->counters, bins, core->counted, core->sums)) {
        for (size_t k = 0; k < core->used; k++)
            count_checked(team, core, core->tiles[k]);
        core->checked = true;
        core->checked_chunks = CHECKED_CHUNKS;
    }
    if (core->checked) {
        parscan_add_bytes(&core->counters, 0, bins, core->sums);
        parscan_clear_bytes(&core->counters);
    }
    core->used = core->counted = 0;
}

static void count_tile(const histogram_team *team, bin_core *core, size_t tile)
{
    if (!team->unchecked) {
        count_checked(team, core, tile);
        return;
    }
    if (core->used == 0)
        core->checked = needs_test(team, core, tile);
    if (core->checked)
        count_checked(team, core, tile);
    else
        count_unchecked(team, core, tile);
    core->tiles[core->used++] = tile;
    if (core->used == CHUNK)
        close_chunk(team, core);
}

/* The work of one thread. */
static void count_bytes(void *state, size_t part)
{
    histogram_team *const team = state;
    size_t tile, end;
    char *const mine = team->scratch + part * team->size_each;
    bin_core core = {.counters = {.tables = (uint8_t *)mine,
                                  .stride = team->stride,
                                  .used = 1,
                                  .carries = (uint32_t *)(mine + TABLES * team->stride)},
                     .sums = sums_of(team, part)};
    memset(core.counters.tables, 0, team->stride);
    if (team->unchecked)
        memset(core.sums, 0, (team->call->bins + 1) * sizeof *core.sums);
    while (take_tiles(team, &tile, &end))
        for (; tile < end; tile++)
            count_tile(team, &core, tile);
    if (team->unchecked)
        close_chunk(team, &core);
    add_carries(team->call, &core.counters);
    team->counters[part] = core.counters;
}

/* The tables of so many threads, or of fewer. */
static histogram_team team_of(histogram_call *call, size_t words, unsigned threads)
{
    histogram_team team = {.call = call, .tables = words};
    team.stride = parscan_counter_stride(call->bins + 1, words > 0 ? sizeof(uint32_t) : 1);
    team.size_each =
        words > 0 ? words * team.stride : TABLES * team.stride + COUNTER_CARRIES * sizeof(uint32_t);
    threads = histogram_threads(call, threads, team.size_each + sizeof *team.counters);
    const size_t sums = ((call->bins + 1) * sizeof(uint32_t) + LINE - 1) / LINE * LINE;
    team.unchecked =
        words == 0 && call->bins <= UNCHECKED_BINS &&
        histogram_threads(call, threads, team.size_each + sums + sizeof *team.counters) == threads;
    team.size_each += team.unchecked ? sums : 0;
    team.threads = threads;
    return team;
}

size_t parscan_tables_need(histogram_call *call, size_t words, unsigned threads)
{
    const histogram_team team = team_of(call, words, threads);
    return team.threads * (team.size_each + sizeof *team.counters);
}

void parscan_count_in_tables(histogram_call *call, size_t words, unsigned threads, char *scratch)
{
    histogram_team team = team_of(call, words, threads);
    threads = (unsigned)team.threads;
    team.scratch = scratch;
    team.counters = (byte_counters *)(scratch + threads * team.size_each);
    atomic_init(&team.next, 0);
    if (!call->adds)
        clear_counts(call, threads);
    parscan_team_run(call->context, threads, words > 0 ? count_words : count_bytes, &team);
    if (words == 0)
        parscan_team_for(call->context, threads, blocks_of(call), 1, merge, &team);
}
