/*
 * The histogram of many bytes: counts all 256 values of a byte, and then asks for the bin of each.
 * So any bounds cost nothing.
 *
 * Bytes are counted in pairs, which halves what the core is short of: additions to counters. The
 * 65536 counters of a byte each fit the second level of the cache, and nearly the first.
 */
#include <omp.h>

#include "apps/histogram/counters.h"
#include "apps/histogram/histogram_call.h"

enum { BYTES = 256, PAIRS = BYTES * BYTES, CHUNK = 1 << 18 };

typedef struct byte_team {
    char *scratch;
    size_t size_each, stride;
} byte_team;

static void add_carries(byte_counters *counters, uint64_t *counts)
{
    for (size_t k = 0; k < counters->carried; k++) {
        counts[counters->carries[k] / BYTES] += CARRY;
        counts[counters->carries[k] % BYTES] += CARRY;
    }
    counters->carried = 0;
}

static void add_pairs(const byte_counters *counters, uint64_t *counts)
{
    uint32_t second[BYTES] = {0};
    for (size_t byte = 0; byte < BYTES; byte++) {
        uint32_t row[BYTES] = {0};
        parscan_add_bytes(counters, byte * BYTES, BYTES, row);
        for (size_t k = 0; k < BYTES; k++) {
            counts[byte] += row[k];
            second[k] += row[k];
        }
    }
    for (size_t k = 0; k < BYTES; k++)
        counts[k] += second[k];
}

static void count_chunk(byte_counters *counters, const char *in, size_t n, uint64_t *counts)
{
    const size_t tile = 2 * COUNTER_TILE;
    for (size_t i = 0; i < n; i += tile) {
        parscan_count_pairs(counters, in + i, (n - i < tile ? n - i : tile) / 2);
        if (counters->carried > COUNTER_CARRIES - COUNTER_TILE)
            add_carries(counters, counts);
    }
    if (n % 2 != 0)
        counts[(unsigned char)in[n - 1]]++;
}

/* One core's share; all: the counts of all cores. */
static void count_bytes(const histogram_call *call, const byte_team *team, uint64_t *all)
{
    uint64_t counts[BYTES] = {0};
    char *const mine = team->scratch + (size_t)omp_get_thread_num() * team->size_each;
    byte_counters counters = {.tables = (uint8_t *)mine,
                              .stride = team->stride,
                              .used = 1,
                              .carries = (uint32_t *)(mine + TABLES * team->stride)};
    memset(counters.tables, 0, team->stride);
#pragma omp for schedule(dynamic) nowait
    for (size_t begin = 0; begin < call->n; begin += CHUNK)
        count_chunk(&counters, call->in + begin, call->n - begin < CHUNK ? call->n - begin : CHUNK,
                    counts);
    add_carries(&counters, counts);
    add_pairs(&counters, counts);
#pragma omp critical(parscan_byte_histogram)
    for (size_t k = 0; k < BYTES; k++)
        all[k] += counts[k];
}

parscan_status parscan_byte_histogram_cpu(histogram_call *call, unsigned threads)
{
    const size_t stride = parscan_counter_stride(PAIRS, sizeof(uint8_t));
    byte_team team = {.stride = stride,
                      .size_each = TABLES * stride + COUNTER_CARRIES * sizeof(uint32_t)};
    void *scratch;
    const parscan_status status =
        parscan_scratch(call->context, threads * team.size_each, &scratch);
    if (status != PARSCAN_OK)
        return status;
    team.scratch = scratch;
    uint64_t all[BYTES] = {0};
#pragma omp parallel num_threads(threads) if (threads > 1)
    count_bytes(call, &team, all);
    unsigned char values[BYTES];
    uint32_t bins[BYTES];
    for (size_t k = 0; k < BYTES; k++)
        values[k] = (unsigned char)k;
    call->kernel(&call->map, values, BYTES, bins);
    memset(call->counts, 0, call->bins * call->count_size);
    for (size_t k = 0; k < BYTES; k++)
        if (bins[k] < call->bins)
            histogram_add(call, bins[k], all[k]);
    return PARSCAN_OK;
}
