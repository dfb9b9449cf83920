/* parscan compact. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>

#include <criterion/criterion.h>

TestSuite(compact_command, .init = enter_folder, .fini = leave_folder);

static const char *const seven = "3 0 -7 12 0 5 -1\n";

Test(compact_command, keeps_what_is_not_zero_by_default)
{
    expect_output(RUN(seven, "compact"), "3\n-7\n12\n5\n-1\n");
    expect_output(RUN(seven, "compact", "--where", "nonzero"), "3\n-7\n12\n5\n-1\n");
    expect_output(RUN("0 0", "compact"), "");
    expect_output(RUN("", "compact"), "");
}

Test(compact_command, has_every_comparison)
{
    expect_output(RUN(seven, "compact", "--where", "==0"), "0\n0\n");
    expect_output(RUN(seven, "compact", "--where", "!=0"), "3\n-7\n12\n5\n-1\n");
    expect_output(RUN(seven, "compact", "--where", "<-1"), "-7\n");
    expect_output(RUN(seven, "compact", "--where", "<=-1"), "-7\n-1\n");
    expect_output(RUN(seven, "compact", "--where", ">3"), "12\n5\n");
    expect_output(RUN(seven, "compact", "--where", ">= 3"), "3\n12\n5\n");
    expect_output(RUN(seven, "compact", "--where", "-1..5"), "3\n0\n0\n5\n-1\n");
    expect_output(RUN(seven, "compact", "--where", "-7..-7"), "-7\n");
}

Test(compact_command, reads_its_numbers_in_the_input_s_type)
{
    const char *const floats = "0.5 1e-3 -2.5 1e300 nan 2.5 -0";
    expect_output(RUN(floats, "compact", "--type=f64", "--where", "1e-3..2.5"),
                  "0.5\n0.001\n2.5\n");
    expect_output(RUN(floats, "compact", "--type=f64", "--where", "-2.5...5"),
                  "0.5\n0.001\n-2.5\n-0\n");
    expect_output(RUN(floats, "compact", "--type=f64", "--where", "-3...-2."), "-2.5\n");
    expect_output(RUN(floats, "compact", "--type=f64", "--where", ">=1e300"), "1e300\n");
    expect_output(RUN(floats, "compact", "--type=f64", "--where", "-inf..-1"), "-2.5\n");
    expect_output(RUN(floats, "compact", "--type=f64", "--where", "==nan"), "");
    expect_output(
        RUN("18446744073709551615 1", "compact", "--type=u64", "--where", "==18446744073709551615"),
        "18446744073709551615\n");
}

Test(compact_command, a_condition_that_is_none_is_wrong_usage)
{
    const char *const wrong[][2] = {
        {"", "--where: '' is not nonzero, ==V"},
        {"=5", "--where: '=5' is not"},
        {"5", "--where: '5' is not"},
        {"==", "--where: a number is missing"},
        {"==x", "--where: 'x' is not a number"},
        {"1..", "--where: a number is missing"},
        {"..1", "--where: a number is missing"},
        {"in.txt",
         "--where: 'in.txt' is not nonzero, ==V, !=V, <V, <=V, >V, >=V or A..B (in quotes: "},
        {"5..3", "--where: '5..3' has no numbers: the first one is the larger"},
        {"<1.5", "--where: 1.5 is not an integer"},
        {"zero", "--where: 'zero' is not"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_usage(RUN("1 x", "compact", "--where", wrong[i][0]), wrong[i][1]);
    expect_usage(RUN("1", "compact", "--type=f64", "--where", "1...5"),
                 "'1...5' can be read in two");
    expect_usage(RUN("1", "compact", "--type=f64", "--where", "nan..1"), "'nan..1' has no numbers");
    expect_output(RUN("-0", "compact", "--type=f64", "--where", "0..-0"), "-0\n");
    expect_usage(RUN("1", "compact", "--type=u8", "--where", "<300"), "300 does not fit u8");
    expect_usage(RUN("1", "compact", "--type=u8", "--where", "-1..3"), "-1 does not fit u8");
}

Test(compact_command, takes_flags)
{
    write_file("flags", text_blob("1 0 2 0 0 0 255"));
    expect_output(RUN(seven, "compact", "--flags=flags"), "3\n-7\n-1\n");
    expect_output(RUN(seven, "compact", "--flags=flags", "--count"), "3\n");
    expect_output(RUN(seven, "compact", "--flags=flags", "--indices"), "0\n2\n6\n");
    expect_failure(RUN("1 2", "compact", "--flags=flags", "-o", "out"),
                   "parscan: flags: 7 flags for the 2 elements of standard input\n");
    expect_usage(RUN("1", "compact", "--flags=flags", "--where=nonzero"), "exclude each other");
    expect_usage(RUN("1", "compact", "--flags=-"), "both be standard input");
    cr_assert_eq(count_files(), 1);
}

Test(compact_command, writes_indices)
{
    expect_output(RUN(seven, "compact", "--indices"), "0\n2\n3\n5\n6\n");
    expect_output(RUN(seven, "compact", "--indices", "--where", "==0"), "1\n4\n");
    const program_run run =
        RUN("\1\2\1", "compact", "--indices", "--where", "==1", "--format=raw", "--type=u8");
    const uint64_t answer[] = {0, 2};
    expect_done(run);
    cr_assert(same_bytes(run.out, (blob){(char *)answer, sizeof answer}));
}

Test(compact_command, counts)
{
    expect_output(RUN(seven, "compact", "--count"), "5\n");
    expect_output(RUN("", "compact", "--count"), "0\n");
    expect_output(
        RUN("\1\2\1", "compact", "--count", "--where", "==1", "--format=raw", "--type=u8"), "2\n");
    expect_usage(RUN("1", "compact", "--count", "--indices"), "exclude each other");
}
