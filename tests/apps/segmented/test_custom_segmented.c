/* Segmented scans and reductions with operators of the caller's. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/segmented.h"
#include "tests/support/byte_maps.h"
#include "tests/support/counting.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

typedef struct custom_case {
    const parscan_operator *op;
    size_t size;
    const cut_array *cut;
    scan_kind kind;
    parscan_algorithm algorithm;
    bool reverse, init, in_place;
} custom_case;

/* What the call must answer, by a plain loop over each segment. Returns the number of results. */
static size_t expected(const custom_case *c, const uint8_t *in, const uint8_t *init, uint8_t *out)
{
    const size_t size = c->size;
    for (size_t s = 0; s < c->cut->count; s++) {
        const size_t begin = c->cut->bounds[s], end = c->cut->bounds[s + 1];
        uint8_t before[MOST_BYTES];
        neutral_bytes(size, before);
        if (init != NULL)
            memcpy(before, init, size);
        for (size_t k = begin; k < end; k++) {
            const size_t i = c->reverse ? begin + end - 1 - k : k;
            if (c->kind == SCAN_EXCLUSIVE)
                memcpy(out + i * size, before, size);
            compose_bytes(size, before, in + i * size, before);
            if (c->kind == SCAN_INCLUSIVE)
                memcpy(out + i * size, before, size);
        }
        if (c->kind == SCAN_REDUCE)
            memcpy(out + s * size, before, size);
    }
    return c->kind == SCAN_REDUCE ? c->cut->count : c->cut->n;
}

static void expect_custom(parscan_context *context, const custom_case *c, const uint8_t *elements)
{
    const size_t bytes = c->cut->n * c->size;
    const size_t room = (c->cut->n + c->cut->count + 1) * c->size + 1;
    uint8_t *const in = malloc(bytes + 1), *const other = malloc(room);
    uint8_t *const right = malloc(room), *const init = random_byte_maps(c->size, 1);
    memcpy(in, elements, bytes);
    memset(other, 0xa5, room);
    uint8_t *const out = c->in_place ? in : other;
    const size_t results = expected(c, elements, c->init ? init : NULL, right);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.custom = c->op, .algorithm = c->algorithm, .reverse = c->reverse,
                             .init = c->init ? init : NULL);
    uint64_t count = 0;
    const parscan_status status = call_segmented(context, c->kind, PARSCAN_CUSTOM, in, out,
                                                 c->cut->n, &c->cut->segments, &count, &options);
    const bool counted = c->kind != SCAN_REDUCE || count == c->cut->count;
    const bool same = memcmp(out, right, results * c->size) == 0;
    char words[CUT_WORDS];
    describe_cut(c->cut, words);
    if (status != PARSCAN_OK || !counted || !same ||
        (!c->in_place && other[results * c->size] != 0xa5))
        cr_assert_fail("%zu elements of %zu bytes, kind %d, reverse %d, init %d, in place %d, %s: "
                       "status %d (%s), "
                       "counted %d, same %d",
                       c->cut->n, c->size, c->kind, c->reverse, c->init, c->in_place, words, status,
                       parscan_context_error(context), counted, same);
    free(in);
    free(other);
    free(right);
    free(init);
}

/* Of the 24 modes one in `every`, others each time. */
static void expect_modes(parscan_context *context, custom_case c, const uint8_t *elements,
                         unsigned every)
{
    static unsigned turn;
    for (unsigned mode = turn++ % every; mode < 24; mode += every) {
        c.kind = (scan_kind)(mode % 3);
        c.reverse = mode / 3 & 1;
        c.init = mode / 6 & 1;
        c.in_place = mode / 12 && c.kind != SCAN_REDUCE;
        if (takes_case())
            expect_custom(context, &c, elements);
    }
}

/* Flags, offsets of both widths, some keys, and every shape. */
static void expect_shapes(parscan_context *context, const parscan_operator *op, size_t size,
                          size_t n, const uint8_t *elements, unsigned every)
{
    for (size_t f = 0; f < SEGMENT_FORMS; f += f < 4 ? 1 : 5)
        for (int shape = 0; shape < SEGMENT_SHAPES; shape++) {
            cut_array cut = cut_create(n, (segment_shape)shape, all_segment_forms[f]);
            expect_modes(context, (custom_case){.op = op, .size = size, .cut = &cut}, elements,
                         every);
            cut_destroy(&cut);
        }
}

