/* Every command on floats of 16 bits. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/apps/cli/run_program.h"

TestSuite(half_commands, .init = enter_folder, .fini = leave_folder);

enum { ONES = 5000 };
static const char *const types[] = {"f16", "bf16"};
enum { TYPES = sizeof types / sizeof types[0] };
static const char *const special = "3 nan -0 0 -nan 1 -inf 1";

static void expect_end(program_run run, const char *end)
{
    expect_done(run);
    const size_t length = strlen(end);
    cr_assert(run.out.size >= length &&
                  memcmp(run.out.bytes + run.out.size - length, end, length) == 0,
              "not %s", end);
}

/* In the type itself the sum would stop at 2048 or 256. */
Test(half_commands, sums_are_computed_as_f32)
{
    static char ones[2 * ONES + 1];
    for (int i = 0; i < ONES; i++)
        memcpy(ones + 2 * i, "1 ", 3);
    write_file("ones", text_blob(ones));
    const char *const algorithms[] = {"auto", "sequential", "kogge-stone", "three-phase", "warp"};
    for (int t = 0; t < TYPES; t++) {
        for (size_t a = 0; a < sizeof algorithms / sizeof algorithms[0]; a++)
            expect_end(RUN("", "scan", "--type", types[t], "--algorithm", algorithms[a], "ones"),
                       "\n5000\n");
        expect_end(RUN("", "scan", "--type", types[t], "--reproducible", "ones"), "\n5000\n");
        expect_end(RUN("", "scan", "--type", types[t], "--out-type", "f32", "ones"),
                   "\n4999\n5000\n");
        expect_end(RUN("", "scan", "--type", types[t], "--exclusive", "--init", "0.5", "--reverse",
                       "ones"),
                   "\n2.5\n1.5\n0.5\n");
    }
}

Test(half_commands, segments_by_flags_and_by_keys)
{
    write_file("flags", text_blob("1 0 0 0 1 0 0 0"));
    write_file("keys", text_blob("1 1 2 2 nan nan -nan 0"));
    for (int t = 0; t < TYPES; t++) {
        expect_output(
            RUN(special, "segscan", "--type", types[t], "--op", "max", "--flags", "flags"),
            "3\nnan\nnan\nnan\n-nan\n-nan\n-nan\n-nan\n");
        expect_output(RUN("1 2 3 4 5 6 7 8", "segscan", "--type", types[t], "--keys", "keys",
                          "--keys-type", types[t]),
                      "1\n3\n3\n7\n5\n11\n18\n8\n");
    }
}

Test(half_commands, sorts_put_every_nan_last)
{
    for (int t = 0; t < TYPES; t++) {
        const char *const type = types[t];
        expect_output(RUN(special, "sort", "--type", type), "-inf\n-0\n0\n1\n1\n3\nnan\n-nan\n");
        expect_output(RUN(special, "sort", "--type", type, "--descending"),
                      "nan\n-nan\n3\n1\n1\n0\n-0\n-inf\n");
        expect_output(RUN(special, "sort", "--type", type, "--argsort"),
                      "6\n2\n3\n5\n7\n0\n1\n4\n");
        expect_usage(RUN(special, "sort", "--type", type, "--begin-bit", "1"), "are for integers");
    }
    write_file("values", text_blob("0.1 0.2 0.3"));
    expect_output(RUN("3 1 2", "sort", "--values", "values", "--values-type", "bf16",
                      "--values-output", "moved"),
                  "1\n2\n3\n");
    cr_assert_str_eq(read_file("moved").bytes, "0.2\n0.3\n0.1\n");
}

Test(half_commands, compactions_and_histograms)
{
    for (int t = 0; t < TYPES; t++) {
        const char *const type = types[t];
        expect_output(RUN(special, "compact", "--type", type, "--where", ">=0.1"), "3\n1\n1\n");
        expect_output(RUN(special, "compact", "--type", type, "--where", "0..1", "--count"), "4\n");
        expect_output(RUN(special, "compact", "--type", type, "--where", "nonzero", "--indices"),
                      "0\n1\n4\n5\n6\n7\n");
        expect_output(
            RUN(special, "histogram", "--type", type, "--bins", "4", "--range", "0:4", "--quiet"),
            "2\n2\n0\n1\n");
        expect_usage(RUN("1", "histogram", "--type", type, "--bins", "4"), "needs --range LO:HI");
        expect_usage(RUN("1", "histogram", "--type", type, "--bins", "4", "--range", "0:inf"),
                     "LO and HI must be finite");
        expect_usage(RUN("1", "histogram", "--type", type, "--bins", "4", "--range", "2:1"),
                     "LO must be less than HI");
        expect_usage(RUN("1", "allocate", "--type", type), "sizes must be integers");
        expect_usage(RUN("1", "scan", "--type", type, "--op", "xor"), "is for integers only");
    }
    expect_failure(RUN("65520", "scan", "--type", "f16"), "65520 does not fit f16");
}
