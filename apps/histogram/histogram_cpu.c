/*
 * The histogram on the CPU. Elements are mapped to indices of bins, in a tile that stays in the
 * first-level cache (bin_map.h), with one extra index for elements outside. Then the tile is
 * counted:
 *
 *   few elements  directly in the counts;
 *   few bins      in tables of 32 bits for each thread, which are added to the counts at the end;
 *                 with one table a thread also for more bins, if a few of them take much of the
 *                 input;
 *   else          in tables of a byte a bin for each thread (count_in_tables.c).
 */
#include "apps/histogram/count_in_tables.h"

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
    SAMPLES = 8,               /* samples taken of the input */
    SAMPLE = 256,              /* elements in each */
    NEAR = 8                   /* the most distance between elements that are compared */
};

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
        const size_t n = histogram_tile_bins(call, tile, bins);
        if (call->count_size == sizeof(uint64_t))
            COUNT_DIRECTLY(uint64_t)
        else
            COUNT_DIRECTLY(uint32_t)
    }
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
    return parscan_tables_need(demand->call, demand->words, threads);
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
        parscan_count_in_tables(call, demand.words, threads, scratch);
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
