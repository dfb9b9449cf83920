/* parscan bin: entries in the order of their bins, and where each bin begins. */
#include <inttypes.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/line_output.h"
#include "apps/cli/output_name.h"
#include "apps/cli/sizes.h"
#include "parscan/histogram.h"
#include "parscan/scan.h"

enum { READ_ELEMENTS = 4 * 1024 * 1024 };
#define MOST_BINS ((uint64_t)1 << 32)

typedef struct bin_command {
    common_options common;
    uint64_t bins;       /* 0: not given */
    bool found;          /* they are as many as the largest one needs */
    second_input values; /* path NULL: none */
    const char *offsets_path;
    array offsets; /* u64 */
    line_store lines;
    line_gathering gathering;
    double seconds;
} bin_command;

enum { OPTION_BINS = OPTION_OWN, OPTION_OFFSETS, OPTION_VALUES, OPTION_VALUES_TYPE };

static const struct option option_list[] = {
    COMMON_OPTIONS,
    FIELD_OPTIONS,
    MIRROR_OPTION,
    {"bins", required_argument, NULL, OPTION_BINS},
    {"offsets-output", required_argument, NULL, OPTION_OFFSETS},
    {"values", required_argument, NULL, OPTION_VALUES},
    {"values-type", required_argument, NULL, OPTION_VALUES_TYPE},
    {0}};

static const help_part help[] = {
    {"usage: parscan bin [options] [FILE]\n"
     "\n"
     "Reads the bin of each entry, an integer from 0 on, and writes the indices of the entries, as "
     "u64,\n"
     "in the order of their bins; with -k and the like their lines. Entries of a bin keep their "
     "order.\n"
     "If the bin of an edge is its first node, this is the graph in compressed rows (CSR).\n"
     "\n"
     "  --bins N              the number of bins (default: as many as there are); entries of "
     "others are\n"
     "                        left out\n"
     "  --offsets-output FILE  write where each bin begins in the output, and then the number of "
     "entries:\n"
     "                        N + 1 numbers, u64\n"
     "  --values FILE         a value per entry, written in place of its index\n"
     "  --values-type T       the type of values in text (default i64) and raw (no default)\n"
     "\n"
     "--stats also prints how many entries were left out.\n",
     NULL},
    FIELD_HELP,
    MIRROR_HELP,
    INTEGERS_HELP,
    EXAMPLE_HELP("parscan bin --offsets-output offsets.txt data/eight.txt"),
    {0}};

