/* What segments give to the bit: first elements, identities, what stays in its segment. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/half_number.h"
#include "tests/support/key_patterns.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

#define FLAGS(array) PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = (array))
#define OFFSETS(array)                                                                 \
    PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_TYPE_OF(array), \
                     .data = (array), .count = COUNT_OF(array) - 1)

/* An answer of bytes that are compared with memcmp(), and a count of segments. */
static void expect_bytes(scan_kind kind, parscan_type type, parscan_scan_options options,
                         const void *in, size_t n, parscan_segments segments, const void *expected,
                         size_t results)
{
    static const parscan_algorithm algorithms[] = {PARSCAN_AUTO, PARSCAN_SEQUENTIAL,
                                                   PARSCAN_SINGLE_PASS};
    parscan_context *const context = test_context();
    const size_t bytes =
        results * parscan_type_size(options.out_type != 0 ? options.out_type : type);
    char *const out = malloc(bytes + 1);
    for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
        uint64_t count = UINT64_MAX;
        options.algorithm = algorithms[a];
        out[bytes] = 77;
        cr_assert_eq(call_segmented(context, kind, type, in, out, n, &segments, &count, &options),
                     PARSCAN_OK, "%s", parscan_context_error(context));
        cr_assert_eq(memcmp(out, expected, bytes), 0, "kind %d, op %s, type %s, %s", (int)kind,
                     parscan_op_name(options.op), parscan_type_name(type),
                     parscan_algorithm_name(options.algorithm));
        cr_assert_eq(out[bytes], 77);
        cr_assert(kind != SCAN_REDUCE || count == results);
    }
    free(out);
    parscan_context_destroy(context);
}

#define OP(...) PARSCAN_SCAN_OPTIONS(.op = PARSCAN_##__VA_ARGS__)

SimdTest(segmented_scan, of_an_array_that_can_be_checked_by_eye)
{
    const int32_t in[] = {3, 1, 7, 0, 4, 1, 6, 3};
    const uint8_t flags[] = {0, 0, 1, 0, 0, 128, 2, 0};
    const uint32_t offsets[] = {0, 2, 2, 5, 6, 8, 8};
    const double keys[] = {1, 1, NAN, -NAN, NAN, -0.0, INFINITY, INFINITY};
    const parscan_segments ways[] = {
        FLAGS(flags), OFFSETS(offsets),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_F64, .data = keys)};
    for (size_t k = 0; k < COUNT_OF(ways); k++) {
        expect_bytes(SCAN_INCLUSIVE, PARSCAN_I32, OP(SUM), in, 8, ways[k],
                     (int32_t[]){3, 4, 7, 7, 11, 1, 6, 9}, 8);
        expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I32, OP(SUM), in, 8, ways[k],
                     (int32_t[]){0, 3, 0, 7, 7, 0, 0, 6}, 8);
        expect_bytes(SCAN_INCLUSIVE, PARSCAN_I32, OP(SUM, .reverse = 1), in, 8, ways[k],
                     (int32_t[]){4, 1, 11, 4, 4, 1, 9, 3}, 8);
        expect_bytes(SCAN_EXCLUSIVE, PARSCAN_I32, OP(SUM, .reverse = 1), in, 8, ways[k],
                     (int32_t[]){1, 0, 4, 4, 0, 0, 3, 0}, 8);
        expect_bytes(SCAN_INCLUSIVE, PARSCAN_I32, OP(SUM, .init = &(int32_t){100}), in, 8, ways[k],
                     (int32_t[]){103, 104, 107, 107, 111, 101, 106, 109}, 8);
    }
    expect_bytes(SCAN_REDUCE, PARSCAN_I32, OP(SUM), in, 8, ways[0], (int32_t[]){4, 11, 1, 9}, 4);
    expect_bytes(SCAN_REDUCE, PARSCAN_I32, OP(SUM), in, 8, ways[1], (int32_t[]){4, 0, 11, 1, 9, 0},
                 6);
    expect_bytes(SCAN_REDUCE, PARSCAN_I32, OP(SUM), in, 8, ways[2], (int32_t[]){4, 11, 1, 9}, 4);
}

