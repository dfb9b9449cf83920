/* parscan join: the lines of a table, with those of another one that have the same word in a field. */
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/group_run.h"
#include "apps/cli/head_names.h"
#include "apps/cli/join_table.h"
#include "apps/cli/line_output.h"
#include "apps/cli/output_file.h"
#include "parscan/merge.h"

/* So many lines are read at once, and about so many bytes are written at once. */
enum { READ_LINES = 512 * 1024, WRITE_BYTES = 4 * 1024 * 1024 };

typedef struct join_command {
    common_options common;
    parscan_join_kind kind;
    field_choice key; /* of the second table; not given: the first one's */
    join_table table;
    line_store lines; /* of the first table */
    array bytes, numbers, out;
    output_writer *output;
    uint64_t read, read_bytes;
    size_t fields; /* of the first table's header, else of its first line; 0: nothing is read yet */
} join_command;

enum { OPTION_KIND = OPTION_OWN, OPTION_KEY };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            {"kind", required_argument, NULL, OPTION_KIND},
                                            {"other-field", required_argument, NULL, OPTION_KEY},
                                            {0}};

static const char *kind_name_of(int number)
{
    static const char *const names[] = {"inner", "left", "semi", "anti"};
    return number >= 0 && number < 4 ? names[number] : NULL;
}

static const help_part help[] = {
    {"usage: parscan join -k FIELD [options] FILE FILE2\n"
     "\n"
     "Joins two texts whose lines have fields, and need not be sorted: writes each line of FILE "
     "with\n"
     "the other fields of each line of FILE2 that has the same word in the field, compared as "
     "written.\n"
     "The order is that of FILE, then of FILE2. FILE2 is in memory.\n"
     "\n"
     "  --other-field FIELD   the field of FILE2, by number or name (default: that of -k)\n"
     "  --kind KIND           inner (default); left: lines without a partner too, with empty "
     "fields\n"
     "                        (NA, unless -t is given); semi: lines that have a partner, once, as "
     "they\n"
     "                        stand; anti: lines that have none\n"
     "\n"
     "Inner and left: each line has as many fields as the first one of its file. Of one with "
     "fewer,\n"
     "--missing skip leaves it out, and --missing 0 adds empty fields; one with more fails.\n",
     NULL},
    TEXT_FIELD_HELP,
    TEXT_MEMBER_HELP,
    TEXT_ONLY_HELP,
    {"  --type T              is refused: words are compared as written\n", NULL},
    OUTPUT_HELP,
    RUN_HELP,
    EXAMPLE_HELP("parscan join -t, -k day --header data/programs.csv data/programs.csv"),
    {0}};