SimdTest(custom_segments, are_right_in_every_shape_and_form)
{
    static const size_t sizes[] = {1, 4, 8, 12, 64};
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        const size_t size = sizes[s], panel = 512 / size * 32;
        const size_t lengths[] = {0, 1, 2, 33, 1000, panel, panel + 1, 2 * panel + 77};
        parscan_operator *const op = byte_maps_operator(size, 0, true);
        uint8_t *const in = random_byte_maps(size, 2 * panel + 1000);
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            expect_shapes(context, op, size, lengths[k], in, lengths[k] < 100 ? 5 : 11);
        parscan_operator_destroy(op);
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(custom_segments, are_right_with_several_threads)
{
    const size_t size = 8, n = 150000;
    parscan_operator *const op = byte_maps_operator(size, 0, true);
    uint8_t *const in = random_byte_maps(size, n);
    for (unsigned threads = 2; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        expect_shapes(context, op, size, n, in, 13);
        parscan_context_destroy(context);
    }
    parscan_operator_destroy(op);
    free(in);
}

SimdTest(custom_segments, of_rows_are_right)
{
    parscan_context *const context = test_context();
    parscan_operator *const op = byte_maps_operator(8, 0, false);
    uint8_t *const in = random_byte_maps(8, 6000);
    for (size_t row = 1; row <= 3000; row = row * 3 + 1) {
        const size_t n = 6000 / row * row;
        size_t *const heads = malloc((n / row + 1) * sizeof *heads);
        for (size_t s = 1; s < n / row; s++)
            heads[s - 1] = s * row;
        cut_array cut = cut_create_at(n, heads, n / row - 1, all_segment_forms[0]);
        const parscan_segments flags = cut.segments;
        cut.segments = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = row);
        for (unsigned mode = 0; mode < 6; mode++) {
            if (!takes_larger_case())
                continue;
            const custom_case c = {.op = op,
                                   .size = 8,
                                   .cut = &cut,
                                   .kind = (scan_kind)(mode % 3),
                                   .reverse = mode / 3,
                                   .init = mode % 3 == SCAN_EXCLUSIVE,
                                   .algorithm = mode / 3 ? PARSCAN_SEQUENTIAL : PARSCAN_AUTO};
            expect_custom(context, &c, in);
        }
        cut.segments = flags;
        cut_destroy(&cut);
        free(heads);
    }
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    free(in);
}

PARSCAN_DEFINE_OPERATOR(sum_of_u64, uint64_t, (), { return earlier + later; })
PARSCAN_DEFINE_LOAD(one_more, uint64_t, (), { return ((const uint32_t *)in)[i] + UINT64_C(1); })
PARSCAN_DEFINE_STORE(low_byte, uint64_t, (), { ((uint8_t *)out)[i] = (uint8_t)x; })

SimdTest(custom_segments, take_maps)
{
    enum { N = 9001 };
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return; /* `in` would have to be on the device: tests/cuda/test_custom_segments_cuda.c */
    parscan_context *const context = test_context();
    const parscan_operator_options given = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_OPERATOR(sum_of_u64, uint64_t), PARSCAN_DEFINED_LOAD(one_more),
        PARSCAN_DEFINED_STORE(low_byte), .in_size = 4, .out_size = 1);
    parscan_operator *op;
    cr_assert_eq(parscan_operator_create(&op, &given), PARSCAN_OK);
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    const uint64_t init = 5;
    for (size_t f = 0; f < 3; f++)
        for (int mode = 0; mode < 6; mode++) {
            cut_array cut = cut_create(N, LONG_SEGMENTS, all_segment_forms[f * 2]);
            const scan_kind kind = (scan_kind)(mode % 3);
            uint8_t out[N + 1];
            uint64_t count;
            memset(out, 0xa5, sizeof out);
            const parscan_scan_options options =
                PARSCAN_SCAN_OPTIONS(.custom = op, .init = &init, .reverse = mode / 3);
            cr_assert_eq(call_segmented(context, kind, PARSCAN_CUSTOM, in, out, N, &cut.segments,
                                        &count, &options),
                         PARSCAN_OK);
            for (size_t s = 0; s < cut.count; s++) {
                uint64_t sum = init;
                for (size_t k = cut.bounds[s]; k < cut.bounds[s + 1]; k++) {
                    const size_t i = mode / 3 ? cut.bounds[s] + cut.bounds[s + 1] - 1 - k : k;
                    const uint64_t before = sum;
                    sum += in[i] + UINT64_C(1);
                    if (kind != SCAN_REDUCE)
                        cr_assert_eq(out[i], (uint8_t)(kind == SCAN_INCLUSIVE ? sum : before));
                }
                if (kind == SCAN_REDUCE)
                    cr_assert_eq(out[s], (uint8_t)sum);
            }
            cr_assert_eq(out[kind == SCAN_REDUCE ? cut.count : N], 0xa5);
            cut_destroy(&cut);
        }
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    free(in);
}

