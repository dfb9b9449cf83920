/* parscan_reduce_by_key(): the keys by the oracle of runs, the sums by that of segments. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/guarded.h"
#include "tests/support/number.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/oracle_segmented.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define NEVER_ENDS SIZE_MAX

static const size_t run_lengths[] = {1, 2, 10, 100, 5000, NEVER_ENDS};
static const unsigned thread_counts[] = {1, 2, 3, 7};

typedef struct reduction_case {
    parscan_type key_type, type, out_type;
    parscan_op op;
    bool reverse, no_keys, sequential;
    const void *init;
    size_t n;
} reduction_case;

typedef struct inputs {
    char *keys, *in;
    uint64_t *starts;
    size_t *bounds, runs;
} inputs;

static inputs inputs_of(const reduction_case *c, size_t length)
{
    const size_t size = parscan_type_size(c->type);
    inputs x = {.keys = array_of_runs(c->key_type, length, c->n),
                .in = malloc(c->n * size + 1),
                .starts = calloc(c->n + 1, sizeof *x.starts),
                .bounds = calloc(c->n + 1, sizeof *x.bounds)};
    cr_assert(x.in != NULL && x.starts != NULL && x.bounds != NULL);
    random_fill(c->type, c->op, x.in, c->n);
    x.runs = oracle_run_starts(c->key_type, x.keys, c->n, x.starts);
    for (size_t s = 0; s < x.runs; s++)
        x.bounds[s] = x.starts[s];
    x.bounds[x.runs] = c->n;
    return x;
}

static void free_inputs(const inputs *x)
{
    free(x->keys);
    free(x->in);
    free(x->starts);
    free(x->bounds);
}

/* Outputs lie against guards, with room for the first `room` runs. */
static void expect_reduction(parscan_context *context, const reduction_case *c, const inputs *x,
                             size_t room)
{
    const parscan_type out_type = c->out_type != 0 ? c->out_type : c->type;
    const size_t key_size = parscan_type_size(c->key_type), size = parscan_type_size(out_type);
    const size_t fit = room < x->runs ? room : x->runs;
    const guarded memory[2] = {guarded_create_beyond(fit * key_size, (c->n + 1) * key_size),
                               guarded_create_beyond(fit * size, (c->n + 1) * size)};
    char *const keys_out = guarded_array(memory[0], fit * key_size, true);
    char *const out = guarded_array(memory[1], fit * size, true);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = c->op, .out_type = c->out_type, .reverse = c->reverse,
                             .init = c->init,
                             .algorithm = c->sequential ? PARSCAN_SEQUENTIAL : PARSCAN_AUTO);
    uint64_t count = UINT64_MAX;
    guarded_watch("reduce_by_key");
    if (room < x->runs)
        cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = room)), 0);
    const parscan_status status =
        parscan_reduce_by_key(context, c->key_type, x->keys, c->no_keys ? NULL : keys_out, c->type,
                              x->in, out, c->n, &count, &options);
    cr_assert_eq(status, room < x->runs ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert_eq(count, x->runs);
    for (size_t s = 0; s < fit && !c->no_keys; s++)
        cr_assert_eq(memcmp(keys_out + s * key_size, x->keys + x->bounds[s] * key_size, key_size),
                     0, "%s: key %zu of %zu", parscan_type_name(c->key_type), s, x->runs);
    const oracle_segments segments = {.scan = {.kind = SCAN_REDUCE,
                                               .type = c->type,
                                               .out_type = out_type,
                                               .op = c->op,
                                               .reverse = c->reverse,
                                               .init = c->init,
                                               .in = x->in,
                                               .n = x->bounds[fit]},
                                      .bounds = x->bounds,
                                      .count = fit};
    char words[ORACLE_WORDS] = "";
    size_t at = 0;
    cr_assert_eq(oracle_segment_disagrees(&segments, out, &at, words), ORACLE_AGREES,
                 "%s by %s, op %s, n %zu, %zu runs, room %zu: run at %zu: %s",
                 parscan_type_name(c->type), parscan_type_name(c->key_type), parscan_op_name(c->op),
                 c->n, x->runs, room, at, words);
    guarded_destroy(memory[0]);
    guarded_destroy(memory[1]);
}

