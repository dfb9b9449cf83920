/* Texts whose lines have fields: which field is read, how it is written, and lines that stay whole. */
#define _POSIX_C_SOURCE 200809L
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(fields, .init = enter_folder, .fini = leave_folder);

static const char *const table = "b 30 x\na 10 y\nc 20 z\n";

Test(fields, every_subcommand_computes_on_a_field)
{
    expect_output(RUN(table, "scan", "-k", "2"), "30\n40\n60\n");
    expect_output(RUN(table, "scan", "-k2", "--reverse"), "60\n30\n20\n");
    expect_output(RUN(table, "allocate", "--field", "2"), "0\n30\n40\n");
    expect_output(RUN(table, "histogram", "-k2", "--bins=2", "--range=0:40"), "1\n2\n");
    write_file("keys", text_blob("k k l"));
    expect_output(RUN(table, "segscan", "-k2", "--keys=keys"), "30\n40\n20\n");
    expect_output(RUN(table, "sort", "-k2"), "a 10 y\nc 20 z\nb 30 x\n");
    expect_output(RUN(table, "sort", "-k2", "--descending"), "b 30 x\nc 20 z\na 10 y\n");
    expect_output(RUN(table, "sort", "-k2", "--argsort"), "1\n2\n0\n");
    expect_output(RUN(table, "compact", "-k2", "--where=<25"), "a 10 y\nc 20 z\n");
    expect_output(RUN(table, "compact", "-k2", "--where=<25", "--indices"), "1\n2\n");
    expect_output(RUN(table, "compact", "-k2", "--where=<25", "--count"), "2\n");
    write_file("flags", text_blob("1 0 1"));
    expect_output(RUN(table, "compact", "-k2", "--flags=flags"), "b 30 x\nc 20 z\n");
}

Test(fields, are_separated_by_white_space_or_a_character)
{
    expect_output(RUN(" 1\t 2 \n  3 4", "scan", "-k2"), "2\n6\n");
    expect_output(RUN("1,2\n3, 4 \n", "scan", "-k2", "-t,"), "2\n6\n");
    expect_output(RUN("1\t2\tx\n\t4\ty\n", "scan", "-k2", "-t", "tab"), "2\n6\n");
    expect_output(RUN("1\t2\n3\t4\n", "scan", "-k2", "-t", "\\t"), "2\n6\n");
    expect_output(RUN("0x1F\n2x3\n", "scan", "-k1", "-tx"), "0\n2\n");
    expect_output(RUN("1e5:2e1", "scan", "--type=f64", "-k2", "-t:"), "20\n");
    expect_output(RUN("1,2\r\n3,4\r\n", "scan", "-k2", "-t,"), "2\n6\n");
    expect_output(RUN("3,1\r\n2,4", "sort", "-k1", "-t,"), "2,4\n3,1\r\n");
    /* A number ends at a separator that may be a part of it. */
    expect_output(RUN("1.5\n-2.5\n", "scan", "-t.", "-k1", "--type=f64"), "1\n-1\n");
    expect_output(RUN("1e5\n", "scan", "-te", "-k1", "--type=f64"), "1\n");
    expect_output(RUN("1-2\n", "scan", "-t-", "-k2", "--type=f64"), "2\n");
    expect_output(RUN("0x1\n", "scan", "-tx", "-k1", "--type=f32"), "0\n");
    expect_failure(RUN("-3-4\n", "scan", "-t-", "-k1"), "line 1: field 1: a value is missing");
    expect_usage(RUN("", "scan", "-t", ""), "--separator: '' is not one character");
    expect_usage(RUN("", "scan", "-t", "\xc2\xa7"), "is not one character of one byte, or tab");
    expect_usage(RUN("", "scan", "-t", "ab"), "'ab' is not one character");
    expect_usage(RUN("", "scan", "-t5"), "5 cannot separate fields");
    expect_usage(RUN("", "scan", "-k0"), "'0' is not the number of a field");
}

