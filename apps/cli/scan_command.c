/* parscan scan: every prefix of an array combined. */
#include "apps/cli/command.h"
#include "apps/cli/scan_options.h"

typedef struct scan_command {
    common_options common;
    scan_arguments scan;
} scan_command;

static const struct option option_list[] = {COMMON_OPTIONS, SCAN_OPTIONS, {0}};

static const help_part help[] = {
    {"usage: parscan scan [options] [FILE]\n"
     "\n"
     "Writes the scan of an array: element i is the sum of the elements 0 to i of the input.\n"
     "\n",
     NULL},
    SCAN_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan scan --exclusive data/eight.txt"),
    {0}};

static bool take(int id, const char *value, void *user, failure *why)
{
    scan_command *const command = user;
    return scan_take(&command->scan, &command->common, id, value, why);
}

static parscan_status call(const scan_command *command, session *job, parscan_type type)
{
    return (command->scan.exclusive ? parscan_exclusive_scan : parscan_inclusive_scan)(
        job->context, type, job->in.data, job->out.data, job->in.n, &command->scan.options);
}

/* Completes and checks the options, before anybody waits for the input. */
static int check_options(session *job, void *user, parscan_type type, failure *why)
{
    scan_command *const command = user;
    const int status = session_check(job, call(command, job, type), why);
    return status == STATUS_DONE ? scan_read_init(&command->scan, type, why) : status;
}

/* The end of the array comes first. */
static int run_reverse(scan_command *command, session *job, failure *why)
{
    int status = session_read(job, 0, NULL, check_options, command, why);
    if (status != STATUS_DONE)
        return status;
    if (!session_make_out(job, scan_out_type(&command->scan, job->in.type), job->in.n, why))
        return STATUS_FAILED;
    const double begin = seconds_now();
    const parscan_status called = call(command, job, job->in.type);
    const stream_totals totals = {.read = job->in.n, .seconds = seconds_now() - begin};
    status = session_check_result(job, called, why);
    if (status != STATUS_DONE)
        return status;
    job->out.n = job->in.n;
    scan_print_stats(&command->scan, job, 0, &totals);
    return session_write(job, why);
}

static int run_forward(scan_command *command, session *job, failure *why)
{
    int status = session_begin(job, 0, NULL, check_options, command, why);
    if (status == STATUS_DONE)
        status = session_check_result(
            job,
            (command->scan.exclusive ? parscan_chunked_create_exclusive_scan
                                     : parscan_chunked_create_inclusive_scan)(
                &command->scan.chunked, job->context, job->in.type, &command->scan.options),
            why);
    return status == STATUS_DONE ? scan_stream(&command->scan, job, NULL, why) : status;
}

static int run(session *job, void *user, failure *why)
{
    scan_command *const command = user;
    return (command->scan.options.reverse ? run_reverse : run_forward)(command, job, why);
}

int command_scan(int argc, char **argv)
{
    scan_command command = {.scan = SCAN_ARGUMENTS};
    const usage spec = {.command = "scan",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS,
                        .take = take,
                        .user = &command};
    return session_command(&spec, &command.common, run, argc, argv);
}
