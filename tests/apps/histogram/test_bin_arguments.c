/* Every bad argument of parscan_bin(), and every allocation failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/histogram.h"
#include "tests/support/bin_case.h"
#include "tests/support/counting.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define N 10u
#define BINS 4u
#define UNKNOWN(number) (parscan_type)(number)

/* What is wrong with a call; the message names the argument and its value. */
typedef struct bad_call {
    const char *name, *value;
    parscan_type bin_type, offset_type;
    size_t value_size, n, bins;
    bool no_bins, no_values, no_offsets;
} bad_call;

static void expect_failure(parscan_context *context, const bad_call *bad)
{
    unsigned char bin_of[8 * N], values[8 * N], offsets[8 * (BINS + 1)], out[8 * N];
    memset(bin_of, 1, sizeof bin_of);
    memset(values, 2, sizeof values);
    memset(offsets, 0xa5, sizeof offsets);
    memset(out, 0xa5, sizeof out);
    const parscan_status status =
        parscan_bin(context, bad->bin_type, bad->no_bins ? NULL : bin_of, bad->value_size,
                    bad->no_values ? NULL : values, bad->n, bad->bins, bad->offset_type,
                    bad->no_offsets ? NULL : offsets, out);
    const char *const words = parscan_context_error(context);
    cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT, "%s = %s: %s: %s", bad->name, bad->value,
                 parscan_status_string(status), words);
    cr_assert(strstr(words, bad->name) != NULL && strstr(words, bad->value) != NULL,
              "\"%s\" does not name %s = %s", words, bad->name, bad->value);
    for (size_t k = 0; k < sizeof out; k++)
        cr_assert(out[k] == 0xa5 && bin_of[k] == 1 && values[k] == 2, "%s: written", bad->name);
    for (size_t k = 0; k < sizeof offsets; k++)
        cr_assert_eq(offsets[k], 0xa5, "%s: offsets written", bad->name);
    uint32_t good[BINS + 1];
    cr_assert_eq(
        parscan_bin(context, PARSCAN_U8, bin_of, 1, NULL, 0, BINS, PARSCAN_U32, good, NULL),
        PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(
        parscan_bin(context, PARSCAN_U8, bin_of, 1, values, N, BINS, PARSCAN_U32, good, out),
        PARSCAN_OK);
    cr_assert(good[1] == 0 && good[2] == N && out[N - 1] == 2 && out[N] == 0xa5);
}

Test(bad_bin, arguments_are_named)
{
#define PLAIN PARSCAN_U32, PARSCAN_U32, 4, N, BINS
    const bad_call bad[] = {
        {"bin_type", "0", UNKNOWN(0), PARSCAN_U32, 4, N, BINS, .no_bins = false},
        {"bin_type", "99", UNKNOWN(99), PARSCAN_U32, 4, N, BINS, .no_bins = false},
        {"bin_type", "i32", PARSCAN_I32, PARSCAN_U32, 4, N, BINS, .no_bins = false},
        {"bin_type", "i8", PARSCAN_I8, PARSCAN_U32, 4, N, BINS, .no_bins = false},
        {"bin_type", "f32", PARSCAN_F32, PARSCAN_U32, 4, N, BINS, .no_bins = false},
        {"offset_type", "0", PARSCAN_U32, UNKNOWN(0), 4, N, BINS, .no_bins = false},
        {"offset_type", "99", PARSCAN_U32, UNKNOWN(99), 4, N, BINS, .no_bins = false},
        {"offset_type", "i16", PARSCAN_U32, PARSCAN_I16, 4, N, BINS, .no_bins = false},
        {"offset_type", "u16", PARSCAN_U32, PARSCAN_U16, 4, N, BINS, .no_bins = false},
        {"value_size", "0", PARSCAN_U32, PARSCAN_U32, 0, N, BINS, .no_bins = false},
        {"value_size", "65", PARSCAN_U32, PARSCAN_U32, 65, N, BINS, .no_bins = false},
        {"value_size", "18446744073709551615", PARSCAN_U32, PARSCAN_U32, SIZE_MAX, N, BINS,
         .no_bins = false},
        {"value_size", "1", PARSCAN_U32, PARSCAN_U32, 1, N, BINS, .no_values = true},
        {"value_size", "2", PARSCAN_U32, PARSCAN_U32, 2, N, BINS, .no_values = true},
        {"value_size", "16", PARSCAN_U32, PARSCAN_U32, 16, N, BINS, .no_values = true},
        {"bins", "4294967297", PARSCAN_U32, PARSCAN_U64, 4, N, (size_t)UINT32_MAX + 2,
         .no_bins = false},
        {"bins", "18446744073709551615", PARSCAN_U32, PARSCAN_U64, 4, N, SIZE_MAX,
         .no_bins = false},
        {"n", "18446744073709551615", PARSCAN_U64, PARSCAN_U64, 4, SIZE_MAX, BINS,
         .no_bins = false},
        {"n", "4294967297", PARSCAN_U8, PARSCAN_U64, 4, (size_t)UINT32_MAX + 2, BINS,
         .no_values = true},
        {"bin_of", "NULL", PLAIN, .no_bins = true},
        {"offsets", "NULL", PLAIN, .no_offsets = true},
    };
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bad); k++)
        expect_failure(context, &bad[k]);
    parscan_context_destroy(context);
}