SimdTest(segmented_scan, takes_null_options_as_the_default_sum)
{
    const uint16_t in[] = {1, 2, 65535};
    const uint8_t flags[] = {1, 0, 0};
    const parscan_segments segments = FLAGS(flags);
    uint16_t out[3];
    uint64_t count;
    parscan_context *const context = test_context();
    for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
        cr_assert_eq(
            call_segmented(context, kind, PARSCAN_U16, in, out, 3, &segments, &count, NULL),
            PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert(out[0] == 2 && count == 1);
    parscan_context_destroy(context);
}

SimdTest(segmented_scan, of_nothing_touches_nothing)
{
    const uint64_t zeros[3] = {0};
    const parscan_segments ways[] = {
        FLAGS(NULL), PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_I8),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = zeros)};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(ways); k++)
        for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++) {
            uint64_t count = 5;
            cr_assert_eq(
                call_segmented(context, kind, PARSCAN_F64, NULL, NULL, 0, &ways[k], &count, NULL),
                PARSCAN_OK, "%zu, kind %d: %s", k, (int)kind, parscan_context_error(context));
            cr_assert_eq(count, kind == SCAN_REDUCE ? 0 : 5);
        }
    parscan_context_destroy(context);
}

SimdTest(segmented_reduce, of_empty_segments_is_init_or_the_identity)
{
    const uint64_t wide[] = {0, 0, 0, 0};
    const uint32_t narrow[] = {0, 0, 2, 2};
    const float in[] = {4, 5}, init = -0.0f;
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(SUM), NULL, 0, OFFSETS(wide), (float[]){0, 0, 0}, 3);
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(MIN), NULL, 0, OFFSETS(wide),
                 (float[]){INFINITY, INFINITY, INFINITY}, 3);
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(SUM, .init = &init), NULL, 0, OFFSETS(wide),
                 (float[]){init, init, init}, 3);
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(PRODUCT), in, 2, OFFSETS(narrow), (float[]){1, 20, 1},
                 3);
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(MAX, .init = &init, .reverse = 1), in, 2,
                 OFFSETS(narrow), (float[]){init, 5, init}, 3);
    const uint64_t lots = 7;
    expect_bytes(SCAN_REDUCE, PARSCAN_U8, OP(SUM, .out_type = PARSCAN_U64, .init = &lots),
                 "\xff\xff", 2, OFFSETS(narrow), (uint64_t[]){7, 517, 7}, 3);
}

/* Floats of which no two are alike, in segments of one: each is its own scan, to the bit. A GPU gives all
   NaNs of 16 bits the same bits where it rounds, so there are none then. */
static void expect_own_bits(parscan_type type, parscan_op op, int reverse)
{
    enum { N = 1003 };
    parscan_context *const context = test_context();
    const bool keeps_nans =
        !is_half(type) || parscan_context_backend(context) != PARSCAN_BACKEND_CUDA;
    parscan_context_destroy(context);
    static uint64_t memory[N];
    static uint8_t flags[N];
    const size_t size = parscan_type_size(type);
    for (size_t i = 0; i < N; i++) {
        /* Quiet NaNs: arithmetic may make others quiet. */
        const size_t which = random_below(SPECIAL_FLOATS);
        const unsigned quiet_bit = type == PARSCAN_F16    ? 9
                                   : type == PARSCAN_BF16 ? 6
                                   : type == PARSCAN_F32  ? 22
                                                          : 51;
        const uint64_t quiet = UINT64_C(1) << quiet_bit;
        uint64_t bits = special_float(type, which) | (which == 1 ? quiet : 0);
        if (!keeps_nans && isnan(half_to_number(type, (uint16_t)bits)))
            bits = 0;
        memcpy((char *)memory + i * size, &bits, size);
    }
    memset(flags, 1, N);
    expect_bytes(SCAN_INCLUSIVE, type, PARSCAN_SCAN_OPTIONS(.op = op, .reverse = reverse), memory,
                 N, FLAGS(flags), memory, N);
    expect_bytes(SCAN_REDUCE, type, PARSCAN_SCAN_OPTIONS(.op = op, .reverse = reverse), memory, N,
                 FLAGS(flags), memory, N);
}

SimdTest(segments_of_one, are_their_own_scan_to_the_bit)
{
    for (size_t k = 0; k < 2 * OPS; k++)
        for (size_t t = 0; t < TYPES && type_has(PARSCAN_F32, all_ops[k / 2]); t++)
            if (oracle_is_float(all_types[t]))
                expect_own_bits(all_types[t], all_ops[k / 2], k % 2);
}

SimdTest(segments_of_one, are_the_identity_where_exclusive)
{
    enum { N = 999 };
    static float in[N], identities[N];
    static uint8_t flags[N];
    static const float of[] = {0, 1, INFINITY, -INFINITY};
    memset(flags, 0x80, N);
    for (size_t op = 0; op < COUNT_OF(of); op++)
        for (int reverse = 0; reverse < 2; reverse++) {
            for (size_t i = 0; i < N; i++) {
                in[i] = i % 3 == 0 ? NAN : -INFINITY;
                identities[i] = of[op];
            }
            expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F32,
                         PARSCAN_SCAN_OPTIONS(.op = (parscan_op)op, .reverse = reverse), in, N,
                         FLAGS(flags), identities, N);
        }
}

