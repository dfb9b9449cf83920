/* parscan group: sums and more of the lines that have the same word in a field. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/group_run.h"
#include "apps/cli/head_names.h"
#include "apps/cli/line_output.h"
#include "apps/cli/word_order.h"

typedef struct group_command {
    common_options common;
    field_choice by;
    group_run run;
} group_command;

enum { OPTION_OP = OPTION_OWN };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            MIRROR_OPTION,
                                            {"by", required_argument, NULL, 'g'},
                                            {"op", required_argument, NULL, OPTION_OP},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan group --by FIELD [-k FIELD] [options] [FILE]...\n"
     "\n"
     "Writes a line for each different word in a field of the input, which need not be sorted: "
     "the\n"
     "word, and the results of the lines that have it, with the separator or a tab between them. "
     "The\n"
     "order is that of the words: integers by value, then others by their bytes.\n"
     "\n"
     "  -g, --by FIELD        the field of the words, by number or name; compared as written\n"
     "  --op NAMES            ",
     tally_op_name_of},
    {" (several with commas between them,\n"
     "                        of the elements, which -k chooses; default: sum; without -k: "
     "count)\n",
     NULL},
    TEXT_FIELD_HELP,
    TEXT_MEMBER_HELP,
    MIRROR_HELP,
    TEXT_ONLY_HELP,
    TYPE_HELP("i64", type_name_of),
    OUTPUT_HELP,
    RUN_HELP,
    EXAMPLE_HELP("parscan group -g day -k size --op count,sum -t, --header data/programs.csv"),
    {0}};

static bool take_group_option(int id, const char *value, void *user, failure *why)
{
    group_command *const command = user;
    switch (id) {
    case 'g':
        return field_take_choice("--by", value, &command->by, why);
    case OPTION_OP:
        return tally_take(value, &command->run.list, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* Without -k the words themselves are read, and only counted. */
static int choose_fields(group_command *command, session *job, failure *why)
{
    const bool has_values = field_is_given(&job->fields.value);
    tally_list *const list = &command->run.list;
    if (!field_is_given(&command->by)) {
        fail(why, "--by FIELD is needed: the field of the words");
        return STATUS_USAGE;
    }
    if (list->count == 0)
        *list = (tally_list){1, {has_values ? TALLY_SUM : TALLY_COUNT}};
    for (size_t i = 0; i < list->count && !has_values; i++)
        if (list->ops[i] != TALLY_COUNT) {
            fail(why, "--op %s needs -k FIELD: the field of the numbers",
                 tally_op_name_of((int)list->ops[i]));
            return STATUS_USAGE;
        }
    job->fields.given = true;
    job->fields.keyed = has_values;
    job->fields.worded = !has_values;
    job->keep = has_values ? KEEP_KEYS : KEEP_VALUES;
    *(has_values ? &job->fields.key : &job->fields.value) = command->by;
    return STATUS_DONE;
}

/* The names of what is written: day,sum(size),count. */
static bool add_head(const group_command *command, const session *job, array *to)
{
    const group_run *const run = &command->run;
    const char separator = group_separator(job);
    bool done = run->head == NULL || group_add_call(job, run->head, &command->by, NULL, to);
    for (size_t i = 0; run->head != NULL && done && i < run->list.count; i++) {
        const char *const op = tally_op_name_of((int)run->list.ops[i]);
        done = group_add_text(to, &separator, 1) &&
               (run->list.ops[i] == TALLY_COUNT
                    ? group_add_text(to, op, strlen(op))
                    : group_add_call(job, run->head, &job->fields.value, op, to));
    }
    return done && (run->head == NULL || (group_add_text(to, "\n", 1) &&
                                          head_names_distinguish(&job->fields, to, 0, 2)));
}

static bool add_group(const group_run *run, const session *job, uint32_t number, array *to)
{
    const char separator = group_separator(job);
    bool done = group_add_key(&run->keys, job, number, to);
    for (size_t i = 0; done && i < run->list.count; i++) {
        char text[TALLY_LENGTH + 1 + FIELD_QUOTES] = {separator};
        const char *const end = field_number(
            &job->fields, text + 1, tally_format(&run->groups, run->list.ops[i], number, text + 1));
        done = group_add_text(to, text, (size_t)(end - text));
    }
    return done && group_add_text(to, "\n", 1);
}

static int write_groups(const group_command *command, session *job, failure *why)
{
    const size_t n = key_table_count(&command->run.keys);
    uint32_t *const order = malloc((n + 1) * sizeof *order);
    array bytes = {.type = PARSCAN_U8};
    bool done = order != NULL || session_out_of_memory(job, why);
    done = done && session_check_result(job, word_order(job->context, &command->run.keys, order),
                                        why) == STATUS_DONE;
    if (done) {
        bool made = add_head(command, job, &bytes);
        for (size_t i = 0; made && i < n; i++)
            made = add_group(&command->run, job, order[i], &bytes);
        done = made ? lines_write(job, &bytes, why) : session_out_of_memory(job, why);
    }
    array_release(&bytes);
    free(order);
    return done ? STATUS_DONE : STATUS_FAILED;
}

static int run_group(session *job, void *user, failure *why)
{
    group_command *const command = user;
    stream_totals totals;
    if (!common_reads_text(job->options, why))
        return STATUS_USAGE;
    int status = choose_fields(command, job, why);
    if (status == STATUS_DONE)
        status = session_begin(job, job->fields.worded ? PARSCAN_U8 : 0, NULL, NULL, NULL, why);
    if (status == STATUS_DONE)
        status = group_read(&command->run, job, &totals, why);
    if (status == STATUS_DONE)
        status = write_groups(command, job, why);
    group_release(&command->run);
    if (status == STATUS_DONE)
        session_print_stats(job, totals.read,
                            (double)totals.read * (double)parscan_type_size(job->in.type),
                            totals.seconds, false);
    return status;
}

int command_group(int argc, char **argv)
{
    group_command command = {.common = {.most_inputs = ANY_INPUTS}, .run = GROUP_RUN};
    const usage spec = {.command = "group",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "g:",
                        .take = take_group_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_group, argc, argv);
}
