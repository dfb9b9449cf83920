/* parscan top: the largest elements, or their lines, in constant memory. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/axis_run.h"
#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/line_output.h"
#include "apps/cli/stream.h"
#include "parscan/select.h"
#include "parscan/sort.h"

/* So many candidates are gathered beyond twice the number before they are sorted. */
enum { MORE_CANDIDATES = 64 * 1024, DEFAULT_TOP = 10, MOST_TOP = 1 << 28 };

/* The candidates: the best that there were when they were sorted last, in order, and then those that have
   come since. */
typedef struct top_command {
    common_options common;
    uint64_t n;
    bool smallest;
    array elements;   /* candidates */
    line_store lines; /* theirs; the header is the first bytes */
    size_t sorted;    /* of the candidates */
    array orders;     /* u64, of a piece */
    array ranks;      /* u64, of the candidates */
} top_command;

enum { OPTION_SMALLEST = OPTION_OWN };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            MIRROR_OPTION,
                                            AXIS_OPTIONS,
                                            {"number", required_argument, NULL, 'n'},
                                            {"smallest", no_argument, NULL, OPTION_SMALLEST},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan top [options] [FILE]...\n"
     "\n"
     "Writes the largest elements, the largest first; with -k and the like their lines. Of equal "
     "ones,\n"
     "the first in the input comes first. NaN is the largest.\n"
     "\n"
     "  -n, --number N        how many (default: 10)\n"
     "  --smallest            the smallest elements, the smallest first\n",
     NULL},
    AXIS_HELP("of each line the first N elements, or all"),
    FIELD_HELP,
    MIRROR_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan top -n 3 -t, -k size --header data/programs.csv"),
    {0}};

