/* parscan histogram: how many elements fall into each bin. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/histogram_range.h"
#include "apps/cli/session.h"
#include "apps/cli/stream.h"
#include "parscan/chunked.h"

enum { MOST_BINS = 1 << 24 };

typedef struct histogram_command {
    common_options common;
    uint64_t bins;
    histogram_range range;
    parscan_histogram_options options;
    parscan_chunked *chunked;
} histogram_command;

enum { OPTION_BINS = OPTION_OWN, OPTION_RANGE };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            MIRROR_OPTION,
                                            {"bins", required_argument, NULL, OPTION_BINS},
                                            {"range", required_argument, NULL, OPTION_RANGE},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan histogram --bins N [options] [FILE]...\n"
     "\n"
     "Writes the number of elements in each of N bins, as u64.\n"
     "\n"
     "  --bins N              the number of bins, 1 to 16777216\n"
     "  --range LO:HI         the bins have equal widths and cover LO to HI, without HI (default\n"
     "                        0:N; floats have no default). Elements outside and NaN are not\n"
     "                        counted\n"
     "\n"
     "--stats also prints how many elements were counted; without it, a note tells of elements\n"
     "outside. Bins between numbers of a sorted file, of any widths:\n"
     "  parscan search --upper --in EDGES FILE | parscan unique --count\n"
     "writes how many elements have so many of the numbers at or below them.\n",
     NULL},
    FIELD_HELP,
    MIRROR_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan histogram --bins 4 --range 0:200 data/numbers.txt"),
    {0}};

static bool take_histogram_option(int id, const char *value, void *user, failure *why)
{
    histogram_command *const command = user;
    switch (id) {
    case OPTION_BINS:
        return take_size(value, 1, &command->bins, why) &&
               (command->bins <= MOST_BINS || fail(why, "%s is more than %d", value, MOST_BINS));
    case OPTION_RANGE:
        command->range.text = value;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

static int check_histogram_options(session *job, void *user, parscan_type type, failure *why)
{
    histogram_command *const command = user;
    command->range.type = type;
    if (command->range.text == NULL && parscan_is_float(type)) {
        fail(why, "a histogram of %s needs --range LO:HI", parscan_type_name(type));
        return STATUS_USAGE;
    }
    if (command->range.text != NULL) {
        if (!histogram_range_read(&command->range, type, why)) {
            fail_in(why, "--range");
            return STATUS_USAGE;
        }
        command->options.lower = command->range.lower;
        command->options.upper = command->range.upper;
    }
    /* A type that is given is checked twice. */
    parscan_chunked_destroy(command->chunked);
    const parscan_status checked =
        parscan_chunked_create_histogram(&command->chunked, job->context, command->range.type,
                                         command->bins, PARSCAN_U64, &command->options);
    const int status = session_check_result(job, checked, why);
    if (checked == PARSCAN_ERROR_INVALID_ARGUMENT && command->range.text != NULL)
        fail(why, "--range %.100s: %s", command->range.text,
             histogram_range_wrong(&command->range));
    return status;
}

static int histogram_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    const histogram_command *const command = user;
    if (command->range.type != piece->in.type && !array_widen(&piece->in, command->range.type)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    const parscan_status called = parscan_chunked_update(
        command->chunked, &PARSCAN_CHUNK(.in = piece->in.data, .n = piece->in.n));
    return session_check_result(job, called, why);
}

static int finish_histogram(session *job, void *user, failure *why)
{
    const histogram_command *const command = user;
    job->out.n = command->bins;
    const parscan_status called =
        parscan_chunked_finish(command->chunked, &PARSCAN_CHUNKED_END(.out = job->out.data));
    return session_check_result(job, called, why);
}

static uint64_t count_elements(const session *job)
{
    uint64_t counted = 0;
    for (size_t i = 0; i < job->out.n; i++)
        counted += ((const uint64_t *)job->out.data)[i];
    return counted;
}

static void print_stats(const histogram_command *command, session *job, const stream_totals *totals,
                        uint64_t counted)
{
    session_print_stats(job, totals->read,
                        (double)totals->read * (double)parscan_type_size(command->range.type),
                        totals->seconds, true);
    if (job->options->stats)
        fprintf(stderr, "counted %" PRIu64 "\n", counted);
}

/* Says, after the work, how many elements are in no bin. */
static void note_outside(session *job, uint64_t outside)
{
    if (outside == 0 || job->options->stats || job->options->quiet)
        return;
    progress_end(&job->progress);
    fprintf(stderr,
            "%s: note: %" PRIu64 " element%s outside of the range or NaN, and not counted "
            "(--quiet: no note)\n",
            program_name, outside, outside == 1 ? " is" : "s are");
}

static int run_histogram(session *job, void *user, failure *why)
{
    histogram_command *const command = user;
    stream_totals totals;
    if (command->bins == 0) {
        fail(why, "--bins N is needed");
        return STATUS_USAGE;
    }
    if (!session_make_new_out(job, PARSCAN_U64, command->bins, why))
        return STATUS_FAILED;
    int status = session_begin(job, 0, NULL, check_histogram_options, command, why);
    if (status == STATUS_DONE)
        status = stream_run(
            job,
            &(stream_work){.compute = histogram_piece, .finish = finish_histogram, .user = command},
            &totals, why);
    parscan_chunked_destroy(command->chunked);
    if (status != STATUS_DONE)
        return status;
    const uint64_t counted = count_elements(job);
    print_stats(command, job, &totals, counted);
    status = session_write(job, why);
    if (status == STATUS_DONE)
        note_outside(job, totals.read - counted);
    return status;
}

int command_histogram(int argc, char **argv)
{
    histogram_command command = {.common = {.most_inputs = ANY_INPUTS},
                                 .options = PARSCAN_HISTOGRAM_OPTIONS(NULL)};
    const usage spec = {.command = "histogram",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_histogram_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_histogram, argc, argv);
}
