/* parscan sort. */
#define _POSIX_C_SOURCE 200809L
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

TestSuite(sort_command, .init = enter_folder, .fini = leave_folder);

static void write_text(const char *name, const char *text)
{
    write_file(name, text_blob(text));
}

Test(sort_command, sorts_integers_by_default)
{
    expect_output(RUN("3 -1 20 0 3", "sort"), "-1\n0\n3\n3\n20\n");
    expect_output(RUN("3 -1 20 0 3", "sort", "--descending"), "20\n3\n3\n0\n-1\n");
    expect_output(RUN("", "sort"), "");
    expect_output(RUN("7", "sort"), "7\n");
}

Test(sort_command, sorts_floats_in_numeric_order)
{
    expect_output(RUN("nan 0 -0 inf -1e-3 -inf 2.5", "sort", "--type", "f64"),
                  "-inf\n-0.001\n-0\n0\n2.5\ninf\nnan\n");
}

Test(sort_command, takes_values_alongside)
{
    write_text("values", "10 11 12 13 14");
    expect_output(RUN("3 1 3 2 1", "sort", "--values=values", "--values-output=out"),
                  "1\n1\n2\n3\n3\n");
    expect_content("out", "11\n14\n13\n10\n12\n");
    expect_output(
        RUN("3 1 3 2 1", "sort", "--values=values", "--values-output=out", "--descending"),
        "3\n3\n2\n1\n1\n");
    expect_content("out", "10\n12\n13\n11\n14\n");
    cr_assert_eq(count_files(), 2);
}

Test(sort_command, values_have_a_type_and_a_format_of_their_own)
{
    const double doubles[] = {0.5, 0.25};
    write_text("values", "0.5 0.25");
    write_file("values.npy",
               npy_blob(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", doubles,
                        sizeof doubles));
    expect_output(RUN("2 1", "sort", "--type=u8", "--values=values", "--values-type=f32",
                      "--values-output=out"),
                  "1\n2\n");
    expect_content("out", "0.25\n0.5\n");
    expect_output(RUN("2 1", "sort", "--values=values.npy", "--values-output=out.txt"), "1\n2\n");
    expect_content("out.txt", "0.25\n0.5\n");
    expect_done(RUN("2 1", "sort", "--values=values.npy", "--values-output=out.npy.gz"));
    expect_failure(RUN("2 1", "sort", "--values=values", "--values-output=out"),
                   "0.5 is not an integer (--values-type f64 reads floats)");
}

Test(sort_command, values_may_go_to_standard_output)
{
    write_text("values", "10 11");
    expect_output(RUN("2 1", "sort", "-o", "keys", "--values=values", "--values-output=-"),
                  "11\n10\n");
    expect_content("keys", "1\n2\n");
}

Test(sort_command, values_and_where_they_go_are_needed_together)
{
    expect_usage(RUN("1", "sort", "--values=v"), "--values needs --values-output FILE");
    expect_usage(RUN("1", "sort", "--values-output=v"), "--values-output needs --values FILE");
    expect_usage(RUN("1", "sort", "--argsort", "--values=v", "--values-output=w"), "--argsort");
    expect_usage(RUN("1", "sort", "--values=v", "--values-output=-"), "both go to standard output");
    expect_usage(RUN("1", "sort", "--values=-", "--values-output=w"), "both be standard input");
}

Test(sort_command, a_failed_run_leaves_neither_output)
{
    write_text("in", "2 1");
    write_text("values", "10 11");
    write_text("three", "10 11 12");
    write_text("old", "old");
    expect_failure(RUN("", "sort", "in", "--values=values", "-o", "out", "--values-output=no/out"),
                   "parscan: no/out: No such file");
    expect_failure(RUN("", "sort", "in", "--values=values", "-o", "no/out", "--values-output=out"),
                   "parscan: no/out: No such file");
    expect_failure(RUN("", "sort", "in", "--values=three", "-o", "out", "--values-output=out2"),
                   "parscan: three: 3 values for the 2 elements of in\n");
    expect_failure(
        RUN("", "sort", "in", "--values=values", "-o", "old", "--values-output=/dev/full"),
        "parscan: /dev/full: No space left");
    expect_failure(
        RUN("", "sort", "in", "--values=values", "-o", "/dev/full", "--values-output=old"),
        "parscan: /dev/full: No space left");
    expect_content("old", "old");
    cr_assert_eq(count_files(), 4);
}

