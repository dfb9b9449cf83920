/* parscan depth: how many intervals cover each place. */
#include "tests/apps/cli/run_program.h"

#include <criterion/criterion.h>

TestSuite(depth_command, .init = enter_folder, .fini = leave_folder);

Test(depth_command, tells_where_the_number_of_intervals_changes)
{
    expect_output(RUN("1 5\n3 8\n3 4\n", "depth"), "1\t1\n3\t3\n4\t2\n5\t1\n8\t0\n");
    /* Where one ends another begins; an empty one; what covers nothing between two. */
    expect_output(RUN("1 5\n5 5\n5 7\n9 10", "depth"), "1\t1\n7\t0\n9\t1\n10\t0\n");
    expect_output(RUN("2 2\n", "depth"), "");
    expect_output(RUN("", "depth"), "");
    expect_output(RUN("a,-3,x,4\nb,-3,y,-1\n", "depth", "-t,", "-k2", "--until=4"),
                  "-3,2\n-1,1\n4,0\n");
    expect_output(RUN("-0 0.5\n0 1\n0.25 inf\n", "depth", "--type=f64"),
                  "0\t2\n0.25\t3\n0.5\t2\n1\t1\ninf\t0\n");
    write_file("a", text_blob("1 4\n"));
    write_file("b", text_blob("2 3\n"));
    expect_output(RUN("", "depth", "a", "b"), "1\t1\n2\t2\n3\t1\n4\t0\n");
}

Test(depth_command, counts_each_word_on_its_own)
{
    expect_output(RUN("chr2\t1\t9\nchr2\t5\t7\nchr10\t2\t3\n", "depth", "-g1", "-k2", "--until=3"),
                  "chr2\t1\t1\nchr2\t5\t2\nchr2\t7\t1\nchr2\t9\t0\nchr10\t2\t1\nchr10\t3\t0\n");
    expect_output(RUN("who,\"a,b\",to\r\n\"x,y\",\"1\",\"5\"\r\nz,0,2\r\n", "depth", "-t,",
                      "--header", "--by=who", "-k", "a,b", "--until=to"),
                  "who,\"a,b\",depth\n\"x,y\",1,1\n\"x,y\",5,0\nz,0,1\nz,2,0\n");
    expect_failure(
        RUN("a 1 2\nb 1 2\na 3 4\n", "depth", "-g1", "-k2", "--until=3", "-o", "out"),
        "standard input: line 3: the lines of 'a' are not together (parscan sort -k 1:word -k 2 "
        "sorts lines)");
    cr_assert_eq(count_files(), 0);
}

/* The command that helps has the fields that were chosen. */
Test(depth_command, tells_how_lines_are_sorted)
{
    write_file("in", text_blob("chr1\t9\t12\nchr2\t1\t3\nchr1\t7\t9\n"));
    expect_failure(RUN("", "depth", "-g1", "-k2", "in", "-o", "out"),
                   "in: line 3: the lines of 'chr1' are not together (parscan sort -k 1:word -k 2 "
                   "sorts lines)");
    expect_failure(
        RUN("x 3 4\nx 1 2\n", "depth", "-g1", "-k2", "-o", "out"),
        "line 2: 1 is not in order: it comes after 3 (parscan sort -k 1:word -k 2 sorts lines)");
    expect_failure(
        RUN("", "depth", "-k2", "in", "-o", "out"),
        "in: line 2: 1 is not in order: it comes after 9 (parscan sort -k 2 sorts lines)");
    expect_failure(
        RUN("who,a b,c\nx,3,4\nx,1,2\n", "depth", "--header", "-t,", "-gwho", "-ka b", "-o", "out"),
        "line 3: 1 is not in order: it comes after 3 (parscan sort -k who:word -k 'a b', with "
        "the other options that are given here, sorts lines)");
    cr_assert_eq(count_files(), 1);
    expect_shell("$0 sort -k 1:word -k 2 in | $0 depth -g 1 -k 2 >out && grep -q 'chr1.7.1' out");
}

