/* Allocation, expansion, binning. */
#include "plain_loops.h"
#include "row_blocks.h"
#include "rows.h"

/* ---- allocate: sizes below 50 ---- */

enum { MOST_SIZE = 50, MOST_ITEM = 9 };

static void fill_sizes_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i) % MOST_SIZE;
}

static void fill_allocate(row_data *d)
{
    each_block(d, d->n, fill_sizes_block);
}

static parscan_status allocate(row_data *d, parscan_context *engine)
{
    return parscan_allocate(engine, PARSCAN_U32, d->in, d->n, PARSCAN_U64, d->out, &d->result,
                            NULL);
}

/* d->blocks: the sums of the sizes, of n of them or, for expand, of items. */
static void sum_sizes(void *context, size_t block)
{
    const row_data *const d = context;
    const size_t count = d->items > 0 ? d->items : d->n;
    uint64_t sum = 0;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, count); i++)
        sum += ((const uint32_t *)d->in)[i];
    d->blocks[block] = sum;
}

static void check_offsets_block(void *context, size_t block)
{
    row_data *const d = context;
    uint64_t offset = d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        if (((const uint64_t *)d->out)[i] != offset)
            atomic_store(&d->wrong, true);
        offset += ((const uint32_t *)d->in)[i];
    }
}

static bool check_allocate(row_data *d)
{
    d->items = 0;
    each_block(d, d->n, sum_sizes);
    return d->result == prefix_of_blocks(d, d->n) && none_wrong(d, d->n, check_offsets_block);
}

static double allocate_bytes(const row_data *d)
{
    return 12.0 * (double)d->n;
}

/* ---- expand: n slots at most, sizes from 0 to 8 ---- */

static void fill_items_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->items); i++)
        ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i) % MOST_ITEM;
}

/* As many items as have slots: n / 4 less a little, and fewer where the luck is bad. */
static void fill_expand(row_data *d)
{
    d->items = d->n / 4 - d->n / 32;
    each_block(d, d->items, fill_items_block);
    for (;; d->items -= (d->items + 7) / 8) {
        each_block(d, d->items, sum_sizes);
        d->count = prefix_of_blocks(d, d->items);
        if (d->count <= d->n)
            return;
    }
}

static parscan_status expand(row_data *d, parscan_context *engine)
{
    return parscan_expand(engine, PARSCAN_U32, d->in, d->items, PARSCAN_U32, d->out, d->more_out,
                          d->n, &d->result);
}

static void check_slots_block(void *context, size_t block)
{
    row_data *const d = context;
    size_t slot = d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->items); i++)
        for (uint32_t rank = 0; rank < ((const uint32_t *)d->in)[i]; rank++, slot++)
            if (((const uint32_t *)d->out)[slot] != i ||
                ((const uint32_t *)d->more_out)[slot] != rank)
                atomic_store(&d->wrong, true);
}

static bool check_expand(row_data *d)
{
    each_block(d, d->items, sum_sizes);
    return d->result == prefix_of_blocks(d, d->items) && none_wrong(d, d->items, check_slots_block);
}

static double expand_bytes(const row_data *d)
{
    return 4.0 * (double)d->items + 8.0 * (double)d->count;
}

/* ---- bin: values are indices, and a bin is a function of its index ---- */

static uint32_t bin_at(const row_data *d, size_t i)
{
    return (uint32_t)random_at(d->seed, i) % BINS;
}

static void fill_bin_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        ((uint32_t *)d->in)[i] = bin_at(d, i);
        ((uint32_t *)d->more_in)[i] = (uint32_t)i;
    }
}

static void fill_bin(row_data *d)
{
    each_block(d, d->n, fill_bin_block);
}

/* The offsets lie behind the values. */
static uint32_t *offsets_of(const row_data *d)
{
    return (uint32_t *)d->out + d->n;
}

static parscan_status bin(row_data *d, parscan_context *engine)
{
    return parscan_bin(engine, PARSCAN_U32, d->in, sizeof(uint32_t), d->more_in, d->n, BINS,
                       PARSCAN_U32, offsets_of(d), d->out);
}

/* Indices ascend in each bin and are of it, so none occurs twice; the bins have n in all. */
static void check_bin(void *context, size_t number)
{
    row_data *const d = context;
    const uint32_t *const offsets = offsets_of(d), *const values = d->out;
    if (offsets[number] > offsets[number + 1] || offsets[number + 1] > d->n) {
        atomic_store(&d->wrong, true);
        return;
    }
    for (size_t k = offsets[number]; k < offsets[number + 1]; k++)
        if (values[k] >= d->n || bin_at(d, values[k]) != number ||
            (k > offsets[number] && values[k] <= values[k - 1]))
            atomic_store(&d->wrong, true);
}

static bool check_bins(row_data *d)
{
    atomic_store(&d->wrong, offsets_of(d)[0] != 0 || offsets_of(d)[BINS] != d->n);
    if (!atomic_load(&d->wrong))
        workers_each(d->team, BINS, check_bin, d);
    return !atomic_load(&d->wrong);
}

static double bin_bytes(const row_data *d)
{
    return 12.0 * (double)d->n;
}

const bench_row rows_allocate[] = {
    {"allocate", "u32-u64", "align-1", 8, 4, false, fill_allocate, allocate_bytes, allocate,
     plain_allocate, check_allocate},
    {"expand", "u32", "small", 8, 4, false, fill_expand, expand_bytes, expand, plain_expand,
     check_expand},
    {"bin-65536", "u32", "uniform", 8, 4, false, fill_bin, bin_bytes, bin, plain_bin, check_bins},
    {0}};
