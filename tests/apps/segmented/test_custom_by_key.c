/* Reductions by key with operators of the caller's, beside a plain loop over the runs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/lengths.h"
#include "parscan/segmented.h"
#include "tests/support/byte_maps.h"
#include "tests/support/compact_case.h"
#include "tests/support/counting.h"
#include "tests/support/every_simd.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

typedef struct key_case {
    parscan_type key_type;
    size_t size, n, room; /* of an element; elements; runs that are written at most, 0: all */
    bool reverse, init, no_keys;
} key_case;

/* Keys, elements, and what is right. */
typedef struct keyed {
    char *keys;
    uint8_t *in, *sums;
    uint64_t *starts;
    size_t runs;
} keyed;

static keyed keyed_of(const key_case *c, size_t length, const uint8_t *init)
{
    const size_t size = c->size;
    keyed x = {.keys = array_of_runs(c->key_type, length, c->n),
               .in = random_byte_maps(size, c->n + 1),
               .starts = calloc(c->n + 1, sizeof *x.starts)};
    x.runs = oracle_run_starts(c->key_type, x.keys, c->n, x.starts);
    x.starts[x.runs] = c->n;
    x.sums = malloc((x.runs + 1) * size);
    for (size_t s = 0; s < x.runs; s++) {
        uint8_t *const sum = x.sums + s * size;
        const size_t begin = x.starts[s], end = x.starts[s + 1];
        neutral_bytes(size, sum);
        if (c->init)
            memcpy(sum, init, size);
        for (size_t k = begin; k < end; k++)
            compose_bytes(size, sum, x.in + (c->reverse ? begin + end - 1 - k : k) * size, sum);
    }
    return x;
}

static void expect_by_key(parscan_context *context, const parscan_operator *op, const key_case *c,
                          size_t length)
{
    const size_t key_size = parscan_type_size(c->key_type);
    uint8_t *const init = random_byte_maps(c->size, 1);
    const keyed x = keyed_of(c, length, init);
    const size_t fit = c->room > 0 && c->room < x.runs ? c->room : x.runs;
    char *const keys_out = malloc(fit * key_size + 1);
    uint8_t *const out = malloc(fit * c->size + 1);
    uint64_t count = 77;
    keys_out[fit * key_size] = 0x5a;
    out[fit * c->size] = 0x5a;
    if (c->room > 0)
        cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = c->room)),
                     PARSCAN_OK);
    const parscan_status status = parscan_reduce_by_key(
        context, c->key_type, x.keys, c->no_keys ? NULL : keys_out, PARSCAN_CUSTOM, x.in, out, c->n,
        &count,
        &PARSCAN_SCAN_OPTIONS(.custom = op, .reverse = c->reverse, .init = c->init ? init : NULL));
    cr_assert_eq(status, fit < x.runs ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert_eq(count, x.runs);
    cr_assert_eq(memcmp(out, x.sums, fit * c->size), 0, "%zu elements of %zu bytes in %zu runs",
                 c->n, c->size, x.runs);
    for (size_t s = 0; s < fit && !c->no_keys; s++)
        cr_assert_eq(memcmp(keys_out + s * key_size, x.keys + x.starts[s] * key_size, key_size), 0,
                     "key %zu of %zu", s, x.runs);
    cr_assert(keys_out[fit * key_size] == 0x5a && out[fit * c->size] == 0x5a);
    free(x.keys);
    free(x.in);
    free(x.starts);
    free(x.sums);
    free(init);
    free(keys_out);
    free(out);
}

static key_case any_case(parscan_type key_type, size_t size, size_t n)
{
    return (key_case){.key_type = key_type,
                      .size = size,
                      .n = n,
                      .room = random_below(3) == 0 ? 1 + random_below(n + 1) : 0,
                      .reverse = random_below(2),
                      .init = random_below(2),
                      .no_keys = random_below(4) == 0};
}

SimdTest(custom_by_key, is_a_plain_loop_over_the_runs)
{
    static const size_t sizes[] = {1, 4, 8, 12, 64}, lengths[] = {0, 1, 2, 33, 1000, 5001, 40000};
    static const size_t run_lengths[] = {1, 3, 50, 5000};
    static const parscan_type key_types[] = {PARSCAN_U8, PARSCAN_F32, PARSCAN_I64, PARSCAN_BF16};
    parscan_context *const contexts[] = {
        test_context_with((parscan_context_options){.threads = 1}),
        test_context_with((parscan_context_options){.threads = 3}),
    };
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        parscan_operator *const op = byte_maps_operator(sizes[s], 0, s % 2);
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (size_t r = 0; r < COUNT_OF(run_lengths); r++) {
                const key_case c = any_case(key_types[(s + k + r) % 4], sizes[s], lengths[k]);
                expect_by_key(contexts[(r + k) % 2], op, &c, run_lengths[r]);
            }
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(contexts[0]);
    parscan_context_destroy(contexts[1]);
}

static const key_case failing_case = {.key_type = PARSCAN_U16, .size = 8, .n = 100000};

static parscan_status reduce_failing(parscan_context *context, void *op)
{
    const size_t n = failing_case.n;
    const keyed x = keyed_of(&failing_case, 10, NULL);
    uint8_t *const out = malloc(8 * n);
    uint64_t count;
    const parscan_status status =
        parscan_reduce_by_key(context, PARSCAN_U16, x.keys, NULL, PARSCAN_CUSTOM, x.in, out, n,
                              &count, &PARSCAN_SCAN_OPTIONS(.custom = op));
    free(x.keys);
    free(x.in);
    free(x.starts);
    free(x.sums);
    free(out);
    return status;
}

static void expect_failing(parscan_context *context, void *op)
{
    expect_by_key(context, op, &failing_case, 10);
}

Test(custom_by_key, survives_every_allocation_that_fails)
{
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return; /* most allocations are of contexts */
    parscan_operator *const op = byte_maps_operator(8, 0, true);
    cr_assert_geq(fail_every_allocation(&(failing_test){reduce_failing, expect_failing, op}), 2);
    parscan_operator_destroy(op);
}
