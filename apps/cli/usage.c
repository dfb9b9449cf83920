#define _GNU_SOURCE
#include "apps/cli/usage.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"

enum { OPTION_HELP = 'h', MOST_OPTIONS = 40, HELP_INDENT = 24, HELP_WIDTH = 100 };

void help_print(const help_part *parts)
{
    for (; parts->text != NULL; parts++) {
        fputs(parts->text, stdout);
        const char *const line = strrchr(parts->text, '\n');
        if (parts->names != NULL)
            lookup_print(parts->names, line != NULL ? (int)strlen(line + 1) : 0, HELP_INDENT,
                         HELP_WIDTH);
    }
}

int usage_wrong(const char *command, const failure *reason)
{
    failure line;
    if (command == NULL)
        fail(&line, "%.900s (see '%s --help')", reason->text, program_name);
    else
        fail(&line, "%.900s (see '%s %s --help')", reason->text, program_name, command);
    failure_print(&line);
    return STATUS_USAGE;
}

int usage_status(usage_verdict verdict)
{
    return verdict == USAGE_HELP ? STATUS_DONE : STATUS_USAGE;
}

static usage_verdict wrong(const usage *spec, const failure *why)
{
    if (!spec->silent)
        usage_wrong(spec->command, why);
    return USAGE_WRONG;
}

/* The name in messages of an option that getopt_long() returned. */
static void option_label(const struct option *options, int id, char label[32])
{
    for (; options->name != NULL; options++) {
        if (options->val == id) {
            snprintf(label, 32, "--%s", options->name);
            return;
        }
    }
    snprintf(label, 32, "-%c", id);
}

static bool is_option_id(const struct option *options, int id)
{
    for (; options->name != NULL; options++)
        if (options->val == id)
            return true;
    return false;
}

/* Refuses a long option that getopt_long() does not know, or an abbreviation of several. */
static void refuse_long(const struct option *options, const char *argument, failure *why)
{
    const char *const name = argument + strspn(argument, "-");
    const size_t length = strcspn(name, "=");
    char list[256] = "";
    size_t used = 0;
    for (; options->name != NULL; options++)
        if (strncmp(options->name, name, length) == 0 && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, " --%s", options->name);
    if (used > 0)
        fail(why, "%s is ambiguous:%s", argument, list);
    else
        fail(why, "unknown option %s", argument);
}

/* After getopt_long() returned '?' or ':'. optopt is a character, an id, or 0 for an unknown long
   option. In a group of short options, argv[optind - 1] is not the one at fault. */
static usage_verdict refuse(const usage *spec, const struct option *options, int said, char **argv)
{
    failure why;
    char label[32];
    option_label(options, optopt, label);
    if (said == ':')
        fail(&why, "%s needs a value", label);
    else if (optopt == 0)
        refuse_long(options, argv[optind - 1], &why);
    else if (is_option_id(options, optopt))
        fail(&why, "%s takes no value", label);
    else
        fail(&why, "unknown option -%c", optopt);
    return wrong(spec, &why);
}

/* Makes one list of the subcommand's options and --help. */
static void complete_options(const struct option *own, struct option all[MOST_OPTIONS])
{
    int count = 0;
    for (; own->name != NULL && count < MOST_OPTIONS - 2; own++)
        all[count++] = *own;
    all[count++] = (struct option){"help", no_argument, NULL, OPTION_HELP};
    all[count] = (struct option){0};
}

/* Options that may be given again: those of lists, and how the work is done, of which the last one counts. */
static bool may_come_again(const usage *spec, const char *name)
{
    static const char *const names[] = {"comment", "temporary", "backend",   "threads",
                                        "memory",  "timeout",   "megabytes", "seconds"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return spec->list != NULL && strcmp(spec->list, name) == 0;
}

/* Whether the option has no other value yet, where it makes one choice. given: the values so far. */
static bool is_first(const usage *spec, const struct option *options, int id, const char *value,
                     const char *given[MOST_OPTIONS], failure *why)
{
    for (int i = 0; options[i].name != NULL; i++) {
        if (options[i].val != id || value == NULL || may_come_again(spec, options[i].name))
            continue;
        if (given[i] != NULL)
            return fail(why, "it is given twice, as '%.100s' and as '%.100s'", given[i], value);
        given[i] = value;
    }
    return true;
}

usage_verdict usage_read(const usage *spec, int argc, char **argv)
{
    struct option options[MOST_OPTIONS];
    char short_options[MOST_OPTIONS];
    const char *given[MOST_OPTIONS] = {NULL};
    complete_options(spec->options, options);
    snprintf(short_options, sizeof short_options, ":h%s", spec->short_options);
    optind = 0;
    opterr = 0;
    int id;
    while ((id = getopt_long(argc, argv, short_options, options, NULL)) != -1) {
        if (id == '?' || id == ':')
            return refuse(spec, options, id, argv);
        if (id == OPTION_HELP) {
            if (!spec->silent)
                help_print(spec->help);
            return USAGE_HELP;
        }
        failure why;
        if (is_first(spec, options, id, optarg, given, &why) &&
            spec->take(id, optarg, spec->user, &why))
            continue;
        char label[32];
        option_label(options, id, label);
        fail_in(&why, label);
        return wrong(spec, &why);
    }
    return USAGE_RUN;
}

bool take_path(const char *value, const char **path, failure *why)
{
    *path = value;
    return value[0] != '\0' || fail(why, "an empty word is no name of a file");
}

bool take_name(const char *value, name_of *names, int *number, failure *why)
{
    char known[256];
    *number = lookup(names, value);
    if (*number >= 0)
        return true;
    lookup_list(names, known, sizeof known);
    return fail(why, "'%.100s' is not known, but%s", value, known);
}

bool take_size(const char *value, uint64_t least, uint64_t *number, failure *why)
{
    uint64_t size = 0;
    bool fits = true;
    unsigned digit;
    const char *p = value;
    for (; (digit = (unsigned char)(*p - '0')) <= 9; p++) {
        fits = fits && size <= (UINT64_MAX - digit) / 10;
        size = size * 10 + digit;
    }
    if (p > value && *p == '\0' && !fits)
        return fail(why, "'%.100s' is more than %" PRIu64, value, UINT64_MAX);
    if (p == value || *p != '\0' || size < least)
        return fail(why, "'%.100s' is not an integer of %" PRIu64 " or more", value, least);
    *number = size;
    return true;
}

bool take_count(const char *value, unsigned *number, failure *why)
{
    uint64_t count = 0;
    if (!take_size(value, 1, &count, why))
        return false;
    if (count > UINT_MAX)
        return fail(why, "'%.100s' is more than %u", value, UINT_MAX);
    *number = (unsigned)count;
    return true;
}

bool take_bit(const char *value, uint64_t least, unsigned *bit, failure *why)
{
    uint64_t number = 0;
    if (!take_size(value, least, &number, why))
        return false;
    if (number > 64)
        return fail(why, "'%.100s': a key has at most 64 bits", value);
    *bit = (unsigned)number;
    return true;
}
