/* parscan-mpi compact. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/mpi/mpi_result.h"
#include "apps/cli/session.h"
#include "apps/cli/where.h"
#include "parscan/distributed.h"

typedef struct compact_command {
    common_options common;
    const char *where_text, *flags_path; /* NULL: not given */
    bool indices, count;
    where where;
    mpi_input input, flags;
    array in, kept_if, chosen; /* chosen: u64, the indices that are kept */
} compact_command;

enum { OPTION_WHERE = OPTION_OWN, OPTION_FLAGS, OPTION_INDICES, OPTION_COUNT };

static const struct option option_list[] = {MPI_COMMON_OPTIONS,
                                            {"where", required_argument, NULL, OPTION_WHERE},
                                            {"flags", required_argument, NULL, OPTION_FLAGS},
                                            {"indices", no_argument, NULL, OPTION_INDICES},
                                            {"count", no_argument, NULL, OPTION_COUNT},
                                            {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi compact [options] -o OUTPUT FILE\n"
     "       mpirun parscan-mpi compact --count [options] FILE\n"
     "\n"
     "Writes the elements that meet a condition, in their order.\n"
     "\n"
     "  --where CONDITION     nonzero (default), '==V', '!=V', '<V', '<=V', '>V', '>=V', or A..B: "
     "at\n"
     "                        least A and at most B\n"
     "  --flags FILE          a u8 per element, raw or npy: keep those whose flag is not 0\n"
     "  --indices             write the index in the input of each element in place of the "
     "element,\n"
     "                        as u64; the first index is 0\n"
     "  --count               write only the number of elements, as text\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi compact --where '>=4' -o large.npy data/eight.npy"),
    {0}};

