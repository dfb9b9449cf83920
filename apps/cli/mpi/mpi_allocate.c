/* parscan-mpi allocate. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/session.h"
#include "apps/cli/sizes.h"
#include "parscan/distributed.h"

typedef struct allocate_command {
    common_options common;
    parscan_allocate_options options;
} allocate_command;

enum { OPTION_ALIGN = OPTION_OWN, OPTION_CAPACITY };

static const struct option option_list[] = {MPI_COMMON_OPTIONS,
                                            {"align", required_argument, NULL, OPTION_ALIGN},
                                            {"capacity", required_argument, NULL, OPTION_CAPACITY},
                                            {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi allocate [options] -o OUTPUT FILE\n"
     "\n"
     "Reads the sizes of items that lie one after another, and writes the offset of each, as u64:\n"
     "the sum of the sizes before it. Sizes are integers, and not negative.\n"
     "\n"
     "  --align N             make every offset a multiple of N, a power of two (default 1); "
     "sizes\n"
     "                        are rounded up\n"
     "  --capacity N          fail if the total is more than N (default: no limit)\n"
     "\n"
     "--stats also prints the total.\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi allocate --align 8 -o offsets.npy data/eight.npy"),
    {0}};

static bool take_mpi_allocate_option(int id, const char *value, void *user, failure *why)
{
    allocate_command *const command = user;
    switch (id) {
    case OPTION_ALIGN:
        return take_size(value, 1, &command->options.alignment, why);
    case OPTION_CAPACITY:
        return take_size(value, 1, &command->options.capacity, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

static int check_mpi_allocate(mpi_job *job, void *user, parscan_type type, parscan_type *out_type,
                              failure *why)
{
    const allocate_command *const command = user;
    *out_type = PARSCAN_U64;
    const int status = session_need_integers("sizes", type, why);
    if (status != STATUS_DONE)
        return status;
    uint64_t total;
    return session_status_of(parscan_allocate(job->context, parscan_signless(type), NULL, 0,
                                              PARSCAN_U64, NULL, &total, &command->options),
                             parscan_context_error(job->context), why);
}

static int compute_mpi_allocate(mpi_job *job, void *user, const array *in, array *out,
                                uint64_t first, failure *why)
{
    const allocate_command *const command = user;
    uint64_t total = 0;
    int status = sizes_check(job->context, in, first, "size", mpi_input_name(job), why);
    status = mpi_agree(job, status, why);
    if (status != STATUS_DONE)
        return status;
    const parscan_status allocated =
        parscan_dist_allocate(job->comm, parscan_signless(in->type), in->data, in->n, PARSCAN_U64,
                              out->data, &total, &command->options);
    if (allocated == PARSCAN_ERROR_OVERFLOW)
        fail(why, "%s: the sum of the sizes is beyond 64 bits", mpi_input_name(job));
    else if (allocated == PARSCAN_ERROR_CAPACITY)
        fail(why, "%s: the sizes need %" PRIu64 ", more than --capacity %" PRIu64,
             mpi_input_name(job), total, command->options.capacity);
    else
        status = mpi_check(job, allocated, why);
    if (allocated == PARSCAN_ERROR_OVERFLOW || allocated == PARSCAN_ERROR_CAPACITY)
        return STATUS_FAILED;
    if (status == STATUS_DONE && job->options->stats && job->rank == 0)
        fprintf(stderr, "total %" PRIu64 "\n", total);
    return status;
}

static int run_mpi_allocate(mpi_job *job, void *user, failure *why)
{
    return mpi_map_run(
        job, &(mpi_map){.check = check_mpi_allocate, .compute = compute_mpi_allocate, .user = user},
        why);
}

int mpi_command_allocate(int argc, char **argv)
{
    allocate_command command = {.options = PARSCAN_ALLOCATE_OPTIONS(0)};
    usage spec = {.command = "allocate",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_allocate_option,
                  .integers = true,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_allocate, argc, argv);
}
