/* parscan compact: the elements that meet a condition, or that are flagged. */
#include "apps/cli/command.h"
#include "apps/cli/line_output.h"
#include "apps/cli/stream.h"
#include "apps/cli/where.h"
#include "parscan/chunked.h"
#include "parscan/compact.h"

typedef struct compact_command {
    common_options common;
    const char *where_text; /* NULL: not given */
    where where;
    second_input flags; /* path NULL: none */
    bool indices, count;
    parscan_chunked *chunked;
    array chosen; /* u64: of a piece of lines, the indices of those that are kept */
    line_gathering gathering;
} compact_command;

enum { OPTION_WHERE = OPTION_OWN, OPTION_FLAGS, OPTION_INDICES, OPTION_COUNT };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            MIRROR_OPTION,
                                            {"where", required_argument, NULL, OPTION_WHERE},
                                            {"flags", required_argument, NULL, OPTION_FLAGS},
                                            {"indices", no_argument, NULL, OPTION_INDICES},
                                            {"count", no_argument, NULL, OPTION_COUNT},
                                            {0}};

static const help_part help[] = {{"usage: parscan compact [options] [FILE]...\n"
                                  "\n"
                                  "Writes the elements that meet a condition, in their order.\n"
                                  "\n"
                                  "  --where CONDITION     nonzero (default), '==V', '!=V', '<V', "
                                  "'<=V', '>V', '>=V', or A..B: at\n"
                                  "                        least A and at most B\n"
                                  "  --flags FILE          a u8 per element: keep those whose flag "
                                  "is not 0. The file is npy, raw\n"
                                  "                        if --format raw is given, else text\n"
                                  "  --indices             write the index in the input of each "
                                  "element in place of the element,\n"
                                  "                        as u64; the first index is 0. In "
                                  "text, with this and with --flags,\n"
                                  "                        each line is one element\n"
                                  "  --count               write only the number of elements\n",
                                  NULL},
                                 FIELD_HELP,
                                 MIRROR_HELP,
                                 COMMON_HELP,
                                 EXAMPLE_HELP("parscan compact --where '>=110' data/numbers.txt"),
                                 {0}};