Test(sort_command, both_outputs_cannot_be_one_file)
{
    cr_assert_eq(mkdir("folder", 0777), 0);
    write_text("values", "10 11");
    cr_assert_eq(symlink("out", "link"), 0);
    const char *const names[] = {"out", "./out", "folder/../out", "link"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect_failure(
            RUN("2 1", "sort", "--values=values", "-o", "out", "--values-output", names[i]),
            "two outputs cannot be one file");
    expect_failure(RUN("2 1", "sort", "--values=values", "--values-output=/dev/stdout"),
                   "two outputs cannot be one file");
    cr_assert_eq(count_files(), 3);
    expect_done(RUN("2 1", "sort", "--values=values", "-o/dev/null", "--values-output=/dev/null"));
}

Test(sort_command, argsort_writes_the_permutation)
{
    expect_output(RUN("30 10 20 10", "sort", "--argsort"), "1\n3\n2\n0\n");
    expect_output(RUN("30 10 20 10", "sort", "--argsort", "--descending"), "0\n2\n1\n3\n");
    expect_output(RUN("", "sort", "--argsort"), "");
    const program_run run = RUN("\3\1\2", "sort", "--argsort", "--format=raw", "--type=u8");
    expect_done(run);
    const uint64_t answer[] = {1, 2, 0};
    cr_assert(same_bytes(run.out, (blob){(char *)answer, sizeof answer}));
}

Test(sort_command, sorts_by_a_range_of_bits)
{
    expect_output(RUN("18 17 1 2", "sort", "--type=u8", "--end-bit=4"), "17\n1\n18\n2\n");
    expect_output(RUN("18 17 1 2", "sort", "--type=u8", "--begin-bit=4"), "1\n2\n18\n17\n");
    expect_output(RUN("18 17 1 2", "sort", "--type=u8", "--begin-bit=0", "--end-bit=8"),
                  "1\n2\n17\n18\n");
}

Test(sort_command, bits_that_a_key_does_not_have_are_wrong_usage)
{
    expect_usage(RUN("1 x", "sort", "--type=u8", "--end-bit=9"), "parscan: --end-bit 9");
    expect_usage(RUN("1 x", "sort", "--type=u8", "--begin-bit=8"), "parscan: --begin-bit 8");
    expect_usage(RUN("1 x", "sort", "--begin-bit=5", "--end-bit=5"), "--begin-bit 5");
    expect_usage(RUN("1", "sort", "--type=f32", "--end-bit=4"),
                 "parscan: --begin-bit and --end-bit are for integers, the type is f32 (see");
    expect_usage(RUN("1", "sort", "--end-bit=0"), "--end-bit: ");
    expect_usage(RUN("1", "sort", "--begin-bit=-1"), "--begin-bit: ");
}

Test(sort_command, the_output_may_be_the_input)
{
    write_text("in", "3 1 2");
    expect_done(RUN("", "sort", "in", "-o", "in"));
    expect_content("in", "1\n2\n3\n");
}

Test(sort_command, what_is_wrong_in_the_text_is_told_with_its_line)
{
    expect_failure(RUN("3\n1\nx", "sort", "-o", "out"),
                   "parscan: standard input: line 3: 'x' is not a number\n");
    cr_assert_eq(count_files(), 0);
}

Test(sort_command, stats_are_one_line)
{
    const program_run run = RUN("3 1 2", "sort", "--stats", "--threads=1");
    cr_assert_eq(run.status, 0);
    cr_assert_eq(strncmp(run.err.bytes, "parscan: 3 elements, ", 21), 0, "%s", run.err.bytes);
    cr_assert_not_null(strstr(run.err.bytes, " GB/s, cpu, 1 thread\n"));
}
