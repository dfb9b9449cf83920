/* parscan-mpi reduce. */
#include <stdlib.h>

#include "apps/cli/command.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/mpi/mpi_result.h"
#include "apps/cli/mpi/mpi_talk.h"
#include "apps/cli/tally.h"
#include "parscan/distributed.h"

typedef struct reduce_command {
    common_options common;
    tally_list list;
    mpi_input input;
    array in;
    tallies all; /* of one group: of this rank, then on rank 0 of all */
} reduce_command;

enum { OPTION_OP = OPTION_OWN };

static const struct option option_list[] = {
    MPI_COMMON_OPTIONS, {"op", required_argument, NULL, OPTION_OP}, {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi reduce [options] FILE\n"
     "\n"
     "Writes the sum of all elements, or other results, on one line with tabs between them.\n"
     "\n"
     "  --op NAMES            ",
     tally_op_name_of},
    {" (several with commas between them; default: sum)\n"
     "\n"
     "Sums of integers are exact. Those of floats are computed in f64, with the same bits for any "
     "number\n"
     "of ranks. The minimum and the maximum are NaN if an element is NaN. Those of no elements, "
     "and "
     "their\n"
     "mean, are nan. The line is text, on standard output, or in the file of -o.\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi reduce --op count,sum,mean data/eight.npy"),
    {0}};

static bool take_mpi_reduce_option(int id, const char *value, void *user, failure *why)
{
    reduce_command *const command = user;
    if (id == OPTION_OP)
        return tally_take(value, &command->list, why);
    return common_take(&command->common, id, value, why);
}

/* The extremes of all elements, as the only ones that are tallied for them. */
static int add_extremes(mpi_job *job, reduce_command *command, failure *why)
{
    long double ends[2] = {0}; /* room and alignment for an element of any type */
    const array *const in = &command->in;
    char *const high = (char *)ends + parscan_type_size(in->type);
    parscan_status called = parscan_dist_reduce(job->comm, in->type, in->data, ends, in->n,
                                                &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN));
    if (called == PARSCAN_OK)
        called = parscan_dist_reduce(job->comm, in->type, in->data, high, in->n,
                                     &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX));
    const int status = mpi_check(job, called, why);
    if (status != STATUS_DONE)
        return status;
    const bool added = tallies_add_extremes(&command->all, &(array){in->type, 2, ends, 2}) ||
                       fail_out_of_memory(why);
    return mpi_agree(job, added ? STATUS_DONE : STATUS_FAILED, why);
}

static int set_float_sum(mpi_job *job, reduce_command *command, failure *why)
{
    const array *const in = &command->in;
    double sum = 0;
    const parscan_status called = parscan_dist_reduce(
        job->comm, in->type, in->data, &sum, in->n,
        &PARSCAN_SCAN_OPTIONS(.out_type = in->type == PARSCAN_F64 ? 0 : PARSCAN_F64,
                              .reproducible = 1));
    tallies_set_sum(&command->all, sum);
    return mpi_check(job, called, why);
}

/* The numbers and the sums of integers of all ranks, on rank 0. */
static int join_ranks(mpi_job *job, reduce_command *command, failure *why)
{
    const tally_part mine = tallies_part(&command->all, 0);
    tally_part *const all = job->rank == 0 ? calloc((size_t)job->size, sizeof *all) : NULL;
    const bool room = job->rank != 0 || all != NULL || fail_out_of_memory(why);
    const int status = mpi_agree(job, room ? STATUS_DONE : STATUS_FAILED, why);
    if (status == STATUS_DONE)
        mpi_collect(job, &mine, sizeof mine, all, sizeof mine);
    for (int r = 1; status == STATUS_DONE && job->rank == 0 && r < job->size; r++)
        tallies_join(&command->all, 0, &all[r]);
    free(all);
    return status;
}

static int compute_mpi_reduce(mpi_job *job, reduce_command *command, failure *why)
{
    const tally_list *const list = &command->list;
    const double begin = seconds_now();
    const bool sums = tally_has(list, TALLY_SUM) || tally_has(list, TALLY_MEAN);
    const bool extremes = tally_has(list, TALLY_MIN) || tally_has(list, TALLY_MAX);
    tallies_add_counts(&command->all, &command->in);
    int status = join_ranks(job, command, why);
    if (status == STATUS_DONE && extremes && command->input.n > 0)
        status = add_extremes(job, command, why);
    if (status == STATUS_DONE && sums && parscan_is_float(command->in.type))
        status = set_float_sum(job, command, why);
    if (status == STATUS_DONE)
        mpi_print_stats(job, command->input.n,
                        (double)command->input.n * (double)parscan_type_size(command->in.type),
                        begin);
    return status;
}

static int read_and_reduce(mpi_job *job, reduce_command *command, failure *why)
{
    const common_options *const options = job->options;
    int status =
        mpi_input_open(job, &command->input, options->input, options->format, options->type, why);
    if (status == STATUS_DONE)
        status = mpi_input_read(job, &command->input, &command->in, why);
    if (status != STATUS_DONE)
        return status;
    command->all = (tallies){.type = command->in.type, .list = &command->list};
    const bool room = tallies_grow(&command->all, 1) || fail_out_of_memory(why);
    status = mpi_agree(job, room ? STATUS_DONE : STATUS_FAILED, why);
    if (status == STATUS_DONE)
        status = compute_mpi_reduce(job, command, why);
    if (status != STATUS_DONE)
        return status;
    char line[TALLY_LINE];
    const char *const end = tally_format_line(&command->all, 0, line);
    return mpi_text_write(
        job, &(array){PARSCAN_U8, job->rank == 0 ? (size_t)(end - line) : 0, line, sizeof line},
        why);
}

static int run_mpi_reduce(mpi_job *job, void *user, failure *why)
{
    reduce_command *const command = user;
    if (command->list.count == 0)
        command->list = (tally_list){1, {TALLY_SUM}};
    int status = mpi_text_check(job, true, why);
    if (status == STATUS_DONE)
        status = read_and_reduce(job, command, why);
    mpi_input_close(&command->input);
    array_release(&command->in);
    tallies_release(&command->all);
    return status;
}

int mpi_command_reduce(int argc, char **argv)
{
    reduce_command command = {0};
    usage spec = {.command = "reduce",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_reduce_option,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_reduce, argc, argv);
}
