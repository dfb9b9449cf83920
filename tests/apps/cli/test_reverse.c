/* Scans from the end of a file; test_pieces.c compares their results in every format. */
#include "tests/apps/cli/run_program.h"

#include <stdio.h>

#include <criterion/criterion.h>

TestSuite(reverse, .init = enter_folder, .fini = leave_folder);

Test(reverse, has_the_bits_of_the_reversed_array)
{
    /* More than one piece of elements. */
    expect_shell("seq 0.1 0.37 200000 >floats && \"$0\" scan --op max --type f32 floats "
                 "--output-format raw -o raw && "
                 "gzip -1 raw");
    const char *const arguments[] = {"--reproducible", "--op max", "--reproducible --exclusive"};
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        char line[512];
        snprintf(line, sizeof line,
                 "tac floats | \"$0\" scan --type f32 %s | tac >expected &&"
                 "\"$0\" scan --format raw --output-format text --type f32 %s --reverse raw.gz | "
                 "cmp - expected",
                 arguments[i], arguments[i]);
        expect_shell(line);
    }
}

Test(reverse, of_a_pipe_goes_through_the_folder_for_temporary_files)
{
    expect_shell("echo 1 2 3 | TMPDIR=/nowhere \"$0\" scan --reverse | paste -sd ' ' >out");
    cr_assert_str_eq(read_file("out").bytes, "6 5 3\n");
    expect_shell("seq 400000 | TMPDIR=/nowhere \"$0\" scan --reverse -o out 2>words; test $? = 1");
    cr_assert_str_eq(read_file("words").bytes,
                     "parscan: folder /nowhere, which TMPDIR names: a file cannot be created: "
                     "No such file or directory\n");
    cr_assert_str_eq(read_file("out").bytes, "6 5 3\n");
    expect_shell("mkdir tmp && seq 400000 >in && "
                 "cat in | TMPDIR=tmp \"$0\" scan --reverse -o out && rmdir tmp && "
                 "tac in | \"$0\" scan | tac | cmp - out");
    /* Others go on after what has been read, as after a scan from the front. */
    write_file("numbers", new_blob(64));
    expect_shell("{ head -c 8 >first; \"$0\" scan --reverse --format raw --type u32 -o out; cat; } "
                 "<numbers >rest && test $(wc -c <out) = 56 && test ! -s rest");
}
