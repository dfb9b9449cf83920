/*
 * The histogram on the CPU. Elements are mapped to indices of bins, in a tile that stays in the
 * first-level cache (bin_map.h), with one extra index for elements outside. Then the tile is
 * counted:
 *
 *   few elements  directly in the counts;
 *   few bins      in tables of 32 bits for each thread, which are added to the counts at the end;
 *                 with one table a thread also for more bins, if a few of them take much of the
 *                 input;
 *   else          in tables of a byte a bin for each thread (counters.h). Carries are added to the
 *                 counts in batches, so that a thread needs no wider counters. The bytes are added
 *                 at the end; each thread adds ranges of bins.
 *
 * Up to UNCHECKED_BINS bins, a chunk is first counted without the test for carries, which is a
 * third of the work. If its counters do not sum to its elements, it is counted again with the test,
 * and so are the next chunks. Then each thread has sums of 32 bits as well, to which it adds the
 * bytes of each chunk.
 */
#include <stdatomic.h>

#include "apps/histogram/counters.h"
#include "apps/histogram/histogram_call.h"
#include "scan/cpu/team.h"

enum {
    SPREAD_BINS = 2048,       /* up to here, several tables of 32 bits */
    WORD_BINS = 8192,         /* up to here, one table */
    SKEWED_WORD_BINS = 65536, /* or up to here, if a few bins take much of the input */
    BYTES_FROM = 1 << 18,     /* bytes from which on they are counted in pairs */
    TABLES_FROM = 1 << 13,    /* arrays with fewer elements are counted in the counts */
    /* So are longer arrays: up to so many elements a bin for each thread, if the counts take at most
       so many second-level caches; otherwise with fewer elements than one for so many bins. */
    CACHED_ELEMENTS_A_BIN = 4,
    CACHED_COUNTS = 8,
    BINS_A_ELEMENT = 4,
    THREAD_ELEMENTS = 1 << 15, /* elements for which another thread pays */
    FEW_THREADS = 16,          /* up to so many, whatever the number of bins */
    CHUNK_TILES = 16,          /* tiles that a thread claims at once */
    MERGE_BLOCK = 1024,        /* in bins */
    PARALLEL_BLOCKS = 128,     /* of counts, from which on several threads clear them */
    UNCHECKED_BINS = 65536,    /* up to here, chunks are counted without the test for carries */
    CHUNK = 512,               /* tiles in such a chunk; the mean of a counter stays below 128 */
    CHECKED_CHUNKS = 16,       /* chunks counted with the test after one that needed it */
    LINE = 64,
    PART = 512,   /* elements whose bins are computed at once without the test */
    SAMPLES = 8,  /* samples taken of the input */
    SAMPLE = 256, /* elements in each */
    NEAR = 8      /* the most distance between elements that are compared */
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

static size_t tile_bins(const histogram_call *call, size_t tile, uint32_t *bins)
{
    const size_t begin = tile * COUNTER_TILE;
    const size_t n = call->n - begin < COUNTER_TILE ? call->n - begin : COUNTER_TILE;
    call->kernel(&call->map, call->in + begin * call->element_size, n, bins);
    return n;
}

static count_ahead ahead_of(const histogram_call *call, size_t tile)
{
    const size_t next = (tile + 1) * COUNTER_TILE;
    if (call->n < COUNTER_TILE || next > call->n - COUNTER_TILE)
        return (count_ahead){NULL, 0};
    return (count_ahead){call->in + next * call->element_size, call->element_size};
}

/* Adds 1 to the counts of a tile, which may have any alignment. */
#define COUNT_DIRECTLY(type)                              \
    for (size_t i = 0; i < n; i++) {                      \
        type count;                                       \
        char *const at = counts + bins[i] * sizeof count; \
        if (bins[i] >= all)                               \
            continue;                                     \
        memcpy(&count, at, sizeof count);                 \
        count++;                                          \
        memcpy(at, &count, sizeof count);                 \
    }

/* For arrays so short that no count can overflow. */
static void count_directly(histogram_call *call)
{
    uint32_t bins[COUNTER_TILE];
    char *const counts = call->counts;
    const size_t all = call->bins;
    if (!call->adds)
        memset(counts, 0, all * call->count_size);
    for (size_t tile = 0; tile * COUNTER_TILE < call->n; tile++) {
        const size_t n = tile_bins(call, tile, bins);
        if (call->count_size == sizeof(uint64_t))
            COUNT_DIRECTLY(uint64_t)
        else
            COUNT_DIRECTLY(uint32_t)
    }
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
            const size_t n = tile_bins(team->call, tile, bins);
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
    const size_t n = tile_bins(team->call, tile, bins);
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
    return parscan_bins_are_skewed(bins, tile_bins(team->call, tile, bins));
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

/* Returns how many of SAMPLES * SAMPLE * NEAR pairs of near elements are in the same bin. */
static size_t equal_pairs(const histogram_call *call)
{
    uint32_t bins[SAMPLE + NEAR];
    size_t equal = 0;
    for (size_t k = 0; k < SAMPLES; k++) {
        const size_t begin = (call->n - SAMPLE - NEAR) / SAMPLES * k;
        call->kernel(&call->map, call->in + begin * call->element_size, SAMPLE + NEAR, bins);
        for (size_t i = 0; i < SAMPLE; i++)
            for (size_t near = 1; near <= NEAR; near++)
                equal += bins[i] == bins[i + near];
    }
    return equal;
}

/* Returns the number of tables of 32 bits; 0 if tables of bytes are better. */
static size_t word_tables(const histogram_call *call)
{
    const size_t pairs = SAMPLES * SAMPLE * NEAR;
    if (call->bins <= SPREAD_BINS)
        return TABLES;
    if (call->bins > SKEWED_WORD_BINS)
        return 0;
    const size_t equal = equal_pairs(call);
    /* A core waits if it adds to the counter that it has just added to, unless it has several
       tables. */
    const bool often_equal = equal > pairs / 16, skewed = equal > pairs / 256;
    return !often_equal && (skewed || call->bins <= WORD_BINS) ? 1 : 0;
}

/* The tables of so many threads, or of fewer; words: what word_tables() returns. */
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

static void count_in_tables(histogram_call *call, size_t words, unsigned threads, char *scratch)
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

static unsigned histogram_threads_for(const histogram_call *call)
{
    size_t most = call->n / THREAD_ELEMENTS;
    /* Each thread more has all bins to clear and to add up. */
    if (most > FEW_THREADS)
        most = call->n / call->bins > FEW_THREADS ? call->n / call->bins : FEW_THREADS;
    return most <= 1 ? 1 : most < call->context->threads ? (unsigned)most : call->context->threads;
}

/* Whether the tables of the threads would cost more than they save. */
static bool is_short(const histogram_call *call, unsigned threads)
{
    if (call->n < TABLES_FROM)
        return true;
    if (call->bins * call->count_size <= CACHED_COUNTS * call->context->l2_bytes)
        return call->n / CACHED_ELEMENTS_A_BIN * threads <= call->bins;
    return call->n < call->bins / BINS_A_ELEMENT;
}

/* A call that takes scratch, unless few threads do it. */
typedef struct table_demand {
    histogram_call *call;
    bool bytes;   /* it counts bytes instead of bins */
    size_t words; /* otherwise: what word_tables() returns */
} table_demand;

static size_t histogram_scratch_need(const void *state, unsigned threads)
{
    const table_demand *const demand = state;
    if (is_short(demand->call, threads))
        return 0;
    if (demand->bytes)
        return parscan_byte_histogram_need(demand->call, threads);
    const histogram_team team = team_of(demand->call, demand->words, threads);
    return team.threads * (team.size_each + sizeof *team.counters);
}

/* Takes what a call of any elements needs: which tables word_tables() chooses may depend on them. */
static parscan_status measure(histogram_call *call, unsigned threads)
{
    const bool bytes = call->element_size == 1 && call->n >= BYTES_FROM;
    const bool chosen = !bytes && call->bins > SPREAD_BINS && call->bins <= SKEWED_WORD_BINS;
    const size_t words[] = {!bytes && call->bins <= SPREAD_BINS ? TABLES : 0, 1};
    parscan_status status = PARSCAN_OK;
    for (int k = 0; k <= chosen && status == PARSCAN_OK && !is_short(call, threads); k++) {
        const table_demand demand = {call, bytes, words[k]};
        unsigned most = threads;
        void *scratch;
        status = parscan_scratch_of_threads(call->context, &most, histogram_scratch_need, &demand,
                                            &scratch);
    }
    return status;
}

static parscan_status count(histogram_call *call)
{
    unsigned threads = histogram_threads_for(call);
    table_demand demand = {.call = call};
    void *scratch = NULL;
    if (call->context->measures)
        return measure(call, threads);
    if (!is_short(call, threads)) {
        demand.bytes = call->element_size == 1 && call->n >= BYTES_FROM;
        demand.words = demand.bytes ? 0 : word_tables(call);
        const parscan_status status = parscan_scratch_of_threads(
            call->context, &threads, histogram_scratch_need, &demand, &scratch);
        if (status != PARSCAN_OK)
            return status;
    }
    if (is_short(call, threads))
        count_directly(call);
    else if (demand.bytes)
        parscan_byte_histogram_cpu(call, threads, scratch);
    else
        count_in_tables(call, demand.words, threads, scratch);
    return PARSCAN_OK;
}

parscan_status parscan_histogram_cpu(histogram_call *call)
{
    pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    call->turn = &turn;
    parscan_status status = count(call);
    pthread_mutex_destroy(&turn);
    if (status == PARSCAN_OK && call->overflowed)
        status = parscan_fail(call->context, PARSCAN_ERROR_OVERFLOW,
                              "n = %zu: a count does not fit count_type = u32", call->n);
    return status;
}