Test(custom_segments, that_are_wrong_are_refused)
{
    parscan_context *const context = test_context();
    parscan_operator *const op = byte_maps_operator(8, 0, false);
    const uint64_t map = UINT64_C(0x0101010101010101);
    uint64_t in[4] = {map, map, map, map}, out[4] = {9, 9, 9, 9}, count;
    const uint32_t decreasing[] = {0, 3, 2, 4}, empty[] = {0, 2, 2, 4};
    const uint8_t flags[4] = {1, 0, 1, 0};
    const parscan_segments wrong =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = decreasing,
                         .count = 3);
    const parscan_segments by_offsets =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = empty,
                         .count = 3);
    const parscan_segments by_flags = PARSCAN_SEGMENTS(.data = flags);
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    expect_error_words(
        context,
        parscan_segmented_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, &wrong, &options),
        PARSCAN_ERROR_INVALID_ARGUMENT, "2");
    expect_error_words(
        context,
        parscan_segmented_exclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, &by_flags, &options),
        PARSCAN_ERROR_INVALID_ARGUMENT, "identity");
    expect_error_words(
        context,
        parscan_segmented_reduce(context, PARSCAN_CUSTOM, in, out, 4, &by_offsets, NULL, &options),
        PARSCAN_ERROR_INVALID_ARGUMENT, "identity");
    cr_assert_eq(
        parscan_segmented_reduce(context, PARSCAN_CUSTOM, in, out, 4, &by_flags, &count, &options),
        PARSCAN_OK);
    cr_assert_eq(count, 2);
    options.reproducible = 1;
    expect_error_words(
        context,
        parscan_segmented_reduce(context, PARSCAN_CUSTOM, in, out, 4, &by_flags, &count, &options),
        PARSCAN_ERROR_UNSUPPORTED, "reproducible");
    options = PARSCAN_SCAN_OPTIONS(.custom = op, .algorithm = PARSCAN_BRENT_KUNG);
    expect_error_words(
        context,
        parscan_segmented_reduce(context, PARSCAN_CUSTOM, in, out, 4, &by_flags, &count, &options),
        PARSCAN_ERROR_UNSUPPORTED, "brent-kung");
    options = PARSCAN_SCAN_OPTIONS(.custom = op);
    expect_error_words(
        context,
        parscan_segmented_inclusive_scan(context, PARSCAN_U64, in, out, 4, &by_flags, &options),
        PARSCAN_ERROR_INVALID_ARGUMENT, "type = u64");
    expect_error_words(context,
                       parscan_reduce_by_key(context, PARSCAN_U64, in, NULL, PARSCAN_CUSTOM, in,
                                             in + 1, 3, &count, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "overlap");
    options.shape = &PARSCAN_SHAPE(.outer = 1, .inner = 1);
    expect_error_words(context,
                       parscan_reduce_by_key(context, PARSCAN_U64, in, NULL, PARSCAN_CUSTOM, in,
                                             out, 4, &count, &options),
                       PARSCAN_ERROR_UNSUPPORTED, "shape");
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

typedef struct failing_case {
    const parscan_operator *op;
    const cut_array *cut;
    const uint8_t *in;
} failing_case;

static parscan_status scan_failing(parscan_context *context, void *state)
{
    const failing_case *const f = state;
    uint8_t *const out = malloc(f->cut->n * 8);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = f->op);
    const parscan_status status = parscan_segmented_inclusive_scan(
        context, PARSCAN_CUSTOM, f->in, out, f->cut->n, &f->cut->segments, &options);
    free(out);
    return status;
}

static void expect_failing(parscan_context *context, void *state)
{
    const failing_case *const f = state;
    expect_custom(context, &(custom_case){.op = f->op, .size = 8, .cut = f->cut}, f->in);
}

Test(custom_segments, survive_every_allocation_that_fails)
{
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return; /* most allocations are of contexts */
    cut_array cut = cut_create(150000, SHORT_SEGMENTS, all_segment_forms[0]);
    uint8_t *const in = random_byte_maps(8, cut.n);
    parscan_operator *const op = byte_maps_operator(8, 0, true);
    failing_case f = {op, &cut, in};
    cr_assert_geq(fail_every_allocation(&(failing_test){scan_failing, expect_failing, &f}), 2);
    parscan_operator_destroy(op);
    cut_destroy(&cut);
    free(in);
}

Test(custom_segments, are_measured_without_running)
{
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return; /* tests/cuda/test_measure_cuda.c */
    cut_array cut = cut_create(150000, SHORT_SEGMENTS, all_segment_forms[0]);
    uint8_t *const in = random_byte_maps(8, cut.n), *const out = calloc(cut.n, 8);
    parscan_operator *const op = byte_maps_operator(8, 0, true);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    for (int way = 0; way < 3; way++) {
        parscan_context *const real = test_context_with((parscan_context_options){.threads = 2});
        parscan_context *const measuring =
            test_context_with((parscan_context_options){.threads = 2, .measure = 1});
        uint64_t count, most = 0;
        cr_assert_eq(call_segmented(measuring, (scan_kind)way, PARSCAN_CUSTOM, in, out, cut.n,
                                    &cut.segments, &most, &options),
                     PARSCAN_OK);
        cr_assert(out[0] == 0 && (way != SCAN_REDUCE || most == cut.n));
        cr_assert_eq(call_segmented(real, (scan_kind)way, PARSCAN_CUSTOM, in, out, cut.n,
                                    &cut.segments, &count, &options),
                     PARSCAN_OK);
        cr_assert_eq(parscan_context_scratch(measuring), parscan_context_scratch(real));
        memset(out, 0, 8 * cut.n);
        parscan_context_destroy(real);
        parscan_context_destroy(measuring);
    }
    parscan_operator_destroy(op);
    cut_destroy(&cut);
    free(in);
    free(out);
}
