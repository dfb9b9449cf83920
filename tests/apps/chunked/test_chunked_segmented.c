/* Segmented scans and recurrences in chunks against one call with the whole array. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/number.h"
#include "tests/support/oracle_segmented.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segment_shapes.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

static parscan_status make_segmented(parscan_chunked **chunked, parscan_context *context,
                                     const void *what)
{
    const segmented_case *const scan = what;
    const parscan_segments *const segments = &scan->cut->segments;
    return (scan->kind == SCAN_INCLUSIVE ? parscan_chunked_create_segmented_inclusive_scan
                                         : parscan_chunked_create_segmented_exclusive_scan)(
        chunked, context, scan->type, segments->kind, segments->type, &scan->options);
}

static void expect_chunks(const chunked_contexts *contexts, segmented_case scan, const void *in,
                          size_t most)
{
    char words[SEGMENTED_WORDS];
    scan.options.struct_size = sizeof scan.options;
    const parscan_type to = scan.options.out_type == 0 ? scan.type : scan.options.out_type;
    const size_t n = scan.cut->n, out_size = parscan_type_size(to);
    const bool flags = scan.cut->segments.kind == PARSCAN_SEGMENTS_FLAGS;
    void *const whole = need_memory(n * out_size), *const out = need_memory(n * out_size);
    const chunked_case c = {
        .make = make_segmented,
        .what = &scan,
        .in = in,
        .in_size = parscan_type_size(scan.type),
        .in2 = scan.cut->segments.data,
        .in2_size = flags ? 1 : parscan_type_size(scan.cut->segments.type),
        .out = out,
        .out_size = out_size,
        .n = n,
        .most = most,
        .in_place = parscan_type_size(scan.type) == out_size,
    };
    chunked_run(contexts, &c, (parscan_chunked_end){.out = NULL}, n);
    const bool right = segmented_is_right(&scan, in, out, words);
    cr_assert(right, "%s", words);
    if (!oracle_is_float(to)) {
        cr_assert_eq(call_segmented(contexts->of[1], scan.kind, scan.type, in, whole, n,
                                    &scan.cut->segments, NULL, &scan.options),
                     PARSCAN_OK);
        cr_assert_eq(first_difference(to, whole, out, n), n);
    }
    free(whole);
    free(out);
}

static void expect_kinds(const chunked_contexts *contexts, segmented_case scan, size_t most)
{
    unsigned char init[16];
    const parscan_type to = scan.options.out_type == 0 ? scan.type : scan.options.out_type;
    void *const in = random_array(scan.type, scan.options.op, scan.cut->n);
    random_fill(to, scan.options.op, init, 1);
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned with_init = 0; with_init < 2; with_init++) {
            scan.kind = kind == 0 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE;
            scan.options.init = with_init ? init : NULL;
            expect_chunks(contexts, scan, in, most);
        }
    free(in);
}

SimdTest(chunked_segmented_scan, by_flags_and_keys_of_every_shape_equals_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(2);
    for (int shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t f = 0; f < SEGMENT_FORMS; f++) {
            if (all_segment_forms[f].kind == PARSCAN_SEGMENTS_OFFSETS)
                continue;
            cut_array cut = cut_create(3011, (segment_shape)shape, all_segment_forms[f]);
            expect_kinds(&contexts, (segmented_case){.type = PARSCAN_I32, .cut = &cut}, 900);
            cut_destroy(&cut);
        }
    chunked_contexts_destroy(&contexts);
}

SimdTest(chunked_segmented_scan, of_every_type_and_operator_equals_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(2);
    const segment_form keys = {PARSCAN_SEGMENTS_KEYS, PARSCAN_F32};
    const segment_form flags = {PARSCAN_SEGMENTS_FLAGS, PARSCAN_U8};
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; o < OPS; o++) {
            if (!type_has(all_types[t], all_ops[o]))
                continue;
            cut_array cut = cut_create(2003, ZIPF_SEGMENTS, o % 2 == 0 ? keys : flags);
            expect_kinds(&contexts,
                         (segmented_case){.type = all_types[t],
                                          .cut = &cut,
                                          .options = {.op = all_ops[o],
                                                      .algorithm = t % 3 == 0 ? PARSCAN_SEQUENTIAL
                                                                              : PARSCAN_AUTO}},
                         700);
            cut_destroy(&cut);
        }
#define X(ctx, FROM, TO)                                                      \
    {                                                                         \
        cut_array cut = cut_create(2003, SHORT_SEGMENTS, flags);              \
        expect_kinds(&contexts,                                               \
                     (segmented_case){.type = PARSCAN_##FROM,                 \
                                      .cut = &cut,                            \
                                      .options = {.out_type = PARSCAN_##TO}}, \
                     700);                                                    \
        cut_destroy(&cut);                                                    \
    }
    PARSCAN_WIDENINGS(X, )
#undef X
    chunked_contexts_destroy(&contexts);
}

SimdTest(chunked_segmented_scan, in_chunks_for_several_threads_equals_the_one_call)
{
    static const segment_shape shapes[] = {ONE_SEGMENT, ZIPF_SEGMENTS, HUGE_AMONG_TINY};
    static const parscan_type types[] = {PARSCAN_U8, PARSCAN_I32, PARSCAN_U64, PARSCAN_F64,
                                         PARSCAN_F16};
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            const size_t n = types[t] == PARSCAN_U8 ? 1600003 : 400009;
            const segment_form form = {t % 2 == 0 ? PARSCAN_SEGMENTS_FLAGS : PARSCAN_SEGMENTS_KEYS,
                                       t % 2 == 0 ? PARSCAN_U8 : PARSCAN_U32};
            cut_array cut = cut_create(n, shapes[s], form);
            expect_kinds(&contexts, (segmented_case){.type = types[t], .cut = &cut}, n);
            cut_destroy(&cut);
        }
    chunked_contexts_destroy(&contexts);
}

/* NaN equals NaN, and -0 equals +0, from chunk to chunk too. */
Test(chunked_segmented_scan, compares_keys_of_two_chunks_as_within_one)
{
    static const double keys[] = {0.0, -0.0, NAN, NAN, 1, 1, 2};
    static const uint32_t ones[] = {1, 1, 1, 1, 1, 1, 1}, expected[] = {1, 2, 1, 2, 1, 2, 1};
    parscan_context *const context = test_context();
    parscan_chunked *chunked;
    uint32_t out[7];
    cr_assert_eq(parscan_chunked_create_segmented_inclusive_scan(
                     &chunked, context, PARSCAN_U32, PARSCAN_SEGMENTS_KEYS, PARSCAN_F64, NULL),
                 PARSCAN_OK);
    for (size_t i = 0; i < 7; i++)
        cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = ones + i, .in2 = keys + i,
                                                                    .out = out + i, .n = 1)),
                     PARSCAN_OK);
    cr_assert_eq(memcmp(out, expected, sizeof out), 0);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(context);
}

