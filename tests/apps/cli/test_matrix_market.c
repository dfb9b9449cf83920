/* Matrix Market files, whose entries are lines with fields. */
#include "tests/apps/cli/run_program.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(matrix_market, .init = enter_folder, .fini = leave_folder);

static const char *const half =
    "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n\n 3 3 4\n"
    "1 1 0.5\n2 1 -1\n%\n3 2 4\n3 3 1e2\n";

static void expect_noted(program_run run, const char *output, const char *words)
{
    cr_assert_eq(run.status, 0, "%s", run.err.bytes);
    cr_assert_str_eq(run.out.bytes, output);
    cr_assert(strstr(run.err.bytes, words) != NULL, "'%s' is not in: %s", words, run.err.bytes);
}

Test(matrix_market, entries_are_fields_and_the_note_says_which)
{
    expect_noted(RUN(half, "reduce", "-k3", "--type=f64", "--op=sum,count"), "103.5\t4\n",
                 "note: standard input is a Matrix Market file, real, 3 x 3, 4 entries, symmetric: "
                 "field 1 is the row, "
                 "2 the column, counted from 1, 3 the value; of two entries that mirror each "
                 "other, one is there and is read (--mirror of sort, bin, group and others: both)");
    expect_output(RUN(half, "sort", "-k2", "-r", "--quiet"), "3 3 1e2\n3 2 4\n1 1 0.5\n2 1 -1\n");
    expect_noted(
        RUN("%%MatrixMarket matrix coordinate pattern general\n2 9 2\n1 9\n2 8\n", "unique", "-k2",
            "--count"),
        "1\t8\n1\t9\n",
        "pattern, 2 x 9, 2 entries, general: field 1 is the row, 2 the column, counted from 1 (");
    expect_noted(RUN("%%MatrixMarket MATRIX Array Integer General\r\n2 2\r\n1\r\n2\r\n3\r\n4\r\n",
                     "scan", "-k1"),
                 "1\n3\n6\n10\n",
                 "Integer, 2 x 2, General: field 1 is the value, column after column (");
    expect_noted(RUN("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 0\n",
                     "reduce", "-k4"),
                 "0\n", "3 and 4 the value; of two");
    write_file("a", text_blob(half));
    expect_output(RUN("", "reduce", "-k1", "--op=count", "--quiet", "a", "a"), "8\n");
}

Test(matrix_market, what_it_cannot_be_is_refused)
{
    expect_failure(RUN(half, "reduce"),
                   "(a Matrix Market file: -k 1 reads rows, -k 2 columns, -k 3 values)");
    expect_failure(RUN("%%MatrixMarket\n", "reduce"),
                   "(a Matrix Market file: -k N reads field N of");
    expect_failure(RUN(half, "reduce", "-k3"), "line 5: field 3: 0.5 is not an integer");
    expect_failure(RUN(half, "reduce", "-k1", "--header"),
                   "line 1: --header: a Matrix Market file has its own");
    expect_failure(RUN(half, "reduce", "-k1", "-t,"),
                   "--separator: a Matrix Market file has its own");
    expect_failure(RUN("%%MatrixMarket vector\n", "reduce", "-k1"),
                   "line 1: the line of a Matrix Market file names");
    expect_failure(RUN("%%MatrixMarket matrix sparse real general\n", "reduce", "-k1"),
                   "coordinate or array, not sparse");
    expect_failure(
        RUN("%%MatrixMarket matrix array real general\n%\n1 2 3\n", "reduce", "-k1"),
        "line 3: the line of sizes of a Matrix Market file has 2 numbers: rows, columns");
}

#define COORDINATES "%%MatrixMarket matrix coordinate "
#define ARRAY "%%MatrixMarket matrix array "

