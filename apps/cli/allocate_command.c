/* parscan allocate: the offsets of items that lie one after another, from their sizes. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/integer_bits.h"
#include "apps/cli/session.h"
#include "parscan/allocate.h"
#include "parscan/scan.h"

typedef struct allocate_command {
    common_options common;
    parscan_allocate_options options;
} allocate_command;

enum { OPTION_ALIGN = OPTION_OWN, OPTION_CAPACITY };

static const struct option option_list[] = {COMMON_OPTIONS,
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
    COMMON_HELP_TEXT("u64"),
    EXAMPLE_HELP("parscan allocate --align 4096 data/sizes.txt"),
    {0}};

static bool take(int id, const char *value, void *user, failure *why)
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

static int check_options(session *job, void *user, parscan_type type, failure *why)
{
    const allocate_command *const command = user;
    if (element_kind(element_traits_of(type)) == 'f') {
        fail(why, "sizes must be integers, the type is %s", parscan_type_name(type));
        return STATUS_USAGE;
    }
    uint64_t total;
    return session_check(job,
                         parscan_allocate(job->context, unsigned_type_of(type), NULL, 0,
                                          PARSCAN_U64, NULL, &total, &command->options),
                         why);
}

/* The signed element at that index. */
static int64_t element_at(const array *elements, size_t index)
{
    const size_t size = parscan_type_size(elements->type);
    return (int64_t)load_signed((const char *)elements->data + index * size, size);
}

/* NumPy makes signed integers. Those that are not negative have the bits of the unsigned ones. */
static int drop_sign(session *job, failure *why)
{
    const parscan_type type = unsigned_type_of(job->in.type);
    if (type == job->in.type || job->in.n == 0)
        return STATUS_DONE;
    int64_t lowest = 0; /* room for an element of any size */
    const parscan_status reduced =
        parscan_reduce(job->context, job->in.type, job->in.data, &lowest, job->in.n,
                       &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN));
    const int status = session_check_result(job, reduced, why);
    if (status != STATUS_DONE)
        return status;
    if (element_at(&(array){.type = job->in.type, .data = &lowest}, 0) < 0) {
        size_t index = 0;
        while (element_at(&job->in, index) >= 0)
            index++;
        fail(why, "%s: a size cannot be negative: element %zu is %" PRId64, session_input_name(job),
             index, element_at(&job->in, index));
        return STATUS_FAILED;
    }
    job->in.type = type;
    return STATUS_DONE;
}

/* A total that does not fit is named in the message. */
static int check_total(const session *job, const parscan_allocate_options *options,
                       parscan_status status, uint64_t total, failure *why)
{
    const char *const name = session_input_name(job);
    if (status == PARSCAN_ERROR_CAPACITY)
        fail(why, "%s: the sizes need %" PRIu64 ", more than --capacity %" PRIu64, name, total,
             options->capacity);
    else if (status == PARSCAN_ERROR_OVERFLOW)
        fail(why, "%s: the sum of the sizes is beyond 64 bits", name);
    else
        return session_check_result(job, status, why);
    return STATUS_FAILED;
}

static int compute(allocate_command *command, session *job, failure *why)
{
    uint64_t total;
    if (!session_make_out(job, PARSCAN_U64, job->in.n, why))
        return STATUS_FAILED;
    const double begin = seconds_now();
    const parscan_status called =
        parscan_allocate(job->context, job->in.type, job->in.data, job->in.n, PARSCAN_U64,
                         job->out.data, &total, &command->options);
    const double seconds = seconds_now() - begin;
    const int status = check_total(job, &command->options, called, total, why);
    if (status != STATUS_DONE)
        return status;
    job->out.n = job->in.n;
    const size_t moved = parscan_type_size(job->in.type) + parscan_type_size(job->out.type);
    session_print_stats(job, job->in.n, (double)job->in.n * (double)moved, seconds, true);
    if (job->options->stats)
        fprintf(stderr, "total %" PRIu64 "\n", total);
    return STATUS_DONE;
}

static int run(session *job, void *user, failure *why)
{
    int status = session_read(job, PARSCAN_U64, NULL, check_options, user, why);
    if (status == STATUS_DONE)
        status = drop_sign(job, why);
    if (status == STATUS_DONE)
        status = compute(user, job, why);
    return status == STATUS_DONE ? session_write(job, why) : status;
}

int command_allocate(int argc, char **argv)
{
    allocate_command command = {.options = PARSCAN_ALLOCATE_OPTIONS(0)};
    const usage spec = {.command = "allocate",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS,
                        .take = take,
                        .user = &command};
    return session_command(&spec, &command.common, run, argc, argv);
}
