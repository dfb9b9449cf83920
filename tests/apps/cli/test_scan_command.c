/* The options of parscan scan. */
#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "parscan/types.h"

TestSuite(scan_command, .init = enter_folder, .fini = leave_folder);

Test(scan_command, fails_where_a_checked_result_wraps)
{
    expect_output(RUN("100 27 -128 -127", "scan", "--checked", "--type=i8"),
                  "100\n127\n-1\n-128\n");
    expect_failure(
        RUN("100 28", "scan", "--checked", "--type=i8", "-o", "out"),
        "element 2: the sum is beyond i8, and wraps around (--out-type T: a wider type)");
    expect_failure(RUN("-100 -29", "scan", "--checked", "--type=i8", "-o", "out"),
                   "element 2: the sum");
    expect_output(RUN("100 28", "scan", "--checked", "--type=i8", "--out-type=i32"), "100\n128\n");
    expect_output(RUN("100 28", "scan", "--checked", "--type=i8", "--exclusive"), "0\n100\n");
    expect_failure(RUN("100 28 0", "scan", "--checked", "--type=i8", "--exclusive", "-o", "out"),
                   "element 3: the sum");
    expect_failure(RUN("16 16", "scan", "--checked", "--type=u8", "--op=product", "-o", "out"),
                   "element 2: the product is beyond u8");
    expect_failure(
        RUN("1", "scan", "--checked", "--type=u64", "--init=18446744073709551615", "-o", "out"),
        "element 1: the sum is beyond u64, and wraps around\n");
    expect_failure(RUN("9223372036854775807 1", "scan", "--checked", "-o", "out"),
                   "element 2: the sum is beyond i64");
    expect_output(RUN("255 3", "scan", "--checked", "--type=u8", "--op=max"), "255\n255\n");
    /* The sum of the second of two pieces wraps. */
    expect_shell("head -c 2200000 /dev/zero >in; printf '\\377\\377\\001\\000' >>in;"
                 "s='scan --checked --format raw --type u16'; $0 $s --out-type u32 in -o out &&"
                 "! $0 $s in -o out2 2>err && grep -q 'element 1100002: the sum' err");
    expect_usage(RUN("1", "scan", "--checked", "--type=f32"), "--checked is for integers");
    expect_usage(RUN("1", "scan", "--checked", "--reverse"), "without --reverse and --axis");
}

Test(scan_command, append_writes_each_line_with_its_result)
{
    const char *const text = "# x\n\na,b,\"n\"\"1\"\r\n1,x,2\r\n\"u,v\",,\"3\"\n4,,5";
    expect_output(RUN(text, "scan", "--append", "-t,", "-k3", "--header", "--comment=#"),
                  "a,b,\"n\"\"1\",\"sum(n\"\"1)\"\r\n1,x,2,2\r\n\"u,v\",,\"3\",5\n4,,5,10\n");
    expect_output(RUN("a b\n1 2 \n\n 3 4\n", "scan", "--append", "-kb", "--header", "--op=max",
                      "--exclusive", "--init=3"),
                  "a b\tmax(b)\n1 2 \t3\n 3 4\t3\n");
    expect_output(RUN("x\n5\n", "scan", "--append", "--header", "--type=f16"), "x\tsum(x)\n5\t5\n");
    expect_output(RUN("1\n-2", "scan", "--append"), "1\t1\n-2\t-1\n");
    expect_output(RUN("a,1\nb\nc,NA\nd,2\n", "scan", "--append", "-t,", "-k2", "--missing=skip"),
                  "a,1,1\nd,2,3\n");
    expect_output(RUN("a;1,5\nb;\n", "scan", "--append", "-t;", "-k2", "--missing=0", "--decimal=,",
                      "--type=f64"),
                  "a;1,5;1,5\nb;;1,5\n");
    expect_output(RUN("", "scan", "--append", "-k2"), "");
    expect_output(RUN("a b\n", "scan", "--append", "-k2", "--header"), "a b\tsum(b)\n");
    expect_output(RUN("250\n10\n", "scan", "--append", "--type=u8", "--out-type=u64", "--checked"),
                  "250\t250\n10\t260\n");
    write_file("keys", text_blob("1 1 2"));
    expect_output(RUN("a 5\nb 6\nc 7\n", "segscan", "--append", "-k2", "--keys=keys"),
                  "a 5\t5\nb 6\t11\nc 7\t7\n");
}

