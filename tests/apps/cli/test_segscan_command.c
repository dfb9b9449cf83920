/* parscan segscan. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>

#include <criterion/criterion.h>

TestSuite(segscan_command, .init = enter_folder, .fini = leave_folder);

static const char *const eight = "3 1 7 0 4 1 6 3\n";
static const char *const sums = "3\n4\n11\n0\n4\n5\n6\n9\n";

static void write_text(const char *name, const char *text)
{
    write_file(name, text_blob(text));
}

Test(segscan_command, takes_flags_offsets_and_keys)
{
    write_text("flags", "0 0 0 1 0 0 255 0");
    write_text("offsets", "0 3 3 6 8");
    write_text("keys", "-5 -5 -5 2 2 2 -5 -5");
    expect_output(RUN(eight, "segscan", "--flags", "flags"), sums);
    expect_output(RUN(eight, "segscan", "--offsets", "offsets"), sums);
    expect_output(RUN(eight, "segscan", "--keys", "keys"), sums);
}

Test(segscan_command, has_the_options_of_a_scan)
{
    write_text("flags", "1 0 1 0");
    expect_output(RUN("5 3 6 7", "segscan", "--flags=flags", "--exclusive"), "0\n5\n0\n6\n");
    expect_output(RUN("5 3 6 7", "segscan", "--flags=flags", "--reverse"), "8\n3\n13\n7\n");
    expect_output(RUN("5 3 6 7", "segscan", "--flags=flags", "--op=max"), "5\n5\n6\n7\n");
    expect_output(RUN("5 3 6 7", "segscan", "--flags=flags", "--init=10"), "15\n18\n16\n23\n");
    expect_output(RUN("200 200 3 4", "segscan", "--flags=flags", "--type=u8", "--out-type=u64"),
                  "200\n400\n3\n7\n");
    expect_output(RUN("0.5 1.5 3 4", "segscan", "--flags=flags", "--type=f64"), "0.5\n2\n3\n7\n");
}

Test(segscan_command, segments_are_read_in_every_format)
{
    const uint8_t flags[] = {0, 1, 0};
    const uint32_t offsets[] = {0, 1, 3};
    const int64_t signed_offsets[] = {0, 1, 3}; /* what NumPy makes of integers */
    write_file("flags.npy",
               npy_blob(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", flags, 3));
    write_file("offsets.npy",
               npy_blob(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }", offsets,
                        sizeof offsets));
    write_file("signed.npy",
               npy_blob(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }",
                        signed_offsets, sizeof signed_offsets));
    write_file("flags.raw", (blob){(char *)flags, sizeof flags});
    write_file("offsets.raw", (blob){(char *)offsets, sizeof offsets});
    write_file("flags.gz", gzip_blob(text_blob("0 1 0")));
    const char *const answer = "1\n2\n5\n";
    expect_output(RUN("1 2 3", "segscan", "--flags", "flags.npy"), answer);
    expect_output(RUN("1 2 3", "segscan", "--flags", "flags.gz"), answer);
    expect_output(RUN("1 2 3", "segscan", "--offsets", "offsets.npy"), answer);
    expect_output(RUN("1 2 3", "segscan", "--offsets", "signed.npy"), answer);
    expect_output(RUN("\1\2\3", "segscan", "--format=raw", "--type=u8", "--output-format=text",
                      "--flags=flags.raw"),
                  answer);
    expect_output(RUN("\1\2\3", "segscan", "--format=raw", "--type=u8", "--output-format=text",
                      "--offsets=offsets.raw", "--offsets-type=u32"),
                  answer);
}

Test(segscan_command, keys_are_of_any_type)
{
    write_text("keys", "0.5 0.5 nan nan -0 0");
    expect_output(RUN("1 2 3 4 5 6", "segscan", "--keys=keys", "--keys-type=f32"),
                  "1\n3\n3\n7\n5\n11\n");
}

Test(segscan_command, segments_may_come_from_standard_input)
{
    write_text("in", "1 2 3");
    expect_output(RUN("1 0 1", "segscan", "--flags", "-", "in"), "1\n3\n3\n");
    expect_usage(RUN("1 0 1", "segscan", "--flags", "-"),
                 "FILE and --flags cannot both be standard input");
}

Test(segscan_command, one_way_to_say_where_the_segments_are)
{
    expect_usage(RUN("1", "segscan"), "one of --flags FILE, --offsets FILE and --keys FILE");
    expect_usage(RUN("1", "segscan", "--flags=a", "--keys=b"), "and no other");
    expect_usage(RUN("1", "segscan", "--offsets=a", "--offsets-type=f32"), "u32 or u64, not f32");
}

Test(segscan_command, numbers_of_elements_that_differ_are_told)
{
    write_text("flags", "0 1 0 0");
    write_text("in", "1 2 3");
    expect_failure(RUN("1 2 3", "segscan", "--flags=flags"),
                   "parscan: flags: 4 flags for the 3 elements of standard input\n");
    expect_failure(RUN("", "segscan", "--keys=flags", "in", "-o", "out"),
                   "parscan: flags: 4 keys for the 3 elements of in\n");
    cr_assert_eq(count_files(), 2);
}

Test(segscan_command, wrong_offsets_are_a_failure_of_their_file)
{
    write_text("none", "");
    write_text("one", "1 3");
    write_text("short", "0 2");
    write_text("back", "0 2 1 3");
    write_text("minus", "0\n-1\n3");
    write_text("point", "0 1.5 3");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=none"),
                   "parscan: none: there are no offsets");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=one"), "parscan: one: ");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=short"), "parscan: short: ");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=back"), "parscan: back: ");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=minus"),
                   "parscan: minus: line 2: -1 does not fit u64\n");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=point"),
                   "1.5 is not an integer (--offsets-type f64 reads floats)");
}

Test(segscan_command, wrong_segments_are_told_with_their_file)
{
    write_text("flags", "0\n256\n0");
    write_text("half", "0 0.5 0");
    write_text("keys.raw", "abc");
    expect_failure(RUN("1 2 3", "segscan", "--flags=flags"),
                   "parscan: flags: line 2: 256 does not fit u8\n");
    expect_failure(RUN("1 2 3", "segscan", "--flags=half"),
                   "parscan: half: line 1: 0.5 is not an integer\n");
    expect_failure(RUN("1 2 3", "segscan", "--flags=nothing"), "parscan: nothing: No such file");
    expect_failure(RUN("", "segscan", "--format=raw", "--type=u8", "--keys=keys.raw"),
                   "parscan: keys.raw: raw data need --keys-type\n");
}

Test(segscan_command, options_that_do_not_go_together_are_wrong_usage)
{
    write_text("flags", "0 0 0");
    expect_usage(RUN("1 2 3", "segscan", "--flags=flags", "--algorithm=kogge-stone"),
                 "--algorithm");
    expect_usage(RUN("1 2 3", "segscan", "--flags=flags", "--type=f32", "--op=xor"), "--op xor");
    expect_usage(RUN("1 2 3", "segscan", "--flags=flags", "--type=u8", "--init=300"),
                 "--init: 300 does not fit u8");
}

Test(segscan_command, scans_nothing_to_nothing)
{
    write_text("none", "");
    write_text("zero", "0");
    write_text("zeros", "0 0 0");
    expect_output(RUN("", "segscan", "--flags=none"), "");
    expect_output(RUN("", "segscan", "--keys=none"), "");
    expect_output(RUN("", "segscan", "--offsets=zero"), "");
    expect_output(RUN("", "segscan", "--offsets=zeros"), "");
}
