/* The command line itself: help, versions, and every way to get it wrong. */
#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "parscan/types.h"
#include "scan/tables.h"

TestSuite(usage, .init = enter_folder, .fini = leave_folder);

static const char *const subcommands[] = {"scan",     "segscan", "sort",  "compact", "histogram",
                                          "allocate", "pack",    "trace", "bench",   "info"};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static void expect_page(program_run run, const char *words)
{
    expect_done(run);
    cr_assert_not_null(strstr(run.out.bytes, words), "'%s' is not in: %s", words, run.out.bytes);
}

Test(usage, help_is_on_standard_output)
{
    expect_page(RUN("", "--help"), "scan");
    expect_page(RUN("", "--help"), "info");
    expect_page(RUN("", "-h"), "usage: parscan");
    expect_page(RUN("", "scan", "--help"), "usage: parscan scan");
    expect_page(RUN("", "scan", "-h"), "kogge-stone");
    expect_page(RUN("", "info", "--help"), "usage: parscan info");
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        char words[64];
        snprintf(words, sizeof words, "usage: parscan %s", subcommands[i]);
        expect_page(RUN("", "--help"), subcommands[i]);
        expect_page(RUN("", subcommands[i], "--help"), words);
    }
}

static void expect_options(const char *subcommand, const char *const *options)
{
    const program_run page = RUN("", subcommand, "--help");
    for (; *options != NULL; options++)
        expect_page(page, *options);
}

#define COMMON                                                                           \
    "--format", "--type", "--output", "-o", "--output-format", "--backend", "--threads", \
        "--stats", "--quiet", "--help"
#define SCAN                                                                                     \
    "--op", "--exclusive", "--init", "--reverse", "--algorithm", "--out-type", "--reproducible", \
        "--items", "--block-threads"

Test(usage, help_names_every_option)
{
    expect_options("scan", ARGUMENTS(COMMON, SCAN));
    expect_options("segscan", ARGUMENTS(COMMON, SCAN, "--flags", "--offsets", "--offsets-type",
                                        "--keys", "--keys-type"));
    expect_options("sort", ARGUMENTS(COMMON, "--descending", "--values", "--values-type",
                                     "--values-output", "--argsort", "--begin-bit", "--end-bit"));
    expect_options("compact", ARGUMENTS(COMMON, "--where", "--flags", "--indices", "--count"));
    expect_options("histogram", ARGUMENTS(COMMON, "--bins", "--range"));
    expect_options("allocate", ARGUMENTS(COMMON, "--align", "--capacity"));
    expect_options("pack", ARGUMENTS("--level", "--output", "-o", "--backend", "--threads",
                                     "--stats", "--quiet"));
    expect_options("trace",
                   ARGUMENTS("--algorithm", "--op", "--exclusive", "--block-threads", "--items",
                             "--type", "--svg", "--html", "--backend", "--help"));
    expect_options("info", ARGUMENTS("--backend", "--help"));
    expect_options("bench", ARGUMENTS("--megabytes", "--seconds", "--backend", "--threads",
                                      "--quiet", "--help"));
}

/* What a subcommand refuses is not offered. */
Test(usage, help_says_what_is_refused)
{
    expect_page(RUN("", "help", "check"), "--output-format  are refused");
    expect_page(RUN("", "help", "join"), "--type T              is refused");
    static const char *const texts[] = {"group", "join", "depth"};
    for (size_t i = 0; i < 3; i++)
        expect_page(RUN("", "help", texts[i]), "text, no other here");
    static const char *const integers[] = {"bin", "expand", "allocate"};
    for (size_t i = 0; i < 3; i++)
        expect_page(RUN("", "help", integers[i]), "u8 i8 u16 i16 u32 i32 u64 i64\n");
}

Test(usage, version_is_the_library_s)
{
    char line[64];
    snprintf(line, sizeof line, "parscan %s\n", parscan_version());
    expect_output(RUN("", "--version"), line);
}

Test(usage, info_lists_engines_types_operators_and_algorithms)
{
#define NAME(ctx, NAME, number, name, ...) " " #name
    expect_page(RUN("", "info"), "\ntypes:     " PARSCAN_TYPES(NAME, ) "\n");
    expect_page(RUN("", "info"), "\noperators: " PARSCAN_OPS(NAME, ) "\n");
#undef NAME
    expect_page(RUN("", "info"), "\nalgorithms: auto sequential ");
    expect_page(RUN("", "info"), "\ncpu: ");
    expect_page(RUN("", "info"), " kernels\n");
    expect_page(RUN("", "info"), "\ncuda: ");
    expect_page(RUN("", "info"), "version:    ");
}