Test(scan_command, append_refuses_what_it_cannot_do)
{
    expect_usage(RUN("1", "scan", "--append", "--reverse"), "--append and --reverse exclude");
    expect_usage(RUN("1", "scan", "--append", "--axis=0"), "--append and --axis exclude");
    expect_failure(RUN("1", "scan", "--append", "-o", "out.npy"), "which no npy file holds");
    expect_failure(RUN("1 2\n", "scan", "--append", "-o", "out"), "several fields: -k N chooses");
    const char *const ragged[][3] = {
        {"h,x,y\na,1\n", "--header", "line 2: 2 fields, where the header has 3 (results would"},
        {"h,x\na,1\n\nb,2,3\n", "--header", "line 4: 3 fields, where the header has 2 (a separ"},
        {"a,1,2\nb,1\n", "--missing=0", "line 2: 2 fields, where the first line has 3 ("}};
    for (size_t i = 0; i < sizeof ragged / sizeof ragged[0]; i++)
        expect_failure(
            RUN(ragged[i][0], "scan", "--append", "-t,", "-k2", ragged[i][1], "-o", "out"),
            ragged[i][2]);
    expect_shell("seq 300000 | sed 's/$/ 1/; 299999s/$/ x/' >in; seq 300000 >keys;"
                 "! $0 segscan -k2 --append --keys keys in -o out 2>err && grep -q 'in: line "
                 "299999: 3 fields, where the first line has 2 (-t'"
                 " err && rm in keys err");
    expect_failure(RUN("12345678", "scan", "--append", "--format=raw", "--type=u8"),
                   "raw files have no lines and fields");
    expect_failure(RUN("200\n100\n", "scan", "--append", "--type=u8", "--checked", "-o", "out"),
                   "element 2: the sum is beyond u8");
    cr_assert_eq(count_files(), 0);
}

/* Lines of several pieces, blocks and windows, of which one in seven is left out. */
Test(scan_command, append_of_many_pieces_is_awk_s_in_constant_memory)
{
    expect_shell(
        "seq 400000 | sed 's/\\(.*\\)7$/# \\1/; s/^\\([0-9]*\\)\\(.\\)$/\\2\\1 ,\\2/' >in;"
        "awk -F, '!/^#/ { s += $2; print $0 \",\" s }' in >expected;"
        "for threads in 1 5; do $0 scan --append -t, -k2 --comment '#' --threads $threads in |"
        "cmp - expected || exit 1; done; for i in 1 2 3; do cat in in; done >in6");
    const char *const *const arguments =
        ARGUMENTS("scan", "--append", "-t,", "-k2", "--comment=#", "in6", "-o", "out");
    const long kibibytes = most_memory(arguments);
    cr_assert(UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER || kibibytes <= 56 * 1024,
              "%ld KiB", kibibytes);
}

static const char *const eight = "3 1 7 0 4 1 6 3\n";

Test(scan_command, sums_standard_input_by_default)
{
    expect_output(RUN(eight, "scan"), "3\n4\n11\n11\n15\n16\n22\n25\n");
    expect_output(RUN(eight, "scan", "-"), "3\n4\n11\n11\n15\n16\n22\n25\n");
}

Test(scan_command, one_end_of_file_on_a_terminal_is_enough, .timeout = 60)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int line = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    cr_assert(line >= 0);
    const char typed[] = "1 2\n\4";
    cr_assert_eq(write(terminal, typed, sizeof typed - 1), sizeof typed - 1);
    const program_run run = RUN("", "scan", ptsname(terminal));
    expect_output(run, "1\n3\n");
    close(line);
    close(terminal);
}

Test(scan_command, reads_a_file)
{
    write_file("in", text_blob(eight));
    expect_output(RUN("", "scan", "in"), "3\n4\n11\n11\n15\n16\n22\n25\n");
}

Test(scan_command, exclusive_leaves_the_element_itself_out)
{
    expect_output(RUN(eight, "scan", "--exclusive"), "0\n3\n4\n11\n11\n15\n16\n22\n");
}

Test(scan_command, reverse_begins_at_the_end)
{
    expect_output(RUN("1 2 3", "scan", "--reverse"), "6\n5\n3\n");
    expect_output(RUN("1 2 3", "scan", "--reverse", "--exclusive"), "5\n3\n0\n");
}

Test(scan_command, has_every_operator_by_name)
{
    expect_output(RUN("5 3 6", "scan", "--op", "sum"), "5\n8\n14\n");
    expect_output(RUN("5 3 6", "scan", "--op", "product"), "5\n15\n90\n");
    expect_output(RUN("5 3 6", "scan", "--op", "min"), "5\n3\n3\n");
    expect_output(RUN("5 3 6", "scan", "--op", "max"), "5\n5\n6\n");
    expect_output(RUN("5 3 6", "scan", "--op", "and"), "5\n1\n0\n");
    expect_output(RUN("5 3 6", "scan", "--op", "or"), "5\n7\n7\n");
    expect_output(RUN("5 3 6", "scan", "--op", "xor"), "5\n6\n0\n");
}

Test(scan_command, has_every_algorithm_by_name)
{
    for (int i = 0; i < 64; i++) {
        const char *const name = parscan_algorithm_name((parscan_algorithm)i);
        if (name != NULL)
            expect_output(RUN(eight, "scan", "--algorithm", name),
                          "3\n4\n11\n11\n15\n16\n22\n25\n");
    }
}

Test(scan_command, combines_init_first)
{
    expect_output(RUN("1 2 3", "scan", "--init", "10"), "11\n13\n16\n");
    expect_output(RUN("1 2 3", "scan", "--init", "-10", "--exclusive"), "-10\n-9\n-7\n");
    expect_output(RUN("0.5", "scan", "--type", "f32", "--init", "1e-1"), "0.6\n");
}

