/* Every bad argument: the status, the message, nothing written, the context as good as before. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define N 10u

/* What is wrong with a call of N elements; the message names the argument and its value. */
typedef struct bad_call {
    parscan_status status;
    const char *name, *value;
    parscan_type type;
    parscan_scan_options options;
    bool in_missing, out_missing, in_place;
    size_t n;
} bad_call;

#define INVALID .status = PARSCAN_ERROR_INVALID_ARGUMENT
#define UNSUPPORTED .status = PARSCAN_ERROR_UNSUPPORTED
#define OPTIONS(...)                                                                            \
    .type = PARSCAN_I32, .options = {.struct_size = sizeof(parscan_scan_options), __VA_ARGS__}, \
    .n = N
#define OPTIONS_OF(name, ...)                                                                      \
    .type = PARSCAN_##name, .options = {.struct_size = sizeof(parscan_scan_options), __VA_ARGS__}, \
    .n = N
#define UNKNOWN(enum_type, number) (enum_type)(number)

static const bad_call bad_enums[] = {
    {INVALID, "type", "0", .options = {.struct_size = sizeof(parscan_scan_options)}, .n = N},
    {INVALID, "type", "13", .type = UNKNOWN(parscan_type, 13),
     .options = {.struct_size = sizeof(parscan_scan_options)}, .n = N},
    {INVALID, "type", "99", .type = UNKNOWN(parscan_type, 99),
     .options = {.struct_size = sizeof(parscan_scan_options)}, .n = 0},
    {INVALID, "struct_size", "0", .type = PARSCAN_I32, .n = N},
    {INVALID, "struct_size", "8", .type = PARSCAN_I32, .options = {.struct_size = 8}, .n = N},
    {INVALID, "struct_size", "4097", .type = PARSCAN_I32, .options = {.struct_size = 4097}, .n = N},
    {INVALID, "op", "77", OPTIONS(.op = UNKNOWN(parscan_op, 77))},
    {INVALID, "algorithm", "99", OPTIONS(.algorithm = UNKNOWN(parscan_algorithm, 99))},
    {INVALID, "out_type", "44", OPTIONS(.out_type = UNKNOWN(parscan_type, 44))},
};

static const bad_call unsupported[] = {
    {UNSUPPORTED, "op", "and", OPTIONS_OF(F32, .op = PARSCAN_AND)},
    {UNSUPPORTED, "op", "or", OPTIONS_OF(F64, .op = PARSCAN_OR)},
    {UNSUPPORTED, "op", "xor", OPTIONS_OF(F64, .op = PARSCAN_XOR)},
    {UNSUPPORTED, "op", "and", OPTIONS_OF(F16, .op = PARSCAN_AND)},
    {UNSUPPORTED, "op", "or", OPTIONS_OF(BF16, .op = PARSCAN_OR)},
    {UNSUPPORTED, "out_type", "i64", OPTIONS(.op = PARSCAN_MAX, .out_type = PARSCAN_I64)},
    {UNSUPPORTED, "out_type", "i64", OPTIONS(.op = PARSCAN_PRODUCT, .out_type = PARSCAN_I64)},
    {UNSUPPORTED, "out_type", "f32", OPTIONS_OF(F16, .op = PARSCAN_MIN, .out_type = PARSCAN_F32)},
};

static const bad_call bad_shapes[] = {
    {INVALID, "block_threads", "32", OPTIONS(.block_threads = 32)},
    {INVALID, "items_per_thread", "2", OPTIONS(.items_per_thread = 2)},
    {INVALID, "block_threads", "1", OPTIONS(.algorithm = PARSCAN_SEQUENTIAL, .block_threads = 1)},
    {INVALID, "items_per_thread", "1",
     OPTIONS(.algorithm = PARSCAN_SINGLE_PASS, .items_per_thread = 1)},
    {INVALID, "block_threads", "1", OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 1)},
    {INVALID, "block_threads", "1025",
     OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 1025)},
    {INVALID, "items_per_thread", "2",
     OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .items_per_thread = 2)},
    {INVALID, "block_threads", "1025",
     OPTIONS(.algorithm = PARSCAN_BRENT_KUNG, .block_threads = 1025)},
    {INVALID, "block_threads", "4294967295",
     OPTIONS(.algorithm = PARSCAN_BRENT_KUNG, .block_threads = 4294967295u)},
    {INVALID, "items_per_thread", "1",
     OPTIONS(.algorithm = PARSCAN_BRENT_KUNG, .items_per_thread = 1)},
    {INVALID, "items_per_thread", "3",
     OPTIONS(.algorithm = PARSCAN_BRENT_KUNG, .items_per_thread = 3)},
    {INVALID, "block_threads", "1025",
     OPTIONS(.algorithm = PARSCAN_THREE_PHASE, .block_threads = 1025)},
    {INVALID, "items_per_thread", "1",
     OPTIONS(.algorithm = PARSCAN_THREE_PHASE, .block_threads = 1, .items_per_thread = 1)},
    {INVALID, "items_per_thread", "12289",
     OPTIONS(.algorithm = PARSCAN_THREE_PHASE, .block_threads = 1, .items_per_thread = 12289)},
    {INVALID, "items_per_thread", "13",
     OPTIONS(.algorithm = PARSCAN_THREE_PHASE, .block_threads = 1024, .items_per_thread = 13)},
    {INVALID, "items_per_thread", "4194304",
     OPTIONS(.algorithm = PARSCAN_THREE_PHASE, .block_threads = 1024, .items_per_thread = 4194304)},
    {INVALID, "block_threads", "31", OPTIONS(.algorithm = PARSCAN_WARP, .block_threads = 31)},
    {INVALID, "block_threads", "64", OPTIONS(.algorithm = PARSCAN_WARP, .block_threads = 64)},
    {INVALID, "items_per_thread", "2", OPTIONS(.algorithm = PARSCAN_WARP, .items_per_thread = 2)},
    {INVALID, "block_threads", "33",
     OPTIONS(.algorithm = PARSCAN_WARP_PADDED, .block_threads = 33)},
    {INVALID, "items_per_thread", "2",
     OPTIONS(.algorithm = PARSCAN_WARP_PADDED, .items_per_thread = 2)},
};

