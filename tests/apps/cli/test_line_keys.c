/* Lines that are sorted by several fields, or by words. */
#define _POSIX_C_SOURCE 200809L
#include "tests/apps/cli/run_program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(line_keys, .init = enter_folder, .fini = leave_folder);

static const char *const bed =
    "chr2 5 9 x\nchr1 30 40 y\nchr10 1 2 z\nchr1 4 6 w\nchr1 4 5 v\n2 1 2\n10 1 2\n";

Test(line_keys, are_words_and_numbers_of_which_the_first_counts_most)
{
    expect_output(RUN(bed, "sort", "-k1:word", "-k2"),
                  "2 1 2\n10 1 2\nchr1 4 6 w\nchr1 4 5 v\nchr1 30 40 y\nchr10 1 2 z\nchr2 5 9 x\n");
    expect_output(RUN(bed, "sort", "-k", "1:word:desc", "-k3:u8:desc"),
                  "chr2 5 9 x\nchr10 1 2 z\nchr1 30 40 y\nchr1 4 6 w\nchr1 4 5 v\n10 1 2\n2 1 2\n");
    expect_output(RUN(bed, "sort", "-r", "-k2", "-k3:desc"),
                  "chr1 30 40 y\nchr2 5 9 x\nchr1 4 5 v\nchr1 4 6 w\nchr10 1 2 z\n2 1 2\n10 1 2\n");
    expect_output(RUN(bed, "sort", "-u", "-k2", "-k3:desc"),
                  "chr10 1 2 z\nchr1 4 6 w\nchr1 4 5 v\nchr2 5 9 x\nchr1 30 40 y\n");
    expect_output(
        RUN("1 0.5 a\n1 -nan b\n1 nan c\n1 -0 d\n1 0 e\n", "sort", "-k1", "-k2", "--type=f64"),
        "1 -0 d\n1 0 e\n1 0.5 a\n1 -nan b\n1 nan c\n");
    expect_output(RUN("2.5\n1.5\n", "sort", "-k1:f32"), "1.5\n2.5\n");
    expect_output(RUN("1 x\n3 y\n", "sort", "-k1:desc"), "3 y\n1 x\n");
    expect_output(RUN("1 x\n3 y\n", "sort", "-rk1:desc"), "1 x\n3 y\n");
    expect_output(RUN("", "sort", "-k2:word", "-k1"), "");
}

Test(line_keys, are_fields_as_tables_have_them)
{
    expect_output(
        RUN("who,n,x\r\n# x\n\"b \"\"q\"\"\",1,5\nb,\"2,5\"\n\n\"b \"\"a\"\"\",1\na,NA\na\n",
            "sort", "--header", "-t,", "--comment=#", "--decimal=,", "--quotes=csv", "-k",
            "who:word", "-k", "n:f64", "--missing=skip"),
        "who,n,x\r\nb,\"2,5\"\n\"b \"\"a\"\"\",1\n\"b \"\"q\"\"\",1,5\n");
    expect_output(RUN("k:word,v\n2,a\n1,b\n", "sort", "--header", "-t,", "-k1", "-k2:word"),
                  "k:word,v\n1,b\n2,a\n");
    expect_output(RUN("b 1\na\n", "sort", "-k2", "-k1:word", "--missing=0"), "a\nb 1\n");
    expect_failure(RUN("b 1\n\na x\n", "sort", "-k1:word", "-k2", "-o", "out"),
                   "standard input: line 3: field 2: 'x' is not a number");
    write_file("more", text_blob("# c\nc 300\n"));
    expect_failure(RUN("b 1\na 2\n", "sort", "-k1:word", "-k2:u8", "--comment=#", "-", "more"),
                   "parscan: more: line 2: field 2: 300 does not fit u8");
    expect_failure(RUN("b 1\na\n", "sort", "-k1:word", "-k2"),
                   "line 2: field 2: a value is missing");
    expect_failure(RUN("a b\n", "sort", "--header", "-ka:word", "-kc"),
                   "the header has no field 'c'");
    expect_failure(RUN("a b a\n", "sort", "--header", "-kb", "-ka:word"),
                   "the header has 'a' twice");
    expect_failure(RUN("a b\n", "sort", "-k1:word", "-o", "out.npy"), "which no npy file holds");
    expect_usage(RUN("", "sort", "-k1", "-kb:word"), "--field: 'b' is not the number of a field");
    expect_usage(RUN("", "sort", "-k2:foo"),
                 "'2:foo': behind a field stand :word, :desc or a type");
    expect_usage(RUN("", "sort", "-k2:word:i8"), "a field is a word or of type i8, not both");
    expect_usage(RUN("", "sort", "-k:word"), "the name of a field is empty");
    expect_usage(RUN("", "sort", "-k1:word", "--argsort"), "--argsort is for one -k of numbers");
    expect_usage(RUN("", "sort", "-k1", "-k2", "--mirror"), "--mirror is for one -k of numbers");
    expect_usage(RUN("", "sort", "-k1", "-k2", "--end-bit=3"), "--end-bit is for one -k");
    expect_usage(RUN("", "scan", "-k1", "-k2"), "--field: it is given twice");
}

