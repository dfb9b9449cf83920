/* The example arrays of data/, in every format, and their known answers. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(examples, .init = enter_folder, .fini = leave_folder);

/* The answers are on one line; the program writes a number a line. */
static blob answer(const char *path)
{
    const blob numbers = read_file(path);
    for (size_t i = 0; i < numbers.size; i++)
        if (numbers.bytes[i] == ' ')
            numbers.bytes[i] = '\n';
    return numbers;
}

/* An option that changes nothing stands where a file needs none. */
static void expect_answers(const char *path, const char *inclusive, const char *exclusive,
                           const char *format, const char *type)
{
    expect_output(RUN("", "scan", format, type, "--output-format=text", path),
                  answer(inclusive).bytes);
    expect_output(RUN("", "scan", format, type, "--output-format=text", "--exclusive", path),
                  answer(exclusive).bytes);
}

#define EXPECT_ANSWERS(file, name, format, type)                      \
    expect_answers(data_path(file), data_path(name ".inclusive.txt"), \
                   data_path(name ".exclusive.txt"), format, type)

Test(examples, eight_has_its_answers_in_every_format)
{
    EXPECT_ANSWERS("eight.txt", "eight", "--format=text", "--type=i64");
    EXPECT_ANSWERS("eight.txt.gz", "eight", "--format=text", "--type=u8");
    EXPECT_ANSWERS("eight.i32.raw", "eight", "--format=raw", "--type=i32");
    EXPECT_ANSWERS("eight.npy", "eight", "--quiet", "--type=i64");
}

Test(examples, sixteen_has_its_answers_in_every_format)
{
    EXPECT_ANSWERS("sixteen.txt", "sixteen", "--quiet", "--type=f64");
    EXPECT_ANSWERS("sixteen.u8.raw", "sixteen", "--format=raw", "--type=u8");
    EXPECT_ANSWERS("sixteen.f32.npy", "sixteen", "--format=npy", "--quiet");
}

Test(examples, network_has_its_answer)
{
    expect_output(RUN("", "scan", data_path("network.txt")),
                  answer(data_path("network.inclusive.txt")).bytes);
}

Test(examples, the_grid_has_its_sums_along_each_axis)
{
    const char *const text = "--output-format=text";
    expect_output(RUN("", "reduce", "--axis=0", text, data_path("grid.npy")), "15\n18\n21\n24\n");
    expect_output(RUN("", "reduce", "--axis=1", text, data_path("grid.npy")), "10\n26\n42\n");
}

Test(examples, the_intervals_have_their_depths)
{
    expect_output(run_arguments(RUN("", "sort", "-k2", data_path("intervals.bed")).out,
                                ARGUMENTS("depth", "-k2", "--until=3")),
                  "10\t1\n20\t2\n50\t1\n60\t2\n80\t1\n90\t0\n");
}

Test(examples, the_sizes_of_a_day_are_summed_up_by_days)
{
    const blob days = read_file(data_path("days.txt")), sizes = read_file(data_path("sizes.txt"));
    char expected[1024], *to = expected, *size = sizes.bytes;
    const char *before = NULL;
    long sum = 0;
    for (const char *day = days.bytes; *day != '\0'; before = day, day += strlen("2026-11-22\n")) {
        if (before == NULL || strncmp(before, day, strlen("2026-11-22")) != 0)
            sum = 0;
        sum += strtol(size, &size, 10);
        to += sprintf(to, "%ld\n", sum);
    }
    cr_assert_str_eq(size, "\n", "a size for each day");
    expect_output(RUN("", "segscan", "--keys", data_path("days.txt"), data_path("sizes.txt")),
                  expected);
}

Test(examples, the_sizes_are_placed_on_pages)
{
    const blob sizes = read_file(data_path("sizes.txt"));
    char expected[1024], *to = expected, *end;
    long offset = 0;
    for (char *from = sizes.bytes;; from = end) {
        const long size = strtol(from, &end, 10);
        if (end == from)
            break;
        to += sprintf(to, "%ld\n", offset);
        offset += (size + 4095) / 4096 * 4096;
    }
    expect_output(RUN("", "allocate", "--align=4096", data_path("sizes.txt")), expected);
}

Test(examples, the_numbers_are_the_same_compressed)
{
    const program_run plain = RUN("", "scan", data_path("numbers.txt"));
    expect_done(plain);
    expect_output(RUN("", "scan", data_path("numbers.txt.gz")), plain.out.bytes);
    expect_output(RUN("", "sort", "--descending", data_path("numbers.txt")),
                  "133\n126\n110\n110\n101\n101\n100\n96\n52\n35\n26\n");
    expect_output(RUN("", "compact", "--where=>=110", data_path("numbers.txt")),
                  "133\n110\n110\n126\n");
}

Test(examples, the_shades_of_a_picture_are_counted_and_packed)
{
    const blob picture = read_file(data_path("mandelbrot.u8.raw"));
    int counts[8] = {0};
    for (size_t i = 0; i < picture.size; i++)
        counts[(uint8_t)picture.bytes[i] / 32]++;
    cr_assert_eq(picture.size, 64 * 49);
    char expected[128], *to = expected;
    for (int i = 0; i < 8; i++)
        to += sprintf(to, "%d\n", counts[i]);
    expect_output(RUN("", "histogram", "--bins=8", "--range=0:256", "--type=u8", "--format=raw",
                      "--output-format=text", data_path("mandelbrot.u8.raw")),
                  expected);
    expect_done(RUN("", "pack", "-o", "picture.gz", data_path("mandelbrot.u8.raw")));
    expect_done(RUN("", "compact", "--where=0..255", "--type=u8", "--format=raw", "-o", "picture",
                    "picture.gz"));
    cr_assert(same_bytes(read_file("picture"), picture));
}

Test(examples, the_picture_is_what_trace_draws)
{
    const program_run run = RUN("", "trace", "--algorithm", "brent-kung", "--svg", "-", "4", "6",
                                "7", "1", "2", "8", "5", "2");
    expect_output(run, read_file(data_path("brent-kung.svg")).bytes);
}
