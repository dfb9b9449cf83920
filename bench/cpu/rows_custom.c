/* Scans and reductions with an operator of the caller's, beside those of the library (rows_scan.c). */
#include <string.h>

#include "parscan/operator.h"
#include "rows.h"

PARSCAN_DEFINE_OPERATOR(add_u32, uint32_t, (), { return earlier + later; })
PARSCAN_DEFINE_OPERATOR(add_f32, float, (), { return earlier + later; })
PARSCAN_DEFINE_OPERATOR(
    map_after_map, map_u64, (typedef struct map_u64 { uint64_t a, b; } map_u64;), {
        const map_u64 both = {later.a * earlier.a, later.a * earlier.b + later.b};
        return both;
    })

typedef struct range {
    int32_t low, high;
} range;

/* By words, each of which gets both results and keeps its own: of a function of two structs compilers make slower code
   (docs/guide.md). */
static void combine_spread(const void *earlier, const void *later, void *out, size_t n,
                           const void *state)
{
    const int32_t *const a = earlier, *const b = later;
    int32_t *const both = out;
    (void)state;
    PARSCAN_INDEPENDENT
    for (size_t i = 0; i < 2 * n; i++) {
        const unsigned is_high = (unsigned)i & 1;
        const int32_t less = a[i] < b[i] ? a[i] : b[i], more = a[i] > b[i] ? a[i] : b[i];
        both[i] = is_high ? more : less;
    }
}

static range spread_of(range earlier, range later, const void *state)
{
    range both;
    combine_spread(&earlier, &later, &both, 1, state);
    return both;
}

/* Makes the operator for each call: that takes less than a microsecond. */
static parscan_status call_with(const parscan_operator_options *given, row_data *d,
                                parscan_context *engine, bool reduces)
{
    parscan_operator *op;
    parscan_status status = parscan_operator_create(&op, given);
    if (status != PARSCAN_OK)
        return status;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    status = reduces
                 ? parscan_reduce(engine, PARSCAN_CUSTOM, d->in, &d->result, d->n, &options)
                 : parscan_inclusive_scan(engine, PARSCAN_CUSTOM, d->in, d->out, d->n, &options);
    parscan_operator_destroy(op);
    return status;
}

#define CUSTOM_CALL(name, reduces, ...)                                               \
    static parscan_status name(row_data *d, parscan_context *engine)                  \
    {                                                                                 \
        return call_with(&PARSCAN_OPERATOR_OPTIONS(__VA_ARGS__), d, engine, reduces); \
    }
CUSTOM_CALL(scan_sum_u32, false, PARSCAN_DEFINED_OPERATOR(add_u32, uint32_t))
CUSTOM_CALL(scan_sum_f32, false, PARSCAN_DEFINED_OPERATOR(add_f32, float))
CUSTOM_CALL(scan_spread, false, .element_size = sizeof(range), .combine = combine_spread)
CUSTOM_CALL(scan_maps, false, PARSCAN_DEFINED_OPERATOR(map_after_map, map_u64))
CUSTOM_CALL(reduce_sum_u32, true, PARSCAN_DEFINED_OPERATOR(add_u32, uint32_t), .commutes = 1)
CUSTOM_CALL(reduce_in_order, true, PARSCAN_DEFINED_OPERATOR(add_u32, uint32_t))

/* Plain loops. */
#define PLAIN_SCAN(name, T, of_two)                                    \
    static void name(row_data *d)                                      \
    {                                                                  \
        const T *const in = d->in;                                     \
        T *const out = d->out;                                         \
        for (size_t i = 0; i < d->n; i++)                              \
            out[i] = i == 0 ? in[0] : of_two(out[i - 1], in[i], NULL); \
    }
PLAIN_SCAN(plain_u32, uint32_t, add_u32_of)
PLAIN_SCAN(plain_f32, float, add_f32_of)
PLAIN_SCAN(plain_spread, range, spread_of)
PLAIN_SCAN(plain_maps, map_u64, map_after_map_of)

static void plain_reduce(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += in[i];
    d->result = sum;
}

/* Numbers whose sums are exact; pairs that widen until the end; maps x -> x + b. */
ROW_FILL(fill_u32, ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i))
ROW_FILL(fill_f32, ((float *)d->in)[i] = (float)(random_at(d->seed, i) % 3) - 1)
ROW_FILL(fill_spread, ((range *)d->in)[i] = ((range){-(int32_t)(i / 2), (int32_t)(i / 3)}))
ROW_FILL(fill_maps, ((map_u64 *)d->in)[i] = ((map_u64){1, random_at(d->seed, i)}))

#define CHECK_OF_SUMS(name, sum_of, is_right)                                                     \
    PER_BLOCK_SUM(sum_block_##name, d->n, sum_of(d->in, i))                                       \
    PER_BLOCK(check_block_##name, d->n, uint64_t sum = d->blocks[block], sum += sum_of(d->in, i), \
              expect(d, is_right(d->out, i, sum)))                                                \
    static bool check_##name(row_data *d)                                                         \
    {                                                                                             \
        each_block(d, d->n, sum_block_##name);                                                    \
        prefix_of_blocks(d, d->n);                                                                \
        return none_wrong(d, d->n, check_block_##name);                                           \
    }
#define WORD_AT(array, i) (uint64_t)((const uint32_t *)(array))[i]
#define SAME_WORD(array, i, sum) ((const uint32_t *)(array))[i] == (uint32_t)(sum)
#define FLOAT_AT(array, i) (uint64_t)(int64_t)((const float *)(array))[i]
#define SAME_FLOAT(array, i, sum) ((const float *)(array))[i] == (float)(int64_t)(sum)
#define SHIFT_AT(array, i) ((const map_u64 *)(array))[i].b
#define SAME_SHIFT(array, i, sum) \
    (((const map_u64 *)(array))[i].a == 1 && ((const map_u64 *)(array))[i].b == (sum))
CHECK_OF_SUMS(u32, WORD_AT, SAME_WORD)
CHECK_OF_SUMS(f32, FLOAT_AT, SAME_FLOAT)
CHECK_OF_SUMS(maps, SHIFT_AT, SAME_SHIFT)
ROW_CHECK(check_spread, d->n,
          ((const range *)d->out)[i].low == -(int32_t)(i / 2) &&
              ((const range *)d->out)[i].high == (int32_t)(i / 3))

static bool check_sum(row_data *d)
{
    each_block(d, d->n, sum_block_u32);
    return (uint32_t)d->result == (uint32_t)prefix_of_blocks(d, d->n);
}

const bench_row rows_custom[] = {{"scan-custom", "u32", "uniform", 0, 4, 4, fill_u32,
                                  read_and_written, scan_sum_u32, plain_u32, .check = check_u32},
                                 {"scan-custom", "f32", "uniform", 0, 4, 4, fill_f32,
                                  read_and_written, scan_sum_f32, plain_f32, .check = check_f32},
                                 {"scan-custom", "pairs", "widening", 0, 8, 8, fill_spread,
                                  read_and_written, scan_spread, plain_spread,
                                  .check = check_spread},
                                 {"scan-custom", "maps", "uniform", 0, 16, 16, fill_maps,
                                  read_and_written, scan_maps, plain_maps, .check = check_maps},
                                 {"reduce-custom", "u32", "commuting", 0, 4, 4, fill_u32, read_once,
                                  reduce_sum_u32, plain_reduce, .check = check_sum},
                                 {"reduce-custom", "u32", "in-order", 0, 4, 4, fill_u32, read_once,
                                  reduce_in_order, plain_reduce, .check = check_sum},
                                 {0}};