static const bad_call bad_arrays[] = {
    {INVALID, "in", "NULL", OPTIONS(), .in_missing = true},
    {INVALID, "out", "NULL", OPTIONS(), .out_missing = true},
    {INVALID, "n", "18446744073709551615", .type = PARSCAN_I32,
     .options = {.struct_size = sizeof(parscan_scan_options)}, .n = SIZE_MAX},
    {INVALID, "n", "18446744073709551615", .type = PARSCAN_U8,
     .options = {.struct_size = sizeof(parscan_scan_options), .out_type = PARSCAN_U64},
     .n = SIZE_MAX},
};

/* The call fails as it should, writes nothing, and leaves the context as good as before. */
static void expect_failure(parscan_context *context, scan_kind kind, const bad_call *bad)
{
    unsigned char in[8 * N], out[8 * N], before_in[8 * N], before_out[8 * N];
    memset(in, 3, sizeof in);
    memset(out, 0xa5, sizeof out);
    memcpy(before_in, in, sizeof in);
    memcpy(before_out, out, sizeof out);
    void *const to = bad->in_place ? in : out;
    const parscan_status status = call_scan(context, kind, bad->type, bad->in_missing ? NULL : in,
                                            bad->out_missing ? NULL : to, bad->n, &bad->options);
    const char *const words = parscan_context_error(context);
    cr_assert_eq(status, bad->status, "kind %d, %s = %s: %s: %s", (int)kind, bad->name, bad->value,
                 parscan_status_string(status), words);
    cr_assert(strstr(words, bad->name) != NULL && strstr(words, bad->value) != NULL,
              "\"%s\" does not name %s = %s", words, bad->name, bad->value);
    cr_assert_eq(memcmp(in, before_in, sizeof in), 0);
    cr_assert_eq(memcmp(out, before_out, sizeof out), 0);
    expect_scan(context, (scan_case){.kind = kind, .type = PARSCAN_I32, .n = N}, in);
}

static void expect_failures(const bad_call *bad, size_t count)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < count; k++)
        for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
            expect_failure(context, kind, &bad[k]);
    parscan_context_destroy(context);
}

Test(bad_arguments, unknown_enums_and_struct_sizes_are_named)
{
    expect_failures(bad_enums, COUNT_OF(bad_enums));
}

Test(bad_arguments, bit_operators_on_floats_and_widening_products_are_unsupported)
{
    expect_failures(unsupported, COUNT_OF(unsupported));
}

Test(bad_arguments, shapes_that_an_algorithm_does_not_take_are_named)
{
    expect_failures(bad_shapes, COUNT_OF(bad_shapes));
}

Test(bad_arguments, missing_arrays_and_lengths_beyond_memory_are_named)
{
    expect_failures(bad_arrays, COUNT_OF(bad_arrays));
}

/* For integers as for floats. */
Test(bad_arguments, a_reproducible_scan_takes_no_other_algorithm_and_no_shape)
{
    const bad_call shapes[] = {
        {INVALID, "block_threads", "32", OPTIONS(.reproducible = 1, .block_threads = 32)},
        {INVALID, "items_per_thread", "2", OPTIONS(.reproducible = 1, .items_per_thread = 2)},
        {INVALID, "block_threads", "32", OPTIONS_OF(F32, .reproducible = 1, .block_threads = 32)},
        {INVALID, "items_per_thread", "2",
         OPTIONS_OF(F64, .reproducible = 1, .items_per_thread = 2)},
    };
    expect_failures(shapes, COUNT_OF(shapes));
    for (size_t a = 0; a < ALGORITHMS; a++) {
        if (all_algorithms[a] == PARSCAN_AUTO)
            continue;
        const char *const name = parscan_algorithm_name(all_algorithms[a]);
        const bad_call bad[] = {
            {INVALID, "reproducible = 1", name,
             OPTIONS(.reproducible = 1, .algorithm = all_algorithms[a])},
            {INVALID, "reproducible = 2", name,
             OPTIONS_OF(F64, .reproducible = 2, .algorithm = all_algorithms[a])},
        };
        expect_failures(bad, COUNT_OF(bad));
    }
}

