/* Reading the command line of a subcommand with getopt_long(). */
#ifndef PARSCAN_CLI_USAGE_H
#define PARSCAN_CLI_USAGE_H

#include <getopt.h>
#include <stdint.h>

#include "apps/cli/failure.h"
#include "apps/cli/lookup.h"

/* The ids of long options begin here; below are characters. */
enum { OPTION_FIRST = 256 };

/* A piece of a --help page: a text, then all names of a list, if there is one. */
typedef struct help_part {
    const char *text;
    name_of *names;
} help_part;

/* What a subcommand understands. Every list ends in an entry that is all zero. */
typedef struct usage {
    const char *command;
    const help_part *help;
    const struct option *options;
    const char *short_options; /* as for getopt(), or "" */
    /* Takes the option id; false with words when its value is wrong. */
    bool (*take)(int id, const char *value, void *user, failure *why);
    void *user;
} usage;

typedef enum usage_verdict { USAGE_RUN, USAGE_HELP, USAGE_WRONG } usage_verdict;

/*
 * Reads the options; --help and -h print the page. The other arguments are then argv[optind] and
 * after. Unless it says USAGE_RUN the subcommand is over, with usage_status().
 */
usage_verdict usage_read(const usage *spec, int argc, char **argv);
int usage_status(usage_verdict verdict);

/* Prints a line about wrong usage, ending in a hint to the help; returns STATUS_USAGE. */
int usage_wrong(const char *command, const failure *why);

/* Values of options. False with words when the value is none. */
bool take_name(const char *value, name_of *names, int *number, failure *why);
bool take_count(const char *value, unsigned *number, failure *why);
bool take_size(const char *value, uint64_t least, uint64_t *number, failure *why);

void help_print(const help_part *parts);

#endif
