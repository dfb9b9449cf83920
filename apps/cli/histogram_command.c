/* parscan histogram: how many elements fall into each bin. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/number_text.h"
#include "apps/cli/session.h"
#include "apps/cli/stream.h"
#include "parscan/chunked.h"

enum { MOST_BINS = 1 << 24 };

typedef struct histogram_command {
    common_options common;
    uint64_t bins;
    const char *range;              /* NULL: not given */
    long double lower[2], upper[2]; /* room and alignment for an element of any type */
    parscan_histogram_options options;
    parscan_type type; /* of the bounds: the input's, or a wider one that holds them too */
    parscan_chunked *chunked;
} histogram_command;

enum { OPTION_BINS = OPTION_OWN, OPTION_RANGE };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            {"bins", required_argument, NULL, OPTION_BINS},
                                            {"range", required_argument, NULL, OPTION_RANGE},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan histogram --bins N [options] [FILE]\n"
     "\n"
     "Writes the number of elements in each of N bins, as u64.\n"
     "\n"
     "  --bins N              the number of bins, 1 to 16777216\n"
     "  --range LO:HI         the bins have equal widths and cover LO to HI, without HI (default\n"
     "                        0:N; floats have no default). Elements outside and NaN are not\n"
     "                        counted\n"
     "\n"
     "--stats also prints how many elements were counted.\n",
     NULL},
    COMMON_HELP,
    EXAMPLE_HELP("parscan histogram --bins 4 --range 0:200 data/numbers.txt"),
    {0}};

static bool take(int id, const char *value, void *user, failure *why)
{
    histogram_command *const command = user;
    switch (id) {
    case OPTION_BINS:
        return take_size(value, 1, &command->bins, why) &&
               (command->bins <= MOST_BINS || fail(why, "%s is more than %d", value, MOST_BINS));
    case OPTION_RANGE:
        command->range = value;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

static bool parse_bounds(histogram_command *command, parscan_type type, failure *why)
{
    const char *const colon = strchr(command->range, ':');
    if (colon == NULL)
        return fail(why, "'%.100s' is not LO:HI", command->range);
    return number_parse_two(element_traits_of(type), command->range, colon, colon + 1,
                            command->lower, command->upper, why);
}

/* Whether every integer of one type is one of the other. */
static bool holds(const element_traits *wide, const element_traits *narrow)
{
    return wide->parse_float == NULL && wide->highest >= narrow->highest &&
           wide->lowest_magnitude >= narrow->lowest_magnitude;
}

/* HI is the first number beyond the bins, and may be the first beyond the type: 0:256 of u8. Then
   the narrowest type that holds the elements and the bounds is taken. */
static bool read_range(histogram_command *command, parscan_type type, failure *why)
{
    const element_traits *const traits = element_traits_of(type);
    command->type = type;
    if (parse_bounds(command, type, why))
        return true;
    for (int i = 0; i < LOOKUP_END && traits->parse_float == NULL; i++) {
        const element_traits *const wide = element_traits_of((parscan_type)i);
        failure ignored;
        if (wide != NULL && wide->size > traits->size && holds(wide, traits) &&
            parse_bounds(command, wide->type, &ignored)) {
            command->type = wide->type;
            return true;
        }
    }
    return false;
}

/* A bound of floats. */
static double float_bound(const void *bound, size_t size)
{
    float single;
    double value;
    long double wide;
    if (size == sizeof single)
        return (double)*(const float *)memcpy(&single, bound, size);
    if (size == sizeof value)
        return *(const double *)memcpy(&value, bound, size);
    return (double)*(const long double *)memcpy(&wide, bound, size);
}

/* Why the library refuses the range. Of integers there is one reason. */
static const char *wrong_range(const histogram_command *command)
{
    const element_traits *const traits = element_traits_of(command->type);
    if (element_kind(traits) == 'f') {
        const double lower = float_bound(command->lower, traits->size);
        const double upper = float_bound(command->upper, traits->size);
        if (!isfinite(lower) || !isfinite(upper))
            return "LO and HI must be finite";
        if (lower < upper)
            return "the width of a bin is not a finite number above 0";
    }
    return "LO must be less than HI";
}

static int check_options(session *job, void *user, parscan_type type, failure *why)
{
    histogram_command *const command = user;
    command->type = type;
    if (command->range == NULL && element_kind(element_traits_of(type)) == 'f') {
        fail(why, "a histogram of %s needs --range LO:HI", parscan_type_name(type));
        return STATUS_USAGE;
    }
    if (command->range != NULL) {
        if (!read_range(command, type, why)) {
            fail_in(why, "--range");
            return STATUS_USAGE;
        }
        command->options.lower = command->lower;
        command->options.upper = command->upper;
    }
    /* A type that is given is checked twice. */
    parscan_chunked_destroy(command->chunked);
    const parscan_status checked =
        parscan_chunked_create_histogram(&command->chunked, job->context, command->type,
                                         command->bins, PARSCAN_U64, &command->options);
    const int status = session_check_result(job, checked, why);
    if (checked == PARSCAN_ERROR_INVALID_ARGUMENT && command->range != NULL)
        fail(why, "--range %.100s: %s", command->range, wrong_range(command));
    return status;
}

static int compute_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    const histogram_command *const command = user;
    if (command->type != piece->in.type && !array_widen(&piece->in, command->type)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    const parscan_status called = parscan_chunked_update(
        command->chunked, &PARSCAN_CHUNK(.in = piece->in.data, .n = piece->in.n));
    return session_check_result(job, called, why);
}

static int finish(session *job, void *user, failure *why)
{
    const histogram_command *const command = user;
    job->out.n = command->bins;
    const parscan_status called =
        parscan_chunked_finish(command->chunked, &PARSCAN_CHUNKED_END(.out = job->out.data));
    return session_check_result(job, called, why);
}

static void print_stats(const histogram_command *command, session *job, const stream_totals *totals)
{
    session_print_stats(job, totals->read,
                        (double)totals->read * (double)parscan_type_size(command->type),
                        totals->seconds, true);
    if (!job->options->stats)
        return;
    uint64_t counted = 0;
    for (size_t i = 0; i < job->out.n; i++)
        counted += ((const uint64_t *)job->out.data)[i];
    fprintf(stderr, "counted %" PRIu64 "\n", counted);
}

static int run(session *job, void *user, failure *why)
{
    histogram_command *const command = user;
    stream_totals totals;
    if (command->bins == 0) {
        fail(why, "--bins N is needed");
        return STATUS_USAGE;
    }
    if (!session_make_new_out(job, PARSCAN_U64, command->bins, why))
        return STATUS_FAILED;
    int status = session_begin(job, 0, NULL, check_options, command, why);
    if (status == STATUS_DONE)
        status = stream_run(
            job, &(stream_work){.compute = compute_piece, .finish = finish, .user = command},
            &totals, why);
    parscan_chunked_destroy(command->chunked);
    if (status != STATUS_DONE)
        return status;
    print_stats(command, job, &totals);
    return session_write(job, why);
}

int command_histogram(int argc, char **argv)
{
    histogram_command command = {.options = PARSCAN_HISTOGRAM_OPTIONS(NULL)};
    const usage spec = {.command = "histogram",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS,
                        .take = take,
                        .user = &command};
    return session_command(&spec, &command.common, run, argc, argv);
}