static bool take_top_option(int id, const char *value, void *user, failure *why)
{
    top_command *const command = user;
    switch (id) {
    case 'n':
        return take_size(value, 1, &command->n, why) &&
               (command->n <= MOST_TOP || fail(why, "'%.100s' is more than %d", value, MOST_TOP));
    case OPTION_SMALLEST:
        command->smallest = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

static const void *candidate(const array *elements, size_t i)
{
    return (const char *)elements->data + i * parscan_type_size(elements->type);
}

static bool add_element(array *to, const void *element)
{
    if (!array_reserve(to, to->n + 1))
        return false;
    memcpy(array_end(to), element, parscan_type_size(to->type));
    to->n++;
    return true;
}

/* Copies line i of one store to the end of another. */
static bool add_line(line_store *to, const line_store *from, size_t i)
{
    const text_span line = line_store_part(from, i);
    const size_t size = (size_t)(line.end - line.begin);
    const uint64_t place = line_place(to->text.n, size);
    return line_store_add_text(to, line.begin, size) && add_element(&to->places[0], &place);
}

static bool keep_head(top_command *command, const line_store *lines)
{
    if (lines->head == 0)
        return true;
    command->lines.head = lines->head;
    return line_store_add_text(&command->lines, lines->text.data, lines->head);
}

/* Makes the first n of the ranks the candidates, in their order. */
static bool keep_ranks(top_command *command, size_t n, bool has_lines)
{
    const uint64_t *const ranks = command->ranks.data;
    array elements = {.type = command->elements.type};
    line_store lines = LINE_STORE;
    lines.head = command->lines.head;
    bool done = line_store_add_text(&lines, command->lines.text.data, lines.head);
    for (size_t i = 0; done && i < n; i++)
        done = add_element(&elements, candidate(&command->elements, (size_t)ranks[i])) &&
               (!has_lines || add_line(&lines, &command->lines, (size_t)ranks[i]));
    array_release(&command->elements);
    line_store_release(&command->lines);
    command->elements = elements;
    command->lines = lines;
    command->sorted = n;
    return done;
}

/* Sorts the candidates, stably, and keeps the best. */
static int sort_candidates(top_command *command, session *job, failure *why)
{
    const size_t count = command->elements.n;
    bool room = array_reserve(&command->ranks, count);
    if (room && count > 0) {
        const parscan_status called = parscan_argsort(
            job->context, command->elements.type, command->elements.data, PARSCAN_U64,
            command->ranks.data, count, &PARSCAN_SORT_OPTIONS(.descending = !command->smallest));
        const int status = session_check_result(job, called, why);
        if (status != STATUS_DONE)
            return status;
    }
    const size_t kept = count < command->n ? count : (size_t)command->n;
    room = room && keep_ranks(command, kept, session_has_fields(job));
    if (room)
        return STATUS_DONE;
    session_out_of_memory(job, why);
    return STATUS_FAILED;
}

/* The order that an element has to be beyond to be a candidate; false: every element is one. */
static bool find_limit(const top_command *command, uint64_t *limit)
{
    if (command->sorted < command->n)
        return false;
    element_orders(command->elements.type, candidate(&command->elements, command->sorted - 1), 1,
                   limit);
    return true;
}

/* Adds the elements of a piece that may be among the best, from `first` on, as long as there is room for
   candidates. *next: the first that was not looked at. */
static bool add_candidates(top_command *command, const stream_piece *piece, size_t first,
                           bool has_lines, size_t *next)
{
    const uint64_t *const orders = command->orders.data;
    const size_t most = 2 * (size_t)command->n + MORE_CANDIDATES;
    uint64_t limit = 0;
    const bool limited = find_limit(command, &limit);
    size_t i = first;
    for (; i < piece->in.n && command->elements.n < most; i++) {
        if (limited && (command->smallest ? orders[i] >= limit : orders[i] <= limit))
            continue;
        if (!add_element(&command->elements, candidate(&piece->in, i)) ||
            (has_lines && !add_line(&command->lines, &piece->lines, i)))
            return false;
    }
    *next = i;
    return true;
}

static int top_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    top_command *const command = user;
    const size_t n = piece->in.n;
    bool done = array_reserve(&command->orders, n) && keep_head(command, &piece->lines);
    if (done)
        element_orders(piece->in.type, piece->in.data, n, command->orders.data);
    for (size_t i = 0; done && i < n;) {
        done = add_candidates(command, piece, i, session_has_fields(job), &i);
        if (!done || i == n)
            break;
        const int status = sort_candidates(command, job, why);
        if (status != STATUS_DONE)
            return status;
    }
    if (done)
        return STATUS_DONE;
    session_out_of_memory(job, why);
    return STATUS_FAILED;
}

static int write_top(top_command *command, session *job, failure *why)
{
    if (session_has_fields(job))
        return lines_write(job, &command->lines.text, why) ? STATUS_DONE : STATUS_FAILED;
    job->out = command->elements;
    command->elements = (array){0};
    return session_write(job, why);
}

static parscan_status top_of_lines(session *job, void *user, const axis_lines *lines)
{
    const top_command *const command = user;
    const size_t k = command->n < lines->n ? (size_t)command->n : lines->n;
    return parscan_top_k(
        job->context, job->in.type, job->in.data, lines->n, k, job->out.data, 0, NULL,
        &PARSCAN_TOP_K_OPTIONS(.smallest = command->smallest, .shape = &lines->shape));
}

static void release_top(top_command *command)
{
    array_release(&command->elements);
    line_store_release(&command->lines);
    array_release(&command->orders);
    array_release(&command->ranks);
}

static int run_top(session *job, void *user, failure *why)
{
    top_command *const command = user;
    stream_totals totals;
    job->shapes = SHAPES_NEED_AXIS;
    job->fields_hint = "; -n N says how many elements are written";
    int status = session_begin(job, 0, NULL, NULL, NULL, why);
    if (status != STATUS_DONE)
        return status;
    if (job->options->axis.given)
        return axis_run(job,
                        &(axis_work){.out_type = job->in.type,
                                     .new_memory = true,
                                     .most = command->n,
                                     .compute = top_of_lines,
                                     .user = command},
                        why);
    command->elements.type = job->in.type;
    status = stream_run(
        job,
        &(stream_work){.lines = session_has_fields(job), .compute = top_piece, .user = command},
        &totals, why);
    if (status == STATUS_DONE)
        status = sort_candidates(command, job, why);
    if (status == STATUS_DONE)
        status = write_top(command, job, why);
    if (status == STATUS_DONE)
        session_print_stats(job, totals.read,
                            (double)totals.read * (double)parscan_type_size(job->in.type),
                            totals.seconds, true);
    release_top(command);
    return status;
}

int command_top(int argc, char **argv)
{
    top_command command = {.common = {.most_inputs = ANY_INPUTS},
                           .n = DEFAULT_TOP,
                           .lines = LINE_STORE,
                           .orders = {.type = PARSCAN_U64},
                           .ranks = {.type = PARSCAN_U64}};
    const usage spec = {.command = "top",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "n:",
                        .take = take_top_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_top, argc, argv);
}
