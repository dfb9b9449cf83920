/* What comes out to the bit: identities, first elements, wrap-around, NaN, widening, init. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

/* The answer of n elements of in, for each algorithm, as `differ` compares: 0 if it is what is expected. */
static void expect_answer(scan_kind kind, parscan_type type, parscan_scan_options options,
                          const void *in, size_t n, const void *expected,
                          int (*differ)(const void *, const void *, size_t))
{
    parscan_context *const context = test_context();
    const size_t results = kind == SCAN_REDUCE ? 1 : n;
    const size_t bytes =
        results * parscan_type_size(options.out_type != 0 ? options.out_type : type);
    void *const out = malloc(bytes);
    for (size_t a = 0; a < ALGORITHMS; a++) {
        options.algorithm = all_algorithms[a];
        cr_assert_eq(call_scan(context, kind, type, in, out, n, &options), PARSCAN_OK, "%s",
                     parscan_context_error(context));
        cr_assert_eq(differ(out, expected, bytes), 0, "kind %d, op %s, type %s, %s, reverse %d",
                     (int)kind, parscan_op_name(options.op), parscan_type_name(type),
                     parscan_algorithm_name(options.algorithm), options.reverse);
    }
    free(out);
    parscan_context_destroy(context);
}

static void expect_bytes(scan_kind kind, parscan_type type, parscan_scan_options options,
                         const void *in, size_t n, const void *expected)
{
    expect_answer(kind, type, options, in, n, expected, memcmp);
}

/* memcmp, but that any NaN is as good as another: which bits come out of two is the engine's. */
static int floats_differ(const void *found, const void *expected, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(float); i++) {
        const float *const a = (const float *)found + i, *const b = (const float *)expected + i;
        if (!(isnan(*a) && isnan(*b)) && memcmp(a, b, sizeof *a) != 0)
            return 1;
    }
    return 0;
}

#define OP(name) PARSCAN_SCAN_OPTIONS(.op = PARSCAN_##name)

SimdTest(inclusive_scan, of_the_textbook_arrays_is_the_textbooks)
{
    const int32_t in[] = {3, 1, 7, 0, 4, 1, 6, 3};
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_I32, OP(SUM), in, 8,
                 (int32_t[]){3, 4, 11, 11, 15, 16, 22, 25});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I32, OP(SUM), in, 8,
                 (int32_t[]){0, 3, 4, 11, 11, 15, 16, 22});
    expect_bytes(SCAN_REDUCE, PARSCAN_I32, OP(SUM), in, 8, (int32_t[]){25});
    const uint8_t sixteen[] = {2, 1, 3, 1, 0, 4, 1, 2, 0, 3, 1, 2, 5, 3, 1, 2};
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_U8, OP(SUM), sixteen, 16,
                 (uint8_t[]){2, 3, 6, 7, 7, 11, 12, 14, 14, 17, 18, 20, 25, 28, 29, 31});
}

SimdTest(exclusive_scan, starts_with_the_identity)
{
    const double zero = 0, one = 1;
    const double some = 5;
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F64, OP(SUM), &some, 1, &zero);
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F64, OP(PRODUCT), &some, 1, &one);
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F64, OP(MIN), &some, 1, (double[]){INFINITY});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F64, OP(MAX), &some, 1, (double[]){-INFINITY});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F32, OP(SUM), &some, 1, (float[]){0});
    const uint64_t bits = 5;
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I8, OP(MIN), &bits, 1, (int8_t[]){127});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I8, OP(MAX), &bits, 1, (int8_t[]){-128});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I64, OP(MIN), &bits, 1, (int64_t[]){INT64_MAX});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I64, OP(MAX), &bits, 1, (int64_t[]){INT64_MIN});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_U16, OP(MIN), &bits, 1, (uint16_t[]){65535});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_U16, OP(MAX), &bits, 1, (uint16_t[]){0});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_U32, OP(AND), &bits, 1, (uint32_t[]){UINT32_MAX});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I32, OP(OR), &bits, 1, (int32_t[]){0});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I32, OP(XOR), &bits, 1, (int32_t[]){0});
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_U8, OP(PRODUCT), &bits, 1, (uint8_t[]){1});
}

SimdTest(reduce, of_nothing_is_the_identity)
{
    expect_bytes(SCAN_REDUCE, PARSCAN_F64, OP(SUM), NULL, 0, (double[]){0});
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(PRODUCT), NULL, 0, (float[]){1});
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(MIN), NULL, 0, (float[]){INFINITY});
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(MAX), NULL, 0, (float[]){-INFINITY});
    expect_bytes(SCAN_REDUCE, PARSCAN_I16, OP(MAX), NULL, 0, (int16_t[]){INT16_MIN});
    expect_bytes(SCAN_REDUCE, PARSCAN_U64, OP(AND), NULL, 0, (uint64_t[]){UINT64_MAX});
}

SimdTest(reduce, of_nothing_with_an_init_is_the_init)
{
    const float init = -0.0f;
    for (int reverse = 0; reverse < 2; reverse++)
        expect_bytes(SCAN_REDUCE, PARSCAN_F32,
                     PARSCAN_SCAN_OPTIONS(.init = &init, .reverse = reverse), NULL, 0, &init);
    const uint64_t wide = UINT64_MAX;
    expect_bytes(SCAN_REDUCE, PARSCAN_U8,
                 PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64, .init = &wide), NULL, 0, &wide);
}

