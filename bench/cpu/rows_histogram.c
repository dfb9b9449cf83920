/* Histograms and binning. row->parameter: the bins. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

/* The bin of element i; row->input tells the distribution. */
static uint32_t bin_at(const row_data *d, size_t i)
{
    const uint64_t random = random_at(d->seed, i);
    const size_t bins = d->row->parameter;
    switch (d->row->input[0]) {
    case 'o': /* one value */
        return (uint32_t)(bins / 3);
    case 'z': { /* zipf: a probability of about 1 / (bin + 1) */
        const double unit = (double)(random >> 11) * 0x1p-53;
        const size_t bin = (size_t)exp(unit * log((double)bins + 1)) - 1;
        return (uint32_t)(bin < bins ? bin : bins - 1);
    }
    case 's': /* sorted */
        return (uint32_t)((double)i / (double)d->n * (double)bins);
    default:
        return (uint32_t)(random % bins);
    }
}

ROW_FILL(fill_histogram,
         if (d->row->element_size == 1)((uint8_t *)d->in)[i] = (uint8_t)bin_at(d, i);
         else((uint32_t *)d->in)[i] = bin_at(d, i))

ROW_CALL(histogram,
         parscan_histogram(engine, d->row->element_size == 1 ? PARSCAN_U8 : PARSCAN_U32, d->in,
                           d->n, d->row->parameter, PARSCAN_U32, d->more_out, NULL))

static void plain_histogram(row_data *d)
{
    uint32_t *const counts = d->more_out;
    memset(counts, 0, d->row->parameter * sizeof *counts);
    if (d->row->element_size == 1)
        for (size_t i = 0; i < d->n; i++)
            counts[((const uint8_t *)d->in)[i]]++;
    else
        for (size_t i = 0; i < d->n; i++)
            counts[((const uint32_t *)d->in)[i]]++;
}

/* Counts that are right: each thread counts a share, in counts of its own. */
typedef struct tally {
    const row_data *data;
    uint32_t *counts;
} tally;

static void count_share(void *context, unsigned share)
{
    const tally *const t = context;
    const row_data *const d = t->data;
    const size_t shares = workers_count(d->team), begin = d->n / shares * share;
    const size_t end = share + 1 < shares ? begin + d->n / shares : d->n;
    uint32_t *const own = t->counts + share * d->row->parameter;
    for (size_t i = begin; i < end; i++)
        own[bin_at(d, i)]++;
}

static bool check_histogram(row_data *d)
{
    const size_t bins = d->row->parameter, shares = workers_count(d->team);
    tally t = {d, calloc(shares * bins, sizeof *t.counts)};
    bench_require(t.counts != NULL, "no memory for the counts of a check", NULL);
    workers_run(d->team, count_share, &t);
    bool right = true;
    for (size_t bin = 0; bin < bins; bin++) {
        uint32_t count = 0;
        for (size_t share = 0; share < shares; share++)
            count += t.counts[share * bins + bin];
        right &= ((const uint32_t *)d->more_out)[bin] == count;
    }
    free(t.counts);
    return right;
}

/* ---- bin: values are indices ---- */

static void fill_bin(row_data *d)
{
    fill_histogram(d);
    fill_indices(d);
}

/* The offsets lie after the values. */
static uint32_t *offsets_of(const row_data *d)
{
    return (uint32_t *)d->out + d->n;
}

ROW_CALL(bin, parscan_bin(engine, PARSCAN_U32, d->in, sizeof(uint32_t), d->more_in, d->n,
                          d->row->parameter, PARSCAN_U32, offsets_of(d), d->out))

static void plain_bin(row_data *d)
{
    const uint32_t *const bins = d->in, *const values = d->more_in;
    uint32_t *const out = d->out, *const offsets = offsets_of(d), before = 0;
    memset(offsets, 0, (d->row->parameter + 1) * sizeof *offsets);
    for (size_t i = 0; i < d->n; i++)
        offsets[bins[i] + 1]++;
    for (size_t b = 1; b <= d->row->parameter; b++) {
        const uint32_t count = offsets[b];
        offsets[b] = before;
        before += count;
    }
    for (size_t i = 0; i < d->n; i++)
        out[offsets[bins[i] + 1]++] = values[i];
}

/* Indices ascend in each bin and are of it, so none occurs twice; the bins have n in all. */
static void check_bin(void *context, size_t number)
{
    row_data *const d = context;
    const uint32_t *const offsets = offsets_of(d), *const values = d->out;
    if (offsets[number] > offsets[number + 1] || offsets[number + 1] > d->n) {
        expect(d, false);
        return;
    }
    for (size_t k = offsets[number]; k < offsets[number + 1]; k++)
        expect(d, values[k] < d->n && bin_at(d, values[k]) == number &&
                      (k == offsets[number] || values[k] > values[k - 1]));
}

static bool check_bins(row_data *d)
{
    const size_t bins = d->row->parameter;
    atomic_store(&d->wrong, offsets_of(d)[0] != 0 || offsets_of(d)[bins] != d->n);
    if (!atomic_load(&d->wrong))
        workers_each(d->team, bins, check_bin, d);
    return !atomic_load(&d->wrong);
}

ROW_BYTES(bin_bytes, 12.0 * (double)d->n)

#define HISTOGRAM(bins, type, size, input)                                                       \
    {                                                                                            \
        "histogram-" #bins, type, input, bins, size, size, fill_histogram, read_once, histogram, \
            plain_histogram, .check = check_histogram                                            \
    }
#define BIN(bins, input)                                                                 \
    {                                                                                    \
        "bin-" #bins, "u32+u32", input, bins, 8, 4, fill_bin, bin_bytes, bin, plain_bin, \
            .check = check_bins                                                          \
    }

const bench_row rows_histogram[] = {HISTOGRAM(256, "u8", 1, "uniform"),
                                    HISTOGRAM(256, "u8", 1, "one-value"),
                                    HISTOGRAM(256, "u8", 1, "sorted"),
                                    HISTOGRAM(256, "u32", 4, "uniform"),
                                    HISTOGRAM(4096, "u32", 4, "uniform"),
                                    HISTOGRAM(65536, "u32", 4, "uniform"),
                                    HISTOGRAM(65536, "u32", 4, "one-value"),
                                    HISTOGRAM(65536, "u32", 4, "zipf"),
                                    HISTOGRAM(1048576, "u32", 4, "uniform"),
                                    BIN(256, "uniform"),
                                    BIN(65536, "uniform"),
                                    BIN(65536, "zipf"),
                                    {0}};