/* Chunks of up to three elements beside one call, of an exclusive sum: a zero is -0 if nothing but -0 is added, so
   in any grouping. */
static void expect_signs(parscan_context *context, parscan_type type, parscan_type to,
                         bool segmented)
{
    enum { N = 60 };
    static const double values[] = {-0.0, -0.0, -0.0, 0.0, 1, -1};
    double in[N], out[N] = {0}, whole[N] = {0};
    uint8_t flags[N];
    const size_t in_size = parscan_type_size(type), out_size = parscan_type_size(to);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.out_type = to);
    const parscan_segments segments = {
        .struct_size = sizeof segments, .kind = PARSCAN_SEGMENTS_FLAGS, .data = flags};
    parscan_chunked *chunked;
    for (size_t i = 0; i < N; i++) {
        number_write_real(type, in, i, values[random_below(i < 6 ? 3 : COUNT_OF(values))]);
        flags[i] = random_below(3) == 0;
    }
    cr_assert_eq(segmented ? parscan_segmented_exclusive_scan(context, type, in, whole, N,
                                                              &segments, &options)
                           : parscan_exclusive_scan(context, type, in, whole, N, &options),
                 PARSCAN_OK);
    cr_assert_eq(segmented
                     ? parscan_chunked_create_segmented_exclusive_scan(
                           &chunked, context, type, PARSCAN_SEGMENTS_FLAGS, PARSCAN_U8, &options)
                     : parscan_chunked_create_exclusive_scan(&chunked, context, type, &options),
                 PARSCAN_OK);
    for (size_t i = 0, n = 0; i < N; i += n) {
        n = 1 + random_below(N - i < 3 ? N - i : 3);
        parscan_chunk chunk = PARSCAN_CHUNK(.in = (char *)in + i * in_size,
                                            .out = (char *)out + i * out_size, .n = n);
        chunk.in2 = segmented ? flags + i : NULL;
        cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_OK);
    }
    for (size_t i = 0; i < N; i++)
        cr_assert_eq(memcmp((char *)out + i * out_size, (char *)whole + i * out_size, out_size), 0,
                     "%s: element %zu: expected %g, found %g", parscan_type_name(to), i,
                     number_read(to, whole, i).real, number_read(to, out, i).real);
    parscan_chunked_destroy(chunked);
}

