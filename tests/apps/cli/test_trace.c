/* parscan trace: the steps and the counts of every algorithm. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/apps/cli/trace_values.h"

/* One thread does all of it. */
TestSuite(trace, .init = enter_folder, .fini = leave_folder, .disabled = UNDER_THREAD_SANITIZER);

Test(trace, brent_kung_goes_through_the_textbook_s_states)
{
    expect_output(RUN("", "trace", "--algorithm", "brent-kung", TEXTBOOK_VALUES),
                  "brent-kung, inclusive sum of 8 i64, one block of 4 threads, 2 elements each\n"
                  "\n"
                  "values                4  6  7  1  2  8  5  2\n"
                  "upsweep, stride 1     4 10  7  8  2 10  5  7   4 operations\n"
                  "upsweep, stride 2     4 10  7 18  2 10  5 17   2 operations\n"
                  "upsweep, stride 4     4 10  7 18  2 10  5 35   1 operation\n"
                  "downsweep, stride 2   4 10  7 18  2 28  5 35   1 operation\n"
                  "downsweep, stride 1   4 10 17 18 20 28 33 35   3 operations\n"
                  "\n"
                  "operations: 11\n"
                  "textbook:   11, 2N - 2 - log2 N\n");
}

Test(trace, kogge_stone_goes_through_the_textbook_s_states)
{
    expect_output(RUN("", "trace", "--algorithm", "kogge-stone", TEXTBOOK_VALUES),
                  "kogge-stone, inclusive sum of 8 i64, one block of 8 threads, 1 element each\n"
                  "\n"
                  "values     4  6  7  1  2  8  5  2\n"
                  "stride 1   4 10 13  8  3 10 13  7   7 operations\n"
                  "stride 2   4 10 17 18 16 18 16 17   6 operations\n"
                  "stride 4   4 10 17 18 20 28 33 35   4 operations\n"
                  "\n"
                  "operations: 17\n"
                  "textbook:   17, N log2 N - (N - 1)\n");
}

Test(trace, hierarchical_scan_shows_blocks_their_sums_and_the_sums_added_back)
{
    expect_output(
        RUN("", "trace", "--block-threads", "4", FOUR_BLOCKS),
        "kogge-stone, inclusive sum of 16 i64, blocks of 4 threads, 1 element each\n"
        "\n"
        "values                        2  1  3  1 |  0  4  1  2 |  0  3  1  2 |  5  3  1  2\n"
        "stride 1                      2  3  4  4 |  0  4  5  3 |  0  3  4  3 |  5  8  4  3"
        "   12 operations\n"
        "stride 2                      2  3  6  7 |  0  4  5  7 |  0  3  4  6 |  5  8  9 11"
        "   8 operations\n"
        "each block scanned            2  3  6  7 |  0  4  5  7 |  0  3  4  6 |  5  8  9 11\n"
        "sums of the blocks            7  7  6 11\n"
        "sums: stride 1                7 14 13 17   3 operations\n"
        "sums: stride 2                7 14 20 31   2 operations\n"
        "sums of the blocks, scanned   7 14 20 31\n"
        "sums added back               2  3  6  7 |  7 11 12 14 | 14 17 18 20 | 25 28 29 31"
        "   12 operations\n"
        "\n"
        "operations: 37\n"
        "textbook:   no formula for more than one block\n");
}

Test(trace, three_phase_shows_each_element_of_a_segment_and_the_segments_sums)
{
    const program_run run = RUN("", "trace", "--algorithm=three-phase", "--items", "4", "3", "1",
                                "7", "0", "4", "1", "6", "3");
    expect_words(run, "segment of 4, step 1   3  4  7  0  4  5  6  3   2 operations\n");
    expect_words(run, "segment of 4, step 3   3  4 11 11  4  5 11 14   2 operations\n");
    expect_words(run, "segment sums, stride 1                      11 25   1 operation\n");
    expect_words(run, "added to segments of 4   3  4 11 11 15 16 22 25   4 operations\n");
}

Test(trace, exclusive_shifts_first)
{
    const program_run run = RUN("", "trace", "--exclusive", "3", "1", "7", "0", "4", "1", "6", "3");
    expect_words(run, "shifted by one   0  3  1  7  0  4  1  6\n");
    expect_words(run, "stride 4         0  3  4 11 11 15 16 22   4 operations\n");
}

Test(trace, takes_every_type_and_negative_values)
{
    expect_words(RUN("", "trace", "-5", "--op", "max", "-7", "3", "--", "-1"), " -5 -5  3  3 ");
    expect_words(RUN("", "trace", "--type", "f64", "-.5", "0.1", "1e300"), "stride 2 ");
    expect_words(RUN("", "trace", "--type", "u8", "200", "100"), "stride 1  200  44 ");
    expect_words(RUN("", "trace", "--type", "f32", "--op", "min", "--exclusive", "1"), " inf\n");
    expect_words(RUN("", "trace", "--algorithm", "warp", "7"), "operations: 0\n");
}