static bool take_join_option(int id, const char *value, void *user, failure *why)
{
    join_command *const command = user;
    int number = 0;
    switch (id) {
    case OPTION_KIND:
        if (!take_name(value, kind_name_of, &number, why))
            return false;
        command->kind = (parscan_join_kind)number;
        return true;
    case OPTION_KEY:
        return field_take_choice("--other-field", value, &command->key, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* The line without what ends it. */
static text_span without_end(text_span line)
{
    while (line.end > line.begin && (line.end[-1] == '\n' || line.end[-1] == '\r'))
        line.end--;
    return line;
}

/* Adds a line of the first table, empty fields that it lacks, and a rest of the second one; rest.begin NULL: it has
   no partner, and gets fields that say so. */
static bool add_pair(const join_command *command, const session *job, array *to, text_span line,
                     size_t lacks, text_span rest)
{
    line = without_end(line);
    return group_add_text(to, line.begin, (size_t)(line.end - line.begin)) &&
           join_add_empty(job, lacks, to) &&
           (rest.begin != NULL ? group_add_text(to, rest.begin, (size_t)(rest.end - rest.begin))
                               : join_add_empty(job, command->table.width, to)) &&
           group_add_text(to, "\n", 1);
}

static bool flush(join_command *command, size_t limit, failure *why)
{
    if (command->out.n <= limit)
        return true;
    const bool done = output_add(command->output, &command->out, why);
    command->out.n = 0;
    return done;
}

/* Adds line i as it stands, if it has a partner or has none. */
static bool keep_line(join_command *command, session *job, size_t i, bool found, failure *why)
{
    const text_span line = line_store_part(&command->lines, i);
    return found != (command->kind == PARSCAN_JOIN_SEMI) ||
           group_add_text(&command->out, line.begin, (size_t)(line.end - line.begin)) ||
           session_out_of_memory(job, why);
}

/* Adds what line i makes, of which the key has that number. */
static bool join_line(join_command *command, session *job, size_t i, uint32_t key, failure *why)
{
    const text_span line = line_store_part(&command->lines, i);
    const size_t has = field_count(&job->fields, line);
    const uint64_t *const offsets = command->table.offsets.data;
    const uint32_t *const lines = command->table.lines.data;
    const bool found = key != UINT32_MAX && offsets[key] < offsets[key + 1];
    line_verdict verdict;
    command->fields = command->fields > 0 ? command->fields : has;
    if (!join_check_line(job, job->options->inputs[0], &command->lines, i, has, command->fields,
                         &verdict, why))
        return false;
    if (verdict == LINE_IS_LEFT_OUT || (!found && command->kind == PARSCAN_JOIN_INNER))
        return true;
    const size_t lacks = command->fields - has;
    if (!found)
        return add_pair(command, job, &command->out, line, lacks, (text_span){0}) ||
               session_out_of_memory(job, why);
    for (uint64_t k = offsets[key]; k < offsets[key + 1]; k++)
        if (!add_pair(command, job, &command->out, line, lacks,
                      join_table_rest(&command->table, lines[k])))
            return session_out_of_memory(job, why);
        else if (!flush(command, WRITE_BYTES, why))
            return false;
    return true;
}

static text_span key_of_value(const void *lines, size_t i)
{
    return line_store_value(lines, i);
}

static bool add_head(join_command *command, const session *job)
{
    const char *const text = command->lines.text.data;
    const text_span head = {text, text + command->lines.head};
    const char *const rest = command->table.head.data;
    if (command->lines.head == 0)
        return true;
    if (!command->table.paired)
        return group_add_text(&command->out, head.begin, command->lines.head);
    command->fields = field_count(&job->fields, head);
    return add_pair(command, job, &command->out, head, 0,
                    (text_span){rest, rest + command->table.head.n}) &&
           head_names_distinguish(&job->fields, &command->out, 0, command->fields + 1);
}

/* Reads the next lines of the first table; none at its end. */
static bool read_lines(join_command *command, session *job, failure *why)
{
    line_store_clear(&command->lines);
    command->bytes.n = 0;
    if (!input_next_lines(job->reader, READ_LINES, &command->bytes, &command->lines, why))
        return false;
    command->read += command->bytes.n;
    command->read_bytes += command->lines.text.n;
    return true;
}

/* Joins the lines of the first table, of which the first ones have been read. */
static bool join_lines(join_command *command, session *job, failure *why)
{
    size_t n;
    do {
        n = command->bytes.n;
        if (!add_head(command, job) || !array_reserve(&command->numbers, n))
            return session_out_of_memory(job, why);
        uint32_t *const numbers = command->numbers.data;
        key_table_find(&command->table.keys, key_of_value, &command->lines, n, numbers);
        for (size_t i = 0; i < n; i++)
            if (!(command->table.paired
                      ? join_line(command, job, i, numbers[i], why)
                      : keep_line(command, job, i, numbers[i] != UINT32_MAX, why)))
                return false;
        if (!flush(command, 0, why) || (n > 0 && !read_lines(command, job, why)))
            return false;
    } while (n > 0);
    return output_complete(command->output, why) && output_commit(command->output, why);
}

/* Says what is wrong with the options. */
static int check_join(const join_command *command, failure *why)
{
    const common_options *const common = &command->common;
    if (common->input_count != 2)
        fail(why, "two FILEs are needed, not %zu", common->input_count);
    else if (common->type != 0)
        fail(why, "--type: join compares words as they are written");
    else if (is_standard_file(common->inputs[0]) && is_standard_file(common->inputs[1]))
        fail(why, "FILE and FILE2 cannot both be standard input");
    else if (common_reads_text(common, why))
        return STATUS_DONE;
    return STATUS_USAGE;
}

static int join_files(join_command *command, session *job, failure *why)
{
    const char *name;
    field_choice key = field_is_given(&command->key) ? command->key : job->fields.value;
    if (!field_is_given(&command->key))
        key.advice = " (--other-field, if it has another place or name in FILE2)";
    command->table.paired =
        command->kind == PARSCAN_JOIN_INNER || command->kind == PARSCAN_JOIN_LEFT;
    int status = session_begin(job, PARSCAN_U8, NULL, NULL, NULL, why);
    /* The first lines of FILE come first, so that a name that both files lack is missing there. */
    if (status == STATUS_DONE && !read_lines(command, job, why))
        status = STATUS_FAILED;
    if (status == STATUS_DONE)
        status = join_table_read(&command->table, job, command->common.inputs[1], &key, why);
    if (status != STATUS_DONE)
        return status;
    command->output = lines_open_output(job, why);
    if (command->output == NULL)
        return STATUS_FAILED;
    if (session_feeds(job, command->output, &name)) {
        fail_output_is_input(name, why);
        return STATUS_FAILED;
    }
    return join_lines(command, job, why) ? STATUS_DONE : STATUS_FAILED;
}

static int run_join(session *job, void *user, failure *why)
{
    join_command *const command = user;
    const double begin = seconds_now();
    int status = check_join(command, why);
    job->apart = job->fields.given = job->fields.worded = true;
    job->keep = KEEP_LINES_AND_VALUES;
    if (status == STATUS_DONE)
        status = join_files(command, job, why);
    if (status == STATUS_DONE)
        session_print_stats(job, (size_t)command->read, (double)command->read_bytes,
                            seconds_now() - begin, false);
    join_table_release(&command->table);
    line_store_release(&command->lines);
    array_release(&command->bytes);
    array_release(&command->numbers);
    array_release(&command->out);
    output_close(command->output);
    return status;
}

int command_join(int argc, char **argv)
{
    join_command command = {.common = {.most_inputs = 2},
                            .table = JOIN_TABLE,
                            .lines = LINE_STORE,
                            .bytes = {.type = PARSCAN_U8},
                            .numbers = {.type = PARSCAN_U32},
                            .out = {.type = PARSCAN_U8}};
    const usage spec = {.command = "join",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_join_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_join, argc, argv);
}
