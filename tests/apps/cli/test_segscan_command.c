/* parscan segscan. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

Test(segscan_command, fails_where_a_checked_result_of_a_segment_wraps)
{
    write_text("flags", "1 0 1 0");
    write_text("offsets", "0 2 2 4");
    write_text("keys", "-0 0 nan nan");
    write_text("words", "a a b b");
    static const char *const segments[] = {"--flags=flags", "--offsets=offsets", "--keys=keys",
                                           "--keys=words"};
    for (size_t k = 0; k < sizeof segments / sizeof *segments; k++) {
        const char *const keys = k == 2 ? "--keys-type=f32" : "--quiet", *const at = segments[k];
#define CHECKED(input, ...) RUN(input, "segscan", "--checked", "--type=i8", at, keys, __VA_ARGS__)
        expect_output(CHECKED("100 27 -128 -0", "--op=sum"), "100\n127\n-128\n-128\n");
        expect_failure(CHECKED("100 27 -128 -1", "-o", "out"),
                       "parscan: standard input: element 4: the sum is beyond i8, and wraps around "
                       "(--out-type T: a wider type)\n");
        expect_failure(CHECKED("100 28 1 1", "-o", "out"), "element 2: the sum is beyond i8");
        expect_output(CHECKED("100 28 100 28", "--out-type=i32"), "100\n128\n100\n128\n");
        expect_output(CHECKED("100 100 100 100", "--exclusive"), "0\n100\n0\n100\n");
        expect_failure(CHECKED("1 1 28 1", "--init=100", "-o", "out"), "element 3: the sum");
        expect_failure(CHECKED("1 1 16 8", "--op=product", "-o", "out"), "element 4: the product");
#undef CHECKED
    }
    expect_usage(RUN("1", "segscan", "--checked", "--flags=flags", "--reverse"),
                 "--checked is for integers without --reverse");
    expect_shell(
        "head -c 700000 /dev/zero | tr '\\0' '\\1' >in; cat in in >in2; cat in /dev/null >keys;"
        "head -c 700000 /dev/zero >>keys; f='--checked --format raw --type u8 --keys-type u8';"
        "$0 segscan $f --keys keys --out-type u32 in2 -o out && ! $0 segscan $f --keys keys in2 "
        "2>err &&"
        "grep -q 'element 256: the sum' err && test $(tail -c 4 out | od -An -tu4) = 700000");
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

Test(segscan_command, keys_of_text_may_be_words)
{
    write_text("days",
               "2026-11-21\n2026-11-21\n2026-11-22\n2026-11-22\n2026-11-22\nM\xc3\xa4rz\n-\n+");
    expect_output(RUN("1 2 3 4 5 6 7 8", "segscan", "--keys=days"), "1\n3\n3\n7\n12\n6\n7\n8\n");
    expect_output(RUN("1 2 3 4 5 6 7 8", "segscan", "--keys=days", "--keys-type=word"),
                  "1\n3\n3\n7\n12\n6\n7\n8\n");
    expect_output(RUN("1 2 3 4 5 6 7 8", "segscan", "--keys=days", "--reverse", "--exclusive"),
                  "2\n0\n9\n5\n0\n0\n0\n0\n");
    expect_output(RUN("1 2 3 4 5 6 7 8", "segscan", "--keys=days", "--op=max", "--init=3"),
                  "3\n3\n3\n4\n5\n6\n7\n8\n");
    expect_failure(RUN("1 2 3 4 5 6 7 8", "segscan", "--keys=days", "--keys-type=i64"),
                   "parscan: days: line 1: '2026-11-21' is not a number\n");
    for (int k = 0; k < 20; k++) /* however the threads are served, nothing is written */
        expect_failure(RUN("1", "segscan", "--keys=days"),
                       "parscan: days: 8 keys for the 1 element of standard input\n");
    expect_usage(RUN("1", "segscan", "--keys=days", "--keys-type=words"), "--keys-type: 'words'");
}

Test(segscan_command, integers_among_the_words_are_compared_by_value)
{
    write_text("keys", "7 +7 007 7.0 -0 0 00 -7 -07 seven "
                       "99999999999999999999999 099999999999999999999999");
    const char *const ones = "1 1 1 1 1 1 1 1 1 1 1 1";
    expect_output(RUN(ones, "segscan", "--keys=keys"), "1\n2\n3\n1\n1\n2\n3\n1\n2\n1\n1\n2\n");
    expect_output(RUN(ones, "segscan", "--keys=keys", "--keys-type=word"),
                  "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n");
    write_file("keys.gz", gzip_blob(read_file("keys")));
    expect_output(RUN(ones, "segscan", "--keys=keys.gz"), "1\n2\n3\n1\n1\n2\n3\n1\n2\n1\n1\n2\n");
}

/* Several chunks of text, each shared by threads: a million keys in runs. */
static void write_many_keys(const char *const *forms, size_t count, blob *ones, blob *sums_of_runs)
{
    enum { KEYS = 1000000 };
    const blob keys = new_blob(KEYS * (size_t)24);
    *ones = new_blob(KEYS * (size_t)2);
    *sums_of_runs = new_blob(KEYS * (size_t)8);
    char *to = keys.bytes, *sum_to = sums_of_runs->bytes;
    uint32_t state = 1;
    int value = 0, run = 0;
    for (int i = 0; i < KEYS; i++) {
        state = state * 1664525 + 1013904223;
        const int step = (state >> 29) == 0;
        run = step || i == 0 ? 1 : run + 1;
        value += step;
        to += sprintf(to, forms[(state >> 16) % count], value);
        *to++ = '\n';
        sum_to += sprintf(sum_to, "%d\n", run);
        memcpy(ones->bytes + (size_t)i * 2, "1 ", 2);
    }
    write_file("keys", (blob){keys.bytes, (size_t)(to - keys.bytes)});
}