/* Which fields there are, whatever the lines have and --missing says. */
Test(matrix_market, has_the_fields_of_its_banner)
{
    static const struct {
        const char *matrix, *fields, *hint;
        unsigned count;
    } kinds[] = {
        {ARRAY "real general\n1 1\n1\n", "(array, real) have 1 field: -k 1 reads the values",
         "(a Matrix Market file: -k 1 reads the values, column after column)", 1},
        {ARRAY "Complex general\n1 1\n1 2\n", "(array, Complex) have 2 fields: -k 1 and -k 2 read",
         "file: -k 1 and -k 2 read the values, column after column)", 2},
        {COORDINATES "pattern general\r\n1 1 1\r\n1 1\r\n",
         "(coordinate, pattern) have 2 fields: -k 1 reads rows, -k 2 columns",
         "file: -k 1 reads rows, -k 2 columns)", 2},
        {COORDINATES "integer general\n1 1 1\n1 1 1\n",
         "(coordinate, integer) have 3 fields: -k 1 reads rows, -k 2 columns, -k 3 values",
         "file: -k 1 reads rows, -k 2 columns, -k 3 values)", 3},
        {COORDINATES "complex general\n1 1 1\n1 1 1 1\n",
         "(coordinate, complex) have 4 fields: -k 1 r",
         "file: -k 1 reads rows, -k 2 columns, -k 3 and -k 4 values)", 4}};
    static const char *const missing[] = {"fail", "skip", "0"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *const matrix = kinds[i].matrix;
        char last[24], beyond[24], both[24], named[96];
        snprintf(last, sizeof last, "-k%u", kinds[i].count);
        snprintf(beyond, sizeof beyond, "-k%u", kinds[i].count + 1);
        snprintf(both, sizeof both, "-g%u", kinds[i].count + 1);
        snprintf(named, sizeof named,
                 "input: line 1: field %u: the lines of this Matrix Market file %.30s",
                 kinds[i].count + 1, kinds[i].fields);
        cr_assert_eq(RUN(matrix, "reduce", last).status, 0);
        for (int m = 0; m < 3; m++) {
            expect_failure(RUN(matrix, "reduce", beyond, "--missing", missing[m]), named);
            expect_failure(RUN(matrix, "sort", "-k1", beyond, "--missing", missing[m]),
                           kinds[i].fields);
        }
        expect_failure(RUN(matrix, "group", both), kinds[i].fields);
        expect_failure(RUN(matrix, "group", "-k1", both), kinds[i].fields);
        expect_failure(RUN(matrix, "depth", last, "--missing=0"), kinds[i].fields);
        expect_failure(RUN(matrix, "reduce"), kinds[i].hint);
    }
    expect_noted(RUN(kinds[1].matrix, "scan", "-k2"), "2\n",
                 "general: fields 1 and 2 are the value, column after column");
}

/* The note is of the first of several files, and all have the same fields. */
Test(matrix_market, several_files_are_of_one_format)
{
    write_file("co", text_blob(COORDINATES "pattern symmetric\n3 3 1\n2 1\n"));
    write_file("sk", text_blob(COORDINATES "real skew-symmetric\n4 4 1\n3 1 5\n"));
    write_file("ar", text_blob(ARRAY "integer general\n1 1\n7\n"));
    write_file("text", text_blob("9 9\n"));
    expect_noted(
        RUN("", "sort", "-k1", "co", "sk"), "2 1\n3 1 5\n",
        "note: co is a Matrix Market file, pattern, 3 x 3, 1 entries, symmetric: field 1 is");
    expect_noted(RUN("", "reduce", "-k1", "text", "sk", "co"), "14\n",
                 "note: sk is a Matrix Market file, real, 4 x 4");
    expect_noted(RUN("", "merge", "-k1", "co", "sk"), "2 1\n3 1 5\n", "note: co is a");
    static const char *const commands[][3] = {{"sort", "-k1", NULL},       {"reduce", "-k1", NULL},
                                              {"group", "-g1", NULL},      {"merge", "-k1", NULL},
                                              {"merge", "-k1:word", NULL}, {"sort", "-k1", "-m"},
                                              {"top", "-k1", "-n1"}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const char *const *const c = commands[i];
        const char *const more = c[2] != NULL ? c[2] : "--missing=0";
        expect_failure(RUN("", c[0], c[1], more, "co", "ar"),
                       "ar: line 1: this Matrix Market file is an array, co is coordinate: field 1 "
                       "is the value here, the row there (read");
        expect_failure(RUN("", c[0], c[1], more, "ar", "co"),
                       "co: line 1: this Matrix Market file is coordinate, ar is an array: field 1 "
                       "is the row here, the value");
    }
    expect_failure(RUN("", "sort", "-k1", "text", "sk", "ar"),
                   "ar: line 1: this Matrix Market file is an array, sk is");
    expect_failure(RUN("", "sort", "-k1", "-k3", "sk", "co"), "co: field 3: the lines of");
    expect_failure(RUN("", "merge", "-k1", "-k3", "--missing=0", "sk", "co"),
                   "co: field 3: the lines of");
    expect_failure(RUN("", "depth", "-k2", "--missing=0", "sk", "co"), "co: field 3: the lines of");
}

