/* parscan-mpi scan. */
#include "apps/cli/command.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/scan_options.h"
#include "parscan/distributed.h"

typedef struct scan_command {
    common_options common;
    scan_arguments scan;
} scan_command;

static const struct option option_list[] = {MPI_COMMON_OPTIONS, SCAN_OPTIONS, {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi scan [options] -o OUTPUT FILE\n"
     "\n"
     "Writes the scan of an array: element i is the sum of the elements 0 to i of the input.\n"
     "\n"
     "  --op NAME             the operator (default sum; and, or, xor for integers only):\n"
     "                        ",
     op_name_of},
    {"\n"
     "  --exclusive           combine the elements before i, without element i\n"
     "  --init V              combine V first, before all elements\n"
     "  --reverse             go from the last element to the first\n"
     "  --algorithm NAME      (default auto, the fastest)\n"
     "                        ",
     algorithm_name_of},
    {"\n" SCAN_HELP_OUT_TYPE
     "  --reproducible        give floats the same bits for any number of ranks and threads\n"
     "  --block-threads N     threads per block, for a block algorithm\n"
     "  --items N             elements per thread, for a block algorithm\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi scan --exclusive -o scanned.npy data/eight.npy"),
    {0}};

static bool take_mpi_scan_option(int id, const char *value, void *user, failure *why)
{
    scan_command *const command = user;
    return scan_take(&command->scan, &command->common, id, value, why);
}

static int check_mpi_scan(mpi_job *job, void *user, parscan_type type, parscan_type *out_type,
                          failure *why)
{
    scan_command *const command = user;
    scan_take_mask(&command->scan, job->is_mask);
    const parscan_status checked =
        (command->scan.exclusive ? parscan_exclusive_scan : parscan_inclusive_scan)(
            job->context, type, NULL, NULL, 0, &command->scan.options);
    *out_type = scan_out_type(&command->scan, type);
    const int status = session_status_of(checked, parscan_context_error(job->context), why);
    return status == STATUS_DONE ? scan_read_init(&command->scan, type, why) : status;
}

static int compute_mpi_scan(mpi_job *job, void *user, const array *in, array *out, uint64_t first,
                            failure *why)
{
    const scan_command *const command = user;
    (void)first;
    const parscan_status scanned =
        (command->scan.exclusive ? parscan_dist_exclusive_scan : parscan_dist_inclusive_scan)(
            job->comm, in->type, in->data, out->data, in->n, &command->scan.options);
    return mpi_check(job, scanned, why);
}

static int run_mpi_scan(mpi_job *job, void *user, failure *why)
{
    return mpi_map_run(
        job, &(mpi_map){.check = check_mpi_scan, .compute = compute_mpi_scan, .user = user}, why);
}

int mpi_command_scan(int argc, char **argv)
{
    scan_command command = {.scan = SCAN_ARGUMENTS};
    usage spec = {.command = "scan",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_scan_option,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_scan, argc, argv);
}