Test(fields, one_field_a_line_needs_no_number)
{
    expect_output(RUN("n\n1\n2\n", "scan", "--header"), "1\n3\n");
    expect_output(RUN("# n\n1\n\n  \n2\n", "scan", "--comment=#"), "1\n3\n");
    expect_failure(RUN("n\n1\n2 3\n", "scan", "--header"),
                   "line 3: several fields: -k N chooses one of them");
    expect_failure(RUN("1,2\n", "scan", "-t,"), "line 1: several fields");
}

Test(fields, have_names_in_the_header)
{
    const char *const text = "# of today\nname,\"the price\"\na,3\nb,2\n";
    expect_output(RUN(text, "scan", "--header", "-t,", "--comment=#", "-k", "the price"), "3\n5\n");
    expect_output(RUN(text, "sort", "--header", "-t,", "--comment=#", "-k", "the price"),
                  "name,\"the price\"\nb,2\na,3\n");
    expect_output(RUN(text, "compact", "--header", "-t,", "--comment=#", "-k2", "--where=<0"),
                  "name,\"the price\"\n");
    const char *const quoted = "\"a \"\"q\"\"\",\"a \"\"\",\"\"\"\"\n1,20,300\n";
    expect_output(RUN(quoted, "scan", "--header", "-t,", "-k", "a \"q\""), "1\n");
    expect_output(RUN(quoted, "scan", "--header", "-t,", "-k", "a \""), "20\n");
    expect_output(RUN(quoted, "scan", "--header", "-t,", "-k", "\""), "300\n");
    expect_output(RUN("a,b\n", "sort", "--header", "-t,", "-kb"), "a,b\n");
    expect_output(RUN("", "sort", "--header", "-t,", "-k2"), "");
    expect_output(RUN("", "compact", "--header", "-k1"), "");
    expect_failure(RUN("a,b\n1,2\n", "scan", "--header", "-t,", "-kc"),
                   "standard input: line 1: the header has no field 'c': a,b");
    expect_failure(RUN("a,b\n1,2\n", "scan", "--header", "-k1970", "-t,", "--missing=0"),
                   "standard input: line 1: the header has no field 1970: a,b");
    expect_failure(RUN("a,b\n1,2\n", "scan", "--header", "-k2", "--missing=skip"),
                   "the header has no field 2: a,b (commas between fields? -t,)");
    expect_output(RUN("a,1970\n1,2\n", "scan", "--header", "-k1970", "-t,"), "2\n");
    expect_output(RUN("a,b\n", "scan", "-k3", "-t,", "--missing=0"), "0\n");
    expect_failure(RUN("a,b,a\n1,2,3\n", "scan", "--header", "-t,", "-ka"),
                   "the header has 'a' twice, as field 1 and field 3: choose one by its number");
    const char *const keys[] = {"2:desc", "1:word", "2:f64"};
    for (int i = 0; i < 3; i++)
        expect_usage(RUN("1 2\n", "top", "-k", keys[i]),
                     "a name needs --header (only sort, merge and check take :word, :desc");
    expect_failure(RUN("a b\n1 2\n", "top", "--header", "-kb:desc"),
                   "the header has no field 'b:desc': a b (only sort, merge and check");
    expect_usage(RUN("1 2\n", "sort", "-k1,2"), "--field: '1,2' is not the number of a field");
    expect_usage(
        RUN("a b\n1 2\n", "scan", "-kb"),
        "--field: 'b' is not the number of a field, which count from 1, and a name needs --header");
}

Test(fields, may_be_quoted)
{
    const char *const text = "\"a, b\",\"7\"\n\"say \"\"x,y\"\" now\",8\n";
    expect_output(RUN(text, "scan", "-k2", "-t,"), "7\n15\n");
    expect_output(RUN(text, "compact", "-k2", "-t,", "--where", ">7"),
                  "\"say \"\"x,y\"\" now\",8\n");
    expect_output(RUN("\"5\" 1\n", "scan", "-k1", "--quotes=csv"), "5\n");
    expect_output(RUN("5\" x\t1\n", "scan", "-k2", "-ttab"), "1\n");
    expect_output(RUN("5\",1\n", "scan", "-k2", "-t,", "--quotes=none"), "1\n");
    expect_failure(RUN("1,\"a\nb\"\n", "scan", "-k1", "-t,"),
                   "line 1: a quote is not closed on its line");
    expect_usage(RUN("", "scan", "--quotes=maybe"), "'maybe' is not csv or none");
}

