/* Compaction that keeps half, unique with runs of four on average, histograms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain_loops.h"
#include "row_blocks.h"
#include "rows.h"

/* ---- compaction ---- */

static void fill_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i);
}

/* d->blocks: how many elements of each block are kept. */
static void count_kept(void *context, size_t block)
{
    const row_data *const d = context;
    const uint32_t *const in = d->in;
    uint64_t kept = 0;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        kept += in[i] < KEEP_BELOW;
    d->blocks[block] = kept;
}

static void fill_compact(row_data *d)
{
    each_block(d, d->n, fill_block);
    each_block(d, d->n, count_kept);
    d->count = prefix_of_blocks(d, d->n);
}

static parscan_status compact(row_data *d, parscan_context *engine)
{
    const uint32_t limit = KEEP_BELOW;
    return parscan_compact_if(engine, PARSCAN_U32, d->in,
                              &PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &limit),
                              d->out, d->n, &d->result);
}

static void check_kept(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *const in = d->in, *out = (const uint32_t *)d->out + d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        if (in[i] < KEEP_BELOW && *out++ != in[i])
            atomic_store(&d->wrong, true);
}

static bool check_compact(row_data *d)
{
    each_block(d, d->n, count_kept);
    prefix_of_blocks(d, d->n);
    return d->result == d->count && none_wrong(d, d->n, check_kept);
}

/* ---- unique ---- */

static void count_runs(void *context, size_t block)
{
    const row_data *const d = context;
    uint64_t count = 0;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        count += head_at(d, i, RUN_MEAN);
    d->blocks[block] = count;
}

/* The value of a run: one to one, since the factor is odd. */
static uint32_t run_value(uint64_t run)
{
    return (uint32_t)run * 0x9e3779b9u;
}

static void runs_block(void *context, size_t block)
{
    const row_data *const d = context;
    uint64_t runs = d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        runs += head_at(d, i, RUN_MEAN);
        ((uint32_t *)d->in)[i] = run_value(runs);
    }
}

static void fill_unique(row_data *d)
{
    each_block(d, d->n, count_runs);
    d->count = prefix_of_blocks(d, d->n);
    each_block(d, d->n, runs_block);
}

static parscan_status unique(row_data *d, parscan_context *engine)
{
    return parscan_unique(engine, PARSCAN_U32, d->in, d->out, d->n, &d->result);
}

static void check_runs(void *context, size_t block)
{
    row_data *const d = context;
    for (size_t run = block * ROW_BLOCK; run < block_end(block, d->count); run++)
        if (((const uint32_t *)d->out)[run] != run_value(run + 1))
            atomic_store(&d->wrong, true);
}

static bool check_unique(row_data *d)
{
    return d->result == d->count && none_wrong(d, d->count, check_runs);
}

static double bytes_kept(const row_data *d)
{
    return 4.0 * (double)(d->n + d->count);
}

/* ---- histograms ---- */

enum { BYTE_BINS = 256 };

static void fill_bytes_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint8_t *)d->in)[i] = (uint8_t)random_at(d->seed, i);
}

static void fill_bytes(row_data *d)
{
    each_block(d, d->n, fill_bytes_block);
}

static void fill_bins_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i) % BINS;
}

static void fill_bins(row_data *d)
{
    each_block(d, d->n, fill_bins_block);
}

static parscan_status histogram_u8(row_data *d, parscan_context *engine)
{
    return parscan_histogram(engine, PARSCAN_U8, d->in, d->n, BYTE_BINS, PARSCAN_U32, d->more_out,
                             NULL);
}

static parscan_status histogram_u32(row_data *d, parscan_context *engine)
{
    return parscan_histogram(engine, PARSCAN_U32, d->in, d->n, BINS, PARSCAN_U32, d->more_out,
                             NULL);
}

/* The counts that are right: each thread counts a share, and adds its counts to all. */
typedef struct expected_counts {
    const row_data *data;
    _Atomic uint32_t *counts;
    _Atomic bool no_memory;
} expected_counts;

static void count_share(void *context, unsigned share)
{
    expected_counts *const expected = context;
    const row_data *const d = expected->data;
    const bool bytes = d->row->element_size == 1;
    const size_t shares = workers_count(d->team), bins = bytes ? BYTE_BINS : BINS;
    const size_t begin = d->n / shares * share;
    const size_t end = share + 1 < shares ? begin + d->n / shares : d->n;
    uint32_t *const own = calloc(bins, sizeof *own);
    if (own == NULL) {
        atomic_store(&expected->no_memory, true);
        return;
    }
    for (size_t i = begin; i < end; i++)
        own[bytes ? ((const uint8_t *)d->in)[i] : ((const uint32_t *)d->in)[i]]++;
    for (size_t bin = 0; bin < bins; bin++)
        atomic_fetch_add(&expected->counts[bin], own[bin]);
    free(own);
}

static bool check_histogram(row_data *d)
{
    expected_counts expected = {.data = d, .counts = calloc(BINS, sizeof *expected.counts)};
    atomic_store(&expected.no_memory, expected.counts == NULL);
    if (expected.counts != NULL)
        workers_run(d->team, count_share, &expected);
    if (atomic_load(&expected.no_memory)) {
        fputs("bench: no memory for the counts of a check\n", stderr);
        exit(EXIT_FAILURE);
    }
    bool right = true;
    for (size_t bin = 0; bin < (d->row->element_size == 1 ? BYTE_BINS : BINS); bin++)
        right &= ((const uint32_t *)d->more_out)[bin] == atomic_load(&expected.counts[bin]);
    free(expected.counts);
    return right;
}

static double bytes_in(const row_data *d)
{
    return (double)d->row->element_size * (double)d->n;
}

const bench_row rows_compact[] = {{"compact-if", "u32", "50%", 4, 4, false, fill_compact,
                                   bytes_kept, compact, plain_compact, check_compact},
                                  {"unique", "u32", "runs-4", 4, 4, false, fill_unique, bytes_kept,
                                   unique, plain_unique, check_unique},
                                  {"histogram-256", "u8", "uniform", 1, 1, false, fill_bytes,
                                   bytes_in, histogram_u8, plain_histogram_u8, check_histogram},
                                  {"histogram-65536", "u32", "uniform", 4, 4, false, fill_bins,
                                   bytes_in, histogram_u32, plain_histogram_u32, check_histogram},
                                  {0}};
