/* parscan sort: keys in order, with values, or the permutation that sorts them. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/folder_option.h"
#include "apps/cli/memory_option.h"
#include "apps/cli/merge_run.h"
#include "apps/cli/order_check.h"
#include "apps/cli/output_name.h"
#include "apps/cli/sort_by_axis.h"
#include "apps/cli/sort_by_keys.h"
#include "apps/cli/sort_lines.h"
#include "apps/cli/sort_pieces.h"
#include "apps/cli/spool.h"
#include "parscan/compact.h"
#include "parscan/sort.h"

enum { THREAD_BYTES = 2 << 20 /* of a sort in memory, beside the elements */ };

typedef struct sort_command {
    common_options common;
    parscan_sort_options options;
    second_input values; /* path NULL: none */
    const char *values_output;
    bool argsort, unique, check, merge;
    sort_keys keys;
    uint64_t memory; /* 0: not given */
    temporary_folders folders;
} sort_command;

enum {
    OPTION_VALUES = OPTION_OWN,
    OPTION_VALUES_TYPE,
    OPTION_VALUES_OUTPUT,
    OPTION_ARGSORT,
    OPTION_BEGIN_BIT,
    OPTION_END_BIT
};

static const struct option option_list[] = {
    COMMON_OPTIONS,
    FIELD_OPTIONS,
    MIRROR_OPTION,
    AXIS_OPTIONS,
    {"descending", no_argument, NULL, 'r'},
    {"unique", no_argument, NULL, 'u'},
    {"check", no_argument, NULL, 'c'},
    {"merge", no_argument, NULL, 'm'},
    {"values", required_argument, NULL, OPTION_VALUES},
    {"values-type", required_argument, NULL, OPTION_VALUES_TYPE},
    {"values-output", required_argument, NULL, OPTION_VALUES_OUTPUT},
    {"argsort", no_argument, NULL, OPTION_ARGSORT},
    {"begin-bit", required_argument, NULL, OPTION_BEGIN_BIT},
    {"end-bit", required_argument, NULL, OPTION_END_BIT},
    {"memory", required_argument, NULL, 'S'},
    {"temporary", required_argument, NULL, 'T'},
    {0}};

static const help_part help[] = {
    {"usage: parscan sort [options] [FILE]...\n"
     "\n"
     "Writes the elements in ascending order. Equal elements keep their order. Floats are in "
     "numeric\n"
     "order: -0 before 0, NaN at the end.\n"
     "\n"
     "  -r, --descending      largest element first; equal elements keep their order\n"
     "  -u, --unique          only the first of equal elements, or of their lines\n"
     "  -c, --check           write nothing; fail if the input is not in order (with -u: and has\n"
     "                        equal elements), as check does\n"
     "  -m, --merge           the files are sorted: only merge them, as merge does\n"
     "  --values FILE         a value per element, moved with it; needs --values-output\n"
     "  --values-type T       the type of values in text (default i64) and raw (no default)\n"
     "  --values-output FILE  write the values there\n"
     "  --argsort             write the index in the input of each element in place of the "
     "element,\n"
     "                        as u64; the first index is 0. In text, with this and with --values,\n"
     "                        each line is one element\n"
     "  --begin-bit N         compare integers from bit N upwards; bit 0 (default) is the lowest\n"
     "  --end-bit N           compare integers below bit N (default: all bits of the type)\n"
     "  -S, --memory SIZE     the memory for elements or lines, at least 16M: bytes, with K, M, G "
     "or T,\n"
     "                        or a share of all memory, 50% (default: half of what is available). "
     "More\n"
     "                        than this holds is sorted in parts, which go to files. With a range "
     "of bits\n"
     "                        the input is read whole\n"
     "  -T, --temporary DIR   a folder for the files of -S; may be given several times (default:\n"
     "                        TMPDIR, else /tmp)\n",
     NULL},
    AXIS_HELP("it has the same shape; indices are those within a line"),
    SORT_KEYS_HELP,
    FIELD_HELP,
    MIRROR_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan sort --descending data/numbers.txt"),
    {0}};