Test(fields, numbers_are_written_with_the_decimal_point_that_they_were_read_with)
{
    const char *const text = "a;1,5\na;-3\nb;2,25\n";
    const struct {
        const char *options, *plain, *quoted;
    } cases[] = {{"scan --append", "a;1,5;1,5\na;-3;-1,5\nb;2,25;0,75\n",
                  "a,\"1,5\",\"1,5\"\na,-3,\"-1,5\"\nb,\"2,25\",\"0,75\"\n"},
                 {"group -g1 --op sum,mean", "a;-1,5;-0,75\nb;2,25;2,25\n",
                  "a,\"-1,5\",\"-0,75\"\nb,\"2,25\",\"2,25\"\n"},
                 {"unique --count", "1;-3\n1;1,5\n1;2,25\n", "1,-3\n1,\"1,5\"\n1,\"2,25\"\n"},
                 {"reduce --op min,mean", "-3\t0,25\n", "-3\t0,25\n"},
                 {"quantile -q 0.1,1", "-3\t2,25\n", "-3\t2,25\n"},
                 {"scan", "1,5\n-1,5\n0,75\n", "1,5\n-1,5\n0,75\n"}};
    write_file("plain", text_blob(text));
    expect_shell("sed 's/;\\(.*,.*\\)/,\"\\1\"/; s/;/,/' plain >quoted");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file("expected", text_blob(cases[i].plain));
        write_file("in_quotes", text_blob(cases[i].quoted));
        char line[256];
        snprintf(
            line, sizeof line,
            "run() { $0 %s --type f64 --decimal , -k2 \"$@\"; }; run '-t;' plain | cmp - expected "
            "&& run -t, --quotes csv quoted | cmp - in_quotes",
            cases[i].options);
        expect_shell(line);
    }
    expect_output(RUN("0,5 1,5\n", "depth", "--decimal=,", "--type=f32"), "0,5\t1\n1,5\t0\n");
    expect_output(RUN("1_5\n2_25\n", "scan", "--decimal=_", "--type=f16"), "1_5\n3_75\n");
}

