/* The example arrays of data/, in every format, and their known answers. */
#include "tests/apps/cli/run_program.h"

#include <stdio.h>

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

Test(examples, the_picture_is_what_trace_draws)
{
    const program_run run = RUN("", "trace", "--algorithm", "brent-kung", "--svg", "-", "4", "6",
                                "7", "1", "2", "8", "5", "2");
    expect_output(run, read_file(data_path("brent-kung.svg")).bytes);
}