static bool take_compact_option(int id, const char *value, void *user, failure *why)
{
    compact_command *const command = user;
    switch (id) {
    case OPTION_WHERE:
        command->where_text = value;
        return true;
    case OPTION_FLAGS:
        return take_path(value, &command->flags.path, why);
    case OPTION_INDICES:
        command->indices = true;
        return true;
    case OPTION_COUNT:
        command->count = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* Reads the condition. Its values have the type of the input. */
static int check_where(session *job, void *user, parscan_type type, failure *why)
{
    (void)job;
    compact_command *const command = user;
    const char *const text = command->where_text != NULL ? command->where_text : "nonzero";
    if (where_parse(&command->where, text, type, why))
        return STATUS_DONE;
    fail_in(why, "--where");
    return STATUS_USAGE;
}

static parscan_status create_compact(compact_command *command, session *job)
{
    const bool flagged = command->flags.path != NULL;
    const parscan_predicate *const keep = &command->where.predicate;
    if (command->indices)
        return parscan_chunked_create_compact_indices(&command->chunked, job->context,
                                                      flagged ? PARSCAN_U8 : job->in.type,
                                                      flagged ? NULL : keep, PARSCAN_U64);
    if (flagged)
        return parscan_chunked_create_compact(&command->chunked, job->context,
                                              parscan_type_size(job->in.type));
    return parscan_chunked_create_compact_if(&command->chunked, job->context, job->in.type, keep);
}

static int compact_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    const compact_command *const command = user;
    const bool flagged = command->flags.path != NULL;
    uint64_t kept;
    const parscan_chunk chunk =
        PARSCAN_CHUNK(.in = command->indices && flagged ? piece->second.data : piece->in.data,
                      .in2 = command->indices || !flagged ? NULL : piece->second.data,
                      .out = piece->out.data, .n = piece->in.n, .written = &kept);
    const int status =
        session_check_result(job, parscan_chunked_update(command->chunked, &chunk), why);
    if (status == STATUS_DONE)
        piece->out.n = (size_t)kept;
    return status;
}

/* Keeps the lines whose elements are kept. */
static int compact_lines(session *job, void *user, stream_piece *piece, failure *why)
{
    compact_command *const command = user;
    const bool flagged = command->flags.path != NULL;
    const array *const tested = flagged ? &piece->second : &piece->in;
    const parscan_predicate nonzero = PARSCAN_PREDICATE(.comparison = PARSCAN_NONZERO);
    uint64_t kept = 0;
    if (!array_reserve(&command->chosen, piece->in.n)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    const parscan_status called = parscan_compact_indices(
        job->context, tested->type, tested->data, flagged ? &nonzero : &command->where.predicate,
        PARSCAN_U64, command->chosen.data, piece->in.n, &kept);
    const int status = session_check_result(job, called, why);
    if (status != STATUS_DONE)
        return status;
    return lines_add_head(job, &piece->lines, &piece->out, why) &&
                   lines_gather(job, &command->gathering, &piece->lines, command->chosen.data,
                                (size_t)kept, &piece->out, why)
               ? STATUS_DONE
               : STATUS_FAILED;
}

/* Whether whole lines are written. */
static bool has_lines(const compact_command *command, const session *job)
{
    return session_has_fields(job) && !command->indices && !command->count;
}

static int compute_compact(compact_command *command, session *job, stream_totals *totals,
                           failure *why)
{
    int status = session_check_result(job, create_compact(command, job), why);
    if (status != STATUS_DONE)
        return status;
    const bool lines = has_lines(command, job);
    const stream_work work = {.out_type = command->indices ? PARSCAN_U64
                                          : lines          ? PARSCAN_U8
                                                           : job->in.type,
                              .lines = lines,
                              .new_memory = command->indices,
                              .unwritten = command->count,
                              .second = command->flags.path != NULL ? &command->flags : NULL,
                              .compute = lines ? compact_lines : compact_piece,
                              .user = command};
    status = stream_run(job, &work, totals, why);
    parscan_chunked_destroy(command->chunked);
    array_release(&command->chosen);
    line_gathering_release(&command->gathering);
    if (status != STATUS_DONE)
        return status;
    const size_t read = parscan_type_size(job->in.type) + (work.second != NULL);
    const size_t written = parscan_type_size(work.out_type);
    session_print_stats(job, totals->read,
                        (double)totals->read * (double)read +
                            (double)totals->written * (double)written,
                        totals->seconds, true);
    return STATUS_DONE;
}

/* Writes one number: as text, unless the options choose another format. */
static int write_count(session *job, uint64_t count, failure *why)
{
    if (!session_make_new_out(job, PARSCAN_U64, 1, why))
        return STATUS_FAILED;
    *(uint64_t *)job->out.data = count;
    job->out.n = 1;
    job->input_format = FORMAT_TEXT;
    return session_write(job, why);
}

static int run_compact(session *job, void *user, failure *why)
{
    compact_command *const command = user;
    const bool flagged = command->flags.path != NULL;
    if (flagged && command->where_text != NULL) {
        fail(why, "--where and --flags exclude each other");
        return STATUS_USAGE;
    }
    if (command->indices && command->count) {
        fail(why, "--indices and --count exclude each other");
        return STATUS_USAGE;
    }
    stream_totals totals;
    job->lines = command->indices ? LINES_ARE_ELEMENTS : LINES_ARE_FREE;
    int status = session_begin(job, 0, flagged ? &command->flags : NULL, check_where, command, why);
    if (status == STATUS_DONE)
        status = compute_compact(command, job, &totals, why);
    if (status == STATUS_DONE && command->count)
        return write_count(job, totals.written, why);
    return status;
}

int command_compact(int argc, char **argv)
{
    compact_command command = {
        .common = {.most_inputs = ANY_INPUTS},
        .flags = {.option = "--flags", .type = PARSCAN_U8, .one_each = "flags"},
        .chosen = {.type = PARSCAN_U64},
        .gathering = LINE_GATHERING};
    const usage spec = {.command = "compact",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_compact_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_compact, argc, argv);
}