static void expect_case(parscan_context *context, const reduction_case *c, size_t length)
{
    const inputs x = inputs_of(c, length);
    expect_reduction(context, c, &x, SIZE_MAX);
    if (x.runs > 1)
        expect_reduction(context, c, &x, 1 + random_below(x.runs));
    free_inputs(&x);
}

/* Any operator, direction, init and wider type that a type has. */
static reduction_case any_case(parscan_type key_type, size_t n, void *init)
{
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_MIN, PARSCAN_MAX, PARSCAN_XOR};
    reduction_case c = {.key_type = key_type, .type = all_types[random_below(TYPES)], .n = n};
    c.op = ops[random_below(oracle_is_float(c.type) ? 3 : 4)];
    c.reverse = random_below(3) == 0;
    c.no_keys = random_below(8) == 0;
    c.sequential = random_below(6) == 0;
    if (c.op == PARSCAN_SUM && random_below(2) == 0)
        c.out_type = c.type == PARSCAN_U8    ? PARSCAN_U64
                     : c.type == PARSCAN_I16 ? PARSCAN_I32
                     : c.type == PARSCAN_F16 ? PARSCAN_F32
                     : c.type == PARSCAN_F32 ? PARSCAN_F64
                                             : (parscan_type)0;
    random_fill(c.out_type != 0 ? c.out_type : c.type, c.op, init, 1);
    c.init = random_below(3) == 0 ? init : NULL;
    return c;
}

static void expect_key_type(parscan_type key_type)
{
    static const size_t tiles[] = {1023, 2048, 2049, 4096, 8191, 8192, 8193, 16384, 16385, 33001};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    char init[16];
    for (size_t n = 0; n <= 200; n += n < 70 ? 1 : 13) {
        const reduction_case c = any_case(key_type, n, init);
        expect_case(context, &c, run_lengths[n % COUNT_OF(run_lengths)]);
    }
    for (size_t k = 0; k < COUNT_OF(tiles); k++) {
        const reduction_case c = any_case(key_type, tiles[k], init);
        expect_case(context, &c, run_lengths[random_below(COUNT_OF(run_lengths))]);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)        \
    SimdTest(reduce_by_key, of_keys_of_##name) \
    {                                          \
        expect_key_type(PARSCAN_##NAME);       \
    }
PARSCAN_TYPES(X, )
#undef X

/* From 512 KiB of elements on, several threads work on a call. */
SimdTest(reduce_by_key, is_right_on_every_number_of_threads)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_U64, PARSCAN_F64, PARSCAN_F16};
    for (size_t k = 0; k < COUNT_OF(run_lengths); k++)
        for (size_t t = 0; t < COUNT_OF(thread_counts); t++) {
            const reduction_case c = {.key_type = all_types[(2 * k + t) % TYPES],
                                      .type = types[t],
                                      .op = PARSCAN_MAX,
                                      .reverse = (k + t) % 2,
                                      .n = 300007};
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = thread_counts[t]});
            expect_case(context, &c, run_lengths[k]);
            parscan_context_destroy(context);
        }
}

SimdTest(reduce_by_key, takes_any_nan_for_equal_and_keeps_the_bits_of_the_first)
{
    const double keys[] = {0.0, -0.0, -NAN, NAN, NAN, 1, 1, -0.0, 0.0};
    const uint32_t in[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    double keys_out[4];
    uint32_t out[4];
    uint64_t count = 0;
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_reduce_by_key(context, PARSCAN_F64, keys, keys_out, PARSCAN_U32, in, out,
                                       9, &count, NULL),
                 PARSCAN_OK);
    cr_assert_eq(count, 4);
    cr_assert_eq(memcmp(keys_out, (double[]){keys[0], keys[2], keys[5], keys[7]}, sizeof keys_out),
                 0);
    cr_assert_eq(memcmp(out, (uint32_t[]){3, 28, 96, 384}, sizeof out), 0);
    parscan_context_destroy(context);
}