Test(chunked_segmented_scan, keeps_the_sign_of_a_sum_of_zeros)
{
    parscan_context *const context = test_context();
    for (unsigned k = 0; k < 12; k++) {
        expect_signs(context, PARSCAN_F32, PARSCAN_F32, k % 2);
        expect_signs(context, PARSCAN_F64, PARSCAN_F64, k % 2);
        expect_signs(context, PARSCAN_F32, PARSCAN_F64, k % 2);
        expect_signs(context, PARSCAN_BF16, PARSCAN_BF16, k % 2);
    }
    parscan_context_destroy(context);
}

/* ---- recurrences ---- */

typedef struct recurrence {
    parscan_type type;
    const void *x0;
} recurrence;

static parscan_status make_recurrence(parscan_chunked **chunked, parscan_context *context,
                                      const void *what)
{
    const recurrence *const r = what;
    return parscan_chunked_create_recurrence(chunked, context, r->type, r->x0);
}

static void expect_recurrence(const chunked_contexts *contexts, parscan_type type, const void *x0,
                              size_t n, size_t most)
{
    char words[ORACLE_WORDS];
    const recurrence r = {type, x0};
    const size_t size = parscan_type_size(type);
    void *const a = random_array(type, PARSCAN_PRODUCT, n), *const out = need_memory(n * size);
    void *const b = random_array(type, PARSCAN_SUM, n);
    unsigned char last[16];
    const chunked_case c = {.make = make_recurrence,
                            .what = &r,
                            .in = a,
                            .in_size = size,
                            .in2 = b,
                            .in2_size = size,
                            .out = out,
                            .out_size = size,
                            .n = n,
                            .most = most,
                            .in_place = true};
    chunked_run(contexts, &c, (parscan_chunked_end){.out = last}, n);
    const oracle_recurrence question = {.type = type, .a = a, .b = b, .x0 = x0, .n = n};
    const size_t at = oracle_recurrence_disagrees_at(&question, out, words);
    cr_assert_eq(at, ORACLE_AGREES, "n = %zu: element %zu: %s", n, at, words);
    static const unsigned char zero[16];
    const void *const expected = n > 0 ? (char *)out + (n - 1) * size : x0 != NULL ? x0 : zero;
    cr_assert_eq(memcmp(last, expected, size), 0, "the last element");
    free(a);
    free(b);
    free(out);
}

SimdTest(chunked_recurrence, is_the_recurrence_of_the_whole_array)
{
    static const parscan_type types[] = {PARSCAN_F32, PARSCAN_F64, PARSCAN_F16, PARSCAN_BF16};
    chunked_contexts contexts = chunked_contexts_make(3);
    static const size_t sizes[] = {0, 1, 100, 5003, 300007};
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            unsigned char x0[16];
            number_write_real(types[t], x0, 0, -2.5);
            expect_recurrence(&contexts, types[t], NULL, sizes[s], sizes[s] / 2);
            expect_recurrence(&contexts, types[t], x0, sizes[s], sizes[s] / 2);
        }
    chunked_contexts_destroy(&contexts);
}