Test(scan_command, reads_init_in_the_type_of_the_output)
{
    expect_output(RUN("200 200", "scan", "--type", "u8", "--out-type", "u32", "--init", "300"),
                  "500\n700\n");
    expect_usage(RUN("1", "scan", "--type", "u8", "--init", "300"), "--init: 300 does not fit u8");
    expect_usage(RUN("1", "scan", "--init", "many"), "--init: 'many' is not a number");
    expect_usage(RUN("1", "scan", "--init", "1 2"), "--init: ");
    expect_usage(RUN("1", "scan", "--init", ""), "--init: a number is missing");
    expect_usage(RUN("1", "scan", "--init", " 5"), "--init: ' 5' is not a number");
    expect_usage(RUN("1", "scan", "--init", "5 "), "--init: '5 ' is not a number");
}

Test(scan_command, widens_sums_to_the_out_type)
{
    expect_output(RUN("200 200", "scan", "--type", "u8"), "200\n144\n");
    expect_output(RUN("200 200", "scan", "--type", "u8", "--out-type", "u64"), "200\n400\n");
}

Test(scan_command, takes_the_shape_of_a_block)
{
    expect_output(
        RUN(eight, "scan", "--algorithm", "three-phase", "--block-threads", "2", "--items", "2"),
        "3\n4\n11\n11\n15\n16\n22\n25\n");
}

Test(scan_command, options_that_do_not_go_together_are_wrong_usage)
{
    const char *const wrong[][3] = {
        {"--algorithm=warp", "--block-threads=7", "parscan: --block-threads 7: a warp scan"},
        {"--algorithm=warp", "--items=3", "parscan: --items 3: a warp scan"},
        {"--quiet", "--block-threads=4", "--block-threads 4: it must be 0 unless"},
        {"--quiet", "--items=4", "parscan: --items 4: it must be 0 unless"},
        {"--type=f32", "--op=xor", "parscan: --op xor is for integers only"},
        {"--type=f32", "--out-type=u8", "--out-type u8: a sum of type = f32"},
        {"--out-type=u8", "--op=max", "only --op sum may widen, --op max"},
        {"--algorithm=warp", "--reproducible", "parscan: --reproducible with --algorithm warp"},
        {"--quiet", "--threads=5000", "parscan: --threads 5000: it must be at most"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_usage(RUN(eight, "scan", wrong[i][0], wrong[i][1]), wrong[i][2]);
}

Test(scan_command, wrong_usage_is_found_before_the_input_is_read)
{
    expect_usage(RUN("1 x", "scan", "--items=3"), "--items 3");
    expect_usage(RUN("1 x", "scan", "--init=x"), "--init: 'x'");
    expect_usage(RUN("", "scan", "--type=f32", "--op=xor", "no-such-file"), "--op xor");
    const blob cut =
        npy_blob(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "", 0);
    expect_usage(run_arguments(cut, ARGUMENTS("scan", "--op=xor")), "type = f32");
}

Test(scan_command, reproducible_is_taken)
{
    expect_output(RUN("1 2", "scan", "--reproducible"), "1\n3\n");
    expect_output(RUN("0.5 2", "scan", "--reproducible", "--type", "f64"), "0.5\n2.5\n");
}

Test(scan_command, runs_in_any_number_of_threads)
{
    expect_output(RUN(eight, "scan", "--threads", "1"), "3\n4\n11\n11\n15\n16\n22\n25\n");
    expect_output(RUN(eight, "scan", "--threads", "3"), "3\n4\n11\n11\n15\n16\n22\n25\n");
}

static void expect_stats(program_run run, const char *threads)
{
    cr_assert_eq(run.status, 0);
    double seconds, rate;
    int end = 0;
    sscanf(run.err.bytes, "parscan: 8 elements, %lf s, %lf GB/s, cpu, %n", &seconds, &rate, &end);
    cr_assert_str_eq(run.err.bytes + end, threads);
}

Test(scan_command, stats_tell_elements_time_rate_engine_and_threads)
{
    expect_stats(RUN(eight, "scan", "--stats", "--threads", "2", "--backend", "cpu"),
                 "up to 2 threads\n");
    expect_stats(RUN(eight, "scan", "--stats", "--threads", "1", "--backend", "cpu"), "1 thread\n");
    expect_stats(RUN(eight, "scan", "--stats", "--threads", "2", "--algorithm", "sequential"),
                 "1 thread\n");
}

Test(scan_command, quiet_changes_nothing_off_a_terminal)
{
    expect_output(RUN("1 2", "scan", "--quiet"), "1\n3\n");
}

Test(scan_command, scans_nothing_to_nothing)
{
    expect_output(RUN("", "scan"), "");
    expect_output(RUN(" \n\n", "scan", "--exclusive"), "");
    expect_output(RUN("", "scan", "--format", "raw", "--type", "f64"), "");
}

Test(scan_command, an_engine_that_is_not_there_is_a_failure)
{
    const program_run run = RUN("1", "scan", "--backend", "cuda");
    if (run.status != 0)
        expect_failure(run, "cuda");
}