Test(bad_arguments, a_shape_is_checked_when_there_is_nothing_to_scan)
{
    bad_call bad = {INVALID, "block_threads", "32", OPTIONS(.block_threads = 32)};
    bad.n = 0;
    bad.in_missing = true;
    expect_failures(&bad, 1);
}

Test(bad_arguments, a_double_needs_twice_the_room_of_a_float)
{
    parscan_context *const context = test_context();
    const bad_call bad = {INVALID, "items_per_thread", "30",
                          OPTIONS_OF(F64, .algorithm = PARSCAN_THREE_PHASE, .block_threads = 256,
                                     .items_per_thread = 30)};
    expect_failure(context, SCAN_INCLUSIVE, &bad);
    const float in[N] = {1};
    expect_scan(context, (scan_case){.type = PARSCAN_F32, .options = bad.options, .n = N}, in);
    expect_scan(context, (scan_case){.type = PARSCAN_F16, .options = bad.options, .n = N}, in);
    parscan_context_destroy(context);
}

/* Whether a sum of `from` may go to `to`, by the words of parscan/scan.h. */
static bool widens(parscan_type from, parscan_type to)
{
    static const parscan_type pairs[][2] = {
        {PARSCAN_U8, PARSCAN_U32},  {PARSCAN_U8, PARSCAN_U64},   {PARSCAN_U16, PARSCAN_U32},
        {PARSCAN_U16, PARSCAN_U64}, {PARSCAN_U32, PARSCAN_U64},  {PARSCAN_I8, PARSCAN_I32},
        {PARSCAN_I8, PARSCAN_I64},  {PARSCAN_I16, PARSCAN_I32},  {PARSCAN_I16, PARSCAN_I64},
        {PARSCAN_I32, PARSCAN_I64}, {PARSCAN_F32, PARSCAN_F64},  {PARSCAN_F16, PARSCAN_F32},
        {PARSCAN_F16, PARSCAN_F64}, {PARSCAN_BF16, PARSCAN_F32}, {PARSCAN_BF16, PARSCAN_F64},
    };
    for (size_t k = 0; k < COUNT_OF(pairs); k++)
        if (pairs[k][0] == from && pairs[k][1] == to)
            return true;
    return from == to;
}

Test(bad_arguments, every_pair_of_types_that_does_not_widen_is_unsupported)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < (size_t)TYPES * TYPES; k++) {
        const parscan_type from = all_types[k / TYPES], to = all_types[k % TYPES];
        if (widens(from, to))
            continue;
        bad_call bad = {UNSUPPORTED, "out_type", parscan_type_name(to), OPTIONS(.out_type = to)};
        bad.type = from;
        for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
            expect_failure(context, kind, &bad);
    }
    parscan_context_destroy(context);
}

Test(bad_arguments, a_widening_scan_in_place_is_refused)
{
    parscan_context *const context = test_context();
    const bad_call bad = {INVALID, "out", "i64", OPTIONS(.out_type = PARSCAN_I64),
                          .in_place = true};
    expect_failure(context, SCAN_INCLUSIVE, &bad);
    expect_failure(context, SCAN_EXCLUSIVE, &bad);
    const bad_call half = {INVALID, "out", "f32", OPTIONS_OF(BF16, .out_type = PARSCAN_F32),
                           .in_place = true};
    expect_failure(context, SCAN_INCLUSIVE, &half);
    parscan_context_destroy(context);
}

Test(bad_arguments, a_null_context_is_invalid)
{
    int32_t in = 1, out = 2;
    for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
        cr_assert_eq(call_scan(NULL, kind, PARSCAN_I32, &in, &out, 1, NULL),
                     PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(out, 2);
}

Test(scan, of_nothing_takes_null_arrays)
{
    parscan_context *const context = test_context();
    for (size_t a = 0; a < ALGORITHMS; a++) {
        const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = all_algorithms[a]);
        cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_F32, NULL, NULL, 0, &options), 0);
        cr_assert_eq(parscan_exclusive_scan(context, PARSCAN_F32, NULL, NULL, 0, &options), 0);
    }
    cr_assert_eq(parscan_reduce(context, PARSCAN_F32, NULL, NULL, 0, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_context_destroy(context);
}

Test(scan, takes_null_options_as_the_default_sum)
{
    const uint16_t in[] = {1, 2, 65535};
    uint16_t out[3];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U16, in, out, 3, NULL), PARSCAN_OK);
    cr_assert(out[0] == 1 && out[1] == 3 && out[2] == 2);
    cr_assert_eq(parscan_exclusive_scan(context, PARSCAN_U16, in, out, 3, NULL), PARSCAN_OK);
    cr_assert(out[0] == 0 && out[1] == 1 && out[2] == 3);
    cr_assert_eq(parscan_reduce(context, PARSCAN_U16, in, out, 3, NULL), PARSCAN_OK);
    cr_assert_eq(out[0], 2);
    parscan_context_destroy(context);
}
