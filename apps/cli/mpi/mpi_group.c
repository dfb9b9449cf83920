/* parscan-mpi group. */
#include <inttypes.h>
#include <stdlib.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/group_run.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/mpi/mpi_result.h"
#include "apps/cli/mpi/mpi_talk.h"
#include "apps/cli/number_text.h"
#include "parscan/distributed.h"

typedef struct group_command {
    common_options common;
    const char *by; /* NULL: not given */
    parscan_type by_type;
    tally_list list;
    mpi_input keys_input, input;
    array keys, in;
    array
        orders; /* u64: of the keys; then those of all ranks, sorted, and the elements with them */
    array numbers;  /* u32: of the run of each */
    tallies groups; /* of the runs */
    array lines;    /* u8 */
} group_command;

enum { OPTION_KEYS = OPTION_OWN, OPTION_KEYS_TYPE, OPTION_OP };

static const struct option option_list[] = {
    MPI_COMMON_OPTIONS,
    {"keys", required_argument, NULL, OPTION_KEYS},
    {"keys-type", required_argument, NULL, OPTION_KEYS_TYPE},
    {"op", required_argument, NULL, OPTION_OP},
    {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi group --keys FILE [options] -o OUTPUT FILE\n"
     "\n"
     "Writes a line for each different key, in ascending order: the key, and the results of the "
     "elements\n"
     "that have it, as text with tabs between them. The keys need not be sorted.\n"
     "\n"
     "  --keys FILE           a key for each element, raw or npy\n"
     "  --keys-type T         their type, for raw\n"
     "  --op NAMES            ",
     tally_op_name_of},
    {" (several with commas between them; default: sum)\n"
     "\n"
     "Sums of integers are exact; those of floats are computed in f64.\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi group --keys data/eight.npy --op count,sum -o groups.txt "
                 "data/eight.npy"),
    {0}};