SimdTest(inclusive_scan, starts_with_the_first_element_to_the_bit)
{
    const uint32_t quiet_nan_with_payload = 0x7fc12345u;
    float firsts[] = {-0.0f, 0.0f, 1e-45f, -INFINITY, 0};
    memcpy(&firsts[4], &quiet_nan_with_payload, sizeof firsts[4]);
    for (size_t o = 0; o < OPS; o++)
        for (size_t k = 0; k < COUNT_OF(firsts) && type_has(PARSCAN_F32, all_ops[o]); k++)
            for (int reverse = 0; reverse < 2; reverse++) {
                const parscan_scan_options options =
                    PARSCAN_SCAN_OPTIONS(.op = all_ops[o], .reverse = reverse);
                expect_bytes(SCAN_INCLUSIVE, PARSCAN_F32, options, &firsts[k], 1, &firsts[k]);
                expect_bytes(SCAN_REDUCE, PARSCAN_F32, options, &firsts[k], 1, &firsts[k]);
            }
}

SimdTest(inclusive_scan, of_negative_zeros_is_negative_zero_at_every_position)
{
    enum { N = 5003 };
    static double zeros[N], out[N];
    for (size_t i = 0; i < N; i++)
        zeros[i] = -0.0;
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_F64, OP(SUM), zeros, N, zeros);
    expect_bytes(SCAN_REDUCE, PARSCAN_F64, OP(SUM), zeros, N, zeros);
    memcpy(out, zeros, sizeof out);
    out[0] = 0;
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F64, OP(SUM), zeros, N, out);
}

SimdTest(scan, of_signed_integers_wraps_around)
{
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_I8, OP(SUM), (int8_t[]){127, 1, 127, -128, -128}, 5,
                 (int8_t[]){127, -128, -1, 127, -1});
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_I16, OP(PRODUCT), (int16_t[]){-32768, -1, 2, 3}, 4,
                 (int16_t[]){-32768, -32768, 0, 0});
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_I32, OP(SUM), (int32_t[]){INT32_MAX, INT32_MAX, 2}, 3,
                 (int32_t[]){INT32_MAX, -2, 0});
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_I32, OP(PRODUCT), (int32_t[]){65537, 65537, -1}, 3,
                 (int32_t[]){65537, 131073, -131073});
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_I64, OP(SUM), (int64_t[]){INT64_MIN, -1, -1}, 3,
                 (int64_t[]){INT64_MIN, INT64_MAX, INT64_MAX - 1});
    expect_bytes(SCAN_REDUCE, PARSCAN_I64, OP(PRODUCT), (int64_t[]){INT64_MIN, -1}, 2,
                 (int64_t[]){INT64_MIN});
    /* 65535 * 65535 overflows an int, to which a uint16_t is promoted. */
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_U16, OP(PRODUCT), (uint16_t[]){65535, 65535}, 2,
                 (uint16_t[]){65535, 1});
}

SimdTest(sum, of_opposite_infinities_is_nan_from_there_on)
{
    float in[100];
    for (size_t i = 0; i < COUNT_OF(in); i++)
        in[i] = i == 40 ? INFINITY : i == 70 ? -INFINITY : (float)i;
    parscan_context *const context = test_context();
    for (size_t a = 0; a < ALGORITHMS; a++)
        for (int mode = 0; mode < 6; mode++) {
            scan_case scan = {.kind = (scan_kind)(mode % 3), .type = PARSCAN_F32};
            scan.n = COUNT_OF(in) - (size_t)(mode / 3) * 40;
            scan.options.algorithm = all_algorithms[a];
            scan.options.reverse = mode % 2;
            expect_scan(context, scan, in);
        }
    parscan_context_destroy(context);
}

/* A value at every position of an array of neutral ones, forward and back: from there on it wins.
 */
static void expect_winner(parscan_op op, float around, float winner, bool wins)
{
    enum { N = 70 };
    float in[N], out[N];
    for (size_t at = 0; at < N; at++)
        for (int reverse = 0; reverse < 2; reverse++) {
            for (size_t i = 0; i < N; i++) {
                in[i] = i == at ? winner : around;
                const bool reached = reverse ? i <= at : i >= at;
                out[i] = wins && reached ? winner : around;
            }
            if (!wins)
                out[reverse ? N - 1 : 0] = in[reverse ? N - 1 : 0];
            const parscan_scan_options options =
                PARSCAN_SCAN_OPTIONS(.op = op, .reverse = reverse, .block_threads = 0);
            expect_answer(SCAN_INCLUSIVE, PARSCAN_F32, options, in, N, out, floats_differ);
            expect_answer(SCAN_REDUCE, PARSCAN_F32, options, in, N, wins ? &winner : &around,
                          floats_differ);
        }
}

SimdTest(minimum, orders_negative_zero_before_zero)
{
    expect_winner(PARSCAN_MIN, 0.0f, -0.0f, true);
    expect_winner(PARSCAN_MIN, -0.0f, 0.0f, false);
}

SimdTest(maximum, orders_zero_after_negative_zero)
{
    expect_winner(PARSCAN_MAX, -0.0f, 0.0f, true);
    expect_winner(PARSCAN_MAX, 0.0f, -0.0f, false);
}

SimdTest(minimum, carries_nan_from_every_position)
{
    expect_winner(PARSCAN_MIN, -INFINITY, NAN, true);
    expect_winner(PARSCAN_MIN, INFINITY, NAN, true);
    expect_winner(PARSCAN_MIN, NAN, -INFINITY, false);
}

SimdTest(maximum, carries_nan_from_every_position)
{
    expect_winner(PARSCAN_MAX, INFINITY, NAN, true);
    expect_winner(PARSCAN_MAX, -INFINITY, NAN, true);
    expect_winner(PARSCAN_MAX, NAN, INFINITY, false);
}

SimdTest(minimum, and_maximum_take_infinities)
{
    expect_winner(PARSCAN_MIN, INFINITY, -INFINITY, true);
    expect_winner(PARSCAN_MAX, -INFINITY, INFINITY, true);
}