/* Runs trace over n ones with one more option and its value. */
static program_run trace_ones(const char *algorithm, size_t n, const char *name, const char *value)
{
    const char **const arguments = calloc(n + 7, sizeof *arguments);
    cr_assert_not_null(arguments);
    size_t count = 0;
    arguments[count++] = "trace";
    arguments[count++] = "--algorithm";
    arguments[count++] = algorithm;
    if (name != NULL) {
        arguments[count++] = name;
        arguments[count++] = value;
    }
    for (size_t i = 0; i < n; i++)
        arguments[count++] = "1";
    const program_run run = run_arguments(text_blob(""), arguments);
    free(arguments);
    expect_done(run);
    return run;
}

/* The last row of the array, a number a line, as scan prints it. */
static const char *last_row(program_run run, char text[256])
{
    expect_done(run);
    const char *row = strstr(run.out.bytes, "\n\noperations: ");
    cr_assert_not_null(row);
    while (row[-1] != '\n')
        row--;
    row = strstr(row, "  "); /* the label ends */
    const char *end = strchr(row, '\n'), *const count = strstr(row, " operation");
    if (count != NULL && count < end)
        for (end = count; isdigit((unsigned char)end[-1]); end--)
            ;
    size_t length = 0;
    for (char number[32]; (row += strspn(row, " |")) < end; row += strlen(number)) {
        cr_assert_eq(sscanf(row, "%31[^ |\n]", number), 1, "%s", row);
        length += (size_t)snprintf(text + length, 256 - length, "%s\n", number);
    }
    return text;
}

Test(trace, ends_in_what_scan_prints_of_floats_with_and_without_blocks)
{
    const char *const names[] = {"sequential",  "kogge-stone", "brent-kung",
                                 "three-phase", "warp",        "warp-padded"};
    const char *const types[] = {"--type=f32", "--type=f64"};
    for (size_t k = 0; k < 2 * sizeof names / sizeof names[0]; k++) {
        const char *const name = names[k / 2], *const type = types[k % 2];
        const char *const threads = k / 2 >= 4   ? "--block-threads=32"
                                    : k / 2 == 0 ? "--exclusive"
                                                 : "--block-threads=2";
        char row[256];
        const char *const result = RUN("-0 -0 1.5 2 -0 -4", "scan", "--exclusive", type).out.bytes;
        cr_expect_str_eq(last_row(RUN("", "trace", "--exclusive", type, "--algorithm", name, "-0",
                                      "-0", "1.5", "2", "-0", "-4"),
                                  row),
                         result, "%s", name);
        cr_expect_str_eq(last_row(RUN("", "trace", "--exclusive", type, "--algorithm", name,
                                      threads, "-0", "-0", "1.5", "2", "-0", "-4"),
                                  row),
                         result, "%s, blocks", name);
    }
}