static bool take_bin_option(int id, const char *value, void *user, failure *why)
{
    bin_command *const command = user;
    switch (id) {
    case OPTION_BINS:
        return take_size(value, 1, &command->bins, why) &&
               (command->bins <= MOST_BINS ||
                fail(why, "%s is more than %" PRIu64, value, MOST_BINS));
    case OPTION_OFFSETS:
        return take_path(value, &command->offsets_path, why);
    case OPTION_VALUES:
        return take_path(value, &command->values.path, why);
    case OPTION_VALUES_TYPE:
        return take_type(value, &command->values.type, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

static int check_bin_type(session *job, void *user, parscan_type type, failure *why)
{
    (void)job;
    (void)user;
    return session_need_integers("bins", type, why);
}

static bool read_entries(bin_command *command, session *job, failure *why)
{
    size_t before;
    if (!session_has_fields(job))
        return session_read_rest(job, command->values.path != NULL ? &command->values : NULL, why);
    do {
        before = job->in.n;
        if (!input_next_lines(job->reader, READ_ELEMENTS, &job->in, &command->lines, why))
            return false;
    } while (job->in.n > before);
    return true;
}

/* As many bins as the largest one needs. */
static int find_bins(bin_command *command, session *job, failure *why)
{
    uint64_t largest = 0; /* room for an element of any size, of which the others are 0 */
    if (command->bins != 0)
        return STATUS_DONE;
    const parscan_status called =
        parscan_reduce(job->context, parscan_signless(job->in.type), job->in.data, &largest,
                       job->in.n, &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX));
    if (called != PARSCAN_OK || job->in.n == 0)
        return session_check_result(job, called, why);
    if (largest < MOST_BINS) {
        command->bins = largest + 1;
        command->found = true;
        return STATUS_DONE;
    }
    fail(why,
         "%s: bin %" PRIu64 " is too large: there may be %" PRIu64
         " bins (--bins N leaves out others)",
         session_input_name(job), largest, MOST_BINS);
    return STATUS_FAILED;
}

static int bin_entries(bin_command *command, session *job, failure *why)
{
    const bool values = command->values.path != NULL;
    const parscan_type type = values ? job->second.type : PARSCAN_U64;
    if (!array_reserve(&command->offsets, (size_t)command->bins + 1)) {
        fail(why, "%s: out of memory for %" PRIu64 " bins%s", session_input_name(job),
             command->bins,
             command->found ? ", as the largest one needs (--bins N leaves out others)" : "");
        return STATUS_FAILED;
    }
    if (!session_make_new_out(job, type, job->in.n, why))
        return STATUS_FAILED;
    const double begin = seconds_now();
    const parscan_status called =
        parscan_bin(job->context, parscan_signless(job->in.type), job->in.data,
                    parscan_type_size(type), values ? job->second.data : NULL, job->in.n,
                    (size_t)command->bins, PARSCAN_U64, command->offsets.data, job->out.data);
    command->seconds = seconds_now() - begin;
    command->offsets.n = (size_t)command->bins + 1;
    if (called == PARSCAN_OK)
        job->out.n = (size_t)((const uint64_t *)command->offsets.data)[command->bins];
    return session_check_result(job, called, why);
}

/* Puts the lines in the place of their indices. */
static bool gather_lines(bin_command *command, session *job, failure *why)
{
    array bytes = {.type = PARSCAN_U8};
    const bool done = lines_add_head(job, &command->lines, &bytes, why) &&
                      lines_gather(job, &command->gathering, &command->lines, job->out.data,
                                   job->out.n, &bytes, why);
    array_release(&job->out);
    job->out = bytes;
    return done;
}

/* Writes the entries and, unless they have no file, the offsets: both, or none. */
static int write_bins(const bin_command *command, session *job, failure *why)
{
    const bool lines = session_has_fields(job);
    const output_request requests[] = {
        session_output_to(job, job->options->output, &job->progress),
        session_output_to(job, command->offsets_path, &job->progress)};
    output_request of_lines = requests[0];
    of_lines.format = FORMAT_RAW;
    if (lines && output_format(&requests[0]) != FORMAT_TEXT) {
        fail(why, "the output is lines of text, which no %s file holds",
             file_format_name(output_format(&requests[0])));
        return STATUS_FAILED;
    }
    const bool done =
        output_write_all((const output_request[]){lines ? of_lines : requests[0], requests[1]},
                         (const array *const[]){&job->out, &command->offsets},
                         command->offsets_path != NULL ? 2 : 1, why);
    return done ? STATUS_DONE : STATUS_FAILED;
}

static int compute_bins(bin_command *command, session *job, failure *why)
{
    int status = read_entries(command, job, why) ? STATUS_DONE : STATUS_FAILED;
    if (status == STATUS_DONE)
        status = sizes_check(job->context, &job->in, 0, "bin", session_input_name(job), why);
    if (status == STATUS_DONE)
        status = find_bins(command, job, why);
    if (status == STATUS_DONE)
        status = bin_entries(command, job, why);
    const size_t kept = job->out.n;
    if (status == STATUS_DONE && session_has_fields(job) && !gather_lines(command, job, why))
        status = STATUS_FAILED;
    if (status == STATUS_DONE)
        status = write_bins(command, job, why);
    if (status != STATUS_DONE)
        return status;
    session_print_stats(job, job->in.n,
                        (double)job->in.n *
                            (double)(parscan_type_size(job->in.type) + sizeof(uint64_t)),
                        command->seconds, true);
    if (job->options->stats)
        fprintf(stderr, "left out %zu\n", job->in.n - kept);
    return STATUS_DONE;
}

static int run_bin(session *job, void *user, failure *why)
{
    bin_command *const command = user;
    const bool values = command->values.path != NULL;
    if (values && job->fields.given) {
        fail(why, "--values is for elements without fields: with -k and the like whole lines move");
        return STATUS_USAGE;
    }
    if (command->offsets_path != NULL && is_standard_file(command->offsets_path) &&
        is_standard_file(command->common.output)) {
        fail(why, "entries and offsets cannot both go to standard output");
        return STATUS_USAGE;
    }
    if (!output_name_check("--offsets-output", command->offsets_path, command->common.output_format,
                           why))
        return STATUS_USAGE;
    job->lines = LINES_ARE_ELEMENTS;
    int status = session_begin(job, PARSCAN_U64, values ? &command->values : NULL, check_bin_type,
                               command, why);
    if (status == STATUS_DONE)
        status = compute_bins(command, job, why);
    array_release(&command->offsets);
    line_store_release(&command->lines);
    line_gathering_release(&command->gathering);
    return status;
}

int command_bin(int argc, char **argv)
{
    bin_command command = {
        .values = {.option = "--values", .type_option = "--values-type", .one_each = "values"},
        .offsets = {.type = PARSCAN_U64},
        .lines = LINE_STORE,
        .gathering = LINE_GATHERING};
    const usage spec = {.command = "bin",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_bin_option,
                        .integers = true,
                        .user = &command};
    return session_command(&spec, &command.common, run_bin, argc, argv);
}
