/* parscan check: whether an array is sorted. */
#include "apps/cli/command.h"
#include "apps/cli/order_check.h"
#include "apps/cli/sort_by_keys.h"

typedef struct check_command {
    common_options common;
    order_rules rules;
    sort_keys keys;
} check_command;

enum { OPTION_STRICT = OPTION_OWN };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            {"descending", no_argument, NULL, 'r'},
                                            {"strict", no_argument, NULL, OPTION_STRICT},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan check [options] [FILE]\n"
     "\n"
     "Checks that the elements are in ascending order, as sort writes them. The exit status is 1 "
     "if\n"
     "they are not; a line on standard error then tells the first element, or line, that is not "
     "in\n"
     "order. Nothing is written.\n"
     "\n"
     "  -r, --descending      the order is descending\n"
     "  --strict              equal elements are not in order\n",
     NULL},
    SORT_KEYS_HELP,
    FIELD_HELP,
    FORMAT_HELP,
    TYPE_HELP("i64", type_name_of),
    NO_OUTPUT_HELP,
    RUN_HELP,
    EXAMPLE_HELP("parscan sort data/numbers.txt | parscan check && echo sorted"),
    {0}};

static bool take_check_option(int id, const char *value, void *user, failure *why)
{
    check_command *const command = user;
    switch (id) {
    case 'k':
        return sort_keys_take(&command->keys, &command->common, value, why);
    case 'r':
        command->rules.descending = true;
        return true;
    case OPTION_STRICT:
        command->rules.strict = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

static int run_check(session *job, void *user, failure *why)
{
    check_command *const command = user;
    if (command->common.output != NULL || command->common.output_format != FORMAT_UNKNOWN) {
        fail(why, "%s: check writes nothing",
             command->common.output != NULL ? "--output" : "--output-format");
        return STATUS_USAGE;
    }
    sort_totals totals;
    order_rules *const rules = &command->rules;
    if (!sort_keys_are_plain(&command->keys))
        return sort_by_keys(
            job, &command->keys, KEYS_CHECK,
            &(sort_request){.descending = rules->descending, .unique = rules->strict}, &totals,
            why);
    sort_keys_apply(&command->keys, &command->common, &rules->descending);
    job->lines = LINES_ARE_ELEMENTS;
    const int status = session_begin(job, 0, NULL, NULL, NULL, why);
    return status == STATUS_DONE ? order_check(job, &command->rules, why) : status;
}

int command_check(int argc, char **argv)
{
    check_command command = {0};
    const usage spec = {.command = "check",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "r",
                        .take = take_check_option,
                        .list = "field",
                        .user = &command};
    return session_command(&spec, &command.common, run_check, argc, argv);
}
