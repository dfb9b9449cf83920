/* Reductions by key and unique pairs in chunks, against loops over the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/number.h"
#include "tests/support/oracle.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

enum { FEW = 6, WIDEST = 8 };

static const size_t run_lengths[] = {1, 2, 10, 300, 100000};

/* ---- reductions ---- */

typedef struct reduction {
    parscan_type key_type, type;
    parscan_scan_options options;
    const void *keys, *in;
    size_t n, most;
    uint64_t borders;
} reduction;

static parscan_status make_by_key(parscan_chunked **chunked, parscan_context *context,
                                  const void *what)
{
    const reduction *const r = what;
    return parscan_chunked_create_reduce_by_key(chunked, context, r->key_type, r->type,
                                                &r->options);
}

static parscan_type result_of(const reduction *r)
{
    return r->options.out_type != 0 ? r->options.out_type : r->type;
}

/* Floats are small whole numbers, whose sums are exact in every grouping until they are rounded once. */
static void *elements_of(parscan_type type, size_t n)
{
    char *const in = need_memory(n * WIDEST);
    for (size_t i = 0; i < n; i++)
        if (oracle_is_float(type))
            number_write_real(type, in, i, (double)random_below(201) - 100);
        else
            number_write_integer(type, in, i, (int128)random_bits());
    return in;
}

static double combined_reals(parscan_op op, double a, double b)
{
    return op == PARSCAN_SUM ? a + b : op == PARSCAN_MIN ? (a < b ? a : b) : a > b ? a : b;
}

static int128 combined_integers(parscan_op op, int128 a, int128 b)
{
    return op == PARSCAN_SUM   ? a + b
           : op == PARSCAN_XOR ? a ^ b
           : op == PARSCAN_MIN ? (a < b ? a : b)
                               : (a > b ? a : b);
}

/* Writes the sum of the elements from begin to end - 1 as result s. */
static void sum_run(const reduction *r, size_t begin, size_t end, void *sums, size_t s)
{
    const parscan_op op = r->options.op;
    number sum = r->options.init != NULL ? number_read(result_of(r), r->options.init, 0)
                                         : number_read(r->type, r->in, begin);
    for (size_t i = begin + (r->options.init == NULL); i < end; i++) {
        const number x = number_read(r->type, r->in, i);
        sum.real = combined_reals(op, sum.real, x.real);
        sum.integer = combined_integers(op, sum.integer, x.integer);
    }
    if (sum.is_float)
        number_write_real(result_of(r), sums, s, sum.real);
    else
        number_write_integer(result_of(r), sums, s, sum.integer);
}

static void expect_reduction(const chunked_contexts *contexts, const reduction *r)
{
    const size_t size = parscan_type_size(result_of(r)), key_size = parscan_type_size(r->key_type);
    uint64_t *const starts = need_memory((r->n + 1) * sizeof *starts);
    const size_t runs = oracle_run_starts(r->key_type, r->keys, r->n, starts);
    char *const expected = need_memory(runs * size), *const sums = need_memory(r->n * size);
    char *const keys = need_memory(r->n * key_size);
    for (size_t s = 0; s < runs; s++)
        sum_run(r, starts[s], s + 1 < runs ? starts[s + 1] : r->n, expected, s);
    const chunked_case c = {.make = make_by_key,
                            .what = r,
                            .in = r->in,
                            .in_size = parscan_type_size(r->type),
                            .in2 = r->keys,
                            .in2_size = key_size,
                            .out = sums,
                            .out_size = size,
                            .out2 = keys,
                            .out2_size = key_size,
                            .n = r->n,
                            .most = r->most,
                            .counts = true,
                            .borders = r->borders};
    cr_assert_eq(chunked_run(contexts, &c, (parscan_chunked_end){.out = NULL}, runs), runs);
    for (size_t s = 0; s < runs; s++) {
        cr_assert_eq(
            memcmp(keys + s * key_size, (const char *)r->keys + starts[s] * key_size, key_size), 0,
            "%s by %s, n %zu, borders %llx: key %zu of %zu", parscan_type_name(r->type),
            parscan_type_name(r->key_type), r->n, (unsigned long long)r->borders, s, runs);
        cr_assert_eq(memcmp(sums + s * size, expected + s * size, size), 0,
                     "%s of %s by %s, init %d, n %zu, borders %llx: sum %zu of %zu",
                     parscan_op_name(r->options.op), parscan_type_name(r->type),
                     parscan_type_name(r->key_type), r->options.init != NULL, r->n,
                     (unsigned long long)r->borders, s, runs);
    }
    free(starts);
    free(expected);
    free(sums);
    free(keys);
}