static void expect_mirrored(const char *matrix, const char *lines)
{
    expect_output(RUN(matrix, "sort", "-k1", "--mirror", "--quiet"), lines);
}

Test(matrix_market, mirror_reads_the_half_that_is_left_out)
{
    expect_mirrored(half, "1 1 0.5\n1 2 -1\n2 1 -1\n2 3 4\n3 2 4\n3 3 1e2\n");
    expect_mirrored(COORDINATES "real Skew-Symmetric\n3 3 3\n2 1 -1.5\n\t3 2\t +4\r\n3 1 7",
                    "1 2 1.5\n1 3 -7\n2 1 -1.5\n\t2 3\t -4\r\n\t3 2\t +4\r\n3 1 7\n");
    expect_mirrored(COORDINATES "complex hermitian\n3 3 3\n2 1 -1 5\n3 2 4 -0.5\n2 02 7 0\n",
                    "1 2 -1 -5\n2 1 -1 5\n2 3 4 0.5\n2 02 7 0\n3 2 4 -0.5\n");
    expect_mirrored(COORDINATES "complex skew-symmetric\n3 3 1\n2 1 1 -2\n",
                    "1 2 -1 2\n2 1 1 -2\n");
    expect_mirrored(COORDINATES
                    "real skew-symmetric\n6 6 8\n2 1 NA\n3 1 .\n4 1 -\n5 1 -nan\n6 1 0.0e9\n"
                    "3 2 NaN(1)\n4 2\n5 2 .05\n",
                    "1 2 NA\n1 3 .\n1 4 -\n1 5 -nan\n1 6 0.0e9\n2 1 NA\n2 3 NaN(1)\n2 4\n"
                    "2 5 -.05\n3 1 .\n3 2 NaN(1)\n4 1 -\n4 2\n5 1 -nan\n5 2 .05\n6 1 0.0e9\n");
    expect_output(RUN(COORDINATES "real skew-symmetric\n3 3 3\n2 1 NA\n3 1 4\n3 2 nan\n", "reduce",
                      "-k3", "--op=count", "--mirror", "--missing=skip", "--quiet"),
                  "2\n");
    expect_mirrored(COORDINATES "pattern symmetric\n3 3 2\n% none\n\n2 1 \n3 3",
                    "1 2 \n2 1 \n3 3\n");
    expect_mirrored(COORDINATES "pattern general\n3 3 2\n2 1\n3 3\n", "2 1\n3 3\n");
    expect_mirrored(COORDINATES "pattern symmetric\n3 3 0\n", "");
    expect_noted(RUN(half, "reduce", "-k3", "--type=f64", "--op=sum,count", "--mirror"),
                 "106.5\t6\n", "one is there, and both are read (");
    write_file("a", text_blob(half));
    expect_output(RUN("", "unique", "--count", "-k2", "--mirror", "--quiet", "a", "a"),
                  "4\t1\n4\t2\n4\t3\n");
}

