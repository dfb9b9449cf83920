/* parscan join and search: what two files have in common. */
#include "tests/apps/cli/run_program.h"

#include <criterion/criterion.h>

TestSuite(join_command, .init = enter_folder, .fini = leave_folder);
TestSuite(search_command, .init = enter_folder, .fini = leave_folder);

static const char *const left = "k,a\n1,x\n2,y\n3,z\n1,w\n";

static void write_right(void)
{
    write_file("r", text_blob("b,k,c\n\"p,q\",1,P\nq,3,Q\nr,1,R\n"));
}

Test(join_command, has_four_kinds)
{
    write_right();
    expect_output(RUN(left, "join", "-t,", "-kk", "--header", "-", "r"),
                  "k,a,b,c\n1,x,\"p,q\",P\n1,x,r,R\n3,z,q,Q\n1,w,\"p,q\",P\n1,w,r,R\n");
    expect_output(RUN(left, "join", "-t,", "-kk", "--header", "--kind=left", "-", "r"),
                  "k,a,b,c\n1,x,\"p,q\",P\n1,x,r,R\n2,y,,\n3,z,q,Q\n1,w,\"p,q\",P\n1,w,r,R\n");
    expect_output(RUN(left, "join", "-t,", "-kk", "--header", "--kind=semi", "-", "r"),
                  "k,a\n1,x\n3,z\n1,w\n");
    expect_output(RUN(left, "join", "-t,", "-kk", "--header", "--kind=anti", "-", "r"),
                  "k,a\n2,y\n");
    write_file("s", text_blob("2 two\r\n3 three\r\n"));
    expect_output(RUN("a 1\nb 2\r\n", "join", "-k2", "--other-field=1", "--kind=left", "-", "s"),
                  "a 1\tNA\nb 2\ttwo\n");
    expect_output(RUN("02\n2.\n", "join", "-k1", "-", "s"), "");
    expect_output(RUN("", "join", "-k1", "s", "-"), "");
}

/* The lines of one key of many, and keys that are not there, against the program of POSIX. */
Test(join_command, of_many_lines_is_join_s, .disabled = UNDER_THREAD_SANITIZER)
{
    expect_shell(
        "seq 60000 | awk '{ print ($1 * 7919) % 10007, $1 }' >a;"
        "seq 9000 | awk '{ print \"b\" $1, ($1 * 31) % 5003 * 2 }' >b;"
        "LC_ALL=C sort -k1,1 a >as; LC_ALL=C sort -k2,2 b >bs;"
        "LC_ALL=C join -1 1 -2 2 as bs | LC_ALL=C sort >expected;"
        "$0 join -k1 --other-field 2 a b | tr '\\t' ' ' | LC_ALL=C sort | cmp - expected &&"
        "LC_ALL=C join -v 1 -1 1 -2 2 as bs | LC_ALL=C sort >expected;"
        "$0 join -k1 --other-field 2 --kind anti a b | LC_ALL=C sort | cmp - expected");
}

/* A line with more or fewer fields would put words under other names. */
Test(join_command, takes_lines_of_as_many_fields_as_the_first_one)
{
    write_file("p", text_blob("id,n,c\n1,A,R\n2,B\n3\n"));
    write_file("q", text_blob("id,age,x\n1,\"3,0\",u\n2,40\n3,50,v\n"));
    write_file("long", text_blob("id,n\n1,\"a,b\"\n2,a,b\n"));
    expect_failure(RUN("", "join", "-t,", "-k1", "--header", "p", "p"),
                   "p: line 3: 2 fields, where the header has 3 (--missing skip leaves such lines "
                   "out, --missing 0 adds empty fields)");
    expect_failure(RUN("id\n2\n", "join", "-t,", "-kid", "--header", "-", "q"),
                   "q: line 3: 2 fields, where the header has 3 (");
    expect_output(RUN("", "join", "-t,", "-kid", "--header", "--missing=skip", "p", "q"),
                  "id,n,c,age,x\n1,A,R,\"3,0\",u\n");
    expect_output(RUN("", "join", "-t,", "-kid", "--header", "--missing=0", "p", "q"),
                  "id,n,c,age,x\n1,A,R,\"3,0\",u\n2,B,,40,\n3,,,50,v\n");
    expect_output(
        RUN("id\n2\n", "join", "-t,", "-k1", "--header", "--missing=skip", "--kind=left", "-", "q"),
        "id,age,x\n2,,\n");
    expect_output(RUN("", "join", "-t,", "-kid", "--header", "--kind=semi", "p", "q"),
                  "id,n,c\n1,A,R\n2,B\n3\n");
    expect_failure(RUN("", "join", "-t,", "-k1", "--header", "--missing=0", "long", "q"),
                   "long: line 3: 3 fields, where the header has 2 (a separator in a field?");
    expect_failure(RUN("1 a\n2 b \n\n 3 c d\n", "join", "-k1", "--kind=left", "-", "q"),
                   "standard input: line 4: 3 fields, where the first line has 2 (-t C, if");
    expect_output(RUN("1 a\n2\n", "join", "-k1", "--missing=0", "--kind=left", "-", "q"),
                  "1 a\n2\tNA\n");
}

