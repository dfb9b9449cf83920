/* The lines of texts: where each is one element, and where a note says that they are lost. */
#include "tests/apps/cli/run_program.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(lines, .init = enter_folder, .fini = leave_folder);

static void write_text(const char *name, const char *text)
{
    write_file(name, text_blob(text));
}

/* Every command line that pairs the file `a` with the file `b`, or writes indices of the elements of `a`;
   the last of them use `a` alone. */
static const char *const *const paired[] = {
    ARGUMENTS("sort", "a", "--values=b", "--values-output=w", "-o", "out"),
    ARGUMENTS("sort", "a", "--values=b", "--values-output=w", "-o", "out", "--end-bit=5"),
    ARGUMENTS("compact", "a", "--flags=b", "-o", "out"),
    ARGUMENTS("compact", "a", "--flags=b", "-o", "out", "--count"),
    ARGUMENTS("compact", "a", "--flags=b", "-o", "out", "--indices"),
    ARGUMENTS("segscan", "a", "--flags=b", "-o", "out"),
    ARGUMENTS("segscan", "a", "--keys=b", "-o", "out"),
    ARGUMENTS("segscan", "a", "--keys=b", "-o", "out", "--keys-type=word"),
    ARGUMENTS("segscan", "a", "--keys=b", "-o", "out", "--keys-type=u8"),
    ARGUMENTS("segscan", "a", "--keys=b", "-o", "out", "--reverse"),
    ARGUMENTS("segscan", "a", "--offsets=b", "-o", "out"),
    ARGUMENTS("compact", "a", "--indices", "-o", "out"),
    ARGUMENTS("sort", "a", "--argsort", "-o", "out")};
enum { PAIRED = sizeof paired / sizeof paired[0], ALONE = 2 };

static void expect_each_refuses(size_t count, const char *words)
{
    for (size_t i = 0; i < count; i++)
        expect_failure(run_arguments(text_blob(""), paired[i]), words);
    cr_assert_eq(count_files(), 2);
}

static void expect_each_works(void)
{
    for (size_t i = 0; i < PAIRED; i++)
        expect_done(run_arguments(text_blob(""), paired[i]));
    remove("out");
    remove("w");
}

Test(lines, that_are_empty_do_not_move_values_to_other_keys)
{
    const char *const words = "line 2: the line is empty, where each line is one element\n";
    write_text("b", "0\n1\n3\n");
    write_text("a", "5\n\n6\n7\n");
    expect_each_refuses(PAIRED, words);
    write_text("a", "5\n \t\r\n6\n7\n");
    expect_each_refuses(PAIRED, words);
    write_text("a", "5\n6\n7\n");
    write_text("b", "0\n\n1\n3\n");
    expect_each_refuses(PAIRED - ALONE, "parscan: b: line 2: the line is empty");
    write_text("b", "0\n1\n3\n\n");
    expect_each_refuses(PAIRED - ALONE, "parscan: b: line 4: the line is empty");
    write_text("b", "\n0\n1\n3");
    expect_each_refuses(PAIRED - ALONE, "parscan: b: line 1: the line is empty");
}

Test(lines, of_several_elements_are_refused_where_each_is_one)
{
    write_text("b", "0\n1\n3\n");
    write_text("a", "5 6\n7\n");
    expect_each_refuses(PAIRED, "parscan: a: line 1: several elements on a line");
    write_text("a", "5\n 6\t7");
    expect_each_refuses(PAIRED, "parscan: a: line 2: several elements on a line");
    write_text("a", "5\n6\n7\n");
    write_text("b", "0\n1 3\n");
    expect_each_refuses(PAIRED - ALONE, "parscan: b: line 2: several elements on a line");
}

