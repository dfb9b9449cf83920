/* parscan merge: many sorted files become one. */
#include "apps/cli/command.h"
#include "apps/cli/merge_run.h"
#include "apps/cli/sort_by_keys.h"

typedef struct merge_command {
    common_options common;
    merge_rules rules;
    sort_keys keys;
} merge_command;

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            {"descending", no_argument, NULL, 'r'},
                                            {"unique", no_argument, NULL, 'u'},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan merge [options] [FILE]...\n"
     "\n"
     "Merges sorted files: writes all of their elements in ascending order, with -k and the like "
     "their\n"
     "lines, in constant memory. Of equal elements, those of the first file come first. A file "
     "that "
     "is\n"
     "not sorted is a failure.\n"
     "\n"
     "  -r, --descending      the files and the output descend\n"
     "  -u, --unique          only the first of equal elements, or of their lines\n",
     NULL},
    SORT_KEYS_HELP,
    FIELD_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan merge data/eight.inclusive.txt data/network.inclusive.txt"),
    {0}};

static bool take_merge_option(int id, const char *value, void *user, failure *why)
{
    merge_command *const command = user;
    switch (id) {
    case 'k':
        return sort_keys_take(&command->keys, &command->common, value, why);
    case 'r':
        command->rules.descending = true;
        return true;
    case 'u':
        command->rules.unique = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

static int run_merge(session *job, void *user, failure *why)
{
    merge_command *const command = user;
    merge_rules *const rules = &command->rules;
    sort_totals totals;
    if (!sort_keys_are_plain(&command->keys))
        return sort_by_keys(
            job, &command->keys, KEYS_MERGE,
            &(sort_request){.descending = rules->descending, .unique = rules->unique}, &totals,
            why);
    sort_keys_apply(&command->keys, &command->common, &rules->descending);
    return merge_run(job, rules, why);
}

int command_merge(int argc, char **argv)
{
    merge_command command = {.common = {.most_inputs = ANY_INPUTS}};
    const usage spec = {.command = "merge",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "ru",
                        .take = take_merge_option,
                        .list = "field",
                        .user = &command};
    return session_command(&spec, &command.common, run_merge, argc, argv);
}