static bool take_mpi_group_option(int id, const char *value, void *user, failure *why)
{
    group_command *const command = user;
    switch (id) {
    case OPTION_KEYS:
        command->by = value;
        return true;
    case OPTION_KEYS_TYPE:
        return take_type(value, &command->by_type, why);
    case OPTION_OP:
        return tally_take(value, &command->list, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

static int open_group_files(const mpi_job *job, group_command *command, failure *why)
{
    const common_options *const options = job->options;
    int status =
        mpi_input_open(job, &command->input, options->input, options->format, options->type, why);
    if (status == STATUS_DONE)
        status = mpi_input_open(job, &command->keys_input, command->by, FORMAT_UNKNOWN,
                                command->by_type, why);
    if (status != STATUS_DONE || command->keys_input.n == command->input.n)
        return status;
    fail(why, "%s: %" PRIu64 " keys for the %" PRIu64 " elements of %s", command->by,
         command->keys_input.n, command->input.n, mpi_input_name(job));
    return STATUS_FAILED;
}

static int read_group_files(mpi_job *job, group_command *command, failure *why)
{
    int status = mpi_input_read(job, &command->input, &command->in, why);
    if (status == STATUS_DONE)
        status = mpi_input_read(job, &command->keys_input, &command->keys, why);
    if (status == STATUS_DONE)
        status = mpi_reserve(job, &command->orders, command->in.n, why);
    if (status == STATUS_DONE)
        status = mpi_reserve(job, &command->numbers, command->in.n, why);
    return status;
}

/* Brings elements of equal keys together, in their order. */
static int sort_by_keys(mpi_job *job, group_command *command, failure *why)
{
    const size_t n = command->in.n;
    uint64_t *const orders = command->orders.data;
    element_orders(command->keys.type, command->keys.data, n, orders);
    for (size_t i = 0; i < n; i++)
        orders[i] = order_without_sign_of_0(command->keys.type, orders[i]);
    return mpi_check(job,
                     parscan_dist_sort_pairs(job->comm, PARSCAN_U64, orders, orders,
                                             parscan_type_size(command->in.type), command->in.data,
                                             command->in.data, n, n, NULL),
                     why);
}

/* What is tallied of the runs of this rank's part. */
static int tally_runs(mpi_job *job, group_command *command, failure *why)
{
    const uint64_t *const orders = command->orders.data;
    uint32_t *const numbers = command->numbers.data;
    const size_t n = command->in.n;
    size_t runs = 0;
    for (size_t i = 0; i < n; i++) {
        runs += i == 0 || orders[i] != orders[i - 1];
        numbers[i] = (uint32_t)(runs - 1);
    }
    command->groups = (tallies){.type = command->in.type, .list = &command->list};
    bool done = runs <= UINT32_MAX || fail(why, "%zu groups of a rank are too many", runs);
    done = done && ((tallies_grow(&command->groups, runs) &&
                     tallies_add(&command->groups, numbers, &command->in)) ||
                    fail_out_of_memory(why));
    return mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
}

/* What other ranks know of the runs of a rank. */
typedef struct rank_runs {
    size_t runs;          /* 0: it has no elements */
    uint64_t first, last; /* the orders of the first and the last */
    tally_part part;      /* of the first */
} rank_runs;

/* Collects those of all ranks, for all. The caller frees *all. */
static int tell_runs(mpi_job *job, const group_command *command, rank_runs **all, failure *why)
{
    const size_t n = command->in.n, size = (size_t)job->size;
    const uint64_t *const orders = command->orders.data;
    rank_runs mine = {.runs = command->groups.n};
    *all = calloc(size, sizeof **all);
    const bool room = *all != NULL || fail_out_of_memory(why);
    const int status = mpi_agree(job, room ? STATUS_DONE : STATUS_FAILED, why);
    if (status != STATUS_DONE)
        return status;
    if (n > 0) {
        mine.first = orders[0];
        mine.last = orders[n - 1];
        mine.part = tallies_part(&command->groups, 0);
    }
    mpi_collect(job, &mine, sizeof mine, *all, sizeof mine);
    mpi_tell(job, *all, size * sizeof **all);
    return STATUS_DONE;
}

/* The last run goes on with the first ones of the ranks that follow, as long as its key does. */
static void take_rest(const mpi_job *job, group_command *command, const rank_runs *all)
{
    const rank_runs *const mine = &all[job->rank];
    for (int r = job->rank + 1; r < job->size; r++) {
        if (all[r].runs == 0)
            continue;
        if (all[r].first != mine->last)
            return;
        tallies_join(&command->groups, mine->runs - 1, &all[r].part);
        if (all[r].runs > 1)
            return;
    }
}

/* Whether the first run started on a rank before. */
static bool goes_on(const mpi_job *job, const rank_runs *all)
{
    int r = job->rank - 1;
    while (r >= 0 && all[r].runs == 0)
        r--;
    return r >= 0 && all[r].last == all[job->rank].first;
}

/* The line of a run; i: its first element. */
static bool add_line(group_command *command, size_t i)
{
    char text[NUMBER_MAX_LENGTH + TALLY_LINE + 1];
    const parscan_type type = command->keys.type;
    long double key; /* room and alignment for an element of any type */
    element_of_order(type, ((const uint64_t *)command->orders.data)[i], &key);
    char *end = numbers_format(element_traits_of(type), &key, 1, text);
    end[-1] = '\t';
    end = tally_format_line(&command->groups, ((const uint32_t *)command->numbers.data)[i], end);
    return group_add_text(&command->lines, text, (size_t)(end - text));
}

static int make_lines(mpi_job *job, group_command *command, failure *why)
{
    rank_runs *all;
    bool done = true;
    const int status = tell_runs(job, command, &all, why);
    if (status == STATUS_DONE && command->in.n > 0) {
        const uint32_t *const numbers = command->numbers.data;
        const bool skips = goes_on(job, all);
        take_rest(job, command, all);
        for (size_t i = 0; i < command->in.n && done; i++)
            if (i == 0 ? !skips : numbers[i] != numbers[i - 1])
                done = add_line(command, i) || fail_out_of_memory(why);
    }
    free(all);
    return status == STATUS_DONE ? mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why) : status;
}

static int compute_mpi_group(mpi_job *job, group_command *command, failure *why)
{
    const double begin = seconds_now();
    int status = sort_by_keys(job, command, why);
    if (status == STATUS_DONE)
        status = tally_runs(job, command, why);
    if (status == STATUS_DONE)
        status = make_lines(job, command, why);
    if (status == STATUS_DONE)
        mpi_print_stats(job, command->input.n,
                        (double)command->input.n * (double)(parscan_type_size(command->in.type) +
                                                            parscan_type_size(command->keys.type)),
                        begin);
    return status;
}

static void release_group(group_command *command)
{
    mpi_input_close(&command->input);
    mpi_input_close(&command->keys_input);
    array_release(&command->keys);
    array_release(&command->in);
    array_release(&command->orders);
    array_release(&command->numbers);
    array_release(&command->lines);
    tallies_release(&command->groups);
}

static int run_mpi_group(mpi_job *job, void *user, failure *why)
{
    group_command *const command = user;
    if (command->list.count == 0)
        command->list = (tally_list){1, {TALLY_SUM}};
    int status = mpi_text_check(job, false, why);
    if (status == STATUS_DONE && command->by == NULL) {
        fail(why, "--keys FILE is needed: a key for each element");
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE)
        status = open_group_files(job, command, why);
    if (status == STATUS_DONE)
        status = read_group_files(job, command, why);
    if (status == STATUS_DONE)
        status = compute_mpi_group(job, command, why);
    if (status == STATUS_DONE)
        status = mpi_text_write(job, &command->lines, why);
    release_group(command);
    return status;
}

int mpi_command_group(int argc, char **argv)
{
    group_command command = {.orders = {.type = PARSCAN_U64},
                             .numbers = {.type = PARSCAN_U32},
                             .lines = {.type = PARSCAN_U8}};
    usage spec = {.command = "group",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_group_option,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_group, argc, argv);
}
