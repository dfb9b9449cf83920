/* parscan bin and parscan expand: groups of entries, and their inverse. */
#include "tests/apps/cli/run_program.h"

#include <criterion/criterion.h>

TestSuite(bin_command, .init = enter_folder, .fini = leave_folder);
TestSuite(expand_command, .init = enter_folder, .fini = leave_folder);

Test(bin_command, orders_entries_by_their_bins)
{
    const char *const edges = "0 1\n2 1\n0 2\n3 9\n2 0\n";
    expect_output(RUN(edges, "bin", "-k1", "--offsets-output=off"), "0 1\n0 2\n2 1\n2 0\n3 9\n");
    expect_content("off", "0\n2\n2\n4\n5\n");
    expect_output(RUN("3\n1\n3\n0\n", "bin"), "3\n1\n0\n2\n");
    expect_output(RUN("3\n1\n3\n0\n", "bin", "--bins=3", "--offsets-output=off"), "3\n1\n");
    expect_content("off", "0\n1\n2\n2\n");
    write_file("v", text_blob("0.5\n1.5\n2.5\n"));
    expect_output(RUN("3\n1\n3\n", "bin", "--values=v", "--values-type=f32"), "1.5\n0.5\n2.5\n");
    expect_output(RUN("f,t\n1,a\n0,b\n", "bin", "-t,", "-kf", "--header"), "f,t\n0,b\n1,a\n");
    expect_output(RUN("", "bin", "--bins=2", "--offsets-output=off"), "");
    expect_content("off", "0\n0\n0\n");
    expect_output(RUN("", "bin"), "");
    expect_failure(RUN("1\n-2\n", "bin", "--type=i32"), "element 2: a bin cannot be negative: -2");
    expect_failure(RUN("99999999999\n", "bin"), "bin 99999999999 is too large");
    expect_failure(RUN("7\n-128\n", "bin", "--type=i8", "-k1", "--bins=9"),
                   "element 2: a bin cannot be negative: -128");
    expect_failure(RUN("1.5\n", "bin"), "standard input: line 1: 1.5 is not an integer\n");
    expect_failure(RUN("1.5\n", "bin", "-k1"), "line 1: field 1: 1.5 is not an integer\n");
    expect_failure(RUN("1\n", "bin", "--values=v"),
                   "v: line 1: 0.5 is not an integer (--values-type f64");
    expect_usage(RUN("1\n", "bin", "--type=f32"), "bins must be integers, the type is f32");
    expect_usage(RUN("1\n", "bin", "--bins=4294967297"), "is more than 4294967296");
    expect_usage(RUN("1\n", "bin", "--offsets-output=-"), "cannot both go to standard output");
    expect_usage(RUN("1\n", "bin", "-k1", "--values=v"), "--values is for elements without fields");
    expect_failure(RUN("1 2\n", "bin", "-k1", "-o", "out.npy"), "the output is lines of text");
}

Test(bin_command, names_the_bin_that_needs_the_memory)
{
    if (UNDER_SANITIZER)
        cr_skip_test("a sanitizer needs more address space than any limit allows\n");
    expect_shell("ulimit -v 16000000; ! echo 4294967295 | $0 bin 2>words &&"
                 "grep -q 'input: out of memory for 4294967296 bins, as the largest one needs "
                 "(--bins N' words");
}

Test(expand_command, refuses_a_sum_beyond_a_file)
{
    expect_failure(RUN("3\n18446744073709551615\n18446744073709551615\n", "expand"),
                   "standard input: element 2: the sum of the sizes is more than "
                   "9223372036854775807: 18446744073709551615 is -1, read as u64");
    expect_failure(RUN("a\n1\n9223372036854775807\n", "expand", "--header", "-ka", "-o", "out"),
                   "standard input: line 3: the sum of the sizes is more than "
                   "9223372036854775807: 9223372036854775807 is one of them");
}

Test(expand_command, repeats_by_sizes)
{
    expect_output(RUN("2 0 1 3", "expand"), "0\n0\n2\n3\n3\n3\n");
    expect_output(RUN("2 0 1 3", "expand", "--ranks"), "0\n1\n0\n0\n1\n2\n");
    write_file("v", text_blob("0.5\n1.5\n2.5\n"));
    expect_output(RUN("2\n0\n1\n", "expand", "--values=v", "--values-type=f32"), "0.5\n0.5\n2.5\n");
    expect_output(RUN("n,w\n2,a\n0,b\n1,c\n", "expand", "-t,", "-kn", "--header"),
                  "n,w\n2,a\n2,a\n1,c\n");
    expect_output(RUN("", "expand"), "");
    expect_failure(RUN("1\n2\n", "expand", "--values=v", "--values-type=f32"),
                   "v: 3 values for the 2 elements");
    expect_failure(RUN("1\n2\n1\n1\n", "expand", "--values=v", "--values-type=f32"),
                   "v: 3 values for the 4 elements");
    expect_failure(RUN("1\n-2\n", "expand", "--type=i8"),
                   "element 2: a size cannot be negative: -2");
    expect_usage(RUN("1\n", "expand", "--type=f32"), "sizes must be integers");
    expect_usage(RUN("1\n", "expand", "--ranks", "-k1"), "--ranks and -k exclude each other");
    expect_usage(RUN("1\n", "expand", "--values=v", "-k1"), "--values is for sizes without fields");
}

/* Sizes of more slots, and more sizes, than are made at once. */
Test(expand_command, large_sizes_are_made_in_parts, .disabled = UNDER_THREAD_SANITIZER)
{
    expect_shell("echo 600000 0 1 300000 | $0 expand --ranks >ranks;"
                 "(seq 0 599999; echo 0; seq 0 299999) | cmp - ranks &&"
                 "seq 0 399999 >numbers && (yes 1 | head -n 400000) | $0 expand | cmp - numbers &&"
                 "(yes 1 | head -n 400000) | $0 expand --values numbers | cmp - numbers");
}