/* As Python's csv module reads them, but for white space around a field. */
Test(fields, are_quoted_only_where_they_begin_with_a_quote)
{
    const char *const text = "5\" pipe,3\n\"5\"\" pipe\",4\na\"b\"\"c, 5 \n \"x\"y\"\"z ,6\n";
    expect_output(RUN(text, "scan", "-k2", "-t,"), "3\n7\n12\n18\n");
    expect_output(RUN(text, "group", "-g1", "-k2", "-t,"),
                  "\"5\"\" pipe\",7\n\"a\"\"b\"\"\"\"c\",5\n\"xy\"\"\"\"z\",6\n");
    expect_output(RUN(text, "unique", "-w", "-k1", "-t,"),
                  "5\" pipe,3\na\"b\"\"c, 5 \n \"x\"y\"\"z ,6\n");
    expect_output(RUN("\" a\",1\n\"\"\"\",2\n\"\",3\n", "unique", "-wk1", "-t,", "--count"),
                  "1,\n1,\" a\"\n1,\"\"\"\"\n");
    write_file("in", text_blob(text));
    expect_output(RUN("\"5\"\" pipe\",7\n", "join", "-k1", "-t,", "-", "in"),
                  "\"5\"\" pipe\",7,3\n\"5\"\" pipe\",7,4\n");
    expect_output(RUN("a\"b,1,2\n\"a\"\"b\",3,4\n", "depth", "-g1", "-k2", "--until=3", "-t,"),
                  "\"a\"\"b\",1,1\n\"a\"\"b\",2,0\n\"a\"\"b\",3,1\n\"a\"\"b\",4,0\n");
    expect_output(RUN("a \"b\n1 2\n", "scan", "--header", "-k", "\"b", "--quotes=none"), "2\n");
    expect_output(RUN("in\",b\n1,2\n", "group", "--header", "-t,", "-g", "in\"", "-kb"),
                  "\"in\"\"\",sum(b)\n1,2\n");
    expect_failure(RUN("1,a\"\n2,b,\"c\"\" \n", "scan", "-k1", "-t,"),
                   "line 2: a quote is not closed on its line");
    expect_failure(RUN("a 1\n \"b 2\n", "scan", "-k2", "--quotes=csv"),
                   "line 2: a quote is not closed");
    /* Where quotes are as other characters, a separator between them is one. */
    const char *const advice = "line 2: 3 fields, where the header has 2 (a separator in a field? "
                               "--quotes csv, and quotes around it)";
    expect_failure(RUN("k\tv\n\"x\ty\"\t1\n", "group", "-ttab", "--header", "-gk", "-kv"), advice);
    expect_failure(
        RUN("k;v\n\"x;y\";1\n", "group", "-t;", "--quotes=none", "--header", "-gk", "-kv"), advice);
    write_file("t", text_blob("k\tw\n1\t2\n"));
    expect_failure(RUN("k\tv\n\"x\ty\"\t1\n", "join", "-ttab", "--header", "-kk", "-", "t"),
                   advice);
    expect_failure(
        RUN("1\t2\n\"x\ty\"\t1\n", "reduce", "-ttab", "-k2"),
        "line 2: field 2: 'y\"' is not a number (a cell in quotes? --quotes csv reads it)");
    expect_failure(
        RUN("1 2\n\"x y\" 1\n", "reduce", "-k2"),
        "line 2: field 2: 'y\"' is not a number (a cell in quotes? --quotes csv reads it)");
}

Test(fields, that_are_added_get_names_of_their_own)
{
    expect_shell(
        "printf 'a,\"x\"\\r\\n1,2\\r\\n' >in; append='-t, --header --append -k';"
        "$0 scan $append x in | $0 scan $append x | $0 scan $append a |"
        "$0 scan $append 'sum(x)_2' | $0 scan $append x >out;"
        "printf 'a,\"x\",sum(x),sum(x)_2,sum(a),sum(sum(x)_2),sum(x)_3\\r\\n1,2,2,2,1,2,2\\r"
        "\\n' | cmp - out");
    expect_output(RUN("a b\n1 2\n", "group", "--header", "-gb", "-ka", "--op=sum,max,sum"),
                  "b\tsum(a)\tmax(a)\tsum(a)_2\n2\t1\t1\t1\n");
    expect_output(RUN("depth b\n1 2\n", "depth", "--header"), "depth\tdepth_2\n1\t1\n2\t0\n");
    write_file("in", text_blob("k,\"v\",\"a\"\"\",v\n1,2,3,4\n"));
    expect_output(RUN("k,v,v_2,\"a\"\"\"\n1,7,8,9\n", "join", "-t,", "-kk", "--header", "-", "in"),
                  "k,v,v_2,\"a\"\"\",\"v_3\",\"a\"\"_2\",v_4\n1,7,8,9,2,3,4\n");
    expect_failure(RUN("v,v\n1,2\n", "scan", "--append", "-t,", "-kv", "--header"),
                   "the header has 'v' twice, as field 1 and field 2: choose one by its number");
}

