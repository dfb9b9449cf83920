/* Widening, init, block shapes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

/* All kinds, directions and algorithms. */
static void expect_every_call(parscan_context *context, scan_case scan, const void *in)
{
    for (size_t a = 0; a < ALGORITHMS; a++)
        for (int mode = 0; mode < 6; mode++) {
            scan.options.algorithm = all_algorithms[a];
            scan.kind = (scan_kind)(mode % 3);
            scan.options.reverse = mode / 3;
            expect_scan(context, scan, in);
        }
}

typedef struct widening {
    parscan_type from, to;
} widening;

static const widening widenings[] = {
#define X(ctx, FROM, TO) {PARSCAN_##FROM, PARSCAN_##TO},
    PARSCAN_WIDENINGS(X, )
#undef X
};

SimdTest(widening, is_tested_with_the_fifteen_pairs)
{
    cr_assert_geq(COUNT_OF(widenings), 15);
}

/* All bits set below the sign: the largest value of an integer type. Of a float, a large one whose sum is
   beyond the range of the type; but F32 has no room for more than BF16 has. */
static void fill_with_large(parscan_type type, parscan_type to, char *array, size_t n)
{
    const double in_f32 = type == PARSCAN_BF16 && to == PARSCAN_F32 ? 1e33 : 3e38;
    const size_t size = parscan_type_size(type);
    const bool has_sign = type == PARSCAN_I8 || type == PARSCAN_I16 || type == PARSCAN_I32;
    memset(array, 0xff, n * size);
    for (size_t i = 0; i < n; i++)
        if (has_sign)
            array[(i + 1) * size - 1] = 0x7f;
        else if (oracle_is_float(type))
            number_write_real(type, array, i, type == PARSCAN_F16 ? 65504 : in_f32);
}

SimdTest(widening, accumulates_in_the_wide_type_beyond_the_narrow_one)
{
    const size_t n = LESS_IN_EMULATOR(70001, 20011);
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(widenings); k++) {
        char *const in = random_array(widenings[k].from, PARSCAN_SUM, n);
        scan_case scan = {.type = widenings[k].from, .options.out_type = widenings[k].to, .n = n};
        expect_every_call(context, scan, in);
        scan.in_offset = scan.out_offset = 1;
        scan.n = 2049;
        expect_every_call(context, scan, in);
        fill_with_large(widenings[k].from, widenings[k].to, in, n);
        scan.n = n;
        expect_every_call(context, scan, in);
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(widening, of_the_largest_bytes_gives_their_exact_sum)
{
    enum { N = 20000 };
    static uint8_t bytes[N];
    static uint64_t sums[N];
    memset(bytes, 255, sizeof bytes);
    parscan_context *const context = test_context();
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U8, bytes, sums, N, &options), PARSCAN_OK);
    for (uint64_t i = 0; i < N; i++)
        cr_assert_eq(sums[i], 255 * (i + 1));
    parscan_context_destroy(context);
}

SimdTest(out_type, of_the_input_is_the_default)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; o < OPS; o++) {
            if (!type_has(all_types[t], all_ops[o]))
                continue;
            void *const in = random_array(all_types[t], all_ops[o], 100);
            scan_case scan = {.type = all_types[t], .n = 100};
            scan.options.op = all_ops[o];
            scan.options.out_type = all_types[t];
            expect_every_call(context, scan, in);
            free(in);
        }
    parscan_context_destroy(context);
}

SimdTest(init, comes_first_for_every_type_and_operator)
{
    static const size_t sizes[] = {0, 1, 2, 33, 513, 2049, 40009};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < OPS * COUNT_OF(sizes); k++) {
            const parscan_op op = all_ops[k % OPS];
            const size_t n = sizes[k / OPS];
            if (!type_has(all_types[t], op) || (n == 40009 && op > PARSCAN_PRODUCT) ||
                !takes_case())
                continue;
            unsigned char init[32];
            random_fill(all_types[t], op, init, 1);
            void *const in = random_array(all_types[t], op, n);
            scan_case scan = {.type = all_types[t], .options.init = init, .n = n};
            scan.options.op = op;
            expect_every_call(context, scan, in);
            free(in);
        }
    parscan_context_destroy(context);
}

