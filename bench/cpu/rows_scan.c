/* Scans by every algorithm, and reductions. */
#include <string.h>

#include "rows.h"
#include "scan/half.h"

/* Block algorithms are for study and slow on the CPU, so they are measured up to this size only. */
enum { MAX_LOG2N_BLOCK = 22 };

#define INTEGER_OF(x) ((uint64_t)(x))
#define SIXTEENTHS_OF(x) ((uint64_t)(int64_t)((x)*16))
#define FLOAT_OF(T, bits) ((T)(int64_t)(bits) / 16)
#define BITS_OF(T, bits) ((T)(bits))
#define F16_OF(bits) parscan_widen_F16_F32((parscan_f16){bits})
#define BF16_OF(bits) parscan_widen_BF16_F32((parscan_bf16){bits})
#define SIXTEENTHS_OF_F16(bits) SIXTEENTHS_OF(F16_OF(bits))
#define SIXTEENTHS_OF_BF16(bits) SIXTEENTHS_OF(BF16_OF(bits))
#define F16_BITS(T, number) (parscan_narrow_F16(FLOAT_OF(float, number)).bits)
#define BF16_BITS(T, number) (parscan_narrow_BF16(FLOAT_OF(float, number)).bits)

/* A call with options, and the same with each algorithm. */
#define SCAN_CALL(name, TYPE, ...)                                                               \
    static parscan_status name(row_data *d, parscan_context *engine)                             \
    {                                                                                            \
        return parscan_inclusive_scan(engine, PARSCAN_##TYPE, d->row->in_place ? d->out : d->in, \
                                      d->out, d->n, &PARSCAN_SCAN_OPTIONS(__VA_ARGS__));         \
    }

/* For one type: fill, and checks from sums of blocks. bits_of() of an element is a number whose
   sums, modulo 2^64, give those of the elements by from_bits(). */