/* NaNs, infinities and numbers that dwarf all others, here and there: none is seen beyond its
   segment. */
static void expect_no_leak(parscan_context *context, parscan_type type, segment_shape shape,
                           size_t n)
{
    static const double wild[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30};
    char *const in = random_array(type, PARSCAN_SUM, n);
    for (size_t i = random_below(30); i < n; i += 1 + random_below(60))
        number_write_real(type, in, i, wild[random_below(COUNT_OF(wild))]);
    cut_array cut = cut_create(n, shape, all_segment_forms[random_below(SEGMENT_FORMS)]);
    for (size_t o = 0; o < OPS; o++)
        for (int mode = 0; mode < 6; mode++) {
            segmented_case scan = {.kind = (scan_kind)(mode % 3), .type = type, .cut = &cut};
            scan.options.op = all_ops[o];
            scan.options.reverse = mode / 3;
            if (type_has(type, all_ops[o]) &&
                all_ops[o] !=
                    PARSCAN_PRODUCT && /* which is too large in one order and not in another */
                takes_larger_case())
                expect_segmented(context, scan, in);
        }
    free(in);
    cut_destroy(&cut);
}

SimdTest(segments, keep_nan_infinity_and_large_numbers_to_themselves)
{
    static const size_t lengths[] = {40, 300, 5003, 60013};
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(lengths); s++)
        for (segment_shape shape = SEGMENTS_OF_ONE; shape < SEGMENT_SHAPES; shape++)
            for (size_t t = 0; t < TYPES; t++)
                if (oracle_is_float(all_types[t]))
                    expect_no_leak(context, all_types[t], shape, lengths[s]);
    parscan_context_destroy(context);
}

SimdTest(segmented_sum, of_negative_zeros_is_negative_zero_at_every_position)
{
    enum { N = 5003 };
    static double zeros[N], out[N];
    static uint8_t flags[N];
    for (size_t i = 0; i < N; i++) {
        flags[i] = random_below(7) == 0;
        zeros[i] = -0.0;
        out[i] = i == 0 || flags[i] ? 0.0 : -0.0;
    }
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_F64, OP(SUM), zeros, N, FLAGS(flags), zeros, N);
    expect_bytes(SCAN_EXCLUSIVE, PARSCAN_F64, OP(SUM), zeros, N, FLAGS(flags), out, N);
}

/* In 16 bits a sum of ones would stay at 2048, or 256. In float it is exact, and rounded once. */
SimdTest(segmented_sum, of_5000_ones_in_16_bits_is_rounded_once)
{
    enum { N = 5000 };
    static uint8_t flags[N];
    static uint16_t ones[N], sums[N], before[N];
    const uint32_t offsets[] = {0, 0, N, N};
    for (size_t t = ARITHMETIC_TYPES; t < TYPES; t++) {
        const parscan_type type = all_types[t];
        for (size_t i = 0; i < N; i++) {
            ones[i] = half_from_number(type, 1);
            before[i] = half_from_number(type, (long double)i);
            sums[i] = half_from_number(type, (long double)i + 1);
        }
        expect_bytes(SCAN_INCLUSIVE, type, OP(SUM), ones, N, FLAGS(flags), sums, N);
        expect_bytes(SCAN_EXCLUSIVE, type, OP(SUM), ones, N, FLAGS(flags), before, N);
        expect_bytes(SCAN_REDUCE, type, OP(SUM), ones, N, FLAGS(flags), &sums[N - 1], 1);
        expect_bytes(SCAN_REDUCE, type, OP(SUM, .init = &sums[2]), ones, N, OFFSETS(offsets),
                     (uint16_t[]){sums[2], half_from_number(type, N + 3), sums[2]}, 3);
    }
}

SimdTest(flags, of_every_byte_but_zero_start_a_segment)
{
    enum { N = 256 };
    uint8_t flags[N];
    uint32_t ones[N], out[N];
    for (unsigned i = 0; i < N; i++) {
        flags[i] = (uint8_t)i;
        ones[i] = out[i] = 1;
    }
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_U32, OP(SUM), ones, N, FLAGS(flags), out, N);
    /* Bytes that are zero start none, after the first. */
    memset(flags, 0, N);
    for (unsigned i = 0; i < N; i++)
        out[i] = i + 1;
    expect_bytes(SCAN_INCLUSIVE, PARSCAN_U32, OP(SUM), ones, N, FLAGS(flags), out, N);
}

SimdTest(segment_keys, may_be_the_elements)
{
    const float in[] = {2, 2, -0.0f, 0.0f, 5, 5, 5};
    expect_bytes(SCAN_REDUCE, PARSCAN_F32, OP(SUM), in, 7,
                 PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_F32, .data = in),
                 (float[]){4, 0, 15}, 3);
}
