/* parscan expand: each element, value or line as often as its size tells. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/integer_bits.h"
#include "apps/cli/line_output.h"
#include "apps/cli/output_file.h"
#include "apps/cli/sizes.h"
#include "apps/cli/stream.h"
#include "parscan/allocate.h"
#include "parscan/gather.h"

/* So many sizes are read at once; the output of so many slots is made at once. */
enum { READ_SIZES = 256 * 1024, WINDOW = 256 * 1024 };

/* No file is longer. */
#define MOST_SLOTS ((uint64_t)INT64_MAX)

typedef struct expand_command {
    common_options common;
    second_input values; /* path NULL: none */
    bool ranks;
    uint64_t first; /* the index of the first size of the piece */
    line_store lines;
    line_gathering gathering;
    array parts; /* u64: the sizes of a window, of which the first and the last one may be cut */
    array owners, ranked; /* u64: of the slots of a window */
    array out;
    output_writer *output;
    uint64_t written;
    double seconds;
} expand_command;

enum { OPTION_RANKS = OPTION_OWN, OPTION_VALUES, OPTION_VALUES_TYPE };

static const struct option option_list[] = {
    COMMON_OPTIONS,
    FIELD_OPTIONS,
    {"ranks", no_argument, NULL, OPTION_RANKS},
    {"values", required_argument, NULL, OPTION_VALUES},
    {"values-type", required_argument, NULL, OPTION_VALUES_TYPE},
    {0}};

static const help_part help[] = {
    {"usage: parscan expand [options] [FILE]\n"
     "\n"
     "Reads sizes, integers that are not negative, and writes the index of each as often as it "
     "tells, as\n"
     "u64; the first index is 0. With -k and the like, writes the lines so often. It undoes unique "
     "--count\n"
     "of sorted data, and tells which item each slot of an allocation belongs to. A sum beyond "
     "2^63 - 1 is "
     "a\n"
     "failure.\n"
     "\n"
     "  --values FILE         a value per size, written in place of its index\n"
     "  --values-type T       the type of values in text (default i64) and raw (no default)\n"
     "  --ranks               count from 0 within each item, in place of its index\n",
     NULL},
    FIELD_HELP,
    INTEGERS_HELP,
    EXAMPLE_HELP("parscan expand data/eight.txt"),
    {0}};

