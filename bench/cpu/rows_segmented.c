/* Segmented scans and reductions of u32; a recurrence. row->parameter: the mean length of segments. */
#include "rows.h"

PER_ELEMENT(fill_block, d->n, ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed + 1, i))

PER_BLOCK(offsets_block, d->n, uint32_t *offset = (uint32_t *)d->more_in + d->blocks[block],
          if (head_at(d, i)) *offset++ = (uint32_t)i)
PER_BLOCK(keys_block, d->n, uint32_t key = (uint32_t)d->blocks[block],
          ((uint32_t *)d->more_in)[i] = key += head_at(d, i))

static void fill(row_data *d)
{
    const char kind = d->row->input[0];
    each_block(d, d->n, fill_block);
    rank_heads(d);
    if (kind == 'f')
        fill_flags(d);
    else
        each_block(d, d->n, kind == 'o' ? offsets_block : keys_block);
    if (kind == 'o')
        ((uint32_t *)d->more_in)[d->count] = (uint32_t)d->n;
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

/* Calls each(context, begin, end) for the segments, as a user would find them. */
static void each_segment(row_data *d, void (*each)(row_data *d, size_t begin, size_t end))
{
    const char kind = d->row->input[0];
    const uint8_t *const flags = d->more_in;
    const uint32_t *const words = d->more_in; /* offsets or keys */
    d->result = 0;
    for (size_t begin = 0, end; begin < d->n; begin = end) {
        end = begin + 1;
        if (kind == 'o')
            end = words[d->result + 1];
        else if (kind == 'f')
            while (end < d->n && !flags[end])
                end++;
        else
            while (end < d->n && words[end] == words[begin])
                end++;
        each(d, begin, end);
        d->result++;
    }
}

static void scan_segment(row_data *d, size_t begin, size_t end)
{
    uint32_t sum = 0;
    for (size_t i = begin; i < end; i++)
        ((uint32_t *)d->out)[i] = sum += ((const uint32_t *)d->in)[i];
}

static void reduce_segment(row_data *d, size_t begin, size_t end)
{
    uint32_t sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += ((const uint32_t *)d->in)[i];
    ((uint32_t *)d->out)[d->result] = sum;
}

static void plain_scan(row_data *d)
{
    each_segment(d, scan_segment);
}

static void plain_reduce(row_data *d)
{
    each_segment(d, reduce_segment);
}

/* d->blocks: the sum since the last head of the block; d->marks: whether it has one. */
static void open_block(void *context, size_t block)
{
    const row_data *const d = context;
    uint64_t sum = 0;
    bool any = false;
    EACH_OF_BLOCK(i, block, d->n) {
        const bool head = head_at(d, i);
        any |= head;
        sum = (head ? 0 : sum) + ((const uint32_t *)d->in)[i];
    }
    d->blocks[block] = sum;
    d->marks[block] = any;
}

PER_BLOCK(check_block, d->n, uint32_t sum = (uint32_t)d->blocks[block],
          sum = (head_at(d, i) ? 0 : sum) + ((const uint32_t *)d->in)[i],
          expect(d, ((const uint32_t *)d->out)[i] == sum))

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

/* Checks the segments that start in the block. */
static void check_sums(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *const in = d->in, *out = (const uint32_t *)d->out + d->blocks[block];
    size_t i = block * ROW_BLOCK;
    const size_t end = block_end(block, d->n);
    while (i < end && !head_at(d, i))
        i++;
    while (i < end) {
        uint32_t sum = 0;
        do
            sum += in[i++];
        while (i < d->n && !head_at(d, i));
        expect(d, *out++ == sum);
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

ROW_BYTES(scan_bytes, 8.0 * (double)d->n + segment_bytes(d))
ROW_BYTES(reduce_bytes, 4.0 * (double)(d->n + d->count) + segment_bytes(d))

/* Factors of 1 and -1 keep all results exact. */
ROW_FILL(fill_recurrence, ((float *)d->more_in)[i] = random_at(d->seed + 1, i) & 1 ? 1 : -1,
         ((float *)d->in)[i] = (float)sixteenths_at(d->seed, i) / 16)

ROW_CALL(recurrence, parscan_recurrence(engine, PARSCAN_F32, d->more_in, d->in, NULL, d->out, d->n))

static void plain_recurrence(row_data *d)
{
    const float *const a = d->more_in, *const b = d->in;
    float *const out = d->out, x = 0;
    for (size_t i = 0; i < d->n; i++)
        out[i] = x = a[i] * x + b[i];
}

static bool recurs(const float *a, const float *b, const float *out, size_t i)
{
    return out[i] == a[i] * (i > 0 ? out[i - 1] : 0) + b[i];
}

ROW_CHECK(check_recurrence, d->n, recurs(d->more_in, d->in, d->out, i))

ROW_BYTES(recurrence_bytes, 12.0 * (double)d->n)

#define SCAN_ROW(kind, mean)                                                                     \
    {                                                                                            \
        "segmented-scan", "u32", kind "-" #mean, mean, 4, 4, fill, scan_bytes, scan, plain_scan, \
            .check = check_scan                                                                  \
    }
#define REDUCE_ROW(kind, mean)                                                             \
    {                                                                                      \
        "segmented-reduce", "u32", kind "-" #mean, mean, 4, 4, fill, reduce_bytes, reduce, \
            plain_reduce, .check = check_reduction                                         \
    }

const bench_row rows_segmented[] = {SCAN_ROW("flags", 1),
                                    SCAN_ROW("flags", 3),
                                    SCAN_ROW("flags", 100),
                                    SCAN_ROW("flags", 10000),
                                    SCAN_ROW("offsets", 100),
                                    SCAN_ROW("keys", 100),
                                    REDUCE_ROW("flags", 3),
                                    REDUCE_ROW("flags", 100),
                                    REDUCE_ROW("offsets", 100),
                                    REDUCE_ROW("keys", 100),
                                    {"recurrence", "f32", "uniform", 0, 4, 4, fill_recurrence,
                                     recurrence_bytes, recurrence, plain_recurrence,
                                     .check = check_recurrence},
                                    {0}};
