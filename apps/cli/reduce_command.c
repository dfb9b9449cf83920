/* parscan reduce: the sum, number, minimum, maximum or mean of all elements. */
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/line_output.h"
#include "apps/cli/number_text.h"
#include "apps/cli/reduce_axis.h"
#include "apps/cli/stream.h"
#include "apps/cli/tally.h"
#include "parscan/scan.h"

typedef struct reduce_command {
    common_options common;
    tally_list list;
    tallies all; /* of one group */
    double sum;  /* of floats */
} reduce_command;

enum { OPTION_OP = OPTION_OWN };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            MIRROR_OPTION,
                                            AXIS_OPTIONS,
                                            {"op", required_argument, NULL, OPTION_OP},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan reduce [options] [FILE]...\n"
     "\n"
     "Writes the sum of all elements, or other results, on one line with tabs between them.\n"
     "\n"
     "  --op NAMES            ",
     tally_op_name_of},
    {" (several with commas between them; default: sum)\n"
     "\n"
     "Sums of integers are exact. Those of floats are computed in f64. The minimum and the maximum "
     "are\n"
     "NaN if an element is NaN. Those of no elements, and their mean, are nan.\n"
     "\n",
     NULL},
    AXIS_HELP(
        "without that dimension, of one operator. A minimum or\n"
        "                        maximum has the type of the input, a count is u64, a mean f64, a\n"
        "                        sum i64, u64 (both modulo 2^64) or f64"),
    FIELD_HELP,
    MIRROR_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan reduce --op count,sum,mean -t, -k size --header data/programs.csv"),
    {0}};

static bool take_reduce_option(int id, const char *value, void *user, failure *why)
{
    reduce_command *const command = user;
    if (id == OPTION_OP)
        return tally_take(value, &command->list, why);
    return common_take(&command->common, id, value, why);
}

/* The minimum or maximum of a piece, as the only element that is tallied for it. */
static parscan_status reduce_to_one(session *job, const array *in, parscan_op op, void *one)
{
    return parscan_reduce(job->context, in->type, in->data, one, in->n,
                          &PARSCAN_SCAN_OPTIONS(.op = op));
}

/* Lets the library find the extremes: the tallies get these two elements. */
static int add_extremes(reduce_command *command, session *job, const array *in, failure *why)
{
    long double ends[2]; /* room and alignment for an element of any type */
    const size_t size = parscan_type_size(in->type);
    parscan_status called = reduce_to_one(job, in, PARSCAN_MIN, ends);
    if (called == PARSCAN_OK)
        called = reduce_to_one(job, in, PARSCAN_MAX, (char *)ends + size);
    const int status = session_check_result(job, called, why);
    if (status != STATUS_DONE ||
        tallies_add_extremes(&command->all, &(array){in->type, 2, ends, 2}))
        return status;
    session_out_of_memory(job, why);
    return STATUS_FAILED;
}

/* The sum of a piece of floats is reproducible; those of pieces are added in their order. */
static int add_float_sum(reduce_command *command, session *job, const array *in, failure *why)
{
    double sum = 0;
    const parscan_status called =
        parscan_reduce(job->context, in->type, in->data, &sum, in->n,
                       &PARSCAN_SCAN_OPTIONS(.out_type = in->type == PARSCAN_F64 ? 0 : PARSCAN_F64,
                                             .reproducible = 1));
    command->sum += sum;
    return session_check_result(job, called, why);
}

static int reduce_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    reduce_command *const command = user;
    const tally_list *const list = &command->list;
    const bool sums = tally_has(list, TALLY_SUM) || tally_has(list, TALLY_MEAN);
    int status = STATUS_DONE;
    if (tally_has(list, TALLY_MIN) || tally_has(list, TALLY_MAX))
        status = add_extremes(command, job, &piece->in, why);
    if (status == STATUS_DONE && sums && parscan_is_float(piece->in.type))
        status = add_float_sum(command, job, &piece->in, why);
    tallies_add_counts(&command->all, &piece->in);
    return status;
}

static int write_results(reduce_command *command, session *job, failure *why)
{
    char line[TALLY_LINE];
    if (parscan_is_float(command->all.type))
        tallies_set_sum(&command->all, command->sum);
    const char *const end = tally_format_line(&command->all, 0, line);
    numbers_set_point(line, end, job->fields.decimal);
    const array bytes = {PARSCAN_U8, (size_t)(end - line), line, sizeof line};
    job->input_format = FORMAT_TEXT;
    return lines_write(job, &bytes, why) ? STATUS_DONE : STATUS_FAILED;
}

static int run_reduce(session *job, void *user, failure *why)
{
    reduce_command *const command = user;
    stream_totals totals;
    if (command->list.count == 0)
        command->list = (tally_list){1, {TALLY_SUM}};
    job->shapes = SHAPES_NEED_AXIS;
    int status = reduce_axis_usage(&command->list, &job->options->axis, why);
    if (status == STATUS_DONE)
        status = session_begin(job, 0, NULL, NULL, NULL, why);
    if (status != STATUS_DONE)
        return status;
    if (job->options->axis.given)
        return reduce_axis(job, command->list.ops[0], why);
    command->all = (tallies){.type = job->in.type, .list = &command->list};
    if (!tallies_grow(&command->all, 1)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    status =
        stream_run(job, &(stream_work){.compute = reduce_piece, .user = command}, &totals, why);
    if (status == STATUS_DONE)
        status = write_results(command, job, why);
    tallies_release(&command->all);
    if (status == STATUS_DONE)
        session_print_stats(job, totals.read,
                            (double)totals.read * (double)parscan_type_size(job->in.type),
                            totals.seconds, true);
    return status;
}

int command_reduce(int argc, char **argv)
{
    reduce_command command = {.common = {.most_inputs = ANY_INPUTS}};
    const usage spec = {.command = "reduce",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_reduce_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_reduce, argc, argv);
}
