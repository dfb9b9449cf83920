/*
 * The histogram of an array of many bytes. It counts all 256 values of a byte, and then adds each
 * count to the bin of the value. So the bounds cost no time.
 *
 * Bytes are counted in pairs, which halves the number of additions to counters, the bottleneck of a
 * core:
 *
 *   bytes   65536 counters of a byte each fit the second-level cache, and nearly the first. No counter
 *           of a chunk reaches 256 if many pairs are about as frequent. If the sum of the counters is not
 *           the number of pairs, one did: the chunk, and those after it, are counted in words.
 *   words   Counters of 32 bits: where some pairs are frequent, their counters are in the first-level
 *           cache. A tile in which neighbours are often equal is spread over twice as many
 *           tables, since an addition to what was just added to takes five cycles.
 */
#include <stdatomic.h>

#include "apps/histogram/counters.h"
#include "apps/histogram/histogram_call.h"
#include "scan/cpu/team.h"

enum {
    BYTES = 256,
    PAIRS = BYTES * BYTES,
    TILE = 2 * COUNTER_TILE, /* in bytes */
    MIN_CHUNK = 1 << 16,
    MAX_CHUNK = 1 << 20,
    WORD_CHUNKS = 64,           /* chunks counted in words after one that needed it */
    SAMPLES = 16,               /* samples of a chunk */
    SAMPLE = 64,                /* pairs in each */
    FREQUENT = 5,               /* equal pairs in all samples that tell that words are better */
    WORD_TABLES_FROM = 1 << 20, /* bytes a thread from which on twice as many tables pay */
};

#define MOST_WORD_PAIRS (UINT32_MAX - MAX_CHUNK) /* before the words are emptied */

typedef struct byte_team {
    const histogram_call *call;
    char *scratch;
    size_t size_each, chunk;
    unsigned calm_tables;   /* of words, for tiles in which neighbours differ */
    uint64_t counts[BYTES]; /* of all threads */
    atomic_size_t next;     /* where the next chunk starts */
} byte_team;

typedef struct byte_core {
    uint8_t *pairs; /* one table, empty between chunks */
    uint32_t *words;
    unsigned words_used, calm_tables; /* tables of words */
    size_t words_hold;                /* pairs */
    uint64_t counts[BYTES];
    unsigned word_chunks; /* chunks still to count in words */
} byte_core;

/* The distance between tables of words. */
static size_t word_stride(void)
{
    return parscan_counter_stride(PAIRS, sizeof(uint32_t)) / sizeof(uint32_t);
}

/* Adds the counters of pairs to the counts of bytes, if their sum is `expected`, and clears them. Returns whether
   it was. */
static bool take_pairs(byte_core *core, size_t expected)
{
    uint16_t second[BYTES] = {0}, first[BYTES];
    size_t sum = 0;
    for (size_t byte = 0; byte < BYTES; byte++) {
        const uint8_t *const row = core->pairs + byte * BYTES;
        uint16_t all = 0;
        for (size_t k = 0; k < BYTES; k++) {
            all = (uint16_t)(all + row[k]);
            second[k] = (uint16_t)(second[k] + row[k]);
        }
        first[byte] = all;
        sum += all;
    }
    memset(core->pairs, 0, PAIRS);
    for (size_t k = 0; k < BYTES && sum == expected; k++)
        core->counts[k] += (uint64_t)first[k] + second[k];
    return sum == expected;
}

/* The words hold less than 2^32 pairs, so the sums of 32 bits do. */
static void take_words(byte_core *core)
{
    uint32_t first[BYTES] = {0}, second[BYTES] = {0};
    for (unsigned t = 0; t < core->words_used; t++)
        for (size_t byte = 0; byte < BYTES; byte++) {
            const uint32_t *const row = core->words + t * word_stride() + byte * BYTES;
            uint32_t all = 0;
            for (size_t k = 0; k < BYTES; k++) {
                all += row[k];
                second[k] += row[k];
            }
            first[byte] += all;
        }
    for (size_t k = 0; k < BYTES; k++)
        core->counts[k] += (uint64_t)first[k] + second[k];
    core->words_used = 0;
    core->words_hold = 0;
}

/* Counts a tile in words: in so many tables. */
static void count_in_words(byte_core *core, unsigned tables, const char *in, size_t pairs,
                           count_ahead ahead)
{
    const size_t stride = word_stride();
    uint32_t *table[TABLES];
    if (core->words_used < tables) {
        memset(core->words + core->words_used * stride, 0,
               (tables - core->words_used) * stride * sizeof(uint32_t));
        core->words_used = tables;
    }
    for (unsigned t = 0; t < TABLES; t++)
        table[t] = core->words + t % tables * stride;
    parscan_count_pairs_in_words(table, in, pairs, ahead);
}

