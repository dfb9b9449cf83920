/* The program parscan: the table of its subcommands. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/usage.h"
#include "parscan/types.h"

const char program_name[] = "parscan";

typedef struct subcommand {
    const char *name;
    subcommand_main *run;
    const char *summary;
} subcommand;

static const subcommand subcommands[] = {
    {"scan", command_scan, "running sums, maxima, ... of an array"},
    {"segscan", command_segscan, "the same, starting again at each segment of the array"},
    {"sort", command_sort, "the elements in order, with values or as indices"},
    {"compact", command_compact, "the elements that meet a condition"},
    {"histogram", command_histogram, "the number of elements in each bin"},
    {"allocate", command_allocate, "offsets of items that lie one after another, from their sizes"},
    {"expand", command_expand, "each element, value or line as often as its size tells"},
    {"bin", command_bin, "entries in the order of their bins, and where each bin begins"},
    {"depth", command_depth, "how many intervals cover each place"},
    {"reduce", command_reduce, "the sum, number, minimum, maximum and mean of all elements"},
    {"group", command_group, "the same for each group of lines that have the same word in a field"},
    {"unique", command_unique, "each element, word or line once, or how often it is there"},
    {"top", command_top, "the largest or smallest elements, or their lines"},
    {"merge", command_merge, "one sorted file of many"},
    {"join", command_join, "the lines of two tables that have the same word in a field"},
    {"search", command_search, "where elements are in a sorted file, and how often"},
    {"quantile", command_quantile, "the median and other quantiles, exact"},
    {"check", command_check, "whether the elements are sorted, and the first that is not"},
    {"pack", command_pack, "a gzip file, compressed in parallel"},
    {"trace", command_trace, "the array after each step of a scan algorithm"},
    {"bench", command_bench, "the speed of every primitive, compared with a memory copy"},
    {"info", command_info, "the version, engines, element types, operators and algorithms"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static int print_help(void)
{
    puts("usage: parscan SUBCOMMAND [options] [FILE]\n"
         "       parscan SUBCOMMAND --help, or parscan help SUBCOMMAND\n"
         "       parscan --help | --version\n"
         "\n"
         "Computes parallel scans (prefix sums) of arrays in text, raw and npy files, and what is\n"
         "built on scan. It uses all CPU cores, or a GPU.\n");
    for (int i = 0; i < SUBCOMMANDS; i++)
        printf("  %-10s  %s\n", subcommands[i].name, subcommands[i].summary);
    puts("\n"
         "Example:\n"
         "  parscan scan data/eight.txt\n"
         "\n"
         "Exit status: 0 success; 1 failure, with one line on standard error; 2 wrong usage.\n"
         "Manual: man parscan");
    return STATUS_DONE;
}

/* parscan help SUBCOMMAND. */
static int help_command(char *name)
{
    char option[] = "--help";
    failure why;
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return subcommands[i].run(2, (char *[]){name, option, NULL});
    fail(&why, "unknown subcommand '%.100s'", name);
    return usage_wrong(NULL, &why);
}

static int print_version(void)
{
    printf("parscan %s\n", parscan_version());
    return STATUS_DONE;
}

static int dispatch_command(int argc, char **argv)
{
    failure why;
    if (argc < 2) {
        fail(&why, "a subcommand is missing");
        return usage_wrong(NULL, &why);
    }
    const char *const name = argv[1];
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    if (strcmp(name, "help") == 0 && argc > 3) {
        fail(&why, "help takes one SUBCOMMAND, not %d", argc - 2);
        return usage_wrong(NULL, &why);
    }
    if (strcmp(name, "help") == 0)
        return argc == 2 ? print_help() : help_command(argv[2]);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0)
        return print_version();
    fail(&why, "unknown %s '%.100s'", name[0] == '-' ? "option" : "subcommand", name);
    return usage_wrong(NULL, &why);
}

/* The next file opened would take the number of a standard file that is closed. These stand-ins
   make reading and writing it fail. */
static void fill_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    fill_standard_files();
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is then a write that fails */
    const int status = dispatch_command(argc, argv);
    /* Help, version, info and traces were printed through stdio. */
    if (status == STATUS_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        failure why;
        fail(&why, "standard output: %s", strerror(errno));
        failure_print(&why);
        return STATUS_FAILED;
    }
    return status;
}
