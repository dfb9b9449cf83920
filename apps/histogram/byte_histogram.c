/*
 * The histogram of an array of many bytes. It counts all 256 values of a byte, and then adds each
 * count to the bin of the value. So the bounds cost no time.
 *
 * Bytes are counted in pairs, which halves the number of additions to counters, the bottleneck of a
 * core. The 65536 counters of a byte each fit the second-level cache, and nearly the first. If no
 * counter of a chunk reaches 256, which is so when many pairs are about as frequent, no test for
 * overflow is needed. So a chunk is first counted without the test. If the sum of the counters is
 * not the number of pairs, the chunk is counted again with the test, and so are the next chunks.
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
    CHECKED_CHUNKS = 16 /* chunks counted with the test after one that needed it */
};

typedef struct byte_team {
    const histogram_call *call;
    char *scratch;
    size_t size_each, stride, chunk;
    uint64_t counts[BYTES]; /* of all threads */
    atomic_size_t next;     /* where the next chunk starts */
} byte_team;

typedef struct byte_core {
    byte_counters pairs;
    uint64_t counts[BYTES];
    unsigned checked_chunks; /* chunks still to count with the test */
} byte_core;

/* Adds the counters of pairs to the counts of bytes and clears the counters. Returns the number
   of pairs that they held. */
static size_t take_pairs(byte_counters *pairs, uint64_t *counts)
{
    size_t sum = 0;
    uint32_t second[BYTES] = {0};
    for (size_t byte = 0; byte < BYTES; byte++) {
        uint32_t row[BYTES] = {0}, first = 0;
        parscan_add_bytes(pairs, byte * BYTES, BYTES, row);
        for (size_t k = 0; k < BYTES; k++) {
            first += row[k];
            second[k] += row[k];
        }
        counts[byte] += first;
        sum += first;
    }
    for (size_t k = 0; k < BYTES; k++)
        counts[k] += second[k];
    memset(pairs->tables, 0, pairs->used * pairs->stride);
    pairs->used = 1;
    return sum;
}

static void add_carries(byte_core *core)
{
    for (size_t k = 0; k < core->pairs.carried; k++) {
        core->counts[core->pairs.carries[k] / BYTES] += CARRY;
        core->counts[core->pairs.carries[k] % BYTES] += CARRY;
    }
    core->pairs.carried = 0;
}

/* Counts the pairs of a chunk; `checked`: with the test for overflow. */
static void count_pairs(byte_core *core, const char *in, size_t n, bool checked)
{
    for (size_t i = 0; i + 1 < n; i += TILE) {
        const size_t pairs = (n - i < TILE ? n - i : TILE) / 2;
        const count_ahead ahead = {n - i >= 2 * TILE ? in + i + TILE : NULL, 2};
        if (checked)
            parscan_count_pairs(&core->pairs, in + i, pairs, ahead);
        else
            parscan_count_pairs_unchecked(&core->pairs, in + i, pairs, ahead);
        if (core->pairs.carried > COUNTER_CARRIES - COUNTER_TILE)
            add_carries(core);
    }
}

/* Counts a chunk without the test. Returns false, and has counted nothing, if a counter reached
   256. */
static bool count_unchecked(byte_core *core, const char *in, size_t n)
{
    uint64_t counts[BYTES] = {0};
    count_pairs(core, in, n, false);
    if (take_pairs(&core->pairs, counts) != n / 2)
        return false;
    for (size_t k = 0; k < BYTES; k++)
        core->counts[k] += counts[k];
    return true;
}

static void count_bytes_of_core(byte_core *core, const char *in, size_t n)
{
    if (n % 2 != 0)
        core->counts[(unsigned char)in[n - 1]]++;
    if (core->checked_chunks > 0) {
        core->checked_chunks--;
    } else if (!parscan_pairs_are_skewed(in, n / 2)) {
        if (count_unchecked(core, in, n))
            return;
        core->checked_chunks = CHECKED_CHUNKS;
    }
    count_pairs(core, in, n, true);
    add_carries(core);
    take_pairs(&core->pairs, core->counts);
}

/* The work of one thread. */
static void count_bytes(void *state, size_t part)
{
    byte_team *const team = state;
    const histogram_call *const call = team->call;
    char *const mine = team->scratch + part * team->size_each;
    byte_core core = {.pairs = {.tables = (uint8_t *)mine,
                                .stride = team->stride,
                                .used = 1,
                                .carries = (uint32_t *)(mine + TABLES * team->stride)}};
    memset(core.pairs.tables, 0, team->stride);
    const size_t chunk = team->chunk;
    size_t begin;
    while ((begin = atomic_fetch_add(&team->next, chunk)) < call->n)
        count_bytes_of_core(&core, call->in + begin,
                            call->n - begin < chunk ? call->n - begin : chunk);
    pthread_mutex_lock(call->turn);
    for (size_t k = 0; k < BYTES; k++)
        team->counts[k] += core.counts[k];
    pthread_mutex_unlock(call->turn);
}

/* Returns the size of a chunk: several chunks a core, an even number of bytes. */
static size_t chunk_of(size_t n, unsigned threads)
{
    const size_t chunk = n / threads / 4 / TILE * TILE;
    return chunk < MIN_CHUNK ? MIN_CHUNK : chunk < MAX_CHUNK ? chunk : MAX_CHUNK;
}

static size_t stride_of_pairs(void)
{
    return parscan_counter_stride(PAIRS, sizeof(uint8_t));
}

static size_t size_each(void)
{
    return TABLES * stride_of_pairs() + COUNTER_CARRIES * sizeof(uint32_t);
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
                      .stride = stride_of_pairs(),
                      .chunk = chunk_of(call->n, threads)};
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
