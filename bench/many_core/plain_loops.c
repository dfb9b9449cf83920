#include "plain_loops.h"

#include <string.h>

#ifdef BENCH_HAVE_STD
#include "std_sorts.h"
#endif

#define PLAIN_SCAN(name, T)               \
    void plain_scan_##name(row_data *d)   \
    {                                     \
        const T *const in = d->in;        \
        T *const out = d->out, sum = 0;   \
        for (size_t i = 0; i < d->n; i++) \
            out[i] = sum += in[i];        \
    }
PLAIN_SCAN(u32, uint32_t)
PLAIN_SCAN(u64, uint64_t)
PLAIN_SCAN(f32, float)

void plain_scan_reverse(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out, sum = 0;
    for (size_t i = d->n; i-- > 0;)
        out[i] = sum += in[i];
}

void plain_scan_in_place(row_data *d)
{
    uint32_t *const out = d->out, sum = 0;
    for (size_t i = 0; i < d->n; i++)
        out[i] = sum += out[i];
}

void plain_reduce(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += in[i];
    d->result = sum;
}

static void scan_by_flags(row_data *d)
{
    const uint32_t *const in = d->in;
    const uint8_t *const flags = d->more_in;
    uint32_t *const out = d->out, sum = 0;
    for (size_t i = 0; i < d->n; i++)
        out[i] = sum = flags[i] ? in[i] : sum + in[i];
}

static void scan_by_offsets(row_data *d)
{
    const uint32_t *const in = d->in, *const offsets = d->more_in;
    uint32_t *const out = d->out;
    for (size_t segment = 0; segment < d->count; segment++) {
        uint32_t sum = 0;
        for (size_t i = offsets[segment]; i < offsets[segment + 1]; i++)
            out[i] = sum += in[i];
    }
}

static void scan_by_keys(row_data *d)
{
    const uint32_t *const in = d->in, *const keys = d->more_in;
    uint32_t *const out = d->out, sum = 0;
    for (size_t i = 0; i < d->n; i++)
        out[i] = sum = i == 0 || keys[i] != keys[i - 1] ? in[i] : sum + in[i];
}

void plain_segmented_scan(row_data *d)
{
    if (d->row->input[0] == 'f')
        scan_by_flags(d);
    else if (d->row->input[0] == 'o')
        scan_by_offsets(d);
    else
        scan_by_keys(d);
}

static void reduce_by_flags(row_data *d)
{
    const uint32_t *const in = d->in;
    const uint8_t *const flags = d->more_in;
    uint32_t *const out = d->out, sum = in[0];
    size_t count = 0;
    for (size_t i = 1; i < d->n; i++) {
        if (flags[i]) {
            out[count++] = sum;
            sum = 0;
        }
        sum += in[i];
    }
    out[count++] = sum;
    d->result = count;
}

static void reduce_by_offsets(row_data *d)
{
    const uint32_t *const in = d->in, *const offsets = d->more_in;
    for (size_t segment = 0; segment < d->count; segment++) {
        uint32_t sum = 0;
        for (size_t i = offsets[segment]; i < offsets[segment + 1]; i++)
            sum += in[i];
        ((uint32_t *)d->out)[segment] = sum;
    }
    d->result = d->count;
}

static void reduce_by_keys(row_data *d)
{
    const uint32_t *const in = d->in, *const keys = d->more_in;
    uint32_t *const out = d->out, sum = in[0];
    size_t count = 0;
    for (size_t i = 1; i < d->n; i++) {
        if (keys[i] != keys[i - 1]) {
            out[count++] = sum;
            sum = 0;
        }
        sum += in[i];
    }
    out[count++] = sum;
    d->result = count;
}

void plain_segmented_reduce(row_data *d)
{
    if (d->row->input[0] == 'f')
        reduce_by_flags(d);
    else if (d->row->input[0] == 'o')
        reduce_by_offsets(d);
    else
        reduce_by_keys(d);
}

void plain_recurrence(row_data *d)
{
    const float *const a = d->more_in, *const b = d->in;
    float *const out = d->out, x = 0;
    for (size_t i = 0; i < d->n; i++)
        out[i] = x = a[i] * x + b[i];
}

