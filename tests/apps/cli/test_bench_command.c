/* parscan bench: that it runs, and finds its results right; never how long. */
#include "tests/apps/cli/run_program.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(bench_command, .init = enter_folder, .fini = leave_folder);

static const char *const rows[] = {"copy",
                                   "scan",
                                   "reduce",
                                   "segmented scan",
                                   "segmented reduce",
                                   "recurrence",
                                   "sort keys",
                                   "sort pairs",
                                   "argsort",
                                   "sort segments",
                                   "compact",
                                   "compact by flags",
                                   "indices",
                                   "partition",
                                   "unique",
                                   "run length",
                                   "dense to CSR",
                                   "histogram u8",
                                   "histogram",
                                   "bin",
                                   "allocate",
                                   "expand",
                                   "pack"};

static void expect_80_columns(const char *page)
{
    for (const char *line = page, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        cr_assert(end != NULL && end - line <= 80, "more than 80 columns: %s", line);
    }
}

Test(bench_command, has_a_row_for_every_primitive_and_a_full_bar_for_copy, .timeout = 120)
{
    const program_run run =
        RUN("", "bench", "--megabytes", "1", "--threads", "2", "--seconds", "600");
    expect_done(run);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n%s", rows[i]);
        cr_assert_not_null(strstr(run.out.bytes, line), "no row '%s' in:\n%s", rows[i],
                           run.out.bytes);
    }
    cr_assert_null(strstr(run.out.bytes, "WRONG"), "%s", run.out.bytes);
    expect_80_columns(run.out.bytes);
    const char *const copy = strstr(run.out.bytes, "\ncopy");
    cr_assert_not_null(copy);
    cr_assert_not_null(strstr(copy, " 1.00  ################################\n"));
}

Test(bench_command, quiet_leaves_head_and_bars_out, .timeout = 120)
{
    const program_run run = RUN("", "bench", "--megabytes=1", "--quiet", "--seconds=0");
    expect_done(run);
    cr_assert_eq(strncmp(run.out.bytes, "copy ", 5), 0, "%s", run.out.bytes);
    cr_assert_null(strchr(run.out.bytes, '#'));
}

Test(bench_command, leaves_out_what_is_not_done_in_time_and_says_so, .timeout = 120)
{
    const program_run run = RUN("", "bench", "--megabytes=1", "--seconds=0");
    expect_done(run);
    cr_assert_not_null(strstr(run.out.bytes, "\ncopy "), "%s", run.out.bytes);
    cr_assert_not_null(strstr(run.out.bytes, " 1.00  ####"), "%s", run.out.bytes);
    for (size_t i = 1; i < sizeof rows / sizeof rows[0]; i++) {
        const char *line = run.out.bytes;
        char begin[64];
        snprintf(begin, sizeof begin, "\n%s", rows[i]);
        cr_assert_not_null(line = strstr(line, begin), "no row '%s'", rows[i]);
        const char *const words = "left out: no time left (--seconds 0)\n";
        cr_assert_eq(strncmp(line + 20, words, strlen(words)), 0, "%s", line);
    }
}

/* Without --megabytes the arrays are as short as the time needs them to be. */
Test(bench_command, short_of_time_takes_shorter_arrays, .timeout = 120)
{
    const program_run run = RUN("", "bench", "--seconds=0");
    expect_done(run);
    cr_assert_eq(strncmp(run.out.bytes, "2 MiB of u32, ", 14), 0, "%s", run.out.bytes);
}

Test(bench_command, wrong_usage_is_told)
{
    expect_usage(RUN("", "bench", "--seconds=-1"), "--seconds: '-1'");
    expect_usage(RUN("", "bench", "file"), "bench takes no FILE");
    expect_usage(RUN("", "bench", "--megabytes=0"), "--megabytes: '0'");
    expect_usage(RUN("", "bench", "--megabytes=5000"), "--megabytes: 5000 is more than 1024");
    expect_usage(RUN("", "bench", "--type=u8"), "unknown option --type=u8");
    expect_usage(RUN("", "bench", "--threads=0"), "--threads: ");
}
