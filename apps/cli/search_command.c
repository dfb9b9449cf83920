/* parscan search: where elements are in a sorted file. */
#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/order_check.h"
#include "apps/cli/stream.h"
#include "parscan/search.h"

enum { READ_ELEMENTS = 512 * 1024 };

typedef struct search_command {
    common_options common;
    second_input sorted;
    bool upper, count;
    array bounds; /* u64: of a piece, if elements are counted */
} search_command;

enum { OPTION_IN = OPTION_OWN, OPTION_UPPER, OPTION_COUNT };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            {"in", required_argument, NULL, OPTION_IN},
                                            {"upper", no_argument, NULL, OPTION_UPPER},
                                            {"count", no_argument, NULL, OPTION_COUNT},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan search --in SORTED [options] [FILE]\n"
     "\n"
     "Writes for each element of FILE how many elements of the file SORTED are less, as u64: so "
     "the\n"
     "index there of the first equal one, if there is one; the first index is 0. The order is that "
     "of\n"
     "sort. SORTED is in memory; it must be sorted.\n"
     "\n"
     "  --in SORTED           the sorted file, of the type of FILE: npy, raw if --format raw is "
     "given,\n"
     "                        else text\n"
     "  --upper               how many are less or equal\n"
     "  --count               how many are equal\n",
     NULL},
    FIELD_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan search --in data/eight.inclusive.txt data/eight.txt"),
    {0}};

static bool take_search_option(int id, const char *value, void *user, failure *why)
{
    search_command *const command = user;
    switch (id) {
    case OPTION_IN:
        return take_path(value, &command->sorted.path, why);
    case OPTION_UPPER:
        command->upper = true;
        return true;
    case OPTION_COUNT:
        command->count = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* The sorted file has the type of the input. */
static int take_type_of_input(session *job, void *user, parscan_type type, failure *why)
{
    (void)job;
    (void)why;
    ((search_command *)user)->sorted.type = type;
    return STATUS_DONE;
}

/* Whether the elements from `first` on, of which the one before has the order `before`, are sorted. */
static bool check_sorted(const search_command *command, const array *sorted, size_t first,
                         array *orders, uint64_t *before, failure *why)
{
    const uint64_t *const of = orders->data;
    const size_t n = sorted->n - first;
    element_orders(sorted->type,
                   (const char *)sorted->data + first * parscan_type_size(sorted->type), n,
                   orders->data);
    for (size_t i = 0; i < n; i++) {
        if (of[i] < *before)
            return order_fail(input_name(command->sorted.path), false, first + i + 1, sorted->type,
                              of[i], *before, "parscan sort", why);
        *before = of[i];
    }
    return true;
}

static bool read_sorted(const search_command *command, session *job, failure *why)
{
    array orders = {.type = PARSCAN_U64}, *const sorted = &job->second;
    uint64_t before = 0;
    bool done = array_reserve(&orders, READ_ELEMENTS) || session_out_of_memory(job, why);
    for (size_t first = 0; done; first = sorted->n) {
        done = session_read_second(job, &command->sorted, sorted, READ_ELEMENTS, why);
        if (!done || sorted->n == first)
            break;
        if (!array_reserve(&orders, sorted->n - first))
            done = session_out_of_memory(job, why);
        done = done && check_sorted(command, sorted, first, &orders, &before, why);
    }
    array_release(&orders);
    return done;
}

static int search_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    search_command *const command = user;
    const array *const sorted = &job->second;
    const size_t n = piece->in.n;
    uint64_t *const out = piece->out.data;
    if (command->count && !array_reserve(&command->bounds, n)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    parscan_status called = PARSCAN_OK;
    if (command->count)
        called = parscan_lower_bound(job->context, piece->in.type, sorted->data, sorted->n,
                                     piece->in.data, n, PARSCAN_U64, command->bounds.data);
    if (called == PARSCAN_OK)
        called = (command->upper || command->count ? parscan_upper_bound : parscan_lower_bound)(
            job->context, piece->in.type, sorted->data, sorted->n, piece->in.data, n, PARSCAN_U64,
            out);
    for (size_t i = 0; called == PARSCAN_OK && command->count && i < n; i++)
        out[i] -= ((const uint64_t *)command->bounds.data)[i];
    piece->out.n = n;
    return session_check_result(job, called, why);
}

static int run_search(session *job, void *user, failure *why)
{
    search_command *const command = user;
    stream_totals totals;
    if (command->sorted.path == NULL || (command->upper && command->count)) {
        fail(why, command->sorted.path == NULL ? "--in SORTED is needed"
                                               : "--upper and --count exclude each other");
        return STATUS_USAGE;
    }
    int status = session_begin(job, 0, &command->sorted, take_type_of_input, command, why);
    if (status == STATUS_DONE && !read_sorted(command, job, why))
        status = STATUS_FAILED;
    if (status == STATUS_DONE)
        status = stream_run(job,
                            &(stream_work){.out_type = PARSCAN_U64,
                                           .one_each = true,
                                           .compute = search_piece,
                                           .user = command},
                            &totals, why);
    array_release(&command->bounds);
    if (status == STATUS_DONE)
        session_print_stats(job, totals.read,
                            (double)totals.read *
                                (double)(parscan_type_size(job->in.type) + sizeof(uint64_t)),
                            totals.seconds, true);
    return status;
}

int command_search(int argc, char **argv)
{
    search_command command = {.sorted = {.option = "--in"}, .bounds = {.type = PARSCAN_U64}};
    const usage spec = {.command = "search",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_search_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_search, argc, argv);
}
