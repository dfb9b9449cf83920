/* Matrix Market files, whose entries are lines with fields. */
#include "tests/apps/cli/run_program.h"

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
                 "other, one is there");
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
