/* Scans and reductions in chunks against one call with the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/half_number.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

enum { SHORT = 7001, LONG = 400009 };

static parscan_status make_scan(parscan_chunked **chunked, parscan_context *context,
                                const void *what)
{
    const scan_case *const scan = what;
    switch (scan->kind) {
    case SCAN_INCLUSIVE:
        return parscan_chunked_create_inclusive_scan(chunked, context, scan->type, &scan->options);
    case SCAN_EXCLUSIVE:
        return parscan_chunked_create_exclusive_scan(chunked, context, scan->type, &scan->options);
    default:
        return parscan_chunked_create_reduce(chunked, context, scan->type, &scan->options);
    }
}

/* Whether the one call's results do not depend on the grouping. */
static bool is_exact(const scan_case *scan)
{
    return !oracle_is_float(scan->type) || scan->options.reproducible ||
           !op_rounds(scan->options.op);
}

/* Runs a scan in chunks and compares it: to the bit with the one call, or with the oracle. */
static void expect_chunks(const chunked_contexts *contexts, scan_case scan, const void *in,
                          size_t most)
{
    char words[CASE_WORDS];
    scan.options.struct_size = sizeof scan.options;
    const parscan_type to = scan.options.out_type == 0 ? scan.type : scan.options.out_type;
    const size_t out_size = parscan_type_size(to), size = parscan_type_size(scan.type);
    const bool reduce = scan.kind == SCAN_REDUCE;
    const size_t results = reduce ? 1 : scan.n;
    unsigned char last[16], sum[16];
    void *const whole = need_memory(results * out_size), *const out =
                                                             need_memory(results * out_size);
    const chunked_case c = {
        .make = make_scan,
        .what = &scan,
        .in = in,
        .in_size = size,
        .out = reduce ? NULL : out,
        .out_size = reduce ? 0 : out_size,
        .n = scan.n,
        .most = most,
        .in_place = !reduce && size == out_size,
    };
    chunked_run(contexts, &c, (parscan_chunked_end){.out = reduce ? out : last}, scan.n);
    parscan_context *const context = contexts->of[1];
    cr_assert_eq(call_scan(context, scan.kind, scan.type, in, whole, scan.n, &scan.options),
                 PARSCAN_OK);
    if (is_exact(&scan)) {
        const size_t at = first_difference(to, whole, out, results);
        describe_case(&scan, "differs from the one call", words);
        cr_assert_eq(at, results, "element %zu: %s", at, words);
    } else {
        const bool right = answer_is_right(&scan, in, out, words);
        cr_assert(right, "%s", words);
    }
    if (!reduce && is_exact(&scan)) {
        cr_assert_eq(call_scan(context, SCAN_REDUCE, scan.type, in, sum, scan.n, &scan.options),
                     PARSCAN_OK);
        cr_assert_eq(first_difference(to, sum, last, 1), 1, "the sum of all");
    }
    free(whole);
    free(out);
}

/* An init of the output type. */
static const void *init_of(parscan_type type, parscan_op op, unsigned char *init)
{
    random_fill(type, op, init, 1);
    return init;
}

static void expect_kinds(const chunked_contexts *contexts, scan_case scan, size_t most)
{
    unsigned char init[16];
    const parscan_type to = scan.options.out_type == 0 ? scan.type : scan.options.out_type;
    void *const in = random_array(scan.type, scan.options.op, scan.n);
    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned with_init = 0; with_init < 2; with_init++) {
            scan.kind = (scan_kind)kind;
            scan.options.init = with_init ? init_of(to, scan.options.op, init) : NULL;
            if (takes_larger_case())
                expect_chunks(contexts, scan, in, most);
        }
    free(in);
}

SimdTest(chunked_scan, of_every_type_and_operator_equals_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; o < OPS; o++)
            if (type_has(all_types[t], all_ops[o]))
                expect_kinds(
                    &contexts,
                    (scan_case){.type = all_types[t], .n = SHORT, .options = {.op = all_ops[o]}},
                    2500);
    chunked_contexts_destroy(&contexts);
}

SimdTest(chunked_scan, in_every_algorithm_equals_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(2);
    for (size_t a = 0; a < ALGORITHMS; a++)
        for (size_t t = 4; t < TYPES; t++)
            expect_kinds(&contexts,
                         (scan_case){.type = all_types[t],
                                     .n = SHORT,
                                     .options = {.algorithm = all_algorithms[a]}},
                         3000);
    chunked_contexts_destroy(&contexts);
}

SimdTest(chunked_scan, of_wider_sums_equals_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(2);
#define X(ctx, FROM, TO)                                                                        \
    expect_kinds(                                                                               \
        &contexts,                                                                              \
        (scan_case){.type = PARSCAN_##FROM, .n = SHORT, .options = {.out_type = PARSCAN_##TO}}, \
        2500);
    PARSCAN_WIDENINGS(X, )
#undef X
    chunked_contexts_destroy(&contexts);
}

SimdTest(chunked_scan, in_chunks_for_several_threads_equals_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++)
        expect_kinds(&contexts,
                     (scan_case){.type = all_types[t],
                                 .n = LONG * (t < 2 ? 4 : 1),
                                 .options = {.op = t % 2 == 0 ? PARSCAN_SUM : PARSCAN_MAX}},
                     LONG * (t < 2 ? 2 : 1));
    chunked_contexts_destroy(&contexts);
}