Test(usage, a_subcommand_is_needed)
{
    expect_usage(run_arguments(text_blob(""), (const char *const[]){NULL}),
                 "a subcommand is missing");
    expect_usage(RUN("", "help", "sort", "scan"), "help takes one SUBCOMMAND, not 2");
    expect_usage(RUN("", "scam"), "unknown subcommand 'scam'");
    expect_usage(RUN("", "--verbose"), "unknown option '--verbose'");
}

Test(usage, unknown_options_are_refused_by_name)
{
    expect_usage(RUN("", "scan", "--fast"), "unknown option --fast");
    expect_usage(RUN("", "scan", "--member="), "--member: an empty word is no name of a file");
    expect_failure(RUN("a:desc,b\n1,2\n", "sort", "-t,", "--header", "-ka:desc"),
                   "'a': a:desc,b (a name with a colon? the number of the field chooses it)");
    expect_usage(RUN("", "scan", "-z"), "unknown option -z");
    expect_usage(RUN("", "info", "--fast"), "unknown option --fast");
    expect_usage(RUN("", "scan", "--quiet", "-xh"), "unknown option -x");
    expect_usage(RUN("", "scan", "--fast=3"), "unknown option --fast=3");
}

Test(usage, a_missing_value_is_refused)
{
    expect_usage(RUN("", "scan", "--op"), "--op needs a value");
    expect_usage(RUN("", "scan", "-o"), "--output needs a value");
    expect_usage(RUN("", "scan", "-k1", "--field=2"),
                 "--field: it is given twice, as '1' and as '2'");
    expect_output(RUN("1", "scan", "--threads=2", "--threads=1", "--comment=#", "--comment=%"),
                  "1\n");
}

Test(usage, an_abbreviation_of_several_options_is_ambiguous)
{
    expect_usage(RUN("1", "scan", "--re"), "--re is ambiguous: --reverse --reproducible");
    expect_usage(RUN("1", "scan", "--o=sum"), "--o=sum is ambiguous: ");
    expect_output(RUN("1 2", "scan", "--exc"), "0\n1\n");
}

static void expect_narrow(program_run page)
{
    expect_done(page);
    for (const char *line = page.out.bytes, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        cr_assert(end != NULL && end - line <= 100, "more than 100 columns: %s", line);
        cr_assert(end == line || end[-1] != ' ', "a space at the end: %s", line);
    }
}

Test(usage, pages_are_at_most_100_columns_wide)
{
    expect_narrow(RUN("", "--help"));
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        expect_narrow(RUN("", subcommands[i], "--help"));
}

Test(usage, a_value_too_many_is_refused)
{
    expect_usage(RUN("", "scan", "--reverse=2"), "--reverse takes no value");
    expect_usage(RUN("", "scan", "--help=3"), "--help takes no value");
}

Test(usage, unknown_names_are_refused_with_their_option)
{
    expect_usage(RUN("", "scan", "--op", "minus"), "--op: 'minus' is not known");
    expect_usage(RUN("", "scan", "--type", "u128"), "--type: 'u128' is not known, but u8 i8");
    expect_usage(RUN("", "scan", "--out-type", "int"), "--out-type: 'int' is not known");
    expect_usage(RUN("", "scan", "--algorithm", "quick"), "--algorithm: 'quick' is not known");
    expect_usage(RUN("", "scan", "--format", "csv"), "--format: 'csv' is not known");
    expect_usage(RUN("", "scan", "--output-format", "csv"), "--output-format: 'csv' is not known");
    expect_usage(RUN("", "scan", "--backend", "tpu"), "--backend: 'tpu' is not known");
}

Test(usage, counts_are_positive_integers)
{
    const char *const wrong[] = {"0", "-1", "two", "1.5", "", "99999999999999999999", "4294967296"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        expect_usage(RUN("", "scan", "--threads", wrong[i]), "--threads: ");
        expect_usage(RUN("", "scan", "--items", wrong[i]), "--items: ");
        expect_usage(RUN("", "scan", "--block-threads", wrong[i]), "--block-threads: ");
    }
}