Test(bad_bin, a_null_context_is_invalid)
{
    uint32_t bin_of[N] = {0}, offsets[BINS + 1] = {7};
    cr_assert_eq(
        parscan_bin(NULL, PARSCAN_U32, bin_of, 4, NULL, N, BINS, PARSCAN_U32, offsets, NULL),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(offsets[0], 7);
}

Test(bin, of_nothing_takes_null_arrays_and_writes_zeros)
{
    uint32_t offsets[BINS + 2];
    parscan_context *const context = test_context();
    for (size_t bins = 0; bins <= BINS; bins++) {
        memset(offsets, 0xa5, sizeof offsets);
        cr_assert_eq(
            parscan_bin(context, PARSCAN_U64, NULL, 8, NULL, 0, bins, PARSCAN_U32, offsets, NULL),
            PARSCAN_OK, "%s", parscan_context_error(context));
        for (size_t b = 0; b <= bins; b++)
            cr_assert_eq(offsets[b], 0);
        cr_assert_eq(offsets[bins + 1], 0xa5a5a5a5);
    }
    parscan_context_destroy(context);
}

#define LARGE 70001u

/* Creates a context and makes a call, the k-th allocation failing; whether one did. */
static bool survives_failure(const bin_case *b, size_t k, const void *bin_of, const void *values)
{
    failing_run run;
    failing_begin(&run, k);
    const size_t bytes = 8 * (b->bins + 1) + b->n * b->value_size;
    unsigned char *const out = malloc(bytes);
    memset(out, 0xa5, bytes);
    const parscan_status status =
        parscan_bin(run.context, b->bin_type, bin_of, b->value_size, b->no_values ? NULL : values,
                    b->n, b->bins, b->offset_type, out, out + 8 * (b->bins + 1));
    if (failing_check(&run, status)) {
        for (size_t i = 0; i < bytes; i++)
            cr_assert_eq(out[i], 0xa5, "%zu bins: a failed call wrote", b->bins);
    }
    free(out);
    expect_bin(run.context, b, bin_of, values);
    return failing_end(&run);
}

Test(bin_allocator, that_fails_at_any_call_is_survived)
{
    static const size_t bins[] = {2, 256, 1000, 65536};
    uint32_t *const bin_of = malloc(LARGE * sizeof *bin_of), *const values = malloc(LARGE * 8);
    for (size_t i = 0; i < LARGE; i++) {
        bin_of[i] = (uint32_t)random_below(70000);
        values[2 * i] = values[2 * i + 1] = (uint32_t)random_bits();
    }
    for (size_t k = 0; k < 2 * COUNT_OF(bins); k++) {
        const bin_case b = {.bin_type = PARSCAN_U32,
                            .offset_type = k % 2 ? PARSCAN_U32 : PARSCAN_U64,
                            .value_size = k % 2 ? 4 : 8,
                            .no_values = k % 2,
                            .n = LARGE,
                            .bins = bins[k / 2]};
        size_t at = 0;
        while (survives_failure(&b, at, bin_of, values))
            cr_assert_lt(++at, 100, "the allocations have no end");
        cr_assert_geq(at, 1);
    }
    free(bin_of);
    free(values);
}