static void expect_reproducible(const chunked_contexts *contexts, size_t n, size_t most)
{
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_PRODUCT, PARSCAN_MIN};
    for (size_t o = 0; o < COUNT_OF(ops); o++)
        for (size_t t = 0; t < TYPES; t++)
            if (oracle_is_float(all_types[t]))
                expect_kinds(contexts,
                             (scan_case){.type = all_types[t],
                                         .n = n,
                                         .options = {.op = ops[o], .reproducible = 1}},
                             most);
    expect_kinds(contexts,
                 (scan_case){.type = PARSCAN_F32,
                             .n = n,
                             .options = {.out_type = PARSCAN_F64, .reproducible = 1}},
                 most);
}

SimdTest(chunked_reproducible_scan, has_the_bits_of_the_whole_array)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    expect_reproducible(&contexts, 40009, 9000);
    expect_reproducible(&contexts, 2048 * 3, 2048);
    expect_reproducible(&contexts, 100, 20);
    chunked_contexts_destroy(&contexts);
}

/* Groups of tree tiles that start in the middle of a group of the tree. */
SimdTest(chunked_reproducible_scan, has_the_bits_of_the_whole_array_in_groups_of_several_threads)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    for (unsigned repeat = 0; repeat < 2; repeat++)
        expect_reproducible(&contexts, 600011, 300000);
    chunked_contexts_destroy(&contexts);
}

Test(chunked_scan, one_element_at_a_time_equals_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(1);
    for (unsigned reproducible = 0; reproducible < 2; reproducible++)
        expect_kinds(&contexts,
                     (scan_case){.type = PARSCAN_F64,
                                 .n = 4200,
                                 .options = {.op = reproducible ? PARSCAN_SUM : PARSCAN_MIN,
                                             .reproducible = (int)reproducible}},
                     1);
    chunked_contexts_destroy(&contexts);
}

Test(chunked_scan, of_nothing_is_init_or_the_identity)
{
    chunked_contexts contexts = chunked_contexts_make(1);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; o < OPS; o++)
            for (int reproducible = 0; reproducible < 2; reproducible++)
                if (type_has(all_types[t], all_ops[o]))
                    expect_kinds(
                        &contexts,
                        (scan_case){.type = all_types[t],
                                    .options = {.op = all_ops[o], .reproducible = reproducible}},
                        1);
    chunked_contexts_destroy(&contexts);
}

/* What is passed from chunk to chunk is not rounded: in 16 bits a sum of ones would stay at 2048, or 256. */
SimdTest(chunked_scan, of_5000_ones_in_16_bits_in_chunks_of_7_is_rounded_once)
{
    enum { N = 5000, EACH = 7 };
    static uint16_t ones[N], sums[N], found[N], sum;
    chunked_contexts contexts = chunked_contexts_make(2);
    for (size_t k = 2 * ARITHMETIC_TYPES; k < 2 * TYPES; k++) {
        const parscan_type type = all_types[k / 2];
        const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reproducible = k % 2 != 0);
        parscan_chunked *scan, *reduction;
        for (size_t i = 0; i < N; i++) {
            ones[i] = half_from_number(type, 1);
            sums[i] = half_from_number(type, (long double)i + 1);
        }
        cr_assert_eq(parscan_chunked_create_inclusive_scan(&scan, contexts.of[1], type, &options),
                     PARSCAN_OK);
        cr_assert_eq(parscan_chunked_create_reduce(&reduction, contexts.of[1], type, &options),
                     PARSCAN_OK);
        for (size_t i = 0; i < N; i += EACH) {
            parscan_chunk chunk = PARSCAN_CHUNK(.in = ones + i, .n = N - i < EACH ? N - i : EACH);
            cr_assert_eq(parscan_chunked_update(reduction, &chunk), PARSCAN_OK);
            chunk.out = found + i;
            cr_assert_eq(parscan_chunked_update(scan, &chunk), PARSCAN_OK);
        }
        cr_assert_eq(memcmp(found, sums, sizeof found), 0, "%s", parscan_type_name(type));
        cr_assert_eq(parscan_chunked_finish(reduction, &PARSCAN_CHUNKED_END(.out = &sum)),
                     PARSCAN_OK);
        cr_assert_eq(sum, sums[N - 1]);
        cr_assert_eq(parscan_chunked_finish(scan, &PARSCAN_CHUNKED_END(.out = &sum)), PARSCAN_OK);
        cr_assert_eq(sum, sums[N - 1]);
        parscan_chunked_destroy(scan);
        parscan_chunked_destroy(reduction);
    }
    chunked_contexts_destroy(&contexts);
}