Test(matrix_market, mirror_refuses_in_words_what_it_cannot_do)
{
    const char *const cases[][2] = {
        {"1 2\n", "standard input: --mirror is for Matrix Market files, which begin with %%Matrix"},
        {"%%MatrixMarket matrix array real symmetric\n1 1\n3\n",
         "line 1: --mirror is for entries with coordinates: this matrix is an array"},
        {COORDINATES "real other\n1 1 1\n1 1 3\n", "skew-symmetric or hermitian, not other"},
        {COORDINATES "pattern symmetric\n3 3 3\n2 1\n\n% x\n3 1\nx 2\n",
         "line 7: row x is not one of 1 to 3"},
        {COORDINATES "pattern symmetric\n3 3 3\n2 1\n3 1\n2 x\n",
         "line 5: column x is not one of 1 to 3"},
        {COORDINATES "real symmetric\n3 3 3\n2 1\n3 1\n2\n",
         "line 5: an entry has a row and a column"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_failure(RUN(cases[i][0], "sort", i < 5 ? "-k1" : "-k3", "--mirror", "-o", "out"),
                       cases[i][1]);
    expect_usage(RUN(half, "sort", "-k1", "--mirror", "-c"), "--mirror and --check exclude");
    expect_usage(RUN(half, "sort", "-k1", "--mirror", "-m"), "--mirror and --merge exclude");
    expect_usage(RUN(half, "merge", "-k1", "--mirror"), "unknown option --mirror");
    cr_assert_eq(count_files(), 0);
}

/* How many entries there are, whichever of them are read. */
Test(matrix_market, has_the_entries_of_its_line_of_sizes)
{
    const char *const cases[][3] = {
        {COORDINATES "real general\n-2 2 1\n1 1 5\n", "--flatten",
         "line 2: the line of sizes: '-2' is not an integer of 0 or more"},
        {COORDINATES "real general\n2 2 18446744073709551616\n1 1 5\n", "--mirror",
         "line 2: the line of sizes: '18446744073709551616' is more than"},
        {"%%MatrixMarket matrix array real symmetric\n9999999999 9999999999\n1\n", "--type=f64",
         "line 2: a matrix of 9999999999 x 9999999999 is too large"},
        {COORDINATES "real general\n3 3 3\n1 1 NA\n% x\n\n2 2 2\n", "--flatten",
         "standard input: line 6: the file ends after 2 entries, its line of sizes has 3"},
        {COORDINATES "real symmetric\n3 3 1\n2 1 NA\n\n3 1 2\n", "--mirror",
         "line 5: more entries than the 1 of the line of sizes"},
        {COORDINATES "real skew-symmetric\n3 3 3\n2 1 NA\n\n3 1 2", "--mirror",
         "line 5: the file ends after 2 entries, its line of sizes has 3"},
        {COORDINATES "real general\n% none\n", "--flatten",
         "line 2: the file ends before its line of sizes"},
        {COORDINATES "real general\n1 1 1\n", "--mirror", "line 2: the file ends after 0 entries"},
        {COORDINATES "real symmetric\n3 3 2\n2 1 1\n\n03 4 2\n", "--mirror",
         "line 5: column 4 is not one of 1 to 3"},
        {COORDINATES "real general\n3 2 1\n% 9 9\n0 1 2\n", "--mirror",
         "line 4: row 0 is not one of 1 to 3"},
        {COORDINATES "real general\n3 2 1\n1 -1 2\n", "--mirror", "column -1 is not one of 1 to 2"},
        {COORDINATES "real general\n3 2 1\n99999999999999999999 1 2\n", "--mirror",
         "line 3: row 99999999999999999999 is not one of 1 to 3"},
        {COORDINATES "real general\n3 2 2\n1 2 5\n\n% 9 9\n3 3 2\n", "--flatten",
         "line 6: column 3 is not one of 1 to 2"},
        {COORDINATES "real general\n3 2 1\n0 2 NA\n", "--flatten", "row 0 is not one of 1 to 3"},
        {COORDINATES "real general\n3 2 1\n1\n", "--flatten", "an entry has a row and a column"},
        {COORDINATES "real symmetric\n3 3 1\n-1 1 2\n", "--flatten", "row -1 is not one of"},
        {"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n4\n", "--type=f64",
         "line 6: more entries than the 3 of"},
        {"%%MatrixMarket matrix array real symmetric\n4 4\n1\n", "--type=f64",
         "line 3: the file ends after 1 entries, its line of sizes has 10"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_failure(RUN(cases[i][0], "reduce", strstr(cases[i][0], " array ") ? "-k1" : "-k3",
                           "--missing=skip", "--quiet", cases[i][1], "-o", "out"),
                       cases[i][2]);
    cr_assert_eq(count_files(), 0);
}

/* Several chunks; the lines are those of awk, which are sorted in runs, too. */
Test(matrix_market, mirror_of_many_entries_is_awk_s)
{
    expect_shell("(echo '%%MatrixMarket matrix coordinate integer skew-symmetric'; echo 100001 "
                 "100001 300000;"
                 "seq 300000 | awk '{ i = $1 * 7919 % 99991; print i + 10, i % 10 + 1, $1 }') >in;"
                 "awk 'NR > 2 { print; print $2, $1, -$3 }' in | $0 sort -k1 -o expected;"
                 "for options in '--threads 1' '--threads 3 -S 16M'; do"
                 " $0 sort -k1 --mirror --quiet $options in | cmp - expected || exit 1; done;"
                 "! head -n 300001 in | $0 reduce -k3 --mirror --quiet 2>err &&"
                 "grep -q 'line 300001: the file ends after 299999 entries' err &&"
                 "! (cat in; echo 9 8 1) | $0 reduce -k3 --mirror --quiet 2>err &&"
                 "grep -q 'line 300003: more entries than the 300000' err || exit 1;"
                 "echo 1 2 y >>in; ! $0 reduce -k3 --mirror in 2>err &&"
                 "grep -q 'line 300003: field 3: .y. is not a number' err");
}
