/* parscan check: whether an array is sorted. */
#include "apps/cli/command.h"
#include "apps/cli/order_check.h"

typedef struct check_command {
    common_options common;
    order_rules rules;
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
    FIELD_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan sort data/numbers.txt | parscan check && echo sorted"),
    {0}};

static bool take_check_option(int id, const char *value, void *user, failure *why)
{
    check_command *const command = user;
    switch (id) {
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
    const check_command *const command = user;
    if (command->common.output != NULL || command->common.output_format != FORMAT_UNKNOWN) {
        fail(why, "%s: check writes nothing",
             command->common.output != NULL ? "--output" : "--output-format");
        return STATUS_USAGE;
    }
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
                        .user = &command};
    return session_command(&spec, &command.common, run_check, argc, argv);
}
