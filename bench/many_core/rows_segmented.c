/* Segmented scans and reductions of u32, with segments of 100 elements on average; a recurrence. */
#include "plain_loops.h"
#include "row_blocks.h"
#include "rows.h"

/* d->blocks: how many segments begin in each block. d->count: in all. */
static void count_heads(void *context, size_t block)
{
    const row_data *const d = context;
    uint64_t count = 0;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        count += head_at(d, i, SEGMENT_MEAN);
    d->blocks[block] = count;
}

static void rank_heads(row_data *d)
{
    each_block(d, d->n, count_heads);
    d->count = prefix_of_blocks(d, d->n);
}

static void fill_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed + 1, i);
}

static void flags_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint8_t *)d->more_in)[i] = head_at(d, i, SEGMENT_MEAN);
}

static void offsets_block(void *context, size_t block)
{
    const row_data *const d = context;
    uint32_t *offset = (uint32_t *)d->more_in + d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        if (head_at(d, i, SEGMENT_MEAN))
            *offset++ = (uint32_t)i;
}

static void keys_block(void *context, size_t block)
{
    const row_data *const d = context;
    uint32_t key = (uint32_t)d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint32_t *)d->more_in)[i] = key += head_at(d, i, SEGMENT_MEAN);
}

static void fill_with(row_data *d, void (*segments)(void *data, size_t block))
{
    each_block(d, d->n, fill_block);
    rank_heads(d);
    each_block(d, d->n, segments);
}

static void fill_flags(row_data *d)
{
    fill_with(d, flags_block);
}

static void fill_offsets(row_data *d)
{
    fill_with(d, offsets_block);
    ((uint32_t *)d->more_in)[d->count] = (uint32_t)d->n;
}

static void fill_keys(row_data *d)
{
    fill_with(d, keys_block);
}

static parscan_segments segments_of(const row_data *d)
{
    switch (d->row->input[0]) {
    case 'f':
        return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = d->more_in);
    case 'o':
        return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                                .data = d->more_in, .count = d->count);
    default:
        return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32,
                                .data = d->more_in);
    }
}

static parscan_status scan(row_data *d, parscan_context *engine)
{
    const parscan_segments segments = segments_of(d);
    return parscan_segmented_inclusive_scan(engine, PARSCAN_U32, d->in, d->out, d->n, &segments,
                                            NULL);
}

static parscan_status reduce(row_data *d, parscan_context *engine)
{
    const parscan_segments segments = segments_of(d);
    return parscan_segmented_reduce(engine, PARSCAN_U32, d->in, d->out, d->n, &segments, &d->result,
                                    NULL);
}

/* d->blocks: the sum since the last head of the block; d->marks: whether it has one. */
static void open_block(void *context, size_t block)
{
    const row_data *const d = context;
    const uint32_t *const in = d->in;
    uint64_t sum = 0;
    bool any = false;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        const bool head = head_at(d, i, SEGMENT_MEAN);
        any |= head;
        sum = (head ? 0 : sum) + in[i];
    }
    d->blocks[block] = sum;
    d->marks[block] = any;
}

static void check_block(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *const in = d->in, *const out = d->out;
    uint32_t sum = (uint32_t)d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        sum = (head_at(d, i, SEGMENT_MEAN) ? 0 : sum) + in[i];
        if (out[i] != sum)
            atomic_store(&d->wrong, true);
    }
}

static bool check_scan(row_data *d)
{
    each_block(d, d->n, open_block);
    uint64_t before = 0;
    for (size_t block = 0; block < blocks_of(d->n); block++) {
        const uint64_t own = d->blocks[block];
        d->blocks[block] = before;
        before = d->marks[block] ? own : before + own;
    }
    return none_wrong(d, d->n, check_block);
}

/* Checks the segments that begin in the block. */
static void check_sums(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *const in = d->in, *out = (const uint32_t *)d->out + d->blocks[block];
    size_t i = block * ROW_BLOCK;
    const size_t end = block_end(block, d->n);
    while (i < end && !head_at(d, i, SEGMENT_MEAN))
        i++;
    while (i < end) {
        uint32_t sum = 0;
        do
            sum += in[i++];
        while (i < d->n && !head_at(d, i, SEGMENT_MEAN));
        if (*out++ != sum)
            atomic_store(&d->wrong, true);
    }
}

static bool check_reduction(row_data *d)
{
    rank_heads(d);
    return d->result == d->count && none_wrong(d, d->n, check_sums);
}

static double segment_bytes(const row_data *d)
{
    switch (d->row->input[0]) {
    case 'f':
        return (double)d->n;
    case 'o':
        return 4.0 * (double)(d->count + 1);
    default:
        return 4.0 * (double)d->n;
    }
}

static double scan_bytes(const row_data *d)
{
    return 8.0 * (double)d->n + segment_bytes(d);
}

static double reduce_bytes(const row_data *d)
{
    return 4.0 * (double)(d->n + d->count) + segment_bytes(d);
}

/* Factors of 1 and -1 keep all results exact. */
static void recurrence_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        ((float *)d->more_in)[i] = random_at(d->seed + 1, i) & 1 ? 1 : -1;
        ((float *)d->in)[i] = (float)sixteenths_at(d->seed, i) / 16;
    }
}

static void fill_recurrence(row_data *d)
{
    each_block(d, d->n, recurrence_block);
}

static parscan_status recurrence(row_data *d, parscan_context *engine)
{
    return parscan_recurrence(engine, PARSCAN_F32, d->more_in, d->in, NULL, d->out, d->n);
}

static void check_recurrence_block(void *context, size_t block)
{
    row_data *const d = context;
    const float *const a = d->more_in, *const b = d->in, *const out = d->out;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        if (out[i] != a[i] * (i > 0 ? out[i - 1] : 0) + b[i])
            atomic_store(&d->wrong, true);
}

static bool check_recurrence(row_data *d)
{
    return none_wrong(d, d->n, check_recurrence_block);
}

static double recurrence_bytes(const row_data *d)
{
    return 12.0 * (double)d->n;
}

const bench_row rows_segmented[] = {
    {"segmented-scan", "u32", "flags-100", 4, 4, false, fill_flags, scan_bytes, scan,
     plain_segmented_scan, check_scan},
    {"segmented-scan", "u32", "offsets-100", 4, 4, false, fill_offsets, scan_bytes, scan,
     plain_segmented_scan, check_scan},
    {"segmented-scan", "u32", "keys-100", 4, 4, false, fill_keys, scan_bytes, scan,
     plain_segmented_scan, check_scan},
    {"segmented-reduce", "u32", "flags-100", 4, 4, false, fill_flags, reduce_bytes, reduce,
     plain_segmented_reduce, check_reduction},
    {"segmented-reduce", "u32", "offsets-100", 4, 4, false, fill_offsets, reduce_bytes, reduce,
     plain_segmented_reduce, check_reduction},
    {"segmented-reduce", "u32", "keys-100", 4, 4, false, fill_keys, reduce_bytes, reduce,
     plain_segmented_reduce, check_reduction},
    {"recurrence", "f32", "uniform", 4, 4, false, fill_recurrence, recurrence_bytes, recurrence,
     plain_recurrence, check_recurrence},
    {0}};
