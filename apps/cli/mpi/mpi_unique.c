/* parscan-mpi unique. */
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/group_run.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/mpi/mpi_result.h"
#include "apps/cli/number_text.h"
#include "apps/cli/shortest_float.h"
#include "parscan/distributed.h"

typedef struct unique_command {
    common_options common;
    bool count;
    mpi_input input;
    array in;
    array keys, indices; /* u64: of the elements, their orders; then those of all ranks, sorted */
    array firsts;        /* u64: of the runs that start here, the first index or the length */
    array lines;         /* u8 */
} unique_command;

enum { OPTION_COUNT = OPTION_OWN };

static const struct option option_list[] = {
    MPI_COMMON_OPTIONS, {"count", no_argument, NULL, OPTION_COUNT}, {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi unique [options] -o OUTPUT FILE\n"
     "\n"
     "Writes each element once, where it is first. The input need not be sorted.\n"
     "\n"
     "  --count               write how often each element is there, and the element, as text with "
     "a tab\n"
     "                        between them; ascending\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi unique -o once.npy data/eight.npy"),
    {0}};

static bool take_mpi_unique_option(int id, const char *value, void *user, failure *why)
{
    unique_command *const command = user;
    if (id != OPTION_COUNT)
        return common_take(&command->common, id, value, why);
    command->count = true;
    return true;
}

/* The orders of this rank's elements: equal elements have equal ones. Rank by rank they are sorted then. */
static int make_keys(mpi_job *job, unique_command *command, failure *why)
{
    const array *const in = &command->in;
    int status = mpi_reserve(job, &command->keys, in->n + 1, why);
    if (status == STATUS_DONE)
        status = mpi_reserve(job, &command->firsts, in->n, why);
    if (status == STATUS_DONE && !command->count)
        status = mpi_reserve(job, &command->indices, in->n, why);
    if (status != STATUS_DONE)
        return status;
    uint64_t *const keys = command->keys.data, *const indices = command->indices.data;
    element_orders_of_values(in->type, in->data, in->n, keys);
    for (size_t i = 0; i < in->n && !command->count; i++)
        indices[i] = command->input.first + i;
    return STATUS_DONE;
}

/* The smallest index of each run of equal keys goes to the rank that has the element: there it is kept. */
static int keep_firsts(mpi_job *job, unique_command *command, failure *why)
{
    array *const in = &command->in;
    uint64_t *const keys = command->keys.data, *const indices = command->indices.data;
    uint64_t *const firsts = command->firsts.data;
    uint64_t *const places = keys; /* when they are not needed: how many elements before are kept */
    uint64_t runs = 0, kept = 0;
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U64, .data = keys);
    parscan_status called = parscan_dist_sort_pairs(
        job->comm, PARSCAN_U64, keys, keys, sizeof *indices, indices, indices, in->n, in->n, NULL);
    if (called == PARSCAN_OK)
        called = parscan_dist_segmented_reduce(job->comm, PARSCAN_U64, indices, firsts, in->n,
                                               &segments, &runs, NULL, NULL,
                                               &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN));
    if (called == PARSCAN_OK)
        called = parscan_dist_bin(job->comm, PARSCAN_U64, firsts, sizeof(uint32_t), NULL,
                                  (size_t)runs, in->n, PARSCAN_U64, places, NULL, 0, &kept);
    const int status = mpi_check(job, called, why);
    if (status != STATUS_DONE)
        return status;
    const size_t size = parscan_type_size(in->type);
    char *const elements = in->data;
    for (size_t i = 0; i < in->n; i++)
        if (places[i + 1] != places[i])
            memmove(elements + places[i] * size, elements + i * size, size);
    in->n = (size_t)kept;
    return STATUS_DONE;
}

/* The keys are sorted; their runs get lines. */
static int count_runs(mpi_job *job, unique_command *command, failure *why)
{
    uint64_t *const keys = command->keys.data, *const lengths = command->firsts.data;
    const size_t n = command->in.n;
    uint64_t runs = 0;
    bool added = true;
    parscan_status called = parscan_dist_sort_keys(job->comm, PARSCAN_U64, keys, n, keys, n, NULL);
    array *const values = &command->indices;
    int status = mpi_check(job, called, why);
    if (status == STATUS_DONE)
        status = mpi_reserve(job, values, n, why);
    if (status == STATUS_DONE)
        status =
            mpi_check(job,
                      parscan_dist_run_length_encode(job->comm, PARSCAN_U64, keys, values->data,
                                                     PARSCAN_U64, lengths, n, &runs, NULL, NULL),
                      why);
    if (status != STATUS_DONE)
        return status;
    shortest_decimal_prepare();
    for (uint64_t i = 0; i < runs && added; i++) {
        char text[2 * NUMBER_MAX_LENGTH + 2];
        char *end = numbers_format(element_traits_of(PARSCAN_U64), &lengths[i], 1, text);
        end[-1] = '\t';
        long double element; /* room and alignment for an element of any type */
        element_of_order(command->in.type, ((const uint64_t *)values->data)[i], &element);
        end = numbers_format(element_traits_of(command->in.type), &element, 1, end);
        added =
            group_add_text(&command->lines, text, (size_t)(end - text)) || fail_out_of_memory(why);
    }
    return mpi_agree(job, added ? STATUS_DONE : STATUS_FAILED, why);
}

static int compute_mpi_unique(mpi_job *job, unique_command *command, failure *why)
{
    int status = mpi_input_read(job, &command->input, &command->in, why);
    const double begin = seconds_now();
    if (status == STATUS_DONE)
        status = make_keys(job, command, why);
    if (status == STATUS_DONE)
        status = (command->count ? count_runs : keep_firsts)(job, command, why);
    if (status == STATUS_DONE)
        mpi_print_stats(job, command->input.n,
                        (double)command->input.n * (double)parscan_type_size(command->in.type),
                        begin);
    if (status != STATUS_DONE)
        return status;
    return command->count ? mpi_text_write(job, &command->lines, why)
                          : mpi_result_write(job, &command->input, &command->in, why);
}

static int run_mpi_unique(mpi_job *job, void *user, failure *why)
{
    unique_command *const command = user;
    const common_options *const options = job->options;
    int status = command->count ? mpi_text_check(job, false, why) : mpi_check_paths(job, why);
    if (status == STATUS_DONE)
        status = mpi_input_open(job, &command->input, options->input, options->format,
                                options->type, why);
    if (status == STATUS_DONE)
        status = compute_mpi_unique(job, command, why);
    mpi_input_close(&command->input);
    array_release(&command->in);
    array_release(&command->keys);
    array_release(&command->indices);
    array_release(&command->firsts);
    array_release(&command->lines);
    return status;
}

int mpi_command_unique(int argc, char **argv)
{
    unique_command command = {.keys = {.type = PARSCAN_U64},
                              .indices = {.type = PARSCAN_U64},
                              .firsts = {.type = PARSCAN_U64},
                              .lines = {.type = PARSCAN_U8}};
    usage spec = {.command = "unique",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_unique_option,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_unique, argc, argv);
}