static bool take_expand_option(int id, const char *value, void *user, failure *why)
{
    expand_command *const command = user;
    switch (id) {
    case OPTION_RANKS:
        command->ranks = true;
        return true;
    case OPTION_VALUES:
        return take_path(value, &command->values.path, why);
    case OPTION_VALUES_TYPE:
        return take_type(value, &command->values.type, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

static int check_size_type(session *job, void *user, parscan_type type, failure *why)
{
    (void)job;
    (void)user;
    return session_need_integers("sizes", type, why);
}

/* A window: slots of the items from `item` on, of whose first one `used` slots have been written. */
typedef struct window {
    size_t item;
    uint64_t used;
    size_t slots;
} window;

/* Cuts the next window. *next: what comes after it. */
static void cut_window(const array *sizes, const window *from, array *parts, window *next)
{
    const size_t size = parscan_type_size(sizes->type);
    *next = (window){from->item, from->used, 0};
    parts->n = 0;
    size_t slots = 0;
    while (next->item < sizes->n && slots < WINDOW && parts->n < WINDOW) {
        const uint64_t whole = load_unsigned((const char *)sizes->data + next->item * size, size);
        const uint64_t left = whole - next->used, room = WINDOW - slots;
        const uint64_t part = left < room ? left : room;
        ((uint64_t *)parts->data)[parts->n++] = part;
        slots += (size_t)part;
        next->used = part < left ? next->used + part : 0;
        next->item += part == left;
    }
    next->slots = slots;
}

/* Makes the output of the slots of a window. */
static int make_window(expand_command *command, session *job, const window *from, failure *why)
{
    uint64_t total;
    const bool lines = session_has_fields(job), values = command->values.path != NULL;
    uint64_t *const owners = command->owners.data, *const ranked = command->ranked.data;
    parscan_status called =
        parscan_expand(job->context, PARSCAN_U64, command->parts.data, command->parts.n,
                       PARSCAN_U64, owners, command->ranks ? ranked : NULL, WINDOW, &total);
    if (called != PARSCAN_OK)
        return session_check_result(job, called, why);
    for (size_t i = 0; i < total; i++)
        owners[i] += from->item + (lines || values ? 0 : command->first);
    command->out.n = (size_t)total;
    if (command->ranks) {
        for (size_t i = 0; i < total; i++)
            ((uint64_t *)command->out.data)[i] =
                ranked[i] + (owners[i] == owners[0] ? from->used : 0);
        return STATUS_DONE;
    }
    if (lines) {
        command->out.n = 0;
        return lines_gather(job, &command->gathering, &command->lines, owners, (size_t)total,
                            &command->out, why)
                   ? STATUS_DONE
                   : STATUS_FAILED;
    }
    if (values)
        called =
            parscan_gather(job->context, parscan_type_size(job->second.type), job->second.data,
                           job->second.n, PARSCAN_U64, owners, command->out.data, (size_t)total);
    else if (total > 0)
        memcpy(command->out.data, owners, (size_t)total * sizeof *owners);
    return session_check_result(job, called, why);
}

/* Whether a file can have so many elements as the sizes so far make. The message names the largest of them. */
static int check_total(const expand_command *command, session *job, failure *why)
{
    const size_t size = parscan_type_size(job->in.type);
    uint64_t total = command->written, largest = 0;
    size_t at = 0;
    for (size_t i = 0; i < job->in.n; i++) {
        const uint64_t slots = load_unsigned((const char *)job->in.data + i * size, size);
        if (slots > largest) {
            largest = slots;
            at = i;
        }
        if (slots <= MOST_SLOTS - total) {
            total += slots;
            continue;
        }
        const bool lines = session_has_fields(job);
        fail(why, "the sum of the sizes is more than %" PRIu64 ": %" PRIu64 "%s", MOST_SLOTS,
             largest, largest == UINT64_MAX ? " is -1, read as u64" : " is one of them");
        if (lines) {
            input_fail_line(job->reader, &command->lines, at, why);
        } else {
            char where[48];
            snprintf(where, sizeof where, "element %" PRIu64, command->first + at + 1);
            fail_in(why, where);
            fail_in(why, session_input_name(job));
        }
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

/* Writes what the sizes of a piece make. */
static int expand_piece(expand_command *command, session *job, failure *why)
{
    int status =
        sizes_check(job->context, &job->in, command->first, "size", session_input_name(job), why);
    if (status == STATUS_DONE)
        status = check_total(command, job, why);
    window from = {0}, next;
    while (status == STATUS_DONE && from.item < job->in.n) {
        const double begin = seconds_now();
        cut_window(&job->in, &from, &command->parts, &next);
        status = make_window(command, job, &from, why);
        command->seconds += seconds_now() - begin;
        command->written += next.slots;
        if (status == STATUS_DONE && command->out.n > 0 &&
            !output_add(command->output, &command->out, why))
            status = STATUS_FAILED;
        from = next;
    }
    return status;
}

/* There are not as many values as sizes: says how many. */
static bool fail_values(const expand_command *command, session *job, failure *why)
{
    uint64_t n = command->first + job->in.n, values_n = command->first + job->second.n;
    do {
        job->second.n = 0;
        if (!session_read_second(job, &command->values, &job->second, READ_SIZES, why))
            return false;
        values_n += job->second.n;
    } while (job->second.n > 0);
    return stream_count_rest(job, &n, why) &&
           session_check_second(job, &command->values, n, values_n, why);
}

/* Reads as many values as there are sizes; at the end of the sizes, where that is known, one more. */
static bool read_values(const expand_command *command, session *job, failure *why)
{
    array *const second = &job->second;
    const size_t wanted = job->in.n + (job->in.n == 0 || input_at_end(job->reader));
    size_t before;
    second->n = 0;
    do {
        before = second->n;
        if (!session_read_second(job, &command->values, second, wanted - before, why))
            return false;
    } while (second->n < wanted && second->n > before);
    return second->n == job->in.n || fail_values(command, job, why);
}

/* Reads the next sizes, and as many values. */
static bool read_piece(expand_command *command, session *job, failure *why)
{
    const bool lines = session_has_fields(job);
    command->first += job->in.n;
    job->in.n = 0;
    line_store_clear(&command->lines);
    return input_next_lines(job->reader, READ_SIZES, &job->in, lines ? &command->lines : NULL,
                            why) &&
           (command->values.path == NULL || read_values(command, job, why));
}

static bool open_expanded(expand_command *command, session *job, failure *why)
{
    const bool lines = session_has_fields(job);
    const char *name;
    command->out.type = lines                          ? PARSCAN_U8
                        : command->values.path != NULL ? job->second.type
                                                       : PARSCAN_U64;
    if ((!lines && !array_reserve(&command->out, WINDOW)) ||
        !array_reserve(&command->parts, WINDOW) || !array_reserve(&command->owners, WINDOW) ||
        (command->ranks && !array_reserve(&command->ranked, WINDOW)))
        return session_out_of_memory(job, why);
    command->output =
        lines ? lines_open_output(job, why)
              : session_open_output(job, job->options->output, command->out.type, NULL, why);
    return command->output != NULL &&
           (!session_feeds(job, command->output, &name) || fail_output_is_input(name, why));
}

static int expand_all(expand_command *command, session *job, failure *why)
{
    int status = open_expanded(command, job, why) ? STATUS_DONE : STATUS_FAILED;
    bool ended = false;
    while (status == STATUS_DONE && !ended) {
        if (!read_piece(command, job, why))
            return STATUS_FAILED;
        ended = job->in.n == 0;
        command->out.n = 0;
        if (command->lines.head > 0 && (!lines_add_head(job, &command->lines, &command->out, why) ||
                                        !output_add(command->output, &command->out, why)))
            return STATUS_FAILED;
        status = expand_piece(command, job, why);
    }
    if (status != STATUS_DONE)
        return status;
    return output_complete(command->output, why) && output_commit(command->output, why)
               ? STATUS_DONE
               : STATUS_FAILED;
}

static int check_expand(const expand_command *command, failure *why)
{
    const bool values = command->values.path != NULL, fields = command->common.fields.given;
    if (values && fields)
        fail(why,
             "--values is for sizes without fields: with -k and the like whole lines are written");
    else if (command->ranks && (values || fields))
        fail(why, "--ranks and %s exclude each other", values ? "--values" : "-k");
    else
        return STATUS_DONE;
    return STATUS_USAGE;
}

static int run_expand(session *job, void *user, failure *why)
{
    expand_command *const command = user;
    int status = check_expand(command, why);
    job->lines = LINES_ARE_ELEMENTS;
    if (status == STATUS_DONE)
        status =
            session_begin(job, PARSCAN_U64, command->values.path != NULL ? &command->values : NULL,
                          check_size_type, command, why);
    if (status == STATUS_DONE)
        status = expand_all(command, job, why);
    if (status == STATUS_DONE)
        session_print_stats(job, (size_t)command->first,
                            (double)command->first * (double)parscan_type_size(job->in.type) +
                                (double)command->written * (double)sizeof(uint64_t),
                            command->seconds, true);
    array *const arrays[] = {&command->parts, &command->owners, &command->ranked, &command->out};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        array_release(arrays[i]);
    line_store_release(&command->lines);
    line_gathering_release(&command->gathering);
    output_close(command->output);
    return status;
}

int command_expand(int argc, char **argv)
{
    expand_command command = {
        .values = {.option = "--values", .type_option = "--values-type", .one_each = "values"},
        .lines = LINE_STORE,
        .gathering = LINE_GATHERING,
        .parts = {.type = PARSCAN_U64},
        .owners = {.type = PARSCAN_U64},
        .ranked = {.type = PARSCAN_U64}};
    const usage spec = {.command = "expand",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_expand_option,
                        .integers = true,
                        .user = &command};
    return session_command(&spec, &command.common, run_expand, argc, argv);
}