Test(fields, numbers_are_written_as_in_other_countries)
{
    expect_output(RUN("1.234,5;x\n-2,25;y\n", "scan", "--type=f64", "-t;", "-k1", "--decimal=,",
                      "--thousands=."),
                  "1234,5\n1232,25\n");
    expect_output(RUN("\"1,234\",\"12\"\n", "scan", "-t,", "-k1", "--thousands=,", "--quotes=csv"),
                  "1234\n");
    expect_output(RUN("1'000'000", "scan", "--thousands='"), "1000000\n");
    expect_failure(RUN("1.5\n", "scan", "--type=f64", "--decimal=,"), "'1.5' is not a number");
    expect_usage(RUN("", "scan", "--decimal=,", "--thousands=,"), "are both ,");
    const char *const refused[][3] = {
        {"-t,", "--decimal=,", "--decimal: ',' separates fields (--q"},
        {"-t_", "--thousands=_", "--thousands: '_' separates fields"},
        {"-k2", "--thousands= ", "--thousands: ' ' separates fields"},
        {"-k1", "--decimal=-", "--decimal: - is no such character"},
        {"-k1", "--decimal=+", "--decimal: + is no such character"},
        {"-k1", "--decimal=7",
         "--decimal: 7 is no such character: it is no digit, quote, sign or e, such as ,"},
        {"-k1", "--thousands=e", "--thousands: e is no such"}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        expect_usage(RUN("1", "scan", refused[i][0], refused[i][1]), refused[i][2]);
    expect_output(
        RUN("\"1,5\",x\n", "scan", "--type=f64", "-t,", "-k1", "--decimal=,", "--quotes=csv"),
        "1,5\n");
}

Test(fields, that_the_header_has_no_names_for_are_refused)
{
    const char *const commands[][2] = {
        {"reduce", "-kb"},    {"merge", "-kb"}, {"group", "-ga"},    {"sort", "-kb"},
        {"sort", "-ka:word"}, {"scan", "-k2"},  {"expand", "-kb"},   {"top", "-kb"},
        {"unique", "-kb"},    {"check", "-kb"}, {"allocate", "-kb"}, {"depth", "--until=b"}};
    const char *const lines[] = {"7,1,234", "8, 3,5", "9,NA,", "\"10\",1,\"3,5\""};
    char text[64];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        snprintf(text, sizeof text, "a,b\n1,2\n%s\n3,4\n", lines[i % 4]);
        expect_failure(RUN(text, commands[i][0], "-t,", "--header", commands[i][1]),
                       "standard input: line 3: 3 fields, where the header has 2 (a separator in");
    }
    /* Fewer are missing values; in white space, the last column may be a text of several words. */
    const char *const fewer = "a,b,\n1\n\"2,5,7\",3,\"4,\"\n4,5\r\n,6,\n";
    expect_output(RUN(fewer, "reduce", "-t,", "--header", "-kb", "--missing=skip"), "14\n");
    expect_output(RUN("a b\n1 2 and more\n", "reduce", "--header", "-kb"), "2\n");
    /* Lines of any length, on which a separator stands at any place before and behind eight and sixteen bytes. */
    expect_shell(
        "awk 'BEGIN { print \"a,b,c\"; for (i = 0; i < 600; i++) { s = sprintf(\"%0*d\", i, 0);"
        " print \"1,\" s \",\" substr(s, i % 7 + 1) } }' >in; $0 reduce -t, --header -k a in | "
        "grep -qx 600;"
        "for i in 2 20 49 50 70 300 599; do sed \"${i}s/\\$/,/\" in >wide;"
        "$0 reduce -t, --header -k a wide 2>&1 | grep -q \" line $i: 4 fields\" || exit 1; done");
}