static bool take_mpi_compact_option(int id, const char *value, void *user, failure *why)
{
    compact_command *const command = user;
    switch (id) {
    case OPTION_WHERE:
        command->where_text = value;
        return true;
    case OPTION_FLAGS:
        return take_path(value, &command->flags_path, why);
    case OPTION_INDICES:
        command->indices = true;
        return true;
    case OPTION_COUNT:
        command->count = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* The number is a text, unless the options choose another format. */
static bool count_is_text(const mpi_job *job)
{
    const char *const path = job->options->output;
    return is_standard_file(path) ||
           (job->options->output_format == FORMAT_UNKNOWN && !mpi_ends_in(path, ".npy"));
}

static int check_mpi_compact_usage(const mpi_job *job, const compact_command *command, failure *why)
{
    if (command->flags_path != NULL && command->where_text != NULL)
        fail(why, "--where and --flags exclude each other");
    else if (command->indices && command->count)
        fail(why, "--indices and --count exclude each other");
    else if (command->count && count_is_text(job))
        return mpi_text_check(job, true, why);
    else
        return mpi_check_paths(job, why);
    return STATUS_USAGE;
}

static int open_flags(const mpi_job *job, compact_command *command, failure *why)
{
    const int status =
        mpi_input_open(job, &command->flags, command->flags_path, FORMAT_UNKNOWN, PARSCAN_U8, why);
    if (status != STATUS_DONE || command->flags.n == command->input.n)
        return status;
    fail(why, "%s: %" PRIu64 " flags for the %" PRIu64 " elements of %s", command->flags_path,
         command->flags.n, command->input.n, mpi_input_name(job));
    return STATUS_FAILED;
}

static int open_compact_files(const mpi_job *job, compact_command *command, failure *why)
{
    const common_options *const options = job->options;
    const char *const text = command->where_text != NULL ? command->where_text : "nonzero";
    int status =
        mpi_input_open(job, &command->input, options->input, options->format, options->type, why);
    if (status == STATUS_DONE && !where_parse(&command->where, text, command->input.type, why)) {
        fail_in(why, "--where");
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE && command->flags_path != NULL)
        status = open_flags(job, command, why);
    return status;
}

static int read_compact_files(mpi_job *job, compact_command *command, failure *why)
{
    int status = open_compact_files(job, command, why);
    if (status == STATUS_DONE)
        status = mpi_input_read(job, &command->input, &command->in, why);
    if (status == STATUS_DONE && command->flags_path != NULL)
        status = mpi_input_read(job, &command->flags, &command->kept_if, why);
    if (status == STATUS_DONE && command->indices)
        status = mpi_reserve(job, &command->chosen, command->in.n, why);
    return status;
}

/* The elements of a rank that are kept stay on it: each compacts its own, in place. */
static parscan_status compact_part(const mpi_job *job, compact_command *command, uint64_t *kept)
{
    array *const in = &command->in;
    const bool flagged = command->flags_path != NULL;
    const array *const tested = flagged ? &command->kept_if : in;
    const parscan_predicate nonzero = PARSCAN_PREDICATE(.comparison = PARSCAN_NONZERO);
    if (command->indices)
        return parscan_compact_indices(job->context, tested->type, tested->data,
                                       flagged ? &nonzero : &command->where.predicate, PARSCAN_U64,
                                       command->chosen.data, in->n, kept);
    if (flagged)
        return parscan_compact(job->context, parscan_type_size(in->type), in->data,
                               command->kept_if.data, in->data, in->n, kept);
    return parscan_compact_if(job->context, in->type, in->data, &command->where.predicate, in->data,
                              in->n, kept);
}

static int compute_mpi_compact(mpi_job *job, compact_command *command, failure *why)
{
    const double begin = seconds_now();
    uint64_t kept = 0;
    const parscan_status called = compact_part(job, command, &kept);
    const int status =
        mpi_agree(job, session_status_of(called, parscan_context_error(job->context), why), why);
    uint64_t *const chosen = command->chosen.data;
    for (uint64_t i = 0; status == STATUS_DONE && command->indices && i < kept; i++)
        chosen[i] += command->input.first;
    command->in.n = command->chosen.n = (size_t)kept;
    if (status == STATUS_DONE)
        mpi_print_stats(job, command->input.n,
                        (double)command->input.n * (double)parscan_type_size(command->in.type),
                        begin);
    return status;
}

/* Rank 0 has the number; as text it is one line. */
static int write_mpi_count(mpi_job *job, const compact_command *command, failure *why)
{
    uint64_t kept = command->in.n, total = 0;
    char text[32];
    const int status =
        mpi_check(job, parscan_dist_reduce(job->comm, PARSCAN_U64, &kept, &total, 1, NULL), why);
    if (status != STATUS_DONE)
        return status;
    const int length = snprintf(text, sizeof text, "%" PRIu64 "\n", total);
    if (!count_is_text(job))
        return mpi_result_write(job, &command->input,
                                &(array){PARSCAN_U64, job->rank == 0, &total, 1}, why);
    return mpi_text_write(
        job, &(array){PARSCAN_U8, job->rank == 0 ? (size_t)length : 0, text, sizeof text}, why);
}

static int run_mpi_compact(mpi_job *job, void *user, failure *why)
{
    compact_command *const command = user;
    int status = check_mpi_compact_usage(job, command, why);
    if (status == STATUS_DONE)
        status = read_compact_files(job, command, why);
    if (status == STATUS_DONE)
        status = compute_mpi_compact(job, command, why);
    if (status == STATUS_DONE)
        status = command->count
                     ? write_mpi_count(job, command, why)
                     : mpi_result_write(job, &command->input,
                                        command->indices ? &command->chosen : &command->in, why);
    mpi_input_close(&command->input);
    mpi_input_close(&command->flags);
    array_release(&command->in);
    array_release(&command->kept_if);
    array_release(&command->chosen);
    return status;
}

int mpi_command_compact(int argc, char **argv)
{
    compact_command command = {.chosen = {.type = PARSCAN_U64}};
    usage spec = {.command = "compact",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_compact_option,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_compact, argc, argv);
}