Test(join_command, refuses_what_it_cannot_join)
{
    write_right();
    expect_usage(RUN("", "join", "-k1", "r"), "two FILEs are needed, not 1");
    expect_usage(RUN("", "join", "-k1", "-", "-"), "FILE and FILE2 cannot both be standard input");
    expect_usage(RUN("", "join", "-k1", "--type=u8", "-", "r"), "--type: join compares words");
    expect_usage(RUN("", "join", "-k1", "--flatten", "-", "r"), "--flatten is for npy arrays");
    expect_usage(RUN("", "join", "-k1", "--other-field=b", "-", "r"),
                 "--other-field: 'b' is not the number of a field");
    expect_failure(
        RUN(left, "join", "-t,", "-ka", "--header", "-", "r"),
        "r: line 1: the header has no field 'a': b,k,c (--other-field, if it has another "
        "place or name in FILE2)");
    expect_failure(RUN(left, "join", "-t,", "-kx", "--header", "-", "r", "-o", "out"),
                   "standard input: line 1: the header has no field 'x': k,a");
    expect_failure(RUN(left, "join", "-t,", "-kk", "--other-field=x", "--header", "-", "r"),
                   "r: line 1: the header has no field 'x': b,k,c");
    expect_failure(RUN(left, "join", "-t,", "-k1960", "--header", "-", "r"),
                   "standard input: line 1: the header has no field 1960: k,a");
    expect_failure(RUN("1\n", "join", "-t,", "-k2", "-", "r"),
                   "standard input: line 1: field 2: a word is missing");
    write_file("one", text_blob("1\n"));
    expect_failure(RUN("a 1\n", "join", "-k2", "-", "one"),
                   "one: line 1: field 2: a word is missing (--missing skip leaves such lines out, "
                   "--missing 0 reads an empty one) (--other-field, if it has another place or "
                   "name in FILE2)");
    expect_shell("seq 3 >b; $0 join r b >>b 2>err; grep -q 'b: the output is the input' err");
}

Test(search_command, finds_bounds_and_counts)
{
    write_file("s", text_blob("1 5 5 9"));
    expect_output(RUN("0\n5\n9\n10\n", "search", "--in=s"), "0\n1\n3\n4\n");
    expect_output(RUN("0\n5\n9\n10\n", "search", "--in=s", "--upper"), "0\n3\n4\n4\n");
    expect_output(RUN("a 5\nb 6\n", "search", "--in=s", "--count", "-k2"), "2\n0\n");
    expect_output(RUN("nan inf 5", "search", "--in=s", "--type=f32"), "4\n4\n1\n");
    write_file("t", text_blob("1 5 4"));
    expect_failure(RUN("1", "search", "--in=t"),
                   "t: element 3: 4 is not in order: it comes after 5 (parscan sort sorts it)");
    expect_failure(RUN("1", "search", "--in=none"), "none: ");
    expect_usage(RUN("1", "search"), "--in SORTED is needed");
    expect_usage(RUN("1", "search", "--in=s", "--upper", "--count"), "exclude each other");
    expect_shell("seq 700000 >u; seq 3 7 700000 >q; $0 search --in u --upper q | cmp - q");
}