void plain_compact(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out;
    size_t kept = 0;
    for (size_t i = 0; i < d->n; i++)
        if (in[i] < KEEP_BELOW)
            out[kept++] = in[i];
    d->result = kept;
}

void plain_unique(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out;
    size_t kept = 0;
    for (size_t i = 0; i < d->n; i++)
        if (i == 0 || in[i] != in[i - 1])
            out[kept++] = in[i];
    d->result = kept;
}

void plain_histogram_u8(row_data *d)
{
    uint32_t *const counts = d->more_out;
    memset(counts, 0, 256 * sizeof *counts);
    for (size_t i = 0; i < d->n; i++)
        counts[((const uint8_t *)d->in)[i]]++;
}

void plain_histogram_u32(row_data *d)
{
    uint32_t *const counts = d->more_out;
    memset(counts, 0, BINS * sizeof *counts);
    for (size_t i = 0; i < d->n; i++)
        counts[((const uint32_t *)d->in)[i]]++;
}

void plain_allocate(row_data *d)
{
    const uint32_t *const sizes = d->in;
    uint64_t *const offsets = d->out, offset = 0;
    for (size_t i = 0; i < d->n; i++) {
        offsets[i] = offset;
        offset += sizes[i];
    }
    d->result = offset;
}

void plain_expand(row_data *d)
{
    const uint32_t *const sizes = d->in;
    uint32_t *const owner = d->out, *const ranks = d->more_out;
    size_t slot = 0;
    for (size_t i = 0; i < d->items; i++)
        for (uint32_t rank = 0; rank < sizes[i]; rank++, slot++) {
            owner[slot] = (uint32_t)i;
            ranks[slot] = rank;
        }
    d->result = slot;
}

/* The offsets lie behind the values. */
void plain_bin(row_data *d)
{
    const uint32_t *const bins = d->in, *const values = d->more_in;
    uint32_t *const out = d->out, *const offsets = out + d->n, before = 0;
    memset(offsets, 0, (BINS + 1) * sizeof *offsets);
    for (size_t i = 0; i < d->n; i++)
        offsets[bins[i] + 1]++;
    for (size_t bin = 1; bin <= BINS; bin++) {
        const uint32_t count = offsets[bin];
        offsets[bin] = before;
        before += count;
    }
    for (size_t i = 0; i < d->n; i++)
        out[offsets[bins[i] + 1]++] = values[i];
}

#ifdef BENCH_HAVE_STD
void plain_sort_u32(row_data *d)
{
    memcpy(d->out, d->in, d->n * sizeof(uint32_t));
    std_sort_u32(d->out, d->n);
}

void plain_sort_u64(row_data *d)
{
    memcpy(d->out, d->in, d->n * sizeof(uint64_t));
    std_sort_u64(d->out, d->n);
}

/* Key and value as one number, which std::sort sorts; values are indices, so that is stable. */
void plain_sort_pairs(row_data *d)
{
    const uint32_t *const keys = d->in, *const values = d->more_in;
    uint64_t *const pairs = d->out;
    for (size_t i = 0; i < d->n; i++)
        pairs[i] = (uint64_t)keys[i] << 32 | values[i];
    std_sort_u64(pairs, d->n);
    for (size_t i = 0; i < d->n; i++) {
        const uint64_t pair = pairs[i];
        const uint32_t key = (uint32_t)(pair >> 32);
        memcpy((char *)d->out + i * sizeof key, &key, sizeof key);
        ((uint32_t *)d->more_out)[i] = (uint32_t)pair;
    }
}

void plain_argsort(row_data *d)
{
    uint32_t *const indices = d->more_out;
    for (size_t i = 0; i < d->n; i++)
        indices[i] = (uint32_t)i;
    std_sort_indices(d->in, indices, d->n);
}

void plain_sort_segments(row_data *d)
{
    const uint8_t *const heads = d->more_in;
    uint32_t *const out = d->out;
    memcpy(out, d->in, d->n * sizeof *out);
    for (size_t begin = 0, end = 1; begin < d->n; begin = end++) {
        while (end < d->n && !heads[end])
            end++;
        std_sort_u32(out + begin, end - begin);
    }
}
#endif
