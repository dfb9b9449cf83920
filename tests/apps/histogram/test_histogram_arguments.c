/* Every bad argument of a histogram: the status, the message, nothing written, the context as good as
   before. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "parscan/histogram.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define N 10u
#define BINS 4u
#define UNKNOWN(number) (parscan_type)(number)
#define GIVEN(...)                                                    \
    {                                                                 \
        .struct_size = sizeof(parscan_histogram_options), __VA_ARGS__ \
    }

/* What is wrong with a call; the message names the argument and its value. */
typedef struct bad_call {
    const char *name, *value;
    parscan_type type, count_type;
    size_t n, bins;
    bool no_in, no_counts;
    parscan_histogram_options options;
} bad_call;

#define PLAIN .type = PARSCAN_I32, .count_type = PARSCAN_U32, .n = N, .bins = BINS
#define OF_TYPE(name) .type = PARSCAN_##name, .count_type = PARSCAN_U32, .n = N, .bins = BINS

static void expect_failure(parscan_context *context, const bad_call *bad)
{
    unsigned char in[8 * N], counts[8 * BINS], before_in[sizeof in], before[sizeof counts];
    memset(in, 1, sizeof in);
    memset(counts, 0xa5, sizeof counts);
    memcpy(before_in, in, sizeof in);
    memcpy(before, counts, sizeof counts);
    const parscan_status status =
        parscan_histogram(context, bad->type, bad->no_in ? NULL : in, bad->n, bad->bins,
                          bad->count_type, bad->no_counts ? NULL : counts, &bad->options);
    const char *const words = parscan_context_error(context);
    cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT, "%s = %s: %s: %s", bad->name, bad->value,
                 parscan_status_string(status), words);
    cr_assert(strstr(words, bad->name) != NULL && strstr(words, bad->value) != NULL,
              "\"%s\" does not name %s = %s", words, bad->name, bad->value);
    cr_assert_eq(memcmp(in, before_in, sizeof in), 0);
    cr_assert_eq(memcmp(counts, before, sizeof counts), 0, "%s = %s: written", bad->name,
                 bad->value);
    uint32_t good[BINS];
    cr_assert_eq(parscan_histogram(context, PARSCAN_U8, in, N, BINS, PARSCAN_U32, good, NULL), 0);
    cr_assert(good[0] == 0 && good[1] == N && good[2] == 0);
}

static void expect_failures(const bad_call *bad, size_t count)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < count; k++) {
        bad_call with_n = bad[k];
        expect_failure(context, &with_n);
        with_n.n = 0;
        if (strcmp(bad[k].name, "in") != 0 && strcmp(bad[k].name, "n") != 0)
            expect_failure(context, &with_n);
    }
    parscan_context_destroy(context);
}

Test(bad_histogram, types_bins_and_arrays_are_named)
{
    const bad_call bad[] = {
        {"type", "0", UNKNOWN(0), PARSCAN_U32, N, BINS, .options = GIVEN(0)},
        {"type", "13", UNKNOWN(13), PARSCAN_U32, N, BINS, .options = GIVEN(0)},
        {"count_type", "0", PARSCAN_I32, UNKNOWN(0), N, BINS, .options = GIVEN(0)},
        {"count_type", "i8", PARSCAN_I32, PARSCAN_I8, N, BINS, .options = GIVEN(0)},
        {"count_type", "i16", PARSCAN_I32, PARSCAN_I16, N, BINS, .options = GIVEN(0)},
        {"count_type", "u16", PARSCAN_I32, PARSCAN_U16, N, BINS, .options = GIVEN(0)},
        {"count_type", "f64", PARSCAN_I32, PARSCAN_F64, N, BINS, .options = GIVEN(0)},
        {"count_type", "99", PARSCAN_I32, UNKNOWN(99), N, BINS, .options = GIVEN(0)},
        {"bins", "0", PARSCAN_I32, PARSCAN_U32, N, 0, .options = GIVEN(0)},
        {"bins", "16777217", PARSCAN_I32, PARSCAN_U32, N, (1u << 24) + 1, .options = GIVEN(0)},
        {"bins", "18446744073709551615", PARSCAN_I32, PARSCAN_U32, N, SIZE_MAX,
         .options = GIVEN(0)},
        {"n", "18446744073709551615", PARSCAN_I32, PARSCAN_U32, SIZE_MAX, BINS,
         .options = GIVEN(0)},
        {"in", "NULL", PLAIN, .no_in = true, .options = GIVEN(0)},
        {"counts", "NULL", PLAIN, .no_counts = true, .options = GIVEN(0)},
        {"struct_size", "0", PLAIN, .options = {.struct_size = 0}},
        {"struct_size", "8", PLAIN, .options = {.struct_size = 8}},
        {"struct_size", "4097", PLAIN, .options = {.struct_size = 4097}},
    };
    expect_failures(bad, COUNT_OF(bad));
}