Test(lines, of_one_element_each_or_a_list_on_one_line_work)
{
    const char *const texts[][2] = {{"5\n6\n7\n", "0\n1\n3\n"},
                                    {"5\n6\n7", "0\n1\n3"},
                                    {"5\r\n6\r\n7\r\n", " 0\n 1 \n3\t"},
                                    {"5 6 7\n", "0 1 3"},
                                    {"5 6 7", "0\n1\n3\n"},
                                    {"\xef\xbb\xbf"
                                     "5\n6\n7\n",
                                     " 0 1  3 \n"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text("a", texts[i][0]);
        write_text("b", texts[i][1]);
        expect_each_works();
    }
}

Test(lines, of_one_file_may_be_empty)
{
    expect_output(RUN("3\n\n1\n", "sort"), "1\n3\n");
    expect_output(RUN("3\n\n1\n", "scan"), "3\n4\n");
    expect_output(RUN("3\n\n1\n", "compact"), "3\n1\n");
    expect_output(RUN("3\n\n1\n", "compact", "--count"), "2\n");
    expect_output(RUN("", "sort", "--argsort"), "");
}

/* One number on each line, over several chunks; `wrong` stands in place of line number `at`. */
static blob long_text(size_t lines, size_t at, const char *wrong)
{
    blob text = new_blob(lines * 8 + strlen(wrong));
    text.size = 0;
    for (size_t i = 1; i <= lines; i++)
        text.size += (size_t)(i == at ? sprintf(text.bytes + text.size, "%s\n", wrong)
                                      : sprintf(text.bytes + text.size, "%06zu\n", i));
    return text;
}

Test(lines, are_counted_across_the_edges_of_chunks)
{
    enum { LINES = 700000 };
    const char *const threads[] = {"--threads=1", "--threads=3"};
    const size_t places[] = {1, 599186, 599187, LINES}; /* 4 MiB of text end about there */
    char words[64];
    for (int i = 0; i < 2; i++) {
        for (int k = i; k < 4; k += 2) {
            snprintf(words, sizeof words, "line %zu: the line is empty", places[k]);
            write_file("a", long_text(LINES, places[k], ""));
            expect_failure(RUN("", "compact", "--indices", "a", threads[i], "-o", "out"), words);
            snprintf(words, sizeof words, "line %zu: several elements on", places[k]);
            write_file("a", long_text(LINES, places[k], "1 2"));
            expect_failure(RUN("", "compact", "--indices", "a", threads[i], "-o", "out"), words);
        }
    }
    write_file("a", long_text(LINES, 1, "1"));
    expect_done(RUN("", "sort", "--argsort", "a", "-o", "out"));
    expect_done(RUN("", "sort", "--argsort", "a", "-o", "out", "-S16M"));
}

Test(lines, that_are_wrong_are_told_in_their_order)
{
    expect_failure(RUN("1\n\n2\nx\n", "sort", "--argsort"), "line 2: the line is empty");
    expect_failure(RUN("1\nx\n2\n\n", "sort", "--argsort"), "line 2: 'x' is not a number");
    expect_failure(RUN("1\n2 3\n\n4\n", "sort", "--argsort"), "line 2: several elements on");
    expect_failure(RUN("1\n\n2 3\n4\n", "sort", "--argsort"), "line 2: the line is empty");
}

/* One line on standard error, and the output as ever. */
static void expect_note(program_run run, const char *output)
{
    cr_assert_eq(run.status, 0);
    cr_assert_str_eq(run.out.bytes, output);
    cr_assert_eq(strncmp(run.err.bytes, "parscan: note: ", 15), 0, "'%s'", run.err.bytes);
    cr_assert_not_null(strstr(run.err.bytes, "several numbers on a line"));
    cr_assert_eq(strchr(run.err.bytes, '\n'), run.err.bytes + run.err.size - 1);
}

Test(lines, of_several_numbers_that_part_are_noted_once)
{
    const char *const edges = "4 3\n2 1\n\n6 5\n";
    expect_note(RUN(edges, "sort"), "1\n2\n3\n4\n5\n6\n");
    expect_note(RUN(edges, "sort", "-S16M"), "1\n2\n3\n4\n5\n6\n");
    expect_note(RUN("1\n3 2", "sort", "--descending"), "3\n2\n1\n");
    expect_note(RUN(edges, "compact", "--where", ">3"), "4\n6\n5\n");
    expect_note(RUN(edges, "sort", "-o", "out.txt"), "");
    expect_content("out.txt", "1\n2\n3\n4\n5\n6\n");
    expect_note(RUN(edges, "sort", "-o", "out.npy"), "");
}

/* One rule for all that read a list. */
Test(lines, of_several_numbers_are_noted_by_every_subcommand)
{
    static const char *const commands[][4] = {{"reduce", NULL},
                                              {"scan", NULL},
                                              {"scan", "--reverse"},
                                              {"sort", NULL},
                                              {"sort", "-m"},
                                              {"merge", NULL},
                                              {"unique", NULL},
                                              {"unique", "--count"},
                                              {"top", "-n1"},
                                              {"quantile", "-q0.5"},
                                              {"allocate", NULL},
                                              {"histogram", "--bins=50"},
                                              {"compact", "--where", ">3"},
                                              {"compact", "--count", "--where", ">3"}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const char *const *const c = commands[i];
        program_run run =
            run_arguments(text_blob("1 10\n20 30\n"), ARGUMENTS(c[0], c[1], c[2], c[3]));
        cr_assert_gt(run.out.size, 0);
        expect_note(run, run.out.bytes);
    }
    write_file("a", text_blob("1\n2\n"));
    write_file("b", text_blob("3 4\n5 6\n"));
    program_run run = RUN("", "reduce", "a", "b", "a");
    expect_note(run, "24\n");
    cr_assert_not_null(strstr(
        run.err.bytes, "note: b has several numbers on a line: all lines are one list (-k N"));
    expect_shell(
        "seq 1000000 | awk '{ printf \"%8d \\r\\n\", $1 }' >in; $0 reduce in 2>err && ! test -s "
        "err &&"
        "(cat in; echo 1; echo) | $0 reduce 2>err && ! test -s err &&"
        "(cat in; seq 100000 | paste - -) | $0 reduce 2>err && grep -q 'several numbers' err &&"
        "seq 1000000 | paste -d' ' - - | $0 reduce 2>err && grep -q 'several numbers' err &&"
        "(seq 1000000 | paste -sd' '; echo; echo) | $0 reduce 2>err && ! test -s err");
}

Test(lines, are_not_noted_where_nothing_surprises)
{
    const char *const edges = "4 3\n2 1\n";
    expect_output(RUN("3 1 2", "sort"), "1\n2\n3\n");
    expect_output(RUN("3 1 2\n\n", "sort"), "1\n2\n3\n");
    expect_output(RUN(" 3\n1 \n\n2", "sort"), "1\n2\n3\n");
    expect_output(RUN(edges, "sort", "--quiet"), "1\n2\n3\n4\n");
    expect_output(RUN("3 1 2\n\n", "scan"), "3\n4\n6\n");
    expect_output(RUN(edges, "scan", "--quiet"), "4\n7\n9\n10\n");
    expect_output(RUN("b a\na c\n", "unique", "--words"), "b\na\nc\n");
    expect_failure(RUN("4 3\n2 x\n", "sort"), "line 2: 'x'");
}
