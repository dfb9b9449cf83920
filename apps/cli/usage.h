/* Reading the command line of a subcommand with getopt_long(). */
#ifndef PARSCAN_CLI_USAGE_H
#define PARSCAN_CLI_USAGE_H

#include <getopt.h>
#include <stdint.h>

#include "apps/cli/failure.h"
#include "apps/cli/lookup.h"

/* The ids of long options start here; smaller ids are characters. */
enum { OPTION_FIRST = 256 };

/* A part of a --help page: a text, and then the names of a list, unless names is NULL. */
typedef struct help_part {
    const char *text;
    name_of *names;
} help_part;

/* The command line of a subcommand. Every list ends in an entry of zeros. */
typedef struct usage {
    const char *command;
    const help_part *help;
    const struct option *options;
    const char *short_options; /* as for getopt(), or "" */
    /* Stores the value of the option with that id. False with a message if the value is wrong. */
    bool (*take)(int id, const char *value, void *user, failure *why);
    void *user;
    bool integers; /* floats are refused: messages do not advise to read them */
    bool silent;   /* prints nothing: another process does */
    const char *
        list; /* the name of an option that may be given several times here, beside those of every list; or NULL */
} usage;

typedef enum usage_verdict { USAGE_RUN, USAGE_HELP, USAGE_WRONG } usage_verdict;

/*
 * Reads the options; --help and -h print the page. The other arguments are then at argv[optind] and
 * after. Unless it returns USAGE_RUN, the subcommand ends with usage_status().
 */
usage_verdict usage_read(const usage *spec, int argc, char **argv);
int usage_status(usage_verdict verdict);

/* Prints a line about wrong usage, with a hint to the help. Returns STATUS_USAGE. */
int usage_wrong(const char *command, const failure *why);

/* Read the value of an option: the name of a file, a name of a list, or an integer of at least 1 or `least`. False with
   words if it is not one. */
bool take_path(const char *value, const char **path, failure *why);
bool take_name(const char *value, name_of *names, int *number, failure *why);
bool take_count(const char *value, unsigned *number, failure *why);
bool take_size(const char *value, uint64_t least, uint64_t *number, failure *why);

/* The number of a bit of a key. The library checks it against the type. */
bool take_bit(const char *value, uint64_t least, unsigned *bit, failure *why);

void help_print(const help_part *parts);

#endif