Test(line_keys, are_checked_and_merged)
{
    write_file("a", text_blob("w,n\nx,1\nx,3\ny,0\n"));
    write_file("b", text_blob("w,n\nx,2\nx,3\n"));
    write_file("wrong", text_blob("w,n\nx,2\nx,1\n"));
    write_file("other", text_blob("w,m\nx,2\n"));
    write_file("none", text_blob("w,n\n"));
    expect_shell(
        "keys='-t, --header -k w:word -k n';"
        "$0 check $keys --strict a && $0 sort -c $keys -u a && ! $0 check $keys wrong 2>err &&"
        "grep -qx \"parscan: wrong: line 3: field 'n': 1 is not in order: it comes after 2\" err &&"
        "! $0 check -t, --header -k w:word --strict a 2>err &&"
        "grep -q 'a: line 3: the line is equal to the one before it' err &&"
        "$0 check -rt, --header -kn:desc -kw:word a 2>err; grep -q 'line 4: field .n.: 0 is' err &&"
        "$0 merge $keys a none b >out && printf 'w,n\\nx,1\\nx,2\\nx,3\\nx,3\\ny,0\\n' | cmp - out "
        "&&"
        "$0 sort -mu $keys a b - <none >out && printf 'w,n\\nx,1\\nx,2\\nx,3\\ny,0\\n' | cmp - out "
        "&&"
        "$0 merge $keys none none | cmp - none &&"
        "! $0 merge $keys a other 2>err && grep -q 'other: line 1: the header is another' err &&"
        "! $0 merge $keys a wrong 2>err && grep -q 'wrong: line 3: field .n.: 1 is not in order' "
        "err &&"
        "! $0 merge $keys a -o out nowhere 2>err && grep -q nowhere: err &&"
        "! $0 merge $keys a b >>a 2>err && grep -q 'a: the output is the input file' err");
}

/* The key, its value and that of the line before; merge tells the command that helps. */
Test(line_keys, that_are_not_in_order_are_told)
{
    char words[140] = "";
    const struct {
        const char *text, *keys, *message;
    } cases[] = {{"w,n\nb,1\na,2\n", "-t, --header -k w:word -k n",
                  "standard input: line 3: field 'w': 'a' is not in order: it comes after 'b'"},
                 {"b 2.5\n\nb 1.25\n", "-k 1:word -k 2:f64",
                  "standard input: line 3: field 2: 1.25 is not in order: it comes after 2.5"},
                 {"1 3\n4 5\n", "-r -k 1 -k 2:desc",
                  "standard input: line 2: field 1: 4 is not in order: it comes after 1"},
                 {"1 -3\n1 4\n", "-k 1 -k 2:desc",
                  "standard input: line 2: field 2: 4 is not in order: it comes after -3"},
                 {"\"b, \"\"c\",1\na,1\n", "-t, -k 1:word",
                  "standard input: line 2: field 1: 'a' is not in order: it comes after 'b, \"c'"}};
    const char *const advice[] = {
        "parscan sort -k w:word -k n, with the other options that are given here, sorts lines",
        "parscan sort -k 1:word -k 2:f64 sorts lines", "parscan sort -r -k 1 -k 2:desc sorts lines",
        "parscan sort -k 1 -k 2:desc sorts lines",
        "parscan sort -k 1:word, with the other options that are given here, sorts lines"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char command[600];
        write_file("in", text_blob(cases[i].text));
        write_file("message", text_blob(cases[i].message));
        write_file("advice", text_blob(advice[i]));
        snprintf(command, sizeof command,
                 "! $0 check %s <in 2>err && [ \"$(cat err)\" = \"parscan: $(cat message)\" ] &&"
                 "! $0 merge %s <in 2>err &&"
                 "[ \"$(cat err)\" = \"parscan: $(cat message) ($(cat advice))\" ]",
                 cases[i].keys, cases[i].keys);
        expect_shell(command);
    }
    memset(words, 'w', 100);
    memcpy(words + 100, " 1\nv 1\n", 7);
    expect_failure(RUN(words, "check", "-k1:word"),
                   "line 2: field 1: 'v' is not in order: it comes after "
                   "'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww'");
    expect_failure(RUN("a 1.5\na 1.5\n", "check", "--strict", "-k1:word", "-k2:f32"),
                   "line 2: the line is equal to the one before it in what is compared: field 1 is "
                   "'a', field 2 is 1.5");
    expect_failure(RUN("1 3\n1 2\n", "merge", "-k2", "-o", "out"),
                   "line 2: 2 is not in order: it comes after 3 (parscan sort -k 2 sorts lines)");
    expect_failure(RUN("1 3 4\n", "merge", "-r", "-o", "out"),
                   "element 2: 3 is not in order: it comes after 1 (parscan sort -r sorts it)");
}

/* Lines that memory does not hold, in two runs; and in many, of which some are merged in between. */
Test(line_keys, sort_lines_in_runs_as_coreutils_does)
{
    expect_shell(
        "seq 400000 | awk '{ n = $1 * 7919 % 99991; print \"w\" n % 777, n % 9 }' >in;"
        "head -n 50000 in >few; LC_ALL=C sort -s -k2,2nr -k1,1 few >expected;"
        "$0 sort -k2:desc -k1:word few | cmp - expected && $0 sort -k2:desc -k1:word -o expected "
        "in &&"
        "$0 sort -k2:desc -k1:word -S 16M --threads 1 --stats in 2>words | cmp - expected &&"
        "grep -q '^runs 2, levels 1' words && uniq expected >once &&"
        "$0 sort -u -k2:desc -k1:word -S 16M in | cmp - once || exit 1; cat in in >many;"
        "(ulimit -n 26; TMPDIR=. $0 sort -k2:desc -k1:word -S 16M --stats many 2>words >sorted) &&"
        "grep -q 'levels [2-9]' words && $0 check -k2:desc -k1:word sorted &&"
        "uniq sorted | cmp - once && [ $(wc -l <sorted) = 800000 ]");
}
