/* parscan sort: keys in order, with values, or the permutation that sorts them. */
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/session.h"
#include "parscan/sort.h"

typedef struct sort_command {
    common_options common;
    parscan_sort_options options;
    second_input values; /* path NULL: none */
    const char *values_output;
    bool argsort;
} sort_command;

enum {
    OPTION_DESCENDING = OPTION_OWN,
    OPTION_VALUES,
    OPTION_VALUES_TYPE,
    OPTION_VALUES_OUTPUT,
    OPTION_ARGSORT,
    OPTION_BEGIN_BIT,
    OPTION_END_BIT
};

static const struct option option_list[] = {
    COMMON_OPTIONS,
    {"descending", no_argument, NULL, OPTION_DESCENDING},
    {"values", required_argument, NULL, OPTION_VALUES},
    {"values-type", required_argument, NULL, OPTION_VALUES_TYPE},
    {"values-output", required_argument, NULL, OPTION_VALUES_OUTPUT},
    {"argsort", no_argument, NULL, OPTION_ARGSORT},
    {"begin-bit", required_argument, NULL, OPTION_BEGIN_BIT},
    {"end-bit", required_argument, NULL, OPTION_END_BIT},
    {0}};

static const help_part help[] = {
    {"usage: parscan sort [options] [FILE]\n"
     "\n"
     "Writes the elements in ascending order. Equal elements keep their order. Floats are in "
     "numeric\n"
     "order: -0 before 0, NaN at the end.\n"
     "\n"
     "  --descending          largest element first; equal elements keep their order\n"
     "  --values FILE         a value per element, moved with it; needs --values-output\n"
     "  --values-type T       the type of values in text (default i64) and raw (no default)\n"
     "  --values-output FILE  write the values there\n"
     "  --argsort             write the index in the input of each element in place of the "
     "element,\n"
     "                        as u64; the first index is 0\n"
     "  --begin-bit N         compare integers from bit N upwards; bit 0 (default) is the lowest\n"
     "  --end-bit N           compare integers below bit N (default: all bits of the type)\n",
     NULL},
    COMMON_HELP,
    EXAMPLE_HELP("parscan sort --descending data/numbers.txt"),
    {0}};

/* The number of a bit. The library checks it against the type. */
static bool take_bit(const char *value, uint64_t least, unsigned *bit, failure *why)
{
    uint64_t number = 0;
    if (!take_size(value, least, &number, why))
        return false;
    if (number > 64)
        return fail(why, "'%.100s': a key has at most 64 bits", value);
    *bit = (unsigned)number;
    return true;
}

static bool take(int id, const char *value, void *user, failure *why)
{
    sort_command *const command = user;
    switch (id) {
    case OPTION_DESCENDING:
        command->options.descending = 1;
        return true;
    case OPTION_VALUES:
        command->values.path = value;
        return true;
    case OPTION_VALUES_TYPE:
        return take_type(value, &command->values.type, why);
    case OPTION_VALUES_OUTPUT:
        command->values_output = value;
        return true;
    case OPTION_ARGSORT:
        command->argsort = true;
        return true;
    case OPTION_BEGIN_BIT:
        return take_bit(value, 0, &command->options.begin_bit, why);
    case OPTION_END_BIT:
        return take_bit(value, 1, &command->options.end_bit, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* Checks what does not depend on the input. */
static int check_usage(const sort_command *command, failure *why)
{
    const bool values = command->values.path != NULL;
    if (values != (command->values_output != NULL))
        fail(why, "%s needs %s", values ? "--values" : "--values-output",
             values ? "--values-output FILE" : "--values FILE");
    else if (values && command->argsort)
        fail(why, "--argsort and --values exclude each other");
    else if (values && is_standard_file(command->values_output) &&
             is_standard_file(command->common.output))
        fail(why, "elements and values cannot both go to standard output");
    else
        return STATUS_DONE;
    return STATUS_USAGE;
}

static int check_options(session *job, void *user, parscan_type type, failure *why)
{
    const sort_command *const command = user;
    const bool bits = command->options.begin_bit != 0 || command->options.end_bit != 0;
    if (bits && element_kind(element_traits_of(type)) == 'f') {
        fail(why, "--begin-bit and --end-bit are for integers, the type is %s",
             parscan_type_name(type));
        return STATUS_USAGE;
    }
    return session_check(
        job, parscan_sort_keys(job->context, type, NULL, NULL, 0, &command->options), why);
}

static parscan_status call(const sort_command *command, session *job)
{
    const array *const in = &job->in, *const values = &job->second;
    if (command->argsort)
        return parscan_argsort(job->context, in->type, in->data, PARSCAN_U64, job->out.data, in->n,
                               &command->options);
    if (command->values.path == NULL)
        return parscan_sort_keys(job->context, in->type, in->data, job->out.data, in->n,
                                 &command->options);
    return parscan_sort_pairs(job->context, in->type, in->data, job->out.data,
                              parscan_type_size(values->type), values->data, values->data, in->n,
                              &command->options);
}

static int compute(sort_command *command, session *job, failure *why)
{
    const bool room = command->argsort ? session_make_new_out(job, PARSCAN_U64, job->in.n, why)
                                       : session_make_out(job, job->in.type, job->in.n, why);
    if (!room)
        return STATUS_FAILED;
    const double begin = seconds_now();
    const parscan_status called = call(command, job);
    const double seconds = seconds_now() - begin;
    const int status = session_check_result(job, called, why);
    if (status != STATUS_DONE)
        return status;
    job->out.n = job->in.n;
    size_t moved = parscan_type_size(job->in.type) + parscan_type_size(job->out.type);
    if (command->values.path != NULL)
        moved += 2 * parscan_type_size(job->second.type);
    session_print_stats(job, job->in.n, (double)job->in.n * (double)moved, seconds, true);
    return STATUS_DONE;
}

static int run(session *job, void *user, failure *why)
{
    sort_command *const command = user;
    const bool values = command->values.path != NULL;
    int status = check_usage(command, why);
    if (status == STATUS_DONE)
        status =
            session_read(job, 0, values ? &command->values : NULL, check_options, command, why);
    if (status == STATUS_DONE)
        status = compute(command, job, why);
    if (status != STATUS_DONE)
        return status;
    return values ? session_write_pair(job, &job->out, command->values_output, &job->second, why)
                  : session_write(job, why);
}

int command_sort(int argc, char **argv)
{
    sort_command command = {
        .options = PARSCAN_SORT_OPTIONS(0),
        .values = {.option = "--values", .type_option = "--values-type", .one_each = "values"}};
    const usage spec = {.command = "sort",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS,
                        .take = take,
                        .user = &command};
    return session_command(&spec, &command.common, run, argc, argv);
}