Test(depth_command, ends_where_the_next_field_says)
{
    expect_output(RUN("x 1 5\nx 2 9\n", "depth", "-g1", "-k2"),
                  "x\t1\t1\nx\t2\t2\nx\t5\t1\nx\t9\t0\n");
    expect_output(RUN("w,from,to\nx,1,5\n", "depth", "--header", "-t,", "-kfrom"),
                  "from,depth\n1,1\n5,0\n");
    expect_usage(RUN("1 5\n", "depth", "-k2", "--until=2"), "-k and --until are the same field, 2");
    expect_failure(RUN("a b\n1 5\n", "depth", "--header", "-kb", "--until=2", "-o", "out"),
                   "-k and --until are the same field, 2");
    expect_failure(RUN("a b\n1 5\n", "depth", "--header", "-kb", "--missing=skip", "-o", "out"),
                   "the header has no field 3 for --until");
    expect_failure(RUN("1 5\n", "depth", "-k2", "-o", "out"),
                   "line 1: field 3: a value is missing");
    cr_assert_eq(count_files(), 0);
}

Test(depth_command, takes_tables_as_they_are)
{
    expect_output(RUN("track x\n0,5;4\n\n1;NA\n2\n2;3\n", "depth", "-t;", "--comment=track",
                      "--decimal=,", "--type=f64", "--missing=skip"),
                  "0,5;1\n2;2\n3;1\n4;0\n");
    expect_output(RUN("begin\tend\n", "depth", "--header"), "begin\tdepth\n");
    expect_output(RUN("1 -1\n\n", "depth", "-k2", "--until=1"), "-1\t1\n1\t0\n");
}

Test(depth_command, refuses_in_words_what_is_no_interval)
{
    const char *const cases[][2] = {
        {"1 5\n2\n", "line 2: field 2: a value is missing"},
        {"1 5\n2 x\n", "line 2: field 2: 'x' is not a number"},
        {"1 5\nx 2\n", "line 2: field 1: 'x' is not a number"},
        {"1 5\n3 2\n", "line 2: the interval ends before it begins: field 1 is 3, field 2 is 2"},
        {"7 9\n\n-3 8\n",
         "line 3: -3 is not in order: it comes after 7 (parscan sort -k 1 sorts lines)"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_failure(RUN(cases[i][0], "depth", "-o", "out"), cases[i][1]);
    expect_failure(RUN("1 2\n", "depth", "-g3", "-o", "out"), "line 1: field 3: a word is missing");
    expect_failure(RUN("a b\n1 2\n", "depth", "--header", "--until=c", "-o", "out"),
                   "line 1: the header has no field 'c': a b");
    expect_failure(RUN("a b\n1 2\n", "depth", "--header", "-gc", "--until=b", "-o", "out"),
                   "the header has no field 'c': a b");
    expect_failure(RUN("1 2\n", "depth", "-o", "out.npy"),
                   "out.npy: the output is lines of text, which no npy file holds");
    expect_failure(RUN("1 nan\n", "depth", "--type=f64", "-o", "out"),
                   "line 1: NaN is no place: field 1 is 1, field 2 is nan");
    expect_failure(
        RUN("a b\nnan 2.5\n", "depth", "--type=f64", "--header", "--until=b", "-ka", "-o", "out"),
        "line 2: NaN is no place: field 'a' is nan, field 'b' is 2.5");
    expect_output(RUN("5 18446744073709551615\n", "depth", "--type=u64"),
                  "5\t1\n18446744073709551615\t0\n");
    expect_usage(RUN("1 2\n", "depth", "--until=b"), "--until: 'b' is not the number of a field");
    cr_assert_eq(count_files(), 0);
}

/* Of a sort, in one line; several reads, and words that end within them. */
Test(depth_command, of_many_intervals_is_awk_s_in_constant_memory)
{
    expect_shell("seq 150000 | awk '{ print $1 * 7919 % 99991, $1 % 300 }' |"
                 "awk '{ print \"chr\" int($1 / 40000), $1, $1 + $2 }' >in;"
                 "$0 sort -k2 in >sorted; $0 depth -k2 --until 3 sorted >all;"
                 "awk '{ print $2, 1; print $3, -1 }' in | $0 group -g1 -k2 |"
                 "$0 compact -k2 | $0 scan -k2 --append | cut -f1,3 | cmp - all;"
                 "$0 depth -g1 -k2 --until 3 sorted | cut -f1 | uniq | tr '\\n' ' ' |"
                 "grep -qx 'chr0 chr1 chr2 ' && for i in 1 2 3 4; do cat sorted; done |"
                 "$0 sort -k2 >four");
    const long kibibytes = most_memory(ARGUMENTS("depth", "-k2", "--until=3", "four", "-o", "out"));
    cr_assert(UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER || kibibytes <= 16 * 1024,
              "%ld KiB", kibibytes);
}