Test(bad_histogram, integer_bounds_that_leave_no_room_are_named_with_their_values)
{
    static const int32_t five = 5, four = 4, minus = -3;
    static const uint64_t huge = UINT64_MAX, less = UINT64_MAX - 1;
    static const int64_t most = INT64_MAX, least = INT64_MIN;
    static const uint8_t zero = 0, byte = 200;
    const bad_call bad[] = {
        {"lower", "5", PLAIN, .options = GIVEN(.lower = &five, .upper = &five)},
        {"upper", "4", PLAIN, .options = GIVEN(.lower = &five, .upper = &four)},
        {"upper", "-3", PLAIN, .options = GIVEN(.upper = &minus)},
        {"lower", "4", PLAIN, .options = GIVEN(.lower = &four)}, /* upper is bins */
        {"lower", "5", PLAIN, .options = GIVEN(.lower = &five)},
        {"upper", "0", OF_TYPE(U8), .options = GIVEN(.upper = &zero)},
        {"lower", "200", OF_TYPE(U8), .options = GIVEN(.lower = &byte)},
        {"lower", "18446744073709551615", OF_TYPE(U64),
         .options = GIVEN(.lower = &huge, .upper = &huge)},
        {"upper", "18446744073709551614", OF_TYPE(U64),
         .options = GIVEN(.lower = &huge, .upper = &less)},
        {"lower", "9223372036854775807", OF_TYPE(I64),
         .options = GIVEN(.lower = &most, .upper = &least)},
        {"upper", "-9223372036854775808", OF_TYPE(I64), .options = GIVEN(.upper = &least)},
    };
    expect_failures(bad, COUNT_OF(bad));
}

Test(bad_histogram, float_bounds_are_needed_finite_ordered_and_apart)
{
    static const float zero = 0, minus_zero = -0.0f, one = 1, nan = NAN, inf = INFINITY;
    static const float minus_inf = -INFINITY;
    static const double most = DBL_MAX, least = -DBL_MAX, nothing = 0, tiny = 0x1p-1074;
    const bad_call bad[] = {
        {"lower", "NULL", OF_TYPE(F32), .options = GIVEN(0)},
        {"lower", "NULL", OF_TYPE(F32), .options = GIVEN(.upper = &one)},
        {"upper", "NULL", OF_TYPE(F32), .options = GIVEN(.lower = &one)},
        {"lower", "NULL", OF_TYPE(F64), .options = GIVEN(0)},
        {"lower", "1", OF_TYPE(F32), .options = GIVEN(.lower = &one, .upper = &one)},
        {"lower", "1", OF_TYPE(F32), .options = GIVEN(.lower = &one, .upper = &zero)},
        {"lower", "-0", OF_TYPE(F32), .options = GIVEN(.lower = &minus_zero, .upper = &zero)},
        {"lower", "nan", OF_TYPE(F32), .options = GIVEN(.lower = &nan, .upper = &one)},
        {"upper", "nan", OF_TYPE(F32), .options = GIVEN(.lower = &zero, .upper = &nan)},
        {"upper", "inf", OF_TYPE(F32), .options = GIVEN(.lower = &zero, .upper = &inf)},
        {"lower", "-inf", OF_TYPE(F32), .options = GIVEN(.lower = &minus_inf, .upper = &one)},
        /* No width of a bin, or none of all of them, in double. */
        {"upper", "1.797", OF_TYPE(F64), .options = GIVEN(.lower = &least, .upper = &most)},
        {"upper", "4.94", OF_TYPE(F64), .options = GIVEN(.lower = &nothing, .upper = &tiny)},
    };
    expect_failures(bad, COUNT_OF(bad));
}

Test(bad_histogram, options_of_null_are_no_bounds_for_floats)
{
    float in[N] = {0};
    uint32_t counts[BINS] = {7};
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_histogram(context, PARSCAN_F32, in, N, BINS, PARSCAN_U32, counts, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(counts[0], 7);
    parscan_context_destroy(context);
}

Test(bad_histogram, a_null_context_is_invalid)
{
    int32_t in[N] = {0};
    uint32_t counts[BINS] = {7};
    cr_assert_eq(parscan_histogram(NULL, PARSCAN_I32, in, N, BINS, PARSCAN_U32, counts, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(counts[0], 7);
}

Test(histogram, of_nothing_takes_a_null_input_and_writes_zeros)
{
    uint64_t counts[BINS + 1];
    parscan_context *const context = test_context();
    memset(counts, 0xa5, sizeof counts);
    cr_assert_eq(parscan_histogram(context, PARSCAN_I32, NULL, 0, BINS, PARSCAN_U64, counts, NULL),
                 PARSCAN_OK);
    for (size_t b = 0; b < BINS; b++)
        cr_assert_eq(counts[b], 0);
    cr_assert_eq(counts[BINS], UINT64_C(0xa5a5a5a5a5a5a5a5));
    parscan_context_destroy(context);
}
