/* parscan scan: every prefix of an array combined. */
#include "apps/cli/axis_run.h"
#include "apps/cli/command.h"
#include "apps/cli/reverse.h"

typedef struct scan_command {
    common_options common;
    scan_arguments scan;
} scan_command;

static const struct option option_list[] = {COMMON_OPTIONS, FIELD_OPTIONS,  AXIS_OPTIONS,
                                            SCAN_OPTIONS,   PIECES_OPTIONS, {0}};

static const help_part help[] = {
    {"usage: parscan scan [options] [FILE]\n"
     "\n"
     "Writes the scan of an array: element i is the sum of the elements 0 to i of the input.\n"
     "\n",
     NULL},
    SCAN_HELP,
    PIECES_HELP,
    AXIS_HELP("it has the same shape"),
    FIELD_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan scan --exclusive data/eight.txt"),
    {0}};

static bool take_scan_option(int id, const char *value, void *user, failure *why)
{
    scan_command *const command = user;
    return scan_take(&command->scan, &command->common, id, value, why);
}

/* n: of a line, if the call has a shape. */
static parscan_status call_scan(scan_command *command, session *job, parscan_type type, size_t n,
                                const parscan_shape *shape)
{
    parscan_scan_options *const options = &command->scan.options;
    options->shape = shape;
    const parscan_status called =
        (command->scan.exclusive ? parscan_exclusive_scan : parscan_inclusive_scan)(
            job->context, type, job->in.data, job->out.data, n, options);
    options->shape = NULL;
    return called;
}

static parscan_status scan_lines(session *job, void *user, const axis_lines *lines)
{
    return call_scan(user, job, job->in.type, lines->n, &lines->shape);
}

/* Completes and checks the options, before anybody waits for the input. */
static int check_scan_options(session *job, void *user, parscan_type type, failure *why)
{
    scan_command *const command = user;
    scan_take_mask(&command->scan, job->is_mask);
    const parscan_shape line = PARSCAN_SHAPE(.outer = 1, .inner = 1);
    const int status = session_check(
        job, call_scan(command, job, type, 0, job->options->axis.given ? &line : NULL), why);
    if (status != STATUS_DONE)
        return status;
    const int read = scan_read_init(&command->scan, type, why);
    return read == STATUS_DONE ? scan_begin_check(&command->scan, job, type, why) : read;
}

static int run_scan(session *job, void *user, failure *why)
{
    scan_command *const command = user;
    scan_arguments *const scan = &command->scan;
    job->shapes = SHAPES_NEED_AXIS;
    int status = session_begin(job, 0, NULL, check_scan_options, command, why);
    if (status != STATUS_DONE)
        return status;
    if (job->options->axis.given)
        return axis_run(job,
                        &(axis_work){.out_type = scan_out_type(scan, job->in.type),
                                     .compute = scan_lines,
                                     .user = command},
                        why);
    const bool reverse = scan->options.reverse != 0;
    scan->options.reverse = 0;
    status = session_check_result(job,
                                  (scan->exclusive ? parscan_chunked_create_exclusive_scan
                                                   : parscan_chunked_create_inclusive_scan)(
                                      &scan->chunked, job->context, job->in.type, &scan->options),
                                  why);
    if (status == STATUS_DONE)
        status =
            reverse ? scan_reverse(scan, job, NULL, false, why) : scan_stream(scan, job, NULL, why);
    parscan_chunked_destroy(scan->chunked);
    return status;
}

int command_scan(int argc, char **argv)
{
    scan_command command = {.scan = SCAN_ARGUMENTS};
    const usage spec = {.command = "scan",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_scan_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_scan, argc, argv);
}
