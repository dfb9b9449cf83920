/* parscan merge and sort -m: one sorted file of many; and several files as one input. */
#include "tests/apps/cli/run_program.h"

#include <stdio.h>

#include <criterion/criterion.h>

TestSuite(merge_command, .init = enter_folder, .fini = leave_folder);

static void write_text(const char *name, const char *text)
{
    write_file(name, text_blob(text));
}

Test(merge_command, merges_elements_and_lines)
{
    write_text("a", "1 3 3 9");
    write_text("b", "3 4\n");
    expect_output(RUN("2 5", "merge", "a", "-", "b"), "1\n2\n3\n3\n3\n4\n5\n9\n");
    expect_output(RUN("2 5", "sort", "-m", "-u", "-", "b", "a"), "1\n2\n3\n4\n5\n9\n");
    expect_output(RUN("nan 2 -1", "merge", "-r", "--type=f64", "-", "-"), "nan\n2\n-1\n");
    expect_output(RUN("", "merge"), "");
    write_text("a.csv", "n,v\nx,1\ny,3\n");
    write_text("b.csv", "n,v\nz,1\n");
    expect_output(RUN("", "merge", "-t,", "-kv", "--header", "a.csv", "b.csv"),
                  "n,v\nx,1\nz,1\ny,3\n");
    expect_output(RUN("", "merge", "-u", "-t,", "-kv", "--header", "b.csv", "a.csv"),
                  "n,v\nz,1\ny,3\n");
    expect_done(RUN("", "merge", "-o", "m.npy", "a", "b"));
    expect_done(RUN("", "merge", "-o", "mm.npy", "m.npy", "m.npy"));
    expect_output(RUN("", "reduce", "--op=count,sum", "mm.npy"), "12\t46\n");
}

/* Files that end early and late, in a hundred; parts of them are merged at a time. */
Test(merge_command, of_many_files_is_sort_s, .disabled = UNDER_THREAD_SANITIZER)
{
    expect_shell("i=1; while [ $i -le 100 ]; do seq $((i * i)) $i 9000 | sed 's/$/ '$i/ >f$i; "
                 "i=$((i + 1)); done;"
                 "seq -f '%.0f 0' 3 400000 >g; seq -f '%.0f x' 1 2 900000 >h;"
                 "sort -s -n -k1,1 -m g f? f?? f100 h >expected;"
                 "$0 merge -k1 g f? f?? f100 h | cmp - expected &&"
                 "cut -d' ' -f1 g >gn && cut -d' ' -f1 h >hn && sort -n -m gn hn >expected &&"
                 "$0 sort -m hn gn | cmp - expected &&"
                 "$0 sort gn hn | cmp - expected");
}

Test(merge_command, refuses_what_is_not_sorted)
{
    write_text("a", "1\n4\n3\n");
    expect_failure(RUN("2", "merge", "-", "a"),
                   "a: element 3: 3 is not in order: it comes after 4");
    expect_failure(RUN("2", "merge", "-k1", "-", "a"), "a: line 3: 3 is not in order");
    expect_failure(RUN("1 2", "merge", "-r"), "standard input: element 2: 2 is not in order");
    expect_failure(RUN("1", "merge", "-", "none"), "none: ");
    expect_usage(RUN("1", "sort", "-m", "--argsort"), "--merge goes with -r, -u");
    expect_shell("seq 3 >b; $0 merge b b >>b 2>err; grep -q 'b: the output is the input' err");
    expect_content("b", "1\n2\n3\n");
}

/* Headers are equal that have the same names, however they are written; else the first one that differs is told. */
Test(merge_command, headers_are_compared_by_names)
{
    const char *const equal[] = {"\"a \"\"q\"\"\",\"b\"\nx,3\n", " \"a \"\"q\"\"\" , b \r\nx,3\n",
                                 "a \"q\",b\nx,3"};
    const struct {
        const char *text, *message;
    } other[] = {
        {"a \"q\",m\n", "line 1: the header is another one than that of the first file: field 2 is "
                        "'m', in the first file field 2 is 'b'"},
        {"a \"q\"\n", "there is no field 2, in the first file field 2 is 'b'"},
        {"a \"q\",b,c\n", "field 3 is 'c', in the first file there is no field 3"},
        {"A \"q\",b,c\n", "field 1 is 'A \"q\"', in the first file field 1 is '\"a \"\"q\"\"\"'"},
        {"x,4\n",
         "field 1 is 'x', in the first file field 1 is '\"a \"\"q\"\"\"' (a file without a "
         "header? every file needs the same one)"}};
    write_text("a", "\"a \"\"q\"\"\",b\nx,1\n");
    for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++) {
        write_text("b", equal[i]);
        expect_output(RUN("", "reduce", "-t,", "--header", "-kb", "a", "b"), "4\n");
        expect_output(RUN("", "merge", "-t,", "--header", "-kb", "a", "b"),
                      "\"a \"\"q\"\"\",b\nx,1\nx,3\n");
    }
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        write_text("b", other[i].text);
        expect_failure(RUN("", "reduce", "-t,", "--header", "-kb", "a", "b", "-o", "out"),
                       other[i].message);
    }
    write_text("c", " k v \n1 5\n");
    expect_output(RUN("k\tv\n1 2\n", "reduce", "--header", "-kv", "-", "c"), "7\n");
}

/* The elements of several files are those of one. */
Test(merge_command, several_files_are_one_input)
{
    write_text("a", "n v\nx 3\ny 1\n");
    write_text("b", "n v\nz 2");
    expect_output(RUN("", "sort", "-kv", "--header", "a", "b"), "n v\ny 1\nz 2\nx 3\n");
    expect_output(RUN("n v\r\nw 0\n", "sort", "-kv", "--header", "b", "-"), "n v\nw 0\nz 2\n");
    expect_output(RUN("", "compact", "-kv", "--header", "--where", ">1", "b", "a", "b"),
                  "n v\nz 2\nx 3\nz 2\n");
    expect_output(RUN("", "group", "-gn", "-kv", "--header", "a", "b", "a"),
                  "n\tsum(v)\nx\t6\ny\t2\nz\t2\n");
    expect_output(RUN("7 8", "reduce", "--op=sum,count", "-", "-", "/dev/null"), "15\t2\n");
    expect_output(RUN("", "top", "-n1", "-kv", "--header", "b", "a"), "n v\nx 3\n");
    expect_done(RUN("1 2", "scan", "--type=f32", "-o", "f.npy"));
    expect_output(RUN("1.5", "quantile", "-q0,1", "f.npy", "-"), "1\t3\n");
    expect_output(RUN("5", "histogram", "--bins=2", "--type=f32", "--range=0:4",
                      "--output-format=text", "f.npy", "f.npy"),
                  "2\n2\n");
    expect_failure(RUN("1", "reduce", "-", "f.npy"), "f.npy: the npy array holds f32, not i64");
    expect_failure(RUN("m v\n", "unique", "-kv", "--header", "a", "-", "-o", "out"),
                   "standard input: line 1: the header is another one");
    expect_failure(RUN("", "reduce", "-kv", "--header", "a", "none"), "none: ");
    expect_usage(RUN("", "scan", "a", "b"), "at most one input FILE");
    expect_usage(RUN("", "reduce", "--axis=0", "f.npy", "f.npy"), "--axis 0 takes one FILE, not 2");
    expect_usage(RUN("", "sort", "-c", "a", "b"), "--check takes one FILE, not 2");
    expect_shell(
        "seq 3 >c; $0 unique /dev/null c >>c 2>err; grep -q 'c: the output is the input' err");
}