#define SCAN_FUNCTIONS(name, TYPE, T, random, bits_of, from_bits)             \
    ROW_FILL(fill_##name, ((T *)d->in)[i] = from_bits(T, random(d->seed, i))) \
    PER_BLOCK_SUM(sum_block_##name, d->n, bits_of(((const T *)d->in)[i]))     \
    PER_BLOCK(check_block_##name, d->n, uint64_t sum = d->blocks[block],      \
              sum += bits_of(((const T *)d->in)[i]),                          \
              expect(d, ((const T *)d->out)[i] == from_bits(T, sum)))         \
    static bool check_##name(row_data *d)                                     \
    {                                                                         \
        each_block(d, d->n, sum_block_##name);                                \
        prefix_of_blocks(d, d->n);                                            \
        return none_wrong(d, d->n, check_block_##name);                       \
    }                                                                         \
    SCAN_CALL(scan_##name, TYPE, .op = PARSCAN_SUM)                           \
    SCAN_CALL(sequential_##name, TYPE, .algorithm = PARSCAN_SEQUENTIAL)       \
    SCAN_CALL(kogge_stone_##name, TYPE, .algorithm = PARSCAN_KOGGE_STONE)     \
    SCAN_CALL(brent_kung_##name, TYPE, .algorithm = PARSCAN_BRENT_KUNG)       \
    SCAN_CALL(three_phase_##name, TYPE, .algorithm = PARSCAN_THREE_PHASE)     \
    SCAN_CALL(warp_##name, TYPE, .algorithm = PARSCAN_WARP)                   \
    static const row_variant variants_##name[] = {                            \
        {"sequential", sequential_##name, 0},                                 \
        {"kogge-stone", kogge_stone_##name, MAX_LOG2N_BLOCK},                 \
        {"brent-kung", brent_kung_##name, MAX_LOG2N_BLOCK},                   \
        {"three-phase", three_phase_##name, MAX_LOG2N_BLOCK},                 \
        {"warp", warp_##name, MAX_LOG2N_BLOCK},                               \
        {NULL, NULL, 0}};

SCAN_FUNCTIONS(u8, U8, uint8_t, random_at, INTEGER_OF, BITS_OF)
SCAN_FUNCTIONS(u32, U32, uint32_t, random_at, INTEGER_OF, BITS_OF)
SCAN_FUNCTIONS(u64, U64, uint64_t, random_at, INTEGER_OF, BITS_OF)
SCAN_FUNCTIONS(f32, F32, float, sixteenths_at, SIXTEENTHS_OF, FLOAT_OF)
SCAN_FUNCTIONS(f64, F64, double, sixteenths_at, SIXTEENTHS_OF, FLOAT_OF)

SCAN_FUNCTIONS(f16, F16, uint16_t, sixteenths_at, SIXTEENTHS_OF_F16, F16_BITS)
SCAN_FUNCTIONS(bf16, BF16, uint16_t, sixteenths_at, SIXTEENTHS_OF_BF16, BF16_BITS)

/* Plain loops. Floats of 16 bits are computed in float, and rounded once a result. */
#define SAME(x) (x)
#define F16_ROUNDED(x) (parscan_narrow_F16(x).bits)
#define BF16_ROUNDED(x) (parscan_narrow_BF16(x).bits)
#define PLAIN_LOOPS(name, T, S, widened, rounded)              \
    static void plain_##name(row_data *d)                      \
    {                                                          \
        const T *const in = d->row->in_place ? d->out : d->in; \
        T *const out = d->out;                                 \
        S sum = 0;                                             \
        for (size_t i = 0; i < d->n; i++) {                    \
            sum = (S)(sum + widened(in[i]));                   \
            out[i] = rounded(sum);                             \
        }                                                      \
    }
PLAIN_LOOPS(u8, uint8_t, uint8_t, SAME, SAME)
PLAIN_LOOPS(u32, uint32_t, uint32_t, SAME, SAME)
PLAIN_LOOPS(u64, uint64_t, uint64_t, SAME, SAME)
PLAIN_LOOPS(f32, float, float, SAME, SAME)
PLAIN_LOOPS(f64, double, double, SAME, SAME)
PLAIN_LOOPS(f16, uint16_t, float, F16_OF, F16_ROUNDED)
PLAIN_LOOPS(bf16, uint16_t, float, BF16_OF, BF16_ROUNDED)

SCAN_CALL(reproducible, F32, .reproducible = 1)
SCAN_CALL(reproducible_f16, F16, .reproducible = 1)
SCAN_CALL(scan_reverse, U32, .reverse = 1)

ROW_CALL(scan_exclusive, parscan_exclusive_scan(engine, PARSCAN_U32, d->in, d->out, d->n, NULL))

static void plain_reverse(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out, sum = 0;
    for (size_t i = d->n; i-- > 0;)
        out[i] = sum += in[i];
}

static void plain_exclusive(row_data *d)
{
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out, sum = 0;
    for (size_t i = 0; i < d->n; sum += in[i++])
        out[i] = sum;
}

/* The result is the bits of the sum. */
#define REDUCE_FUNCTIONS(name, TYPE, T, S, widened, rounded, from_bits)               \
    static parscan_status reduce_##name(row_data *d, parscan_context *engine)         \
    {                                                                                 \
        d->result = 0;                                                                \
        return parscan_reduce(engine, PARSCAN_##TYPE, d->in, &d->result, d->n, NULL); \
    }                                                                                 \
    static void plain_reduce_##name(row_data *d)                                      \
    {                                                                                 \
        const T *const in = d->in;                                                    \
        S sum = 0;                                                                    \
        for (size_t i = 0; i < d->n; i++)                                             \
            sum = (S)(sum + widened(in[i]));                                          \
        const T result = rounded(sum);                                                \
        d->result = 0;                                                                \
        memcpy(&d->result, &result, sizeof result);                                   \
    }                                                                                 \
    static bool check_reduction_##name(row_data *d)                                   \
    {                                                                                 \
        each_block(d, d->n, sum_block_##name);                                        \
        const T result = from_bits(T, prefix_of_blocks(d, d->n));                     \
        return memcmp(&d->result, &result, sizeof result) == 0;                       \
    }
REDUCE_FUNCTIONS(u32, U32, uint32_t, uint32_t, SAME, SAME, BITS_OF)
REDUCE_FUNCTIONS(f32, F32, float, float, SAME, SAME, FLOAT_OF)
REDUCE_FUNCTIONS(f16, F16, uint16_t, float, F16_OF, F16_ROUNDED, F16_BITS)
REDUCE_FUNCTIONS(bf16, BF16, uint16_t, float, BF16_OF, BF16_ROUNDED, BF16_BITS)

/* d->blocks: the sums before each block; d->sum: of all. */
PER_BLOCK(check_block_reverse, d->n, uint64_t sum = atomic_load(&d->sum) - d->blocks[block],
          expect(d, ((const uint32_t *)d->out)[i] == (uint32_t)sum),
          sum -= ((const uint32_t *)d->in)[i])

static bool check_reverse(row_data *d)
{
    each_block(d, d->n, sum_block_u32);
    atomic_store(&d->sum, prefix_of_blocks(d, d->n));
    return none_wrong(d, d->n, check_block_reverse);
}

PER_BLOCK(check_block_exclusive, d->n, uint64_t sum = d->blocks[block],
          expect(d, ((const uint32_t *)d->out)[i] == (uint32_t)sum),
          sum += ((const uint32_t *)d->in)[i])

static bool check_exclusive(row_data *d)
{
    each_block(d, d->n, sum_block_u32);
    prefix_of_blocks(d, d->n);
    return none_wrong(d, d->n, check_block_exclusive);
}

#define SCAN_ROW(name, size)                                                                 \
    {                                                                                        \
        "scan", #name, "uniform", 0, size, size, fill_##name, read_and_written, scan_##name, \
            plain_##name, .check = check_##name, .variants = variants_##name                 \
    }

#define REDUCE_ROW(name, size)                                                            \
    {                                                                                     \
        "reduce", #name, "uniform", 0, size, size, fill_##name, read_once, reduce_##name, \
            plain_reduce_##name, .check = check_reduction_##name                          \
    }

const bench_row rows_scan[] = {
    SCAN_ROW(u8, 1),
    SCAN_ROW(u32, 4),
    SCAN_ROW(u64, 8),
    SCAN_ROW(f32, 4),
    SCAN_ROW(f64, 8),
    SCAN_ROW(f16, 2),
    SCAN_ROW(bf16, 2),
    {"scan-reproducible", "f32", "uniform", 0, 4, 4, fill_f32, read_and_written, reproducible,
     plain_f32, .check = check_f32},
    {"scan-exclusive", "u32", "uniform", 0, 4, 4, fill_u32, read_and_written, scan_exclusive,
     plain_exclusive, .check = check_exclusive},
    {"scan-reverse", "u32", "uniform", 0, 4, 4, fill_u32, read_and_written, scan_reverse,
     plain_reverse, .check = check_reverse},
    {"scan-in-place", "u32", "uniform", 0, 4, 4, fill_u32, read_and_written, scan_u32, plain_u32,
     .check = check_u32, .in_place = true},
    {"scan-reproducible", "f16", "uniform", 0, 2, 2, fill_f16, read_and_written, reproducible_f16,
     plain_f16, .check = check_f16},
    REDUCE_ROW(u32, 4),
    REDUCE_ROW(f32, 4),
    REDUCE_ROW(f16, 2),
    REDUCE_ROW(bf16, 2),
    {0}};