/* A wider type that a sum may go to, or none. */
static parscan_type wider(parscan_type type)
{
    return type == PARSCAN_U8    ? PARSCAN_U64
           : type == PARSCAN_I16 ? PARSCAN_I32
           : type == PARSCAN_F16 ? PARSCAN_F32
           : type == PARSCAN_F32 ? PARSCAN_F64
                                 : (parscan_type)0;
}

/* Any operator, init and wider type that a type has. */
static reduction any_reduction(parscan_type key_type, parscan_type type, void *init)
{
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_MIN, PARSCAN_MAX, PARSCAN_XOR};
    reduction r = {.key_type = key_type, .type = type};
    r.options.struct_size = sizeof r.options;
    r.options.op = ops[random_below(oracle_is_float(type) ? 3 : 4)];
    r.options.algorithm = random_below(4) == 0 ? PARSCAN_SEQUENTIAL : PARSCAN_AUTO;
    if (r.options.op == PARSCAN_SUM && random_below(2) == 0)
        r.options.out_type = wider(type);
    const parscan_type to = result_of(&r);
    if (oracle_is_float(to))
        number_write_real(to, init, 0, 77);
    else
        number_write_integer(to, init, 0, 77);
    r.options.init = random_below(2) == 0 ? init : NULL;
    return r;
}

static void expect_runs_of(const chunked_contexts *contexts, reduction r, size_t length)
{
    void *const keys = array_of_runs(r.key_type, length, r.n), *const in = elements_of(r.type, r.n);
    r.keys = keys;
    r.in = in;
    expect_reduction(contexts, &r);
    free(keys);
    free(in);
}

static void expect_lengths(const chunked_contexts *contexts, parscan_type key_type,
                           parscan_type type, size_t n, size_t most)
{
    char init[WIDEST];
    for (size_t k = 0; k < COUNT_OF(run_lengths); k++) {
        reduction r = any_reduction(key_type, type, init);
        r.n = n;
        r.most = most;
        expect_runs_of(contexts, r, run_lengths[k]);
    }
}

SimdTest(chunked_reduce_by_key, of_every_type_is_right)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++) {
        expect_lengths(&contexts, all_types[t], all_types[random_below(TYPES)], 2003, 700);
        expect_lengths(&contexts, all_types[random_below(TYPES)], all_types[t], 2003, 700);
        expect_lengths(&contexts, all_types[random_below(TYPES)], all_types[t], 200, 3);
        expect_lengths(&contexts, all_types[t], all_types[random_below(TYPES)], 0, 1);
    }
    chunked_contexts_destroy(&contexts);
}

SimdTest(chunked_reduce_by_key, of_many_elements_is_right)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    expect_lengths(&contexts, PARSCAN_U32, PARSCAN_U64, 300007, 300007);
    expect_lengths(&contexts, PARSCAN_F64, PARSCAN_F16, 300007, 300007);
    expect_lengths(&contexts, PARSCAN_U8, PARSCAN_F64, 300007, 300007);
    chunked_contexts_destroy(&contexts);
}

/* Every way to cut six elements into chunks, and into runs. */
static void expect_every_cut(const chunked_contexts *contexts, parscan_type type)
{
    char init[WIDEST];
    uint8_t keys[FEW];
    void *const in = elements_of(type, FEW);
    for (unsigned runs = 0; runs < 1u << (FEW - 1); runs++) {
        reduction r = any_reduction(PARSCAN_U8, type, init);
        for (unsigned i = 0, key = 3; i < FEW; key += runs >> i++ & 1)
            keys[i] = (uint8_t)key;
        r.keys = keys;
        r.in = in;
        r.n = FEW;
        for (unsigned cut = 0; cut < 1u << (FEW - 1); cut++) {
            r.borders = cut | 1u << (FEW - 1);
            expect_reduction(contexts, &r);
        }
    }
    free(in);
}

Test(chunked_reduce_by_key, is_right_wherever_chunks_and_runs_end)
{
    chunked_contexts contexts = chunked_contexts_make(2);
    expect_every_cut(&contexts, PARSCAN_I32);
    expect_every_cut(&contexts, PARSCAN_BF16);
    chunked_contexts_destroy(&contexts);
}

/* Sums of chunks are rounded at the end of their run alone: 2049 has no PARSCAN_F16. */
SimdTest(chunked_reduce_by_key, rounds_a_run_once)
{
    parscan_context *const context = test_context();
    const uint8_t keys[] = {1, 1, 1};
    parscan_f16 in[3], sum, expected;
    uint8_t key;
    parscan_chunked *chunked;
    const double numbers[] = {2048, 1, 1};
    for (size_t i = 0; i < 3; i++)
        number_write_real(PARSCAN_F16, in, i, numbers[i]);
    number_write_real(PARSCAN_F16, &expected, 0, 2050);
    cr_assert_eq(
        parscan_chunked_create_reduce_by_key(&chunked, context, PARSCAN_U8, PARSCAN_F16, NULL),
        PARSCAN_OK);
    for (size_t i = 0; i < 3; i++) {
        uint64_t written = 9;
        cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in + i, .in2 = keys + i,
                                                                    .out = &sum, .out2 = &key,
                                                                    .n = 1, .written = &written)),
                     PARSCAN_OK);
        cr_assert_eq(written, 0);
    }
    cr_assert_eq(parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = &sum, .out2 = &key)),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(&sum, &expected, sizeof sum), 0);
    cr_assert_eq(key, 1);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(context);
}

