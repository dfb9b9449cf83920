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

typedef struct subcommand {
    const char *name;
    subcommand_main *run;
    const char *summary;
} subcommand;

static const subcommand subcommands[] = {
    {"scan", command_scan, "every prefix of an array combined: sums, maxima, ..."},
    {"segscan", command_segscan, "the same in every segment of an array"},
    {"sort", command_sort, "an array in order, values alongside, or the permutation"},
    {"compact", command_compact, "the elements that a condition holds for"},
    {"histogram", command_histogram, "how many elements fall into each bin"},
    {"allocate", command_allocate, "sizes to the offsets of outputs that lie one behind another"},
    {"pack", command_pack, "a file to a gzip file, deflated in parallel"},
    {"trace", command_trace, "the array after every step of an algorithm"},
    {"bench", command_bench, "every primitive on this machine, beside a memory copy"},
    {"info", command_info, "the version, the engines, the names of types and algorithms"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static int print_help(void)
{
    puts("usage: parscan SUBCOMMAND [options] [FILE]\n"
         "       parscan SUBCOMMAND --help\n"
         "       parscan --help | --version\n"
         "\n"
         "Parallel scan (prefix sum) of arrays in text, raw and npy files.\n");
    for (int i = 0; i < SUBCOMMANDS; i++)
        printf("  %-10s  %s\n", subcommands[i].name, subcommands[i].summary);
    puts("\n"
         "Exit status: 0 done; 1 failed, with one line on standard error; 2 wrong usage.\n"
         "The manual: man parscan.");
    return STATUS_DONE;
}

static int print_version(void)
{
    printf("parscan %s\n", parscan_version());
    return STATUS_DONE;
}

static int dispatch(int argc, char **argv)
{
    failure why;
    if (argc < 2) {
        fail(&why, "no subcommand");
        return usage_wrong(NULL, &why);
    }
    const char *const name = argv[1];
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0)
        return print_version();
    fail(&why, "unknown %s '%.100s'", name[0] == '-' ? "option" : "subcommand", name);
    return usage_wrong(NULL, &why);
}

/* A standard file that is closed would be the next file opened; reading or writing it fails so. */
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
    const int status = dispatch(argc, argv);
    /* What was printed through stdio: help, version, info, traces. */
    if (status == STATUS_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        failure why;
        fail(&why, "standard output: %s", strerror(errno));
        failure_print(&why);
        return STATUS_FAILED;
    }
    return status;
}
