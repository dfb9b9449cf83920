/* parscan allocate: the offsets of items that lie one after another, from their sizes. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/session.h"
#include "apps/cli/sizes.h"
#include "apps/cli/stream.h"
#include "parscan/allocate.h"
#include "parscan/chunked.h"

typedef struct allocate_command {
    common_options common;
    parscan_allocate_options options;
    parscan_chunked *chunked;
    uint64_t total; /* of what has been allocated when chunked was replaced; then of all */
    bool beyond;    /* the capacity: nothing is written any more, only the total is wanted */
} allocate_command;

enum { OPTION_ALIGN = OPTION_OWN, OPTION_CAPACITY };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            {"align", required_argument, NULL, OPTION_ALIGN},
                                            {"capacity", required_argument, NULL, OPTION_CAPACITY},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan allocate [options] [FILE]\n"
     "\n"
     "Reads the sizes of items that lie one after another, and writes the offset of each, as u64: "
     "the\n"
     "sum of the sizes before it. Sizes are integers, and not negative.\n"
     "\n"
     "  --align N             make every offset a multiple of N, a power of two (default 1); "
     "sizes\n"
     "                        are rounded up\n"
     "  --capacity N          fail if the total is more than N (default: no limit)\n"
     "\n"
     "Offsets and totals have the unit of the sizes. --stats also prints the total.\n",
     NULL},
    FIELD_HELP,
    INTEGERS_HELP,
    EXAMPLE_HELP("parscan allocate --align 4096 data/sizes.txt"),
    {0}};

static bool take_allocate_option(int id, const char *value, void *user, failure *why)
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

static int check_allocate_options(session *job, void *user, parscan_type type, failure *why)
{
    const allocate_command *const command = user;
    const int status = session_need_integers("sizes", type, why);
    if (status != STATUS_DONE)
        return status;
    uint64_t total;
    return session_check(job,
                         parscan_allocate(job->context, parscan_signless(type), NULL, 0,
                                          PARSCAN_U64, NULL, &total, &command->options),
                         why);
}

static int check_called(const session *job, parscan_status status, failure *why)
{
    if (status != PARSCAN_ERROR_OVERFLOW)
        return session_check_result(job, status, why);
    fail(why, "%s: the sum of the sizes is beyond 64 bits", session_input_name(job));
    return STATUS_FAILED;
}

static parscan_status create_allocate(allocate_command *command, session *job, uint64_t capacity)
{
    parscan_allocate_options options = command->options;
    options.capacity = capacity;
    return parscan_chunked_create_allocate(&command->chunked, job->context,
                                           parscan_signless(job->in.type), PARSCAN_U64, &options);
}

/* The capacity is used up. From here on only the total is computed, which the message names. */
static int go_beyond(allocate_command *command, session *job, failure *why)
{
    const int status = check_called(
        job,
        parscan_chunked_finish(command->chunked, &PARSCAN_CHUNKED_END(.total = &command->total)),
        why);
    if (status != STATUS_DONE)
        return status;
    parscan_chunked_destroy(command->chunked);
    command->beyond = true;
    return check_called(job, create_allocate(command, job, 0), why);
}

static int allocate_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    allocate_command *const command = user;
    parscan_chunk chunk =
        PARSCAN_CHUNK(.in = piece->in.data, .out = piece->out.data, .n = piece->in.n);
    int status =
        sizes_check(job->context, &piece->in, piece->first, "size", session_input_name(job), why);
    if (status != STATUS_DONE)
        return status;
    if (!command->beyond) {
        const parscan_status called = parscan_chunked_update(command->chunked, &chunk);
        piece->out.n = piece->in.n;
        if (called != PARSCAN_ERROR_CAPACITY)
            return check_called(job, called, why);
        status = go_beyond(command, job, why);
        if (status != STATUS_DONE)
            return status;
    }
    chunk.out = NULL;
    piece->out.n = 0;
    return check_called(job, parscan_chunked_update(command->chunked, &chunk), why);
}

static int finish_allocate(session *job, void *user, failure *why)
{
    allocate_command *const command = user;
    uint64_t rest;
    const int status = check_called(
        job, parscan_chunked_finish(command->chunked, &PARSCAN_CHUNKED_END(.total = &rest)), why);
    if (status != STATUS_DONE)
        return status;
    command->total += rest;
    if (command->total < rest)
        return check_called(job, PARSCAN_ERROR_OVERFLOW, why);
    if (!command->beyond)
        return STATUS_DONE;
    fail(why, "%s: the sizes need %" PRIu64 ", more than --capacity %" PRIu64,
         session_input_name(job), command->total, command->options.capacity);
    return STATUS_FAILED;
}

static int run_allocate(session *job, void *user, failure *why)
{
    allocate_command *const command = user;
    stream_totals totals;
    int status = session_begin(job, PARSCAN_U64, NULL, check_allocate_options, command, why);
    if (status == STATUS_DONE)
        status = session_check_result(job, create_allocate(command, job, command->options.capacity),
                                      why);
    if (status == STATUS_DONE)
        status = stream_run(job,
                            &(stream_work){.out_type = PARSCAN_U64,
                                           .one_each = true,
                                           /* A piece that needs too much is counted again. */
                                           .new_memory = command->options.capacity != 0,
                                           .compute = allocate_piece,
                                           .finish = finish_allocate,
                                           .user = command},
                            &totals, why);
    parscan_chunked_destroy(command->chunked);
    if (status != STATUS_DONE)
        return status;
    const size_t moved = parscan_type_size(job->in.type) + sizeof(uint64_t);
    session_print_stats(job, totals.read, (double)totals.read * (double)moved, totals.seconds,
                        true);
    if (job->options->stats)
        fprintf(stderr, "total %" PRIu64 "\n", command->total);
    return STATUS_DONE;
}

int command_allocate(int argc, char **argv)
{
    allocate_command command = {.options = PARSCAN_ALLOCATE_OPTIONS(0)};
    const usage spec = {.command = "allocate",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_allocate_option,
                        .integers = true,
                        .user = &command};
    return session_command(&spec, &command.common, run_allocate, argc, argv);
}