/* ---- first pairs ---- */

typedef struct pairs_case {
    parscan_type type;
    size_t value_size, n, most;
    const void *keys, *values;
    uint64_t borders;
} pairs_case;

static parscan_status make_pairs(parscan_chunked **chunked, parscan_context *context,
                                 const void *what)
{
    const pairs_case *const p = what;
    return parscan_chunked_create_unique_pairs(chunked, context, p->type, p->value_size);
}

static void expect_pairs(const chunked_contexts *contexts, const pairs_case *p)
{
    const size_t size = parscan_type_size(p->type), value = p->value_size;
    uint64_t *const starts = need_memory((p->n + 1) * sizeof *starts);
    const size_t runs = oracle_run_starts(p->type, p->keys, p->n, starts);
    char *const keys = need_memory(p->n * size), *const values = need_memory(p->n * value);
    const chunked_case c = {.make = make_pairs,
                            .what = p,
                            .in = p->keys,
                            .in_size = size,
                            .in2 = p->values,
                            .in2_size = value,
                            .out = keys,
                            .out_size = size,
                            .out2 = values,
                            .out2_size = value,
                            .n = p->n,
                            .most = p->most,
                            .counts = true,
                            .in_place = true,
                            .pairs = true,
                            .borders = p->borders};
    cr_assert_eq(chunked_run(contexts, &c, (parscan_chunked_end){.out = NULL}, runs), runs);
    for (size_t s = 0; s < runs; s++) {
        const bool right =
            memcmp(keys + s * size, (const char *)p->keys + starts[s] * size, size) == 0 &&
            memcmp(values + s * value, (const char *)p->values + starts[s] * value, value) == 0;
        cr_assert(right, "%s, values of %zu bytes, n %zu, borders %llx: pair %zu of %zu",
                  parscan_type_name(p->type), value, p->n, (unsigned long long)p->borders, s, runs);
    }
    free(starts);
    free(keys);
    free(values);
}

static void *random_bytes(size_t bytes)
{
    unsigned char *const array = need_memory(bytes);
    for (size_t i = 0; i < bytes; i++)
        array[i] = (unsigned char)random_bits();
    return array;
}

static void expect_pairs_of(const chunked_contexts *contexts, parscan_type type, size_t value_size,
                            size_t length, size_t n, size_t most)
{
    void *const keys = array_of_runs(type, length, n), *const values = random_bytes(n * value_size);
    expect_pairs(contexts, &(pairs_case){.type = type,
                                         .value_size = value_size,
                                         .keys = keys,
                                         .values = values,
                                         .n = n,
                                         .most = most});
    free(keys);
    free(values);
}

SimdTest(chunked_unique_pairs, of_every_type_and_size_are_right)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 100};
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < COUNT_OF(run_lengths); k++) {
            const size_t size = sizes[random_below(COUNT_OF(sizes))];
            expect_pairs_of(&contexts, all_types[t], size, run_lengths[k], 2003, 700);
            expect_pairs_of(&contexts, all_types[t], size, run_lengths[k], 200, 3);
        }
    expect_pairs_of(&contexts, PARSCAN_U32, 4, 3, 300007, 300007);
    expect_pairs_of(&contexts, PARSCAN_F16, 12, 50, 300007, 300007);
    expect_pairs_of(&contexts, PARSCAN_U8, 3, 1, 0, 1);
    chunked_contexts_destroy(&contexts);
}

Test(chunked_unique_pairs, are_right_wherever_chunks_and_runs_end)
{
    chunked_contexts contexts = chunked_contexts_make(2);
    float keys[FEW];
    void *const values = random_bytes(FEW * (size_t)3);
    for (unsigned runs = 0; runs < 1u << (FEW - 1); runs++) {
        for (unsigned i = 0, key = 3; i < FEW; key += runs >> i++ & 1)
            keys[i] = (float)key;
        for (unsigned cut = 0; cut < 1u << (FEW - 1); cut++)
            expect_pairs(&contexts, &(pairs_case){.type = PARSCAN_F32,
                                                  .value_size = 3,
                                                  .keys = keys,
                                                  .values = values,
                                                  .n = FEW,
                                                  .borders = cut | 1u << (FEW - 1)});
    }
    free(values);
    chunked_contexts_destroy(&contexts);
}
