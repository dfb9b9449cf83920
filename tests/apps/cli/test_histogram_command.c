/* parscan histogram. */
#include "tests/apps/cli/run_program.h"

#include <string.h>

#include <criterion/criterion.h>

TestSuite(histogram_command, .init = enter_folder, .fini = leave_folder);

Test(histogram_command, counts_integers_from_0_by_default)
{
    expect_output(RUN("0 3 1 3 4 -1 2 3", "histogram", "--bins=4", "--quiet"), "1\n1\n1\n3\n");
    expect_output(RUN("", "histogram", "--bins=2"), "0\n0\n");
}

Test(histogram_command, takes_a_half_open_range)
{
    expect_output(RUN("-10 -1 0 9 10", "histogram", "--bins=2", "--range=-10:10", "--quiet"),
                  "2\n2\n");
    expect_output(RUN("-10 -1 0 9 10", "histogram", "--bins", "2", "--range", "-10:10", "--quiet"),
                  "2\n2\n");
    expect_output(RUN("0 0.5 0.99 1 nan -0.1", "histogram", "--type=f32", "--bins=2", "--range=0:1",
                      "--quiet"),
                  "1\n2\n");
    expect_output(RUN("0.001 0.5", "histogram", "--type=f64", "--bins=1", "--range=1e-3:2.5e0"),
                  "2\n");
}

Test(histogram_command, an_edge_is_in_the_bin_that_begins_there)
{
    const char *const types[] = {"u8", "i32", "f32", "f64"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        expect_output(RUN("49 48 97", "histogram", "--bins=2", "--range=0:98", "--type", types[i]),
                      "1\n2\n");
}

Test(histogram_command, the_end_of_the_range_may_be_beyond_the_type)
{
    expect_output(RUN("0 127 128 255", "histogram", "--type=u8", "--bins=2", "--range=0:256"),
                  "2\n2\n");
    expect_output(RUN("-128 -1 0 127", "histogram", "--type=i8", "--bins=2", "--range=-128:128"),
                  "2\n2\n");
    expect_output(RUN("0 255", "histogram", "--type=u8", "--bins=3", "--range=-256:512"),
                  "0\n2\n0\n");
    expect_output(RUN("0 65535", "histogram", "--type=u16", "--bins=2", "--range=0:65536"),
                  "1\n1\n");
    expect_output(
        RUN("0 4294967295", "histogram", "--type=u32", "--bins=2", "--range=0:4294967296"),
        "1\n1\n");
    expect_done(RUN("0 255", "histogram", "--type=u8", "--bins=256"));
    expect_usage(RUN("0", "histogram", "--type=u64", "--bins=2", "--range=0:18446744073709551616"),
                 "--range: 18446744073709551616 does not fit u64");
}

Test(histogram_command, wrong_ranges_are_wrong_usage)
{
    expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=5"), "--range: '5' is not LO:HI");
    expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=:5"), "--range: a number is missing");
    expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=a:5"),
                 "--range: 'a' is not a number");
    expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=0:1.5"), "--range: 1.5 is not an");
    const char *const types[] = {"u8",  "i8",  "u16", "i16", "u32",
                                 "i32", "u64", "i64", "f32", "f64"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=5:1", "--type", types[i]),
                     "parscan: --range 5:1: LO must be less than HI (see");
        expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=5:5", "--type", types[i]),
                     "parscan: --range 5:5: LO must be less than HI (see");
    }
    expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=0:-1"),
                 "parscan: --range 0:-1: LO must be less than HI (see");
    for (size_t i = 8; i < sizeof types / sizeof types[0]; i++) {
        expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=0:inf", "--type", types[i]),
                     "parscan: --range 0:inf: LO and HI must be finite (see");
        expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=nan:1", "--type", types[i]),
                     "parscan: --range nan:1: LO and HI must be finite (see");
    }
    expect_usage(RUN("1 x", "histogram", "--bins=2", "--range=-1e308:1.5e308", "--type=f64"),
                 "--range -1e308:1.5e308: the width of a bin is not a finite number above 0 (see");
}

Test(histogram_command, floats_need_a_range)
{
    expect_usage(RUN("1 x", "histogram", "--bins=2", "--type=f32"),
                 "a histogram of f32 needs --range LO:HI");
}

Test(histogram_command, the_number_of_bins_is_needed)
{
    expect_usage(RUN("1", "histogram"), "--bins N is needed");
    expect_usage(RUN("1", "histogram", "--bins=0"), "--bins: '0' is not an integer of 1 or more");
    expect_usage(RUN("1", "histogram", "--bins=16777217"),
                 "--bins: 16777217 is more than 16777216");
    expect_usage(RUN("1", "histogram", "--bins=many"), "--bins: 'many'");
}

Test(histogram_command, stats_and_a_note_tell_how_many_were_counted)
{
    const program_run run = RUN("1 2 300", "histogram", "--bins=3", "--stats");
    cr_assert_eq(run.status, 0);
    cr_assert_not_null(strstr(run.err.bytes, "\ncounted 2\n"), "%s", run.err.bytes);
    const program_run noted = RUN("1 2 300", "histogram", "--bins=3");
    cr_assert_str_eq(noted.out.bytes, "0\n1\n1\n");
    cr_assert_str_eq(noted.err.bytes,
                     "parscan: note: 1 element is outside of the range or NaN, and "
                     "not counted (--quiet: no note)\n");
}

/* As the help says. */
Test(histogram_command, of_unequal_bins_is_a_search)
{
    expect_shell("seq 0 10 90 >edges; echo 5 -3 10 90 1000 9 |"
                 "$0 search --upper --in edges | $0 unique --count | tr '\\t\\n' ' ;' >out");
    expect_content("out", "1 0;2 1;1 2;2 10;");
}