Test(segscan_command, many_keys_of_text_are_compared_across_chunks)
{
    blob ones, expected;
    write_many_keys(ARGUMENTS("%d", "+%d", "%08d", "000000000000%d"), 4, &ones, &expected);
    expect_output(run_arguments(ones, ARGUMENTS("segscan", "--keys=keys")), expected.bytes);
    expect_output(run_arguments(ones, ARGUMENTS("segscan", "--keys=keys", "--keys-type=i64")),
                  expected.bytes);
    write_many_keys(ARGUMENTS("word-%08x"), 1, &ones, &expected);
    expect_output(run_arguments(ones, ARGUMENTS("segscan", "--keys=keys", "--threads=3")),
                  expected.bytes);
    expect_output(run_arguments(ones, ARGUMENTS("segscan", "--keys=keys", "--keys-type=word")),
                  expected.bytes);
}

Test(segscan_command, words_are_keys_of_text_alone)
{
    const uint8_t keys[] = {5, 5, 6};
    write_file("keys.npy",
               npy_blob(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", keys, 3));
    write_file("keys.raw", (blob){(char *)keys, sizeof keys});
    expect_output(RUN("1 2 3", "segscan", "--keys=keys.npy"), "1\n3\n3\n");
    expect_output(RUN("1 2 3", "segscan", "--keys=keys.npy", "--keys-type=u8"), "1\n3\n3\n");
    expect_failure(RUN("1 2 3", "segscan", "--keys=keys.npy", "--keys-type=word"),
                   "parscan: keys.npy: npy files hold numbers, not words\n");
    expect_failure(
        RUN("123", "segscan", "--format=raw", "--type=u8", "--keys=keys.raw", "--keys-type=word"),
        "parscan: keys.raw: raw files hold numbers, not words\n");
    const blob longest = new_blob(5000000);
    memset(longest.bytes, 'x', longest.size);
    write_file("long", longest);
    expect_failure(RUN("1", "segscan", "--keys=long"),
                   "parscan: long: line 1: a word of more than 4194304 bytes is too long\n");
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
    expect_usage(RUN("1", "segscan", "--flags=a", "--keys=b"),
                 "only one of --flags FILE, --offsets FILE and --keys FILE is needed");
    expect_usage(RUN("1", "segscan", "--offsets=a", "--offsets-type=f32"),
                 "u32, u64, i32 or i64, not f32");
}

Test(segscan_command, numbers_of_elements_that_differ_are_told)
{
    write_text("flags", "0 1 0 0");
    write_text("in", "1 2 3");
    expect_failure(RUN("1 2 3", "segscan", "--flags=flags", "-o", "out"),
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
                   "parscan: none: there are no offsets: the first must be 0\n");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=one"),
                   "parscan: one: the first offset is 1, not 0\n");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=short"),
                   "parscan: short: the last offset is 2, not 3, the number of elements\n");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=back"),
                   "parscan: back: offset 2, counted from 0, is 1, less than the 2 before it\n");
    expect_failure(
        RUN("1 2 3", "segscan", "--offsets=minus"),
        "parscan: minus: line 2: -1 does not fit u64, which goes from 0 to 18446744073709551615\n");
    for (int wide = 0; wide < 2; wide++)
        expect_failure(RUN("1 2 3", "segscan", "--offsets=minus",
                           wide ? "--offsets-type=i64" : "--offsets-type=i32"),
                       "parscan: minus: offset 1, counted from 0, is -1: it is negative\n");
    expect_failure(RUN("1 2 3", "segscan", "--offsets=point"),
                   "parscan: point: line 1: 1.5 is not an integer\n");
}

Test(segscan_command, wrong_segments_are_told_with_their_file)
{
    write_text("flags", "0\n256\n0");
    write_text("half", "0 0.5 0");
    write_text("keys.raw", "abc");
    expect_failure(RUN("1 2 3", "segscan", "--flags=flags"),
                   "parscan: flags: line 2: 256 does not fit u8, which goes from 0 to 255\n");
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
                 "parscan: --algorithm kogge-stone: ");
    expect_usage(RUN("1 2 3", "segscan", "--flags=flags", "--type=f32", "--reproducible"),
                 "parscan: --reproducible with type = f32: ");
    expect_usage(RUN("1 2 3", "segscan", "--flags=flags", "--type=f32", "--op=xor"), "--op xor");
    expect_usage(RUN("1 2 3", "segscan", "--flags=flags", "--type=u8", "--init=300"),
                 "--init: 300 does not fit u8");
}

Test(segscan_command, offsets_in_raw_are_u64_by_default)
{
    const uint64_t wide[] = {0, 2, 3};
    const uint32_t narrow[] = {0, 2, 3};
    write_file("wide", (blob){(char *)wide, sizeof wide});
    write_file("narrow", (blob){(char *)narrow, sizeof narrow});
    const char *const raw[] = {"--format=raw", "--type=u8", "--output-format=text"};
    expect_output(RUN("\1\2\3", "segscan", raw[0], raw[1], raw[2], "--offsets=wide"), "1\n3\n3\n");
    expect_output(
        RUN("\1\2\3", "segscan", raw[0], raw[1], raw[2], "--offsets=wide", "--offsets-type=u64"),
        "1\n3\n3\n");
    expect_output(
        RUN("\1\2\3", "segscan", raw[0], raw[1], raw[2], "--offsets=narrow", "--offsets-type=u32"),
        "1\n3\n3\n");
    expect_failure(RUN("\1\2\3", "segscan", raw[0], raw[1], raw[2], "--keys=wide"),
                   "parscan: wide: raw data need --keys-type\n");
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