Test(usage, one_input_file_at_most)
{
    expect_usage(RUN("", "scan", "a", "b"), "one input FILE");
    expect_usage(RUN("", "info", "a"), "no arguments");
}

/* The default number of threads is that of the processors that the program may run on. */
Test(usage, threads_are_those_that_affinity_allows)
{
    cpu_set_t before, one;
    CPU_ZERO(&one);
    cr_assert_eq(sched_getaffinity(0, sizeof before, &before), 0);
    for (int processor = 0; CPU_COUNT(&one) == 0; processor++)
        if (CPU_ISSET(processor, &before))
            CPU_SET(processor, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    expect_page(RUN("", "info", "--backend=cpu"), "cpu:        1 thread, ");
    const program_run run = RUN("1 2", "scan", "--stats");
    cr_assert_eq(run.status, 0);
    cr_assert_not_null(strstr(run.err.bytes, ", cpu, 1 thread\n"), "%s", run.err.bytes);
    expect_output(RUN("1 2", "scan", "--threads=7"), "1\n3\n");
    cr_assert_eq(sched_setaffinity(0, sizeof before, &before), 0);
}

/* The program, with as little memory as KiB says: it does what it should, or names the file in one
   line. */
static bool runs_out(const char *arguments, int kibibytes)
{
    char line[256];
    snprintf(line, sizeof line, "ulimit -v %d; \"$0\" %s --threads 1 -o out 2>words", kibibytes,
             arguments);
    remove("out");
    const int status = run_shell(line);
    const blob words = read_file("words");
    /* With so little that it cannot be loaded, it is not the program that says so. */
    if (status == 127 || strstr(words.bytes, "shared librar") != NULL)
        return false;
    if (status == 0)
        return false;
    cr_assert_eq(status, 1, "%s: status %d: %s", line, status, words.bytes);
    cr_assert_eq(strncmp(words.bytes, "parscan: in: ", 13), 0, "%s: %s", line, words.bytes);
    cr_assert_not_null(strstr(words.bytes, "memory"), "%s: %s", line, words.bytes);
    cr_assert(strchr(words.bytes, '\n') == words.bytes + words.size - 1, "%s", words.bytes);
    cr_assert_eq(count_files(), 2);
    return true;
}

/* The least address space that the program is loaded and starts in: the library's device code may be large.
   With 20 MiB CUDA's runtime, which libparscan has in it, ends the process when it is loaded. */
static int least_mebibytes(void)
{
    for (int mebibytes = 40; mebibytes < 4096; mebibytes += 4) {
        char line[128];
        snprintf(line, sizeof line, "ulimit -v %d; \"$0\" --version >words 2>&1", mebibytes * 1024);
        if (run_shell(line) == 0)
            return mebibytes;
    }
    return 4096;
}

Test(usage, out_of_memory_names_the_file, .timeout = 120)
{
    if (UNDER_SANITIZER)
        cr_skip_test("a sanitizer needs more address space than any limit allows\n");
    const char *const commands[] = {
        "scan --format raw --type u8 --out-type u64 in",
        "sort --format raw --type u32 in",
        "sort --format raw --type u8 --argsort in",
        "compact --format raw --type u8 --indices in",
        "histogram --format raw --type u8 --range 0:256 --bins 2097152 in",
        "allocate --format raw --type u8 in",
        "segscan --format raw --type u8 --keys in --keys-type u8 in",
        "pack --blocks in"};
    write_file("in", new_blob(8000000));
    const int least = least_mebibytes();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        int failed = 0;
        /* Pieces need little. */
        const bool whole = strncmp(commands[i], "sort", 4) == 0 || strstr(commands[i], "--bins");
        for (int mebibytes = least; mebibytes <= least + 154; mebibytes += whole ? 38 : 154)
            failed += runs_out(commands[i], mebibytes * 1024);
        cr_assert(!whole || failed > 0, "%s never ran out of memory", commands[i]);
    }
}

Test(usage, help_to_a_full_device_is_a_failure)
{
    expect_failure(run_to("/dev/full", text_blob(""), ARGUMENTS("--help")),
                   "standard output: No space");
    expect_failure(run_to("/dev/full", text_blob(""), ARGUMENTS("info")),
                   "standard output: No space");
}
