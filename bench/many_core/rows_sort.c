/* Sorts of uniform keys. Keys are functions of their positions, so a check needs no random access:
   it computes again which key an index or a value stands for. */
#include "plain_loops.h"
#include "row_blocks.h"
#include "rows.h"

static void fill_u32_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i);
}

static void fill_u64_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint64_t *)d->in)[i] = random_at(d->seed, i);
}

static void fill_values_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint32_t *)d->more_in)[i] = (uint32_t)i;
}

/* One in SORTED_MEAN elements begins a segment. */
static void fill_flags_block(void *context, size_t block)
{
    const row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        ((uint8_t *)d->more_in)[i] = head_at(d, i, SORTED_MEAN);
}

static void fill_u32(row_data *d)
{
    each_block(d, d->n, fill_u32_block);
}

static void fill_u64(row_data *d)
{
    each_block(d, d->n, fill_u64_block);
}

static void fill_pairs(row_data *d)
{
    each_block(d, d->n, fill_u32_block);
    each_block(d, d->n, fill_values_block);
}

static void fill_segments(row_data *d)
{
    /* The keys' low bits would tell where segments begin: another seed. */
    d->seed++;
    each_block(d, d->n, fill_u32_block);
    d->seed--;
    each_block(d, d->n, fill_flags_block);
}

static parscan_status sort_u32(row_data *d, parscan_context *engine)
{
    return parscan_sort_keys(engine, PARSCAN_U32, d->in, d->out, d->n, NULL);
}

static parscan_status sort_u64(row_data *d, parscan_context *engine)
{
    return parscan_sort_keys(engine, PARSCAN_U64, d->in, d->out, d->n, NULL);
}

static parscan_status sort_pairs(row_data *d, parscan_context *engine)
{
    return parscan_sort_pairs(engine, PARSCAN_U32, d->in, d->out, sizeof(uint32_t), d->more_in,
                              d->more_out, d->n, NULL);
}

static parscan_status argsort(row_data *d, parscan_context *engine)
{
    return parscan_argsort(engine, PARSCAN_U32, d->in, PARSCAN_U32, d->more_out, d->n, NULL);
}

static parscan_status sort_segments(row_data *d, parscan_context *engine)
{
    return parscan_sort_segments(
        engine, PARSCAN_U32, d->in, d->out, 0, NULL, NULL, d->n,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = d->more_in), NULL);
}

static uint64_t mixed(uint64_t key)
{
    return bench_random(&key);
}

/* In order, and with the sum of a hash of the input's keys. d->sum: input less output. */
#define CHECK_KEYS(name, T)                                                   \
    static void check_block_##name(void *context, size_t block)               \
    {                                                                         \
        row_data *const d = context;                                          \
        const T *const in = d->in, *const out = d->out;                       \
        uint64_t sum = 0;                                                     \
        for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) { \
            if (i > 0 && out[i - 1] > out[i])                                 \
                atomic_store(&d->wrong, true);                                \
            sum += mixed(in[i]) - mixed(out[i]);                              \
        }                                                                     \
        atomic_fetch_add(&d->sum, sum);                                       \
    }                                                                         \
    static bool check_##name(row_data *d)                                     \
    {                                                                         \
        atomic_store(&d->sum, 0);                                             \
        return none_wrong(d, d->n, check_block_##name) && d->sum == 0;        \
    }
CHECK_KEYS(u32, uint32_t)
CHECK_KEYS(u64, uint64_t)

/* Key and index ascend, so that no index occurs twice, and each is below n: all occur. */
static void check_indices_block(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *const indices = d->more_out;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        const uint32_t index = indices[i], before = i > 0 ? indices[i - 1] : 0;
        const uint32_t key = (uint32_t)random_at(d->seed, index);
        const uint32_t key_before = i > 0 ? (uint32_t)random_at(d->seed, before) : 0;
        if (index >= d->n || (i > 0 && key < key_before) ||
            (i > 0 && key == key_before && index <= before))
            atomic_store(&d->wrong, true);
    }
}

static bool check_indices(row_data *d)
{
    return none_wrong(d, d->n, check_indices_block);
}

static void check_keys_of_pairs(void *context, size_t block)
{
    row_data *const d = context;
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)
        if (((const uint32_t *)d->out)[i] !=
            (uint32_t)random_at(d->seed, ((const uint32_t *)d->more_out)[i]))
            atomic_store(&d->wrong, true);
}

static bool check_pairs(row_data *d)
{
    return check_indices(d) && none_wrong(d, d->n, check_keys_of_pairs);
}

/* Checks the segments that begin in the block. */
static void check_segments_block(void *context, size_t block)
{
    row_data *const d = context;
    const uint8_t *const heads = d->more_in;
    const uint32_t *const in = d->in, *const out = d->out;
    size_t i = block * ROW_BLOCK;
    const size_t end = block_end(block, d->n);
    while (i < end && !heads[i])
        i++;
    while (i < end) {
        uint64_t sum = mixed(in[i]) - mixed(out[i]);
        for (i++; i < d->n && !heads[i]; i++) {
            sum += mixed(in[i]) - mixed(out[i]);
            if (out[i - 1] > out[i])
                atomic_store(&d->wrong, true);
        }
        if (sum != 0)
            atomic_store(&d->wrong, true);
    }
}

static bool check_segments(row_data *d)
{
    return none_wrong(d, d->n, check_segments_block);
}

static double read_and_written(const row_data *d)
{
    return 2.0 * (double)d->row->element_size * (double)d->n;
}

static double pairs_bytes(const row_data *d)
{
    return 16.0 * (double)d->n;
}

static double segments_bytes(const row_data *d)
{
    return 9.0 * (double)d->n;
}

const bench_row rows_sort[] = {{"sort-keys", "u32", "uniform", 8, 4, false, fill_u32,
                                read_and_written, sort_u32, plain_sort_u32, check_u32},
                               {"sort-keys", "u64", "uniform", 16, 8, false, fill_u64,
                                read_and_written, sort_u64, plain_sort_u64, check_u64},
                               {"sort-pairs", "u32", "uniform", 8, 4, false, fill_pairs,
                                pairs_bytes, sort_pairs, plain_sort_pairs, check_pairs},
                               {"argsort", "u32", "uniform", 8, 4, false, fill_pairs,
                                read_and_written, argsort, plain_argsort, check_indices},
                               {"sort-segments", "u32", "flags-1000", 8, 4, false, fill_segments,
                                segments_bytes, sort_segments, plain_sort_segments, check_segments},
                               {0}};
