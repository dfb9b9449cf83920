/* Compaction of u32: filters, runs, a dense matrix. */
#include "rows.h"

enum { COLUMNS = 1000 };

/* ---- filters that keep row->parameter percent ---- */

static uint32_t limit_of(const row_data *d)
{
    return (uint32_t)((uint64_t)d->row->parameter * UINT32_MAX / 100);
}

static bool kept(const row_data *d, size_t i)
{
    return ((const uint32_t *)d->in)[i] < limit_of(d);
}

PER_ELEMENT(fill_block, d->n, ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i),
            ((uint8_t *)d->more_in)[i] = kept(d, i))

/* d->blocks: how many elements of each block are kept. */
PER_BLOCK_SUM(count_kept, d->n, kept(d, i))

static uint64_t rank_kept(row_data *d)
{
    each_block(d, d->n, count_kept);
    return prefix_of_blocks(d, d->n);
}

static void fill_filter(row_data *d)
{
    each_block(d, d->n, fill_block);
    d->count = rank_kept(d);
}

#define PREDICATE(limit) PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &(limit))

static parscan_status compact_if(row_data *d, parscan_context *engine)
{
    const uint32_t limit = limit_of(d);
    return parscan_compact_if(engine, PARSCAN_U32, d->in, &PREDICATE(limit), d->out, d->n,
                              &d->result);
}

ROW_CALL(compact,
         parscan_compact(engine, sizeof(uint32_t), d->in, d->more_in, d->out, d->n, &d->result))

static parscan_status indices(row_data *d, parscan_context *engine)
{
    const uint32_t limit = limit_of(d);
    return parscan_compact_indices(engine, PARSCAN_U32, d->in, &PREDICATE(limit), PARSCAN_U32,
                                   d->out, d->n, &d->result);
}

static parscan_status partition(row_data *d, parscan_context *engine)
{
    const uint32_t limit = limit_of(d);
    return parscan_partition(engine, PARSCAN_U32, d->in, &PREDICATE(limit), d->out, d->n,
                             &d->result);
}

static void plain_compact(row_data *d)
{
    const uint32_t *const in = d->in, limit = limit_of(d);
    uint32_t *out = d->out;
    for (size_t i = 0; i < d->n; i++)
        if (in[i] < limit)
            *out++ = in[i];
    d->result = (size_t)(out - (uint32_t *)d->out);
}

static void plain_indices(row_data *d)
{
    const uint32_t *const in = d->in, limit = limit_of(d);
    uint32_t *const out = d->out;
    size_t count = 0;
    for (size_t i = 0; i < d->n; i++) {
        out[count] = (uint32_t)i;
        count += in[i] < limit;
    }
    d->result = count;
}

static void plain_partition(row_data *d)
{
    const uint32_t *const in = d->in, limit = limit_of(d);
    plain_compact(d);
    uint32_t *rest = (uint32_t *)d->out + d->result;
    for (size_t i = 0; i < d->n; i++)
        if (in[i] >= limit)
            *rest++ = in[i];
}

PER_BLOCK(check_kept, d->n, const uint32_t *out = (const uint32_t *)d->out + d->blocks[block],
          if (kept(d, i)) expect(d, *out++ == ((const uint32_t *)d->in)[i]))

static bool check_compact(row_data *d)
{
    return rank_kept(d) == d->result && none_wrong(d, d->n, check_kept);
}

PER_BLOCK(check_indices_block, d->n,
          const uint32_t *out = (const uint32_t *)d->out + d->blocks[block],
          if (kept(d, i)) expect(d, *out++ == i))

static bool check_indices(row_data *d)
{
    return rank_kept(d) == d->result && none_wrong(d, d->n, check_indices_block);
}

/* Of the elements before the block, those that are not kept lie before it in the rest. */
PER_BLOCK(check_rest, d->n,
          const uint32_t *rest = (const uint32_t *)d->out + d->count +
                                 (block * ROW_BLOCK - d->blocks[block]),
          if (!kept(d, i)) expect(d, *rest++ == ((const uint32_t *)d->in)[i]))

static bool check_partition(row_data *d)
{
    return check_compact(d) && none_wrong(d, d->n, check_rest);
}

/* ---- runs of row->parameter elements on average ---- */

/* The value of a run: one to one, since the factor is odd. */
static uint32_t run_value(uint64_t run)
{
    return (uint32_t)run * 0x9e3779b9u;
}

PER_BLOCK(runs_block, d->n, uint64_t runs = d->blocks[block], runs += head_at(d, i),
          ((uint32_t *)d->in)[i] = run_value(runs))

static void fill_runs(row_data *d)
{
    rank_heads(d);
    each_block(d, d->n, runs_block);
}

ROW_CALL(unique, parscan_unique(engine, PARSCAN_U32, d->in, d->out, d->n, &d->result))
ROW_CALL(run_lengths, parscan_run_length_encode(engine, PARSCAN_U32, d->in, d->out, PARSCAN_U32,
                                                d->more_out, d->n, &d->result))

static void plain_unique(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out;
    size_t count = 0;
    for (size_t i = 0; i < d->n; i++)
        if (i == 0 || in[i] != in[i - 1])
            out[count++] = in[i];
    d->result = count;
}

