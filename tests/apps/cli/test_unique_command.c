/* parscan unique, parscan check, and sort with --unique and --check. */
#include "tests/apps/cli/run_program.h"

#include <criterion/criterion.h>

TestSuite(unique_command, .init = enter_folder, .fini = leave_folder);
TestSuite(check_command, .init = enter_folder, .fini = leave_folder);

Test(unique_command, writes_each_element_where_it_is_first)
{
    expect_output(RUN("3 1 3 2 1", "unique"), "3\n1\n2\n");
    expect_output(RUN("0 -0 nan 1 -nan 0", "unique", "--type=f64"), "0\nnan\n1\n");
    const char *const zeros[] = {"f64", "f32", "f16", "bf16"};
    for (int i = 0; i < 4; i++) { /* as --count writes it */
        expect_output(RUN("-0 1 0", "unique", "--type", zeros[i]), "0\n1\n");
        expect_output(RUN("-0 1 0", "unique", "--count", "--type", zeros[i]), "2\t0\n1\t1\n");
    }
    expect_output(RUN("\3\1\3", "unique", "--format=raw", "--type=u8"), "\3\1");
    expect_output(RUN("", "unique"), "");
    expect_output(RUN("3 a\n1 b\n3 c\n", "unique", "-k1"), "3 a\n1 b\n");
    expect_output(RUN("n m\n3 a\n1 a\n3 c\n", "unique", "-w", "-km", "--header"),
                  "n m\n3 a\n3 c\n");
    expect_output(RUN("b a b\na c\n", "unique", "--words"), "b\na\nc\n");
}

Test(unique_command, counts)
{
    expect_output(RUN("3 1 3 -2 1", "unique", "--count"), "1\t-2\n2\t1\n2\t3\n");
    expect_output(RUN("2.5 nan -0 0 nan", "unique", "--count", "--type=f32"),
                  "2\t0\n1\t2.5\n2\tnan\n");
    expect_output(RUN("x,3\ny,1\nz,3\n", "unique", "--count", "-k2", "-t,"), "1,1\n2,3\n");
    expect_output(RUN("x,3\ny,1\nx,3\n", "unique", "--count", "-k1", "-t,", "-w"), "2,x\n1,y\n");
    expect_output(
        RUN("w\n\"x,y\"\n\"p\"\"q\"\n", "unique", "-w", "--count", "-t,", "--header", "-kw"),
        "1,\"p\"\"q\"\n1,\"x,y\"\n");
    expect_output(RUN("\"x y\" 5\"6\"\n", "unique", "-w", "--count", "-k1", "--quotes=csv"),
                  "1\t\"x y\"\n");
    expect_output(RUN("5\"6\",1\n", "unique", "-w", "--count", "-k1", "-t,"), "1,\"5\"\"6\"\"\"\n");
    expect_output(RUN("", "unique", "--count"), "");
    expect_output(RUN("\3\1\3", "unique", "--format=raw", "--type=u8", "--count"), "1\t1\n2\t3\n");
    expect_usage(RUN("", "unique", "--words", "--type=u8"), "exclude each other");
    expect_failure(RUN("1 x", "unique", "--count", "-o", "out"), "'x' is not a number");
    cr_assert_eq(count_files(), 0);
}

Test(unique_command, of_many_elements_is_awk_s)
{
    expect_shell("seq 0 59999 | awk '{ print $1 * 7919 % 30011 }' >in;"
                 "awk '!seen[$0]++' in >expected; $0 unique in | cmp - expected &&"
                 "$0 unique -w in | cmp - expected && $0 unique -k1 in | cmp - expected &&"
                 "sort -n in | uniq -c | awk '{ print $1 \"\\t\" $2 }' >expected &&"
                 "$0 unique --count in | cmp - expected");
}

Test(unique_command, sort_keeps_the_first_of_equal_elements)
{
    expect_output(RUN("3 1 3 2 1", "sort", "-u"), "1\n2\n3\n");
    expect_output(RUN("3 1 3 2 1", "sort", "-ru", "-S16M"), "3\n2\n1\n");
    expect_output(RUN("3 a\n1 b\n3 c\n", "sort", "-uk1"), "1 b\n3 a\n");
    expect_shell("seq 0 59999 | awk '{ print $1 % 1000 }' >in;"
                 "for i in 1 2 3; do cat in in >more; cat more >>in; done;"
                 "sort -nu in >expected; $0 sort -u -S 16M in -o out --output-format text &&"
                 "cmp out expected");
    expect_usage(RUN("", "sort", "-u", "--argsort"), "--unique and --argsort exclude each other");
    expect_usage(RUN("", "sort", "-u", "--end-bit=3"), "a range of bits exclude each other");
}

Test(check_command, tells_the_first_that_is_not_in_order)
{
    expect_output(RUN("1 2 2 3", "check"), "");
    expect_output(RUN("", "check"), "");
    expect_output(RUN("-inf -0 0 inf nan nan", "check", "--type=f64"), "");
    expect_output(RUN("3 2 2", "check", "-r"), "");
    expect_output(RUN("b 1\na 2\n", "check", "-k2"), "");
    expect_failure(RUN("1 3 2", "check"),
                   "parscan: standard input: element 3: 2 is not in order: it comes after 3\n");
    expect_failure(RUN("1 2 2", "check", "--strict"), "element 3: 2 is not in order");
    expect_failure(RUN("0 -0", "check", "--type=f64"), "element 2: -0 is not in order");
    expect_failure(RUN("n\n# 1\n5 x\n\n4 y\n", "check", "-k1", "--header", "--comment=#"),
                   "line 5: 4 is not in order: it comes after 5");
    expect_failure(RUN("1 2", "check", "--descending"), "element 2: 2 is not in order");
    expect_usage(RUN("", "check", "-o", "out"), "check writes nothing");
}

Test(check_command, is_sort_s_too)
{
    expect_output(RUN("1 2 2 3", "sort", "-c"), "");
    expect_failure(RUN("1 2 2", "sort", "-cu"), "element 3: 2 is not in order");
    expect_usage(RUN("", "sort", "-c", "--argsort"), "--check goes with");
}

Test(check_command, of_many_pieces_names_the_line)
{
    expect_shell("seq 400000 >in; echo 7 >>in; seq 8 9 >>in; $0 check in 2>err; [ $? = 1 ] &&"
                 "grep -q 'element 400001: 7 is not in order: it comes after 400000' err &&"
                 "$0 check -k1 in 2>err; [ $? = 1 ] && grep -q 'line 400001: 7' err");
}