/* A run that ends at every element, and another one after it, on several threads' tiles. */
SimdTest(reduce_by_key, finds_ends_anywhere)
{
    enum { N = 700 };
    static uint16_t keys[N];
    static uint32_t in[N];
    parscan_context *const context = test_context();
    for (uint32_t end = 1; end < N; end++) {
        for (uint32_t i = 0; i < N; i++) {
            keys[i] = i >= end;
            in[i] = 1;
        }
        uint16_t keys_out[2] = {7, 7};
        uint32_t out[2] = {0};
        uint64_t count = 0;
        cr_assert_eq(parscan_reduce_by_key(context, PARSCAN_U16, keys, keys_out, PARSCAN_U32, in,
                                           out, N, &count, NULL),
                     PARSCAN_OK);
        cr_assert(count == 2 && keys_out[0] == 0 && keys_out[1] == 1);
        cr_assert(out[0] == end && out[1] == N - end);
    }
    parscan_context_destroy(context);
}

/* A bad call fails with words, and writes nothing. */
#define EXPECT_ERROR(call, status, words)                                                  \
    do {                                                                                   \
        cr_assert_eq(call, status, words);                                                 \
        cr_assert_not_null(strstr(parscan_context_error(context), words), "%s: %s", words, \
                           parscan_context_error(context));                                \
    } while (0)

Test(reduce_by_key, refuses_bad_arguments_in_words)
{
    parscan_context *const context = test_context();
    uint32_t keys[4] = {1, 1, 2, 2}, in[4] = {1, 2, 3, 4}, keys_out[4] = {7}, out[4] = {7};
    uint64_t count = 99;
    const parscan_type u32 = PARSCAN_U32;
    const parscan_scan_options bits = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_AND);
    const parscan_scan_options blocks = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_WARP);
    const parscan_status invalid = PARSCAN_ERROR_INVALID_ARGUMENT;
    EXPECT_ERROR(parscan_reduce_by_key(context, (parscan_type)77, keys, keys_out, u32, in, out, 4,
                                       &count, NULL),
                 invalid, "key_type = 77");
    EXPECT_ERROR(parscan_reduce_by_key(context, u32, keys, keys_out, (parscan_type)77, in, out, 4,
                                       &count, NULL),
                 invalid, "type = 77");
    EXPECT_ERROR(parscan_reduce_by_key(context, u32, keys, keys_out, u32, in, out, 4, NULL, NULL),
                 invalid, "count is NULL");
    EXPECT_ERROR(parscan_reduce_by_key(context, u32, NULL, keys_out, u32, in, out, 4, &count, NULL),
                 invalid, "keys_in is NULL");
    EXPECT_ERROR(
        parscan_reduce_by_key(context, u32, keys, keys_out, u32, in, NULL, 4, &count, NULL),
        invalid, "out is NULL, n = 4");
    EXPECT_ERROR(parscan_reduce_by_key(context, u32, keys, keys, u32, in, out, 4, &count, NULL),
                 invalid, "keys_out");
    EXPECT_ERROR(parscan_reduce_by_key(context, u32, keys, keys_out, u32, in, in, 4, &count, NULL),
                 invalid, "out");
    EXPECT_ERROR(parscan_reduce_by_key(context, u32, keys, out, u32, in, out, 4, &count, NULL),
                 invalid, "keys_out");
    EXPECT_ERROR(
        parscan_reduce_by_key(context, u32, keys, keys_out, PARSCAN_F32, in, out, 4, &count, &bits),
        PARSCAN_ERROR_UNSUPPORTED, "op = and");
    EXPECT_ERROR(
        parscan_reduce_by_key(context, u32, keys, keys_out, u32, in, out, 4, &count, &blocks),
        PARSCAN_ERROR_UNSUPPORTED, "algorithm = warp");
    cr_assert(count == 99 && keys_out[0] == 7 && out[0] == 7);
    cr_assert_eq(parscan_reduce_by_key(context, u32, NULL, NULL, u32, NULL, NULL, 0, &count, NULL),
                 PARSCAN_OK);
    cr_assert_eq(count, 0);
    parscan_context_destroy(context);
}