static void plain_lengths(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out, *const lengths = d->more_out;
    size_t count = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (i == 0 || in[i] != in[i - 1]) {
            lengths[count] = 0;
            out[count++] = in[i];
        }
        lengths[count - 1]++;
    }
    d->result = count;
}

PER_ELEMENT(check_runs, d->count, expect(d, ((const uint32_t *)d->out)[i] == run_value(i + 1)))

static bool check_unique(row_data *d)
{
    return d->result == d->count && none_wrong(d, d->count, check_runs);
}

/* The lengths of the runs that start in the block. */
static void check_lengths_block(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *length = (const uint32_t *)d->more_out + d->blocks[block];
    size_t i = block * ROW_BLOCK;
    const size_t end = block_end(block, d->n);
    while (i < end && !head_at(d, i))
        i++;
    while (i < end) {
        const size_t begin = i++;
        while (i < d->n && !head_at(d, i))
            i++;
        expect(d, *length++ == i - begin);
    }
}

static bool check_lengths(row_data *d)
{
    if (!check_unique(d))
        return false;
    rank_heads(d);
    return none_wrong(d, d->n, check_lengths_block);
}

/* ---- a dense matrix of COLUMNS columns, of which row->parameter percent are not zero ---- */

static bool entry_at(const row_data *d, size_t i)
{
    return random_at(d->seed, i) % 100 < d->row->parameter;
}

PER_ELEMENT(fill_dense_block, d->n, ((uint32_t *)d->in)[i] = entry_at(d, i) ? (uint32_t)i | 1 : 0)

PER_BLOCK_SUM(count_entries, d->n / COLUMNS * COLUMNS, entry_at(d, i))

static void rank_entries(row_data *d)
{
    each_block(d, d->n / COLUMNS * COLUMNS, count_entries);
    d->count = prefix_of_blocks(d, d->n / COLUMNS * COLUMNS);
}

static void fill_dense(row_data *d)
{
    each_block(d, d->n, fill_dense_block);
    rank_entries(d);
}

/* Columns and row offsets share more_out. */
static uint32_t *offsets_of(const row_data *d)
{
    return (uint32_t *)d->more_out + d->n / 2;
}

ROW_CALL(csr, parscan_dense_to_csr(engine, PARSCAN_U32, d->in, d->n / COLUMNS, COLUMNS, PARSCAN_U32,
                                   offsets_of(d), d->more_out, d->out, &d->result))

static void plain_csr(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const values = d->out, *const columns = d->more_out, count = 0;
    for (size_t row = 0; row < d->n / COLUMNS; row++) {
        offsets_of(d)[row] = count;
        for (size_t column = 0; column < COLUMNS; column++)
            if (in[row * COLUMNS + column] != 0) {
                columns[count] = (uint32_t)column;
                values[count++] = in[row * COLUMNS + column];
            }
    }
    offsets_of(d)[d->n / COLUMNS] = count;
    d->result = count;
}

static void check_entries(void *context, size_t block)
{
    row_data *const d = context;
    uint64_t entry = d->blocks[block];
    EACH_OF_BLOCK(i, block, d->n / COLUMNS * COLUMNS) {
        if (i % COLUMNS == 0)
            expect(d, offsets_of(d)[i / COLUMNS] == entry);
        if (!entry_at(d, i))
            continue;
        expect(d, ((const uint32_t *)d->out)[entry] == ((uint32_t)i | 1));
        expect(d, ((const uint32_t *)d->more_out)[entry] == i % COLUMNS);
        entry++;
    }
}

static bool check_csr(row_data *d)
{
    rank_entries(d);
    return d->result == d->count && offsets_of(d)[d->n / COLUMNS] == d->count &&
           none_wrong(d, d->n / COLUMNS * COLUMNS, check_entries);
}

/* ---- the table ---- */

ROW_BYTES(bytes_kept, 4.0 * (double)(d->n + d->count))
ROW_BYTES(bytes_flagged, bytes_kept(d) + (double)d->n)
ROW_BYTES(bytes_of_pairs, 4.0 * (double)d->n + 8.0 * (double)d->count)

#define FILTER(work, percent, bytes, call, plain, is_right)                        \
    {                                                                              \
        work, "u32", #percent "%", percent, 4, 4, fill_filter, bytes, call, plain, \
            .check = is_right                                                      \
    }
#define COMPACT_IF(percent) \
    FILTER("compact-if", percent, bytes_kept, compact_if, plain_compact, check_compact)
#define PARTITION(percent) \
    FILTER("partition", percent, read_and_written, partition, plain_partition, check_partition)

const bench_row rows_compact[] = {
    COMPACT_IF(1),
    COMPACT_IF(50),
    COMPACT_IF(90),
    FILTER("compact", 50, bytes_flagged, compact, plain_compact, check_compact),
    FILTER("compact-indices", 50, bytes_kept, indices, plain_indices, check_indices),
    PARTITION(1),
    PARTITION(50),
    {"unique", "u32", "runs-of-4", 4, 4, 4, fill_runs, bytes_kept, unique, plain_unique,
     .check = check_unique},
    {"run-lengths", "u32", "runs-of-4", 4, 8, 4, fill_runs, bytes_of_pairs, run_lengths,
     plain_lengths, .check = check_lengths},
    {"dense-to-csr", "u32", "dense-10%", 10, 8, 4, fill_dense, bytes_of_pairs, csr, plain_csr,
     .check = check_csr},
    {0}};
