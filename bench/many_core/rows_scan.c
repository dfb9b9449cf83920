/* Scans and reductions. */
#include "plain_loops.h"
#include "row_blocks.h"
#include "rows.h"

#define U32_FROM(bits) ((uint32_t)(bits))
#define U64_FROM(bits) ((uint64_t)(bits))
#define F32_FROM(bits) ((float)(int64_t)(bits) / 16)
#define INTEGER_OF(x) ((uint64_t)(x))
#define SIXTEENTHS_OF(x) ((uint64_t)(int64_t)((x)*16))

/* For one type: fill, and checks from sums of blocks. bits_of() of an element is a number whose
   sums, modulo 2^64, give those of the elements by from_bits(). */
#define SCAN_FUNCTIONS(name, T, random, bits_of, from_bits)                   \
    static void fill_block_##name(void *context, size_t block)                \
    {                                                                         \
        const row_data *const d = context;                                    \
        T *const in = d->in;                                                  \
        for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)   \
            in[i] = from_bits(random(d->seed, i));                            \
    }                                                                         \
    static void fill_##name(row_data *d)                                      \
    {                                                                         \
        each_block(d, d->n, fill_block_##name);                               \
    }                                                                         \
    static void sum_block_##name(void *context, size_t block)                 \
    {                                                                         \
        const row_data *const d = context;                                    \
        const T *const in = d->in;                                            \
        uint64_t sum = 0;                                                     \
        for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++)   \
            sum += bits_of(in[i]);                                            \
        d->blocks[block] = sum;                                               \
    }                                                                         \
    static void check_block_##name(void *context, size_t block)               \
    {                                                                         \
        row_data *const d = context;                                          \
        const T *const in = d->in, *const out = d->out;                       \
        uint64_t sum = d->blocks[block];                                      \
        for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) { \
            sum += bits_of(in[i]);                                            \
            if (out[i] != from_bits(sum))                                     \
                atomic_store(&d->wrong, true);                                \
        }                                                                     \
    }                                                                         \
    static bool check_##name(row_data *d)                                     \
    {                                                                         \
        each_block(d, d->n, sum_block_##name);                                \
        prefix_of_blocks(d, d->n);                                            \
        return none_wrong(d, d->n, check_block_##name);                       \
    }

SCAN_FUNCTIONS(u32, uint32_t, random_at, INTEGER_OF, U32_FROM)
SCAN_FUNCTIONS(u64, uint64_t, random_at, INTEGER_OF, U64_FROM)
SCAN_FUNCTIONS(f32, float, sixteenths_at, SIXTEENTHS_OF, F32_FROM)

/* d->blocks: the sums before each block; d->sum: of all. */
static void check_block_reverse(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *const in = d->in, *const out = d->out;
    uint64_t sum = atomic_load(&d->sum) - d->blocks[block];
    for (size_t i = block * ROW_BLOCK; i < block_end(block, d->n); i++) {
        if (out[i] != (uint32_t)sum)
            atomic_store(&d->wrong, true);
        sum -= in[i];
    }
}

static bool check_reverse(row_data *d)
{
    each_block(d, d->n, sum_block_u32);
    atomic_store(&d->sum, prefix_of_blocks(d, d->n));
    return none_wrong(d, d->n, check_block_reverse);
}

static bool check_reduction(row_data *d)
{
    each_block(d, d->n, sum_block_u32);
    return (uint32_t)d->result == (uint32_t)prefix_of_blocks(d, d->n);
}

static parscan_status scan(row_data *d, parscan_context *engine, parscan_type type,
                           const parscan_scan_options *options)
{
    return parscan_inclusive_scan(engine, type, d->row->in_place ? d->out : d->in, d->out, d->n,
                                  options);
}

static parscan_status scan_u32(row_data *d, parscan_context *engine)
{
    return scan(d, engine, PARSCAN_U32, NULL);
}

static parscan_status scan_u64(row_data *d, parscan_context *engine)
{
    return scan(d, engine, PARSCAN_U64, NULL);
}

static parscan_status scan_f32(row_data *d, parscan_context *engine)
{
    return scan(d, engine, PARSCAN_F32, NULL);
}

static parscan_status scan_reproducible(row_data *d, parscan_context *engine)
{
    return scan(d, engine, PARSCAN_F32, &PARSCAN_SCAN_OPTIONS(.reproducible = 1));
}

static parscan_status scan_reverse(row_data *d, parscan_context *engine)
{
    return scan(d, engine, PARSCAN_U32, &PARSCAN_SCAN_OPTIONS(.reverse = 1));
}

static parscan_status reduce(row_data *d, parscan_context *engine)
{
    uint32_t sum = 0;
    const parscan_status status = parscan_reduce(engine, PARSCAN_U32, d->in, &sum, d->n, NULL);
    d->result = sum;
    return status;
}

static double read_once(const row_data *d)
{
    return (double)d->row->element_size * (double)d->n;
}

static double read_and_written(const row_data *d)
{
    return 2 * read_once(d);
}

const bench_row rows_scan[] = {{"scan", "u32", "uniform", 4, 4, false, fill_u32, read_and_written,
                                scan_u32, plain_scan_u32, check_u32},
                               {"scan", "u64", "uniform", 8, 8, false, fill_u64, read_and_written,
                                scan_u64, plain_scan_u64, check_u64},
                               {"scan", "f32", "uniform", 4, 4, false, fill_f32, read_and_written,
                                scan_f32, plain_scan_f32, check_f32},
                               {"scan-reproducible", "f32", "uniform", 4, 4, false, fill_f32,
                                read_and_written, scan_reproducible, plain_scan_f32, check_f32},
                               {"scan-reverse", "u32", "uniform", 4, 4, false, fill_u32,
                                read_and_written, scan_reverse, plain_scan_reverse, check_reverse},
                               {"scan-in-place", "u32", "uniform", 4, 4, true, fill_u32,
                                read_and_written, scan_u32, plain_scan_in_place, check_u32},
                               {"reduce", "u32", "uniform", 4, 4, false, fill_u32, read_once,
                                reduce, plain_reduce, check_reduction},
                               {0}};