Test(trace, takes_the_shapes_that_scan_takes)
{
    const char *const shapes[][3] = {
        {"--type=u8", "--block-threads=1024", "--items=40"},
        {"--type=u8", "--block-threads=1", "--items=40000"},
        {"--type=u8", "--block-threads=1", "--items=48000"},
        {"--type=i64", "--block-threads=1024", "--items=3"},
        {"--type=i64", "--block-threads=1024", "--items=4"},
        {"--type=f64", "--block-threads=256", "--items=17"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        cr_expect_eq(
            RUN("", "trace", "--algorithm=three-phase", shapes[i][0], shapes[i][1], shapes[i][2],
                "1", "2")
                .status,
            RUN("1 2", "scan", "--algorithm=three-phase", shapes[i][0], shapes[i][1], shapes[i][2])
                .status,
            "%s %s %s", shapes[i][0], shapes[i][1], shapes[i][2]);
    expect_words(trace_ones("three-phase", 1500, "--block-threads", "2"), "operations: ");
}

static size_t number_after(program_run run, const char *words)
{
    const char *const found = strstr(run.out.bytes, words);
    cr_assert_not_null(found, "no '%s'", words);
    return strtoul(found + strlen(words), NULL, 10);
}

Test(trace, counts_are_the_textbook_s_for_every_power_of_two)
{
    for (size_t n = 2, log = 1; n <= 1024; n *= 2, log++) {
        const struct {
            const char *name;
            size_t operations, largest;
        } algorithms[] = {
            {"sequential", n - 1, 128},
            {"kogge-stone", n * log - (n - 1), 1024},
            {"brent-kung", 2 * n - 2 - log, 1024},
            {"warp", n * log - (n - 1), 32},
            {"warp-padded", 32 * log, 32},
        };
        for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
            if (n > algorithms[i].largest)
                continue;
            const program_run run = trace_ones(algorithms[i].name, n, NULL, NULL);
            cr_expect_eq(number_after(run, "operations: "), algorithms[i].operations, "%s of %zu",
                         algorithms[i].name, n);
            cr_expect_eq(number_after(run, "textbook:   "), algorithms[i].operations, "%s of %zu",
                         algorithms[i].name, n);
        }
    }
}

Test(trace, counts_are_at_most_the_bounds)
{
    for (size_t n = 1; n <= 70; n += n < LESS_UNDER_SANITIZER(20, 5) ? 1 : 7) {
        const program_run runs[] = {
            trace_ones("three-phase", n, NULL, NULL), trace_ones("three-phase", n, "--items", "80"),
            trace_ones("three-phase", n, "--block-threads", "7"),
            trace_ones("brent-kung", n, "--block-threads", n > 2 ? "1" : "2"),
            trace_ones("brent-kung", n, n > 2 ? "--exclusive" : "--op=sum", "--block-threads=1")};
        for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
            if (strstr(runs[i].out.bytes, "at most ") != NULL)
                cr_expect_leq(number_after(runs[i], "operations: "),
                              number_after(runs[i], "textbook:   at most "), "%s",
                              runs[i].out.bytes);
        }
    }
    expect_words(trace_ones("three-phase", 8, NULL, NULL), "textbook:   at most 19,");
    expect_words(trace_ones("brent-kung", 16, "--block-threads", "1"), "textbook:   at most 61,");
}

static void expect_line(program_run run, const char *line)
{
    cr_expect_not_null(strstr(run.out.bytes, line), "no %s in %s", line, run.out.bytes);
}

/* 2048.6 and 2049.6 are no numbers of either type; 0.1 stands for the one next to it. */
Test(trace, floats_of_16_bits_are_computed_as_f32_and_rounded_at_the_end)
{
    const program_run run = RUN("", "trace", "--type", "f16", "0.1", "0.2", "0.3", "2048", "1");
    expect_done(run);
    expect_line(run, "\nstride 4               0.1 0.29992676  0.5999756     2048.6     2049.6 ");
    expect_line(run, "\nrounded to f16         0.1     0.2998        0.6       2048       2050\n");
    expect_line(RUN("", "trace", "--type", "bf16", "--exclusive", "--op", "max", "0.1", "3", "nan"),
                "\nrounded to bf16  -inf  0.1    3\n");
    expect_usage(RUN("", "trace", "--type", "f16", "65520"), "65520 does not fit f16");
    expect_usage(RUN("", "trace", "--op", "and", "--type", "bf16", "1"), "and is for integers");
}

Test(trace, wrong_usage_is_named)
{
    char ones[2 * 129 + 1];
    for (size_t i = 0; i < sizeof ones - 1; i += 2)
        memcpy(ones + i, "1\n", 3);
    write_file("many", text_blob(ones));
    expect_usage(RUN("", "trace"), "at least one value is needed");
    expect_usage(RUN("", "trace", "1", "x2"), "'x2' is not a number");
    expect_usage(RUN("", "trace", "--type", "u8", "256"), "256 does not fit u8");
    expect_usage(RUN("", "trace", "1.5"), "1.5 is not an integer");
    expect_usage(RUN("", "trace", "--algorithm", "auto", "1"), "auto has no steps to show");
    expect_usage(RUN("", "trace", "--algorithm", "single-pass", "1"), "sequential kogge-stone");
    expect_usage(RUN("", "trace", "--algorithm", "bubble", "1"), "bubble");
    expect_usage(RUN("", "trace", "--op", "and", "--type", "f32", "1"), "and is for integers");
    expect_usage(RUN("", "trace", "--block-threads", "1", "1"), "--block-threads: kogge-stone");
    expect_usage(RUN("", "trace", "--items", "2", "1"), "--items: kogge-stone takes one");
    expect_usage(RUN("", "trace", "--algorithm", "sequential", "--items", "2", "1"), "--items: ");
    expect_usage(RUN("", "trace", "--items", "0", "1"), "--items: ");
    expect_usage(RUN("", "trace", "1", "--svg"), "--svg needs a value");
    expect_usage(RUN("", "trace", "1", "--svg", "-", "--html", "-"),
                 "--svg and --html: both name -");
    expect_usage(RUN("", "trace", "--html", "p", "--file", "many"), "up to 128 values, not 129");
    expect_usage(RUN("", "trace", "--wrong", "1"), "unknown option --wrong");
}