SimdTest(init, is_of_the_wide_type_when_a_sum_widens)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(widenings); k++) {
        unsigned char init[32];
        random_fill(widenings[k].to, PARSCAN_SUM, init, 1);
        void *const in = random_array(widenings[k].from, PARSCAN_SUM, 3000);
        scan_case scan = {.type = widenings[k].from, .options.init = init, .n = 3000};
        scan.options.out_type = widenings[k].to;
        expect_every_call(context, scan, in);
        free(in);
    }
    parscan_context_destroy(context);
}

/* A shape at lengths around its tile, kinds and directions in turn. */
static void expect_shape(parscan_context *context, parscan_algorithm algorithm, unsigned threads,
                         unsigned items, const void *in)
{
    const size_t tile = (size_t)threads * (items == 0 ? 1 : items);
    const size_t sizes[] = {1, 2, tile - 1, tile, tile + 1, 2 * tile + 1, 3 * tile - 1};
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        scan_case scan = {.type = PARSCAN_U32, .n = sizes[s]};
        scan.kind = (scan_kind)((s + threads) % 3);
        scan.options.reverse = (s + threads) / 3 % 2;
        scan.options.algorithm = algorithm;
        scan.options.block_threads = threads;
        scan.options.items_per_thread = items;
        expect_scan(context, scan, in);
    }
}

SimdTest(kogge_stone, takes_every_block_of_2_to_1024_threads)
{
    parscan_context *const context = test_context();
    void *const in = random_array(PARSCAN_U32, PARSCAN_SUM, 3 * 1024);
    for (unsigned threads = 2; threads <= 1024; threads += LESS_IN_EMULATOR(1, 9))
        expect_shape(context, PARSCAN_KOGGE_STONE, threads, threads % 2, in);
    free(in);
    parscan_context_destroy(context);
}

SimdTest(brent_kung, takes_every_block_of_1_to_1024_threads)
{
    parscan_context *const context = test_context();
    void *const in = random_array(PARSCAN_U32, PARSCAN_SUM, 3 * 2048);
    for (unsigned threads = 1; threads <= 1024; threads += LESS_IN_EMULATOR(1, 9))
        expect_shape(context, PARSCAN_BRENT_KUNG, threads, 2, in);
    free(in);
    parscan_context_destroy(context);
}

SimdTest(three_phase, takes_every_number_of_threads_and_items_that_fit)
{
    static const unsigned threads[] = {1, 2, 3, 5, 8, 31, 32, 33, 64, 100, 255, 256, 1000, 1024};
    static const unsigned items[] = {1, 2, 3, 4, 5, 7, 8, 11, 16, 31, 32, 33, 64, 1000, 9000};
    parscan_context *const context = test_context();
    void *const in = random_array(PARSCAN_U32, PARSCAN_SUM, 3 * 12288);
    size_t shapes = 0;
    for (size_t t = 0; t < COUNT_OF(threads); t++)
        for (size_t i = 0; i < COUNT_OF(items); i++) {
            const unsigned tile = threads[t] * items[i];
            /* The sums of the segments share the 48 KiB, and padding. */
            if (tile < 2 || 34 * (tile + 2 * threads[t]) / 33 + 4 > 12288)
                continue;
            expect_shape(context, PARSCAN_THREE_PHASE, threads[t], items[i], in);
            shapes++;
        }
    cr_assert_gt(shapes, 100);
    free(in);
    parscan_context_destroy(context);
}

SimdTest(warp_scans, take_32_threads_with_one_element_each)
{
    parscan_context *const context = test_context();
    void *const in = random_array(PARSCAN_U32, PARSCAN_SUM, 96);
    for (unsigned items = 0; items < 2; items++) {
        expect_shape(context, PARSCAN_WARP, 32, items, in);
        expect_shape(context, PARSCAN_WARP_PADDED, 32, items, in);
    }
    free(in);
    parscan_context_destroy(context);
}
