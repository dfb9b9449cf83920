/* parscan scan: every prefix of an array combined. */
#include <stdlib.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/number_text.h"
#include "apps/cli/session.h"
#include "parscan/scan.h"

typedef struct scan_command {
    common_options common;
    parscan_scan_options options;
    bool exclusive;
    const char *init;          /* its words: the type is known when the input is being read */
    long double init_value[2]; /* room and alignment for an element of any type */
    session job;
    int status; /* of the exit, when the options are wrong for the input's type */
} scan_command;

enum {
    OPTION_OP = OPTION_OWN,
    OPTION_EXCLUSIVE,
    OPTION_INIT,
    OPTION_REVERSE,
    OPTION_ALGORITHM,
    OPTION_OUT_TYPE,
    OPTION_REPRODUCIBLE,
    OPTION_BLOCK_THREADS,
    OPTION_ITEMS
};

static const struct option option_list[] = {
    COMMON_OPTIONS,
    {"op", required_argument, NULL, OPTION_OP},
    {"exclusive", no_argument, NULL, OPTION_EXCLUSIVE},
    {"init", required_argument, NULL, OPTION_INIT},
    {"reverse", no_argument, NULL, OPTION_REVERSE},
    {"algorithm", required_argument, NULL, OPTION_ALGORITHM},
    {"out-type", required_argument, NULL, OPTION_OUT_TYPE},
    {"reproducible", no_argument, NULL, OPTION_REPRODUCIBLE},
    {"block-threads", required_argument, NULL, OPTION_BLOCK_THREADS},
    {"items", required_argument, NULL, OPTION_ITEMS},
    {0}};

static const help_part help[] = {
    {"usage: parscan scan [options] [FILE]\n"
     "\n"
     "Writes the array of which element i is the sum of the input's elements 0 to i.\n"
     "\n"
     "  --op NAME             another operator than the sum: ",
     op_name_of},
    {"\n"
     "  --exclusive           the sum of the elements before i\n"
     "  --init V              a first operand before all others\n"
     "  --reverse             from the last element to the first\n"
     "  --algorithm NAME      auto (default) is the fastest:\n"
     "                        ",
     algorithm_name_of},
    {"\n"
     "  --out-type T          sum in, and write, a wider type: u8, u16 -> u32, u64;\n"
     "                        u32 -> u64; i8, i16 -> i32, i64; i32 -> i64; f32 -> f64\n"
     "  --reproducible        floats to the same bits on every engine, in any number of threads\n"
     "  --block-threads N     the threads of a block of a block algorithm\n"
     "  --items N             the elements of each of these threads\n",
     NULL},
    COMMON_HELP,
    {0}};

static bool take(int id, const char *value, void *user, failure *why)
{
    scan_command *const command = user;
    parscan_scan_options *const options = &command->options;
    int number = 0;
    bool taken = true;
    switch (id) {
    case OPTION_OP:
        taken = take_name(value, op_name_of, &number, why);
        options->op = (parscan_op)number;
        break;
    case OPTION_EXCLUSIVE:
        command->exclusive = true;
        break;
    case OPTION_INIT:
        command->init = value;
        break;
    case OPTION_REVERSE:
        options->reverse = 1;
        break;
    case OPTION_ALGORITHM:
        taken = take_name(value, algorithm_name_of, &number, why);
        options->algorithm = (parscan_algorithm)number;
        break;
    case OPTION_OUT_TYPE:
        taken = take_name(value, type_name_of, &number, why);
        options->out_type = (parscan_type)number;
        break;
    case OPTION_REPRODUCIBLE:
        options->reproducible = 1;
        break;
    case OPTION_BLOCK_THREADS:
        return take_count(value, &options->block_threads, why);
    case OPTION_ITEMS:
        return take_count(value, &options->items_per_thread, why);
    default:
        return common_take(&command->common, id, value, why);
    }
    return taken;
}

/* Room for the result: in the input's place when the sizes allow it. */
static bool make_room(const array *in, array *out, failure *why)
{
    if (parscan_type_size(out->type) == parscan_type_size(in->type)) {
        out->data = in->data;
        return true;
    }
    return array_reserve(out, in->n) || fail_out_of_memory(why);
}

static parscan_status call(scan_command *command, parscan_type type, const array *in,
                           const array *out)
{
    return (command->exclusive ? parscan_exclusive_scan : parscan_inclusive_scan)(
        command->job.context, type, in->data, out->data, in->n, &command->options);
}

/* Completes and checks the options, before anybody waits for the input. */
static bool check_options(void *user, parscan_type type, failure *why)
{
    scan_command *const command = user;
    const parscan_type out_type = command->options.out_type != 0 ? command->options.out_type : type;
    const array nothing = {.type = type};
    command->status = session_check(&command->job, call(command, type, &nothing, &nothing), why);
    if (command->status != STATUS_DONE || command->init == NULL)
        return command->status == STATUS_DONE;
    command->options.init = command->init_value;
    if (number_parse(element_traits_of(out_type), command->init, command->init_value, why))
        return true;
    command->status = STATUS_USAGE;
    return fail_in(why, "--init");
}

static int compute(scan_command *command, array *in, array *out, failure *why)
{
    session *const job = &command->job;
    if (!make_room(in, out, why))
        return STATUS_FAILED;
    const double begin = seconds_now();
    const parscan_status called = call(command, in->type, in, out);
    const double seconds = seconds_now() - begin;
    const int status = session_check(job, called, why);
    if (status != STATUS_DONE)
        return status;
    out->n = in->n;
    const size_t moved = parscan_type_size(in->type) + parscan_type_size(out->type);
    session_print_stats(job, in->n, (double)in->n * (double)moved, seconds,
                        command->options.algorithm != PARSCAN_SEQUENTIAL);
    return STATUS_DONE;
}

/* Everything after the command line was read; *in and *out are the caller's to free. */
static int run(scan_command *command, array *in, array *out, failure *why)
{
    session *const job = &command->job;
    int status = session_open(job, &command->common, why);
    if (status != STATUS_DONE)
        return status;
    if (!session_read(job, in, check_options, command, why))
        return command->status != STATUS_DONE ? command->status : STATUS_FAILED;
    out->type = command->options.out_type != 0 ? command->options.out_type : in->type;
    status = compute(command, in, out, why);
    if (status != STATUS_DONE)
        return status;
    if (out->data != in->data)
        array_release(in);
    return session_write(job, out, why) ? STATUS_DONE : STATUS_FAILED;
}

int command_scan(int argc, char **argv)
{
    scan_command command = {.options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM)};
    const usage spec = {.command = "scan",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS,
                        .take = take,
                        .user = &command};
    const usage_verdict verdict = usage_read(&spec, argc, argv);
    if (verdict != USAGE_RUN)
        return usage_status(verdict);
    failure why;
    if (!common_take_input(&command.common, argc, argv, &why))
        return usage_wrong(spec.command, &why);
    array in = {0}, out = {0};
    const int status = run(&command, &in, &out, &why);
    session_close(&command.job);
    if (out.data != in.data)
        array_release(&out);
    array_release(&in);
    if (status == STATUS_USAGE)
        return usage_wrong(spec.command, &why);
    if (status == STATUS_FAILED)
        failure_print(&why);
    return status;
}