static bool take_sort_option(int id, const char *value, void *user, failure *why)
{
    sort_command *const command = user;
    switch (id) {
    case 'k':
        return sort_keys_take(&command->keys, &command->common, value, why);
    case 'r':
        command->options.descending = 1;
        return true;
    case 'u':
        command->unique = true;
        return true;
    case 'c':
        command->check = true;
        return true;
    case 'm':
        command->merge = true;
        return true;
    case OPTION_VALUES:
        return take_path(value, &command->values.path, why);
    case OPTION_VALUES_TYPE:
        return take_type(value, &command->values.type, why);
    case OPTION_VALUES_OUTPUT:
        return take_path(value, &command->values_output, why);
    case OPTION_ARGSORT:
        command->argsort = true;
        return true;
    case OPTION_BEGIN_BIT:
        return take_bit(value, 0, &command->options.begin_bit, why);
    case OPTION_END_BIT:
        return take_bit(value, 1, &command->options.end_bit, why);
    case 'S': {
        const machine_memory memory = machine_memory_read("");
        return memory_take(value, &memory, &command->memory, why);
    }
    case 'T':
        return folders_take(&command->folders, value, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

static bool has_bits(const sort_command *command)
{
    return command->options.begin_bit != 0 || command->options.end_bit != 0;
}

/* What does not go with several keys, or words; NULL: all does. */
static const char *find_plain_option(const sort_command *command)
{
    return command->argsort                  ? "--argsort"
           : command->common.fields.mirrors  ? "--mirror"
           : command->options.end_bit != 0   ? "--end-bit"
           : command->options.begin_bit != 0 ? "--begin-bit"
                                             : NULL;
}

/* Checks what does not depend on the input. */
static int check_usage(const sort_command *command, failure *why)
{
    const bool values = command->values.path != NULL;
    if (values != (command->values_output != NULL))
        fail(why, "%s needs %s", values ? "--values" : "--values-output",
             values ? "--values-output FILE" : "--values FILE");
    else if (values && command->common.fields.given)
        fail(why, "--values is for elements without fields: with -k and the like whole lines move");
    else if (!sort_keys_are_plain(&command->keys) && find_plain_option(command) != NULL)
        fail(why, "%s is for one -k of numbers", find_plain_option(command));
    else if (command->unique && (values || command->argsort))
        fail(why, "--unique and %s exclude each other", values ? "--values" : "--argsort");
    else if (command->unique && has_bits(command))
        fail(why, "--unique and a range of bits exclude each other");
    else if (command->check &&
             (values || command->argsort || has_bits(command) || command->common.output != NULL))
        fail(why, "--check goes with -r, -u and the options of the input only");
    else if (command->merge && (values || command->argsort || command->check || has_bits(command) ||
                                command->common.axis.given || command->memory != 0))
        fail(why, "--merge goes with -r, -u and the options of input and output only");
    else if (command->common.fields.mirrors && (command->check || command->merge))
        fail(why, "--mirror and %s exclude each other: entries are mirrored in no order",
             command->check ? "--check" : "--merge");
    else if (command->common.axis.given && (values || command->unique || command->check))
        fail(why, "--axis and %s exclude each other",
             values            ? "--values"
             : command->unique ? "--unique"
                               : "--check");
    else if (command->common.axis.given && (command->memory != 0 || command->folders.count > 0))
        fail(why, "--axis and %s exclude each other: the input is read whole",
             command->memory != 0 ? "--memory" : "--temporary");
    else if (command->check && command->common.input_count > 1)
        fail(why, "--check takes one FILE, not %zu", command->common.input_count);
    else if (values && command->argsort)
        fail(why, "--argsort and --values exclude each other");
    else if (values && is_standard_file(command->values_output) &&
             is_standard_file(command->common.output))
        fail(why, "elements and values cannot both go to standard output");
    else if (has_bits(command) && (command->memory != 0 || command->folders.count > 0))
        fail(why, "%s and %s exclude each other: with a range of bits the input is read whole",
             command->options.end_bit != 0 ? "--end-bit" : "--begin-bit",
             command->memory != 0 ? "--memory" : "--temporary");
    else if (output_name_check("--values-output", command->values_output,
                               command->common.output_format, why))
        return STATUS_DONE;
    return STATUS_USAGE;
}

static int check_sort_options(session *job, void *user, parscan_type type, failure *why)
{
    const sort_command *const command = user;
    if (has_bits(command) && parscan_is_float(type)) {
        fail(why, "--begin-bit and --end-bit are for integers, the type is %s",
             parscan_type_name(type));
        return STATUS_USAGE;
    }
    return session_check(
        job, parscan_sort_keys(job->context, type, NULL, NULL, 0, &command->options), why);
}

static parscan_status call_sort(const sort_command *command, session *job)
{
    const array *const in = &job->in, *const values = &job->second;
    if (command->argsort)
        return parscan_argsort(job->context, in->type, in->data, PARSCAN_U64, job->out.data, in->n,
                               &command->options);
    if (command->values.path == NULL)
        return parscan_sort_keys(job->context, in->type, in->data, job->out.data, in->n,
                                 &command->options);
    return parscan_sort_pairs(job->context, in->type, in->data, job->out.data,
                              parscan_type_size(values->type), values->data, values->data, in->n,
                              &command->options);
}

static void print_stats(const sort_command *command, session *job, const sort_totals *totals)
{
    size_t moved = parscan_type_size(job->in.type);
    moved += command->argsort ? sizeof(uint64_t) : parscan_type_size(job->in.type);
    if (command->values.path != NULL)
        moved += 2 * parscan_type_size(job->second.type);
    if (sort_keys_are_plain(&command->keys))
        session_print_stats(job, (size_t)totals->elements, (double)totals->elements * (double)moved,
                            totals->seconds, true);
    else
        sort_keys_print_stats(job, &command->keys, totals);
    if (job->options->stats)
        fprintf(stderr,
                "runs %" PRIu64 ", levels %" PRIu64 ", %" PRIu64 " bytes spilled to files\n",
                totals->runs, totals->levels, totals->bytes_spilled);
}

/* Keeps the first of equal elements. */
static bool keep_first(session *job, failure *why)
{
    uint64_t kept = 0;
    const parscan_status called = parscan_unique(job->context, job->out.type, job->out.data,
                                                 job->out.data, job->out.n, &kept);
    job->out.n = (size_t)kept;
    return session_check_result(job, called, why) == STATUS_DONE;
}

static int compute_sort(sort_command *command, session *job, failure *why)
{
    const bool room = command->argsort ? session_make_new_out(job, PARSCAN_U64, job->in.n, why)
                                       : session_make_out(job, job->in.type, job->in.n, why);
    if (!room)
        return STATUS_FAILED;
    const double begin = seconds_now();
    const parscan_status called = call_sort(command, job);
    const double seconds = seconds_now() - begin;
    const int status = session_check_result(job, called, why);
    if (status != STATUS_DONE)
        return status;
    job->out.n = job->in.n;
    if (command->unique && !keep_first(job, why))
        return STATUS_FAILED;
    print_stats(command, job,
                &(sort_totals){.elements = job->in.n, .runs = job->in.n > 0, .seconds = seconds});
    return STATUS_DONE;
}

static int sort_in_memory(sort_command *command, session *job, failure *why)
{
    const bool values = command->values.path != NULL;
    if (!session_read_rest(job, values ? &command->values : NULL, why))
        return STATUS_FAILED;
    const int status = compute_sort(command, job, why);
    if (status != STATUS_DONE)
        return status;
    return values ? session_write_pair(job, &job->out, command->values_output, &job->second, why)
                  : session_write(job, why);
}

/* Whether a sort in memory takes at most so many bytes. It has all elements twice, and an argsort the
   keys once more. A file of unknown length may have any number of elements. */
static bool fits(const sort_command *command, const session *job, uint64_t memory)
{
    uint64_t n, values_n = 0;
    const bool values = command->values.path != NULL;
    const uint64_t of_threads = (uint64_t)THREAD_BYTES * parscan_context_threads(job->context);
    if (!input_most(job->reader, &n) || (values && !input_most(job->second_reader, &values_n)))
        return false;
    double bytes = 2 * (double)n * (double)parscan_type_size(job->in.type) + (double)of_threads;
    if (command->argsort)
        bytes += (double)n * (double)(parscan_type_size(job->in.type) + 2 * sizeof(uint64_t));
    if (values)
        bytes += 2 * (double)values_n * (double)parscan_type_size(job->second.type);
    return bytes <= (double)memory;
}

/* Sorts through files, if need be; with fields whole lines, which with several keys are checked or merged, too. */
static int sort_within(sort_command *command, session *job, uint64_t memory, failure *why)
{
    sort_totals totals;
    const char *const standard[] = {temporary_folder()};
    const bool given = command->folders.count > 0, plain = sort_keys_are_plain(&command->keys);
    const key_work work = command->check ? KEYS_CHECK : command->merge ? KEYS_MERGE : KEYS_SORT;
    const sort_request request = {.descending = command->options.descending != 0,
                                  .argsort = command->argsort,
                                  .unique = command->unique,
                                  .values = command->values.path != NULL ? &command->values : NULL,
                                  .values_output = command->values_output,
                                  .memory = memory,
                                  .folders = given ? command->folders.names : standard,
                                  .folder_count = given ? command->folders.count : 1};
    const int status = !plain ? sort_by_keys(job, &command->keys, work, &request, &totals, why)
                       : session_has_fields(job) && !command->argsort
                           ? sort_lines(job, &command->options, &request, &totals, why)
                           : sort_pieces(job, &request, &totals, why);
    if (status == STATUS_DONE && work == KEYS_SORT)
        print_stats(command, job, &totals);
    return status;
}

static int run_sort(session *job, void *user, failure *why)
{
    sort_command *const command = user;
    const bool values = command->values.path != NULL;
    int status = check_usage(command, why);
    if (status == STATUS_DONE)
        status = folders_check(&command->folders, why);
    job->shapes = values || command->unique || command->check ? SHAPES_ARE_LISTS : SHAPES_NEED_AXIS;
    job->lines = command->argsort || command->check ? LINES_ARE_ELEMENTS : LINES_ARE_FREE;
    const machine_memory machine = machine_memory_read("");
    const uint64_t memory = command->memory != 0 ? command->memory : memory_by_default(&machine);
    if (status == STATUS_DONE && !sort_keys_are_plain(&command->keys))
        return sort_within(command, job, memory, why);
    bool descending = command->options.descending != 0;
    sort_keys_apply(&command->keys, &command->common, &descending);
    command->options.descending = descending;
    if (status == STATUS_DONE && command->merge)
        return merge_run(
            job, &(merge_rules){command->options.descending != 0, command->unique, NULL}, why);
    if (status == STATUS_DONE)
        status = session_begin(job, 0, values ? &command->values : NULL, check_sort_options,
                               command, why);
    if (status != STATUS_DONE)
        return status;
    if (job->options->axis.given)
        return sort_axis(job, &command->options, command->argsort, why);
    if (command->check)
        return order_check(job, &(order_rules){command->options.descending != 0, command->unique},
                           why);
    if (session_has_fields(job) && !command->argsort)
        return sort_within(command, job, memory, why);
    return has_bits(command) || fits(command, job, memory) ? sort_in_memory(command, job, why)
                                                           : sort_within(command, job, memory, why);
}

int command_sort(int argc, char **argv)
{
    sort_command command = {
        .common = {.most_inputs = ANY_INPUTS},
        .options = PARSCAN_SORT_OPTIONS(0),
        .values = {.option = "--values", .type_option = "--values-type", .one_each = "values"}};
    const usage spec = {.command = "sort",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "S:T:cmru",
                        .take = take_sort_option,
                        .list = "field",
                        .user = &command};
    return session_command(&spec, &command.common, run_sort, argc, argv);
}