Test(fields, of_thousands_have_three_digits)
{
    const char *const wrong[] = {"1,5",     "1,,234",    "5,",         ",234",
                                 "-,500",   "1234,567",  "123,45,678", "0,500",
                                 "1e1,000", "0.001,500", "1,23,4567",  "1,234.5,678"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_failure(RUN(wrong[i], "reduce", "--thousands=,", "--type=f64"),
                       "line 1: field 1: '");
    expect_failure(
        RUN("1\n2024.01.05\n", "reduce", "--thousands=.", "--decimal=,"),
        "line 2: field 1: '2024.01.05' is not a number: three digits follow each --thousands .");
    expect_output(RUN("-1,234,567\n+12,34,567\n1,234.5e1\n999\n1234\n", "scan", "--thousands=,",
                      "--type=f64"),
                  "-1234567\n0\n12345\n13344\n14578\n");
}

Test(fields, missing_values_fail_are_skipped_or_0)
{
    const char *const text = "a,1\nb,\nc\nd,\\N\ne,5\n";
    expect_failure(RUN(text, "scan", "-t,", "-k2"), "line 2: field 2: a value is missing");
    expect_output(RUN(text, "scan", "-t,", "-k2", "--missing=0"), "1\n1\n1\n1\n6\n");
    expect_output(RUN(text, "scan", "-t,", "-k2", "--missing=skip"), "1\n6\n");
    expect_output(RUN(text, "sort", "-t,", "-k2", "--descending", "--missing=skip"), "e,5\na,1\n");
    expect_output(RUN(text, "compact", "-t,", "-k2", "--where===0", "--missing=0"),
                  "b,\nc\nd,\\N\n");
    expect_failure(RUN("a,1\nb,x\n", "scan", "-t,", "-k2", "--missing=skip"),
                   "line 2: field 2: 'x' is not a number");
    expect_output(RUN("nan 1", "scan", "-k1", "--type=f64", "--missing=skip"), "nan\n");
    expect_usage(RUN("", "scan", "--missing=1"), "'1' is not skip, 0 or fail");
}

Test(fields, a_failure_names_line_and_field_and_leaves_nothing)
{
    expect_failure(RUN("1 2\n\n3 x\n", "sort", "-k2", "-o", "out"),
                   "parscan: standard input: line 3: field 2: 'x' is not a number\n");
    expect_failure(RUN("1 2\n3 300\n", "compact", "-k2", "--type=u8", "-o", "out"),
                   "line 2: field 2: 300 does not fit u8");
    expect_failure(RUN("1 2\n", "sort", "-k1", "-o", "out.npy"), "which no npy file holds");
    expect_failure(RUN("1 2\n", "compact", "-k1", "--output-format=raw", "-o", "out"),
                   "which no raw file holds");
    expect_failure(RUN("12345678", "scan", "--format=raw", "--type=u8", "-k1"),
                   "raw files have no lines and fields");
    expect_usage(RUN("1 2\n", "sort", "-k1", "--values=x", "--values-output=y"),
                 "--values is for elements without fields");
    cr_assert_eq(count_files(), 0);
}

/* Lines of several chunks, of any length, with comments between them: what they hold is known. */
enum { LINES = 200000 };

static blob many_lines(bool crlf)
{
    blob text = new_blob((size_t)LINES * 80);
    size_t size = 0;
    uint64_t state = 7;
    for (int i = 0; i < LINES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int width = (int)(state >> 60);
        if (state >> 32 & 1)
            size += (size_t)sprintf(text.bytes + size, "# left out\n");
        size += (size_t)sprintf(text.bytes + size, "%0*d,%d,%s%s", width, i, (i * 7919) % 1000,
                                i % 3 == 0 ? "\"a,\"\"b\"" : "c", crlf ? "\r\n" : "\n");
    }
    text.size = size;
    return text;
}

Test(fields, of_many_pieces_are_those_of_one)
{
    for (int crlf = UNDER_THREAD_SANITIZER; crlf < 2; crlf++) {
        write_file("in", many_lines(crlf != 0));
        expect_shell(
            "grep -v '^#' in >lines; cut -d, -f2 lines | $0 scan -o sums;"
            "awk -F, '$2 < 300' lines >small; LC_ALL=C sort -s -t, -n -k2,2 lines >sorted");
        /* Under ThreadSanitizer there is CRLF only. */
        const char *const *const counts = crlf ? ARGUMENTS("3") : ARGUMENTS("1", "9");
        for (const char *const *threads = counts; *threads != NULL; threads++) {
            setenv("THREADS", *threads, 1);
            expect_shell("$0 scan -t, -k2 --comment=# --threads $THREADS in | cmp - sums &&"
                         "$0 compact -t, -k2 --comment=# --where '<300' --threads $THREADS in |"
                         "cmp - small &&"
                         "$0 sort -t, -k2 --comment=# --threads $THREADS in | cmp - sorted");
        }
    }
}

/* Sorts the lines of `in` in memory and in runs, of which so many levels are merged where so many files may be open:
   the same result, and nothing is left. */
static void expect_sorted_in_runs(const char *options, int files, const char *levels)
{
    char line[512];
    snprintf(
        line, sizeof line,
        "mkdir tmp && $0 sort -t, --comment=# %s -S 4G in -o expected &&"
        "(ulimit -n %d; $0 sort -t, --comment=# %s -S 16M -T tmp in -o out --stats 2>words) &&"
        "cmp out expected && grep -q '^runs [2-9], levels %s, [1-9][0-9]* bytes spilled' words &&"
        "rmdir tmp",
        options, files, options, levels);
    expect_shell(line);
}

Test(fields, lines_beyond_the_memory_of_a_sort_go_to_files)
{
    write_file("part", many_lines(false));
    expect_shell("(echo id,price,name; cat part part) >in");
    expect_sorted_in_runs("--header -k price", 256, "1");
    expect_sorted_in_runs("--header -k price -ru", 26, "[2-9]");
    /* A line that no small chunk holds, and one that begins as a compressed file. */
    expect_shell("(cat part; printf '%040000d,7,x\n\037\213\010\004,-1\n' 0; cat part) >in");
    expect_sorted_in_runs("-k2", 26, "[2-9]");
    expect_shell(
        "cat in | TMPDIR=. $0 sort -t, --comment=# -k2 -S 16M --threads 3 | cmp - expected");
    /* A comment that a banner makes no comment is none in a run either. */
    expect_shell(
        "(echo '%%MatrixMarket matrix coordinate real general\n9 999999 400000';"
        "grep -v '^#' part | awk -F, '{ $0 = \"1 \" $2 * $2 % 99991 + 1 \" 5\" } 1; 1') >in;"
        "$0 sort --quiet --comment 1 -k2 in -o expected && $0 sort --quiet --comment 1 -k2"
        " -S 16M --stats in 2>words | cmp - expected && grep -q '^runs 2' words &&"
        "[ $(wc -l <expected) = 400000 ]");
}

Test(fields, runs_of_lines_that_cannot_be_written_fail_by_name)
{
    write_file("part", many_lines(false));
    expect_shell("cat part part >in; rm part; sort='sort -t, --comment=# -k2 -S 16M -o out';"
                 "TMPDIR=/nowhere $0 $sort in 2>err; [ $? = 1 ] &&"
                 "grep -qx 'parscan: folder /nowhere, which TMPDIR names: a file cannot be "
                 "created: No such file or "
                 "directory' err &&"
                 "(ulimit -f 2000; $0 $sort -T . in) 2>err; [ $? = 1 ] &&"
                 "grep -qx 'parscan: folder .: a run cannot be written: File too large' err &&"
                 "(ulimit -n 26; ulimit -f 9000; $0 $sort -T . in) 2>err; [ $? = 1 ] &&"
                 "grep -qx 'parscan: folder .: a run cannot be written: File too large' err &&"
                 "(cat in; echo 1,x) | $0 $sort -T . 2>err; [ $? = 1 ] && grep -q \"'x' is not a "
                 "number\" err &&"
                 "[ ! -e out ]");
    cr_assert_eq(count_files(), 2);
}

Test(fields, a_compaction_of_lines_takes_constant_memory)
{
    write_file("in", many_lines(false));
    expect_shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cat in in; done >in32");
    const long kibibytes =
        most_memory(ARGUMENTS("compact", "-t,", "-k2", "--comment=#", "in32", "-o", "out"));
    cr_assert(UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER || kibibytes <= 56 * 1024,
              "%ld KiB", kibibytes);
}

Test(fields, may_be_compressed_and_come_from_a_pipe)
{
    write_file("in.gz", gzip_blob(text_blob(table)));
    expect_output(RUN("", "sort", "-k2", "in.gz", "-o", "out"), "");
    expect_content("out", "a 10 y\nc 20 z\nb 30 x\n");
    expect_shell("(echo 1 5; sleep 0.1; echo 2 6) | $0 scan -k2 >out && printf '5\\n11\\n' |"
                 "cmp - out");
    expect_output(RUN("\xef\xbb\xbf"
                      "a b\n1 2\n",
                      "scan", "-ka", "--header"),
                  "1\n");
}
