/* parscan-mpi histogram. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/histogram_range.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/session.h"
#include "parscan/distributed.h"

enum { MOST_BINS = 1 << 24 };

typedef struct histogram_command {
    common_options common;
    uint64_t bins;
    histogram_range range;
    parscan_histogram_options options;
} histogram_command;

enum { OPTION_BINS = OPTION_OWN, OPTION_RANGE };

static const struct option option_list[] = {MPI_COMMON_OPTIONS,
                                            {"bins", required_argument, NULL, OPTION_BINS},
                                            {"range", required_argument, NULL, OPTION_RANGE},
                                            {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi histogram --bins N [options] -o OUTPUT FILE\n"
     "\n"
     "Writes the number of elements in each of N bins, as u64.\n"
     "\n"
     "  --bins N              the number of bins, 1 to 16777216\n"
     "  --range LO:HI         the bins have equal widths and cover LO to HI, without HI (default\n"
     "                        0:N; floats have no default). Elements outside and NaN are not\n"
     "                        counted\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi histogram --bins 8 -o counts.npy data/eight.npy"),
    {0}};

static bool take_mpi_histogram_option(int id, const char *value, void *user, failure *why)
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

static int check_mpi_histogram_options(const mpi_job *job, histogram_command *command,
                                       parscan_type type, failure *why)
{
    histogram_range *const range = &command->range;
    range->type = type;
    if (range->text == NULL && parscan_is_float(type)) {
        fail(why, "a histogram of %s needs --range LO:HI", parscan_type_name(type));
        return STATUS_USAGE;
    }
    if (range->text != NULL) {
        if (!histogram_range_read(range, type, why)) {
            fail_in(why, "--range");
            return STATUS_USAGE;
        }
        command->options.lower = range->lower;
        command->options.upper = range->upper;
    }
    uint64_t counts[1]; /* of one bin: the bounds are checked, not the bins */
    const parscan_status checked = parscan_histogram(job->context, range->type, NULL, 0, 1,
                                                     PARSCAN_U64, counts, &command->options);
    const int status = session_status_of(checked, parscan_context_error(job->context), why);
    if (checked == PARSCAN_ERROR_INVALID_ARGUMENT && range->text != NULL)
        fail(why, "--range %.100s: %s", range->text, histogram_range_wrong(range));
    return status;
}

typedef struct histogram_files {
    mpi_input input;
    mpi_output output;
    array in, counts;
} histogram_files;

static int open_histogram_files(mpi_job *job, histogram_files *files, histogram_command *command,
                                failure *why)
{
    const common_options *const options = job->options;
    file_format format;
    int status =
        mpi_input_open(job, &files->input, options->input, options->format, options->type, why);
    if (status == STATUS_DONE)
        status = check_mpi_histogram_options(job, command, files->input.type, why);
    if (status == STATUS_DONE)
        status = mpi_output_format(job, options->output, &files->input, &format, why);
    if (status != STATUS_DONE)
        return status;
    return mpi_output_open(job, &files->output, options->output, format, PARSCAN_U64, command->bins,
                           why);
}

static int compute_mpi_histogram(mpi_job *job, histogram_files *files,
                                 const histogram_command *command, failure *why)
{
    int status = mpi_input_read(job, &files->input, &files->in, why);
    if (status != STATUS_DONE)
        return status;
    const double begin = seconds_now();
    const bool widens = command->range.type != files->in.type;
    const bool room = (!widens || array_widen(&files->in, command->range.type)) &&
                      array_reserve(&files->counts, command->bins);
    if (!room) {
        fail_out_of_memory(why);
        fail_in(why, mpi_input_name(job));
    }
    status = mpi_agree(job, room ? STATUS_DONE : STATUS_FAILED, why);
    if (status != STATUS_DONE)
        return status;
    status = mpi_check(job,
                       parscan_dist_histogram(job->comm, command->range.type, files->in.data,
                                              files->in.n, command->bins, PARSCAN_U64,
                                              files->counts.data, &command->options),
                       why);
    if (status == STATUS_DONE)
        mpi_print_stats(job, files->input.n,
                        (double)files->input.n * (double)parscan_type_size(files->input.type),
                        begin);
    return status;
}

/* All ranks have the counts; each writes a part of them. */
static int write_counts(mpi_job *job, histogram_files *files, const histogram_command *command,
                        failure *why)
{
    const uint64_t first = mpi_first(job, command->bins, job->rank);
    const uint64_t count = mpi_first(job, command->bins, job->rank + 1) - first;
    mpi_output *const outputs[] = {&files->output};
    const uint64_t *const counts = files->counts.data;
    const int status =
        mpi_output_write(job, &files->output, counts + first, (size_t)count, first, why);
    return status == STATUS_DONE ? mpi_output_commit(job, outputs, 1, why) : status;
}

static int run_mpi_histogram(mpi_job *job, void *user, failure *why)
{
    histogram_command *const command = user;
    histogram_files files = {.counts = {.type = PARSCAN_U64}};
    int status = mpi_check_paths(job, why);
    if (status == STATUS_DONE && command->bins == 0) {
        fail(why, "--bins N is needed");
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE)
        status = open_histogram_files(job, &files, command, why);
    if (status == STATUS_DONE)
        status = compute_mpi_histogram(job, &files, command, why);
    if (status == STATUS_DONE)
        status = write_counts(job, &files, command, why);
    mpi_output_discard(&files.output);
    mpi_input_close(&files.input);
    array_release(&files.in);
    array_release(&files.counts);
    return status;
}

int mpi_command_histogram(int argc, char **argv)
{
    histogram_command command = {.options = PARSCAN_HISTOGRAM_OPTIONS(NULL)};
    usage spec = {.command = "histogram",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_histogram_option,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_histogram, argc, argv);
}