/* Counts the pairs of a chunk. */
static void count_chunk(byte_core *core, const char *in, size_t n, bool in_words)
{
    for (size_t i = 0; i + 1 < n; i += TILE) {
        const size_t pairs = (n - i < TILE ? n - i : TILE) / 2;
        const count_ahead ahead = {n - i >= 2 * TILE ? in + i + TILE : NULL, 2};
        if (!in_words)
            parscan_count_pairs(core->pairs, in + i, pairs, ahead);
        else
            count_in_words(core,
                           core->calm_tables * (parscan_pairs_are_skewed(in + i, pairs) ? 2 : 1),
                           in + i, pairs, ahead);
    }
}

/* Whether some pair is frequent in a sample of a chunk, taken with the empty table of bytes. */
static bool has_frequent_pairs(byte_core *core, const char *in, size_t n)
{
    uint8_t most = 0;
    uint16_t pair[SAMPLES * SAMPLE];
    for (size_t k = 0; k < SAMPLES; k++)
        memcpy(pair + k * SAMPLE, in + n / TILE * k / SAMPLES * TILE, SAMPLE * sizeof *pair);
    for (size_t k = 0; k < SAMPLES * SAMPLE && most < FREQUENT; k++)
        most = ++core->pairs[pair[k]] > most ? core->pairs[pair[k]] : most;
    for (size_t k = 0; k < SAMPLES * SAMPLE; k++)
        core->pairs[pair[k]] = 0;
    return most >= FREQUENT;
}

static void count_bytes_of_core(byte_core *core, const char *in, size_t n)
{
    if (n % 2 != 0)
        core->counts[(unsigned char)in[n - 1]]++;
    if (core->word_chunks > 0) {
        core->word_chunks--;
    } else if (n >= TILE && !has_frequent_pairs(core, in, n)) {
        count_chunk(core, in, n, false);
        if (take_pairs(core, n / 2))
            return;
        core->word_chunks = WORD_CHUNKS;
    }
    if (core->words_hold > MOST_WORD_PAIRS)
        take_words(core);
    count_chunk(core, in, n, true);
    core->words_hold += n / 2;
}

/* The work of one thread. */
static void count_bytes(void *state, size_t part)
{
    byte_team *const team = state;
    const histogram_call *const call = team->call;
    char *const mine = team->scratch + part * team->size_each;
    byte_core core = {.pairs = (uint8_t *)mine,
                      .words = (uint32_t *)(mine + PAIRS),
                      .calm_tables = team->calm_tables};
    memset(core.pairs, 0, PAIRS);
    const size_t chunk = team->chunk;
    size_t begin;
    while ((begin = atomic_fetch_add(&team->next, chunk)) < call->n)
        count_bytes_of_core(&core, call->in + begin,
                            call->n - begin < chunk ? call->n - begin : chunk);
    take_words(&core);
    pthread_mutex_lock(call->turn);
    for (size_t k = 0; k < BYTES; k++)
        team->counts[k] += core.counts[k];
    pthread_mutex_unlock(call->turn);
}

/* Returns the size of a chunk: several chunks a core if there are several cores, an even number of bytes. */
static size_t chunk_of(size_t n, unsigned threads)
{
    const size_t chunk = n / threads / (threads > 1 ? 4 : 1) / TILE * TILE;
    return chunk < MIN_CHUNK ? MIN_CHUNK : chunk < MAX_CHUNK ? chunk : MAX_CHUNK;
}

/* Words begin at a line. */
static size_t size_each(void)
{
    return PAIRS + TABLES * word_stride() * sizeof(uint32_t);
}

size_t parscan_byte_histogram_need(const histogram_call *call, unsigned threads)
{
    return histogram_threads(call, threads, size_each()) * size_each();
}

void parscan_byte_histogram_cpu(histogram_call *call, unsigned threads, char *scratch)
{
    threads = histogram_threads(call, threads, size_each());
    byte_team team = {.call = call,
                      .scratch = scratch,
                      .size_each = size_each(),
                      .chunk = chunk_of(call->n, threads),
                      .calm_tables = call->n / threads >= WORD_TABLES_FROM ? 2 : 1};
    atomic_init(&team.next, 0);
    parscan_team_run(call->context, threads, count_bytes, &team);
    unsigned char values[BYTES];
    uint32_t bins[BYTES];
    for (size_t k = 0; k < BYTES; k++)
        values[k] = (unsigned char)k;
    call->kernel(&call->map, values, BYTES, bins);
    if (!call->adds)
        memset(call->counts, 0, call->bins * call->count_size);
    for (size_t k = 0; k < BYTES; k++)
        if (bins[k] < call->bins)
            histogram_add(call, bins[k], team.counts[k]);
}
