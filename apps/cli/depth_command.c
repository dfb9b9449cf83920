/* parscan depth: how many intervals cover each place. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/depth_run.h"
#include "apps/cli/element_order.h"
#include "apps/cli/field_names.h"
#include "apps/cli/group_run.h"
#include "apps/cli/head_names.h"
#include "apps/cli/line_output.h"
#include "apps/cli/number_integer.h"
#include "apps/cli/number_text.h"
#include "apps/cli/order_check.h"
#include "apps/cli/output_file.h"
#include "apps/cli/shortest_float.h"
#include "apps/cli/sort_keys.h"

enum {
    READ_LINES = 64 * 1024,
    OPTION_UNTIL = OPTION_OWN,
    PLACE_WORDS = FIELD_WORDS + NUMBER_MAX_LENGTH + 8
};

typedef struct depth_command {
    common_options common;
    field_choice until, by; /* by not given: all lines are of one sequence */
    session *job;
    field_rules rules; /* the input's; the value is the end, the key the word */
    bool named;        /* these two have their numbers */
    line_store lines;
    array orders;  /* u64: of the begins that have been read */
    depth_run run; /* of the sequence */
    bool begun;    /* it has intervals, of which the last begins at `last` */
    uint64_t last;
    key_table words; /* of the sequences; the last one is that of the run */
    array word;      /* u8: of a line */
    array out;       /* u8 */
    output_writer *output;
    uint64_t read;
    double seconds;
} depth_command;

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            {"until", required_argument, NULL, OPTION_UNTIL},
                                            {"by", required_argument, NULL, 'g'},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan depth [-k FIELD] [--until FIELD] [options] [FILE]...\n"
     "\n"
     "Each line is an interval: it begins at the number in one field, and ends before the\n"
     "number in another. Writes each place where the number of intervals that cover it\n"
     "changes, and that number. The lines are in the order of -k (parscan sort -k N), with -g\n"
     "those of each word (parscan sort -k WORD:word -k N): one that is not is a failure.\n"
     "\n"
     "  -k, --field N         where the interval begins (default 1)\n"
     "  --until FIELD         where it ends, by number or name (default: the one behind -k)\n"
     "  -g, --by FIELD        the field of a word, such as a chromosome, which has places of its\n"
     "                        own; it is written before each place. Lines of one word are\n"
     "                        together. Without -g all lines have the same places: a BED file\n"
     "                        needs -g 1\n",
     NULL},
    TEXT_FIELD_HELP,
    TEXT_MEMBER_HELP,
    TEXT_ONLY_HELP,
    TYPE_HELP("i64", type_name_of),
    OUTPUT_HELP,
    RUN_HELP,
    EXAMPLE_HELP("parscan sort -k 1:word -k 2 data/intervals.bed | parscan depth -g 1 -k 2\n"
                 "  parscan sort -k 2 data/intervals.bed | parscan depth -k 2 --until 3"),
    {0}};

static bool take_depth_option(int id, const char *value, void *user, failure *why)
{
    depth_command *const command = user;
    switch (id) {
    case OPTION_UNTIL:
        return field_take_choice("--until", value, &command->until, why);
    case 'g':
        return field_take_choice("--by", value, &command->by, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* Adds a line of the output. */
static bool add_change(void *user, uint64_t place, uint64_t depth)
{
    depth_command *const command = user;
    const session *const job = command->job;
    const char separator = group_separator(job);
    long double element; /* room and alignment for an element of any type */
    char text[2 * (NUMBER_MAX_LENGTH + 2)];
    element_of_order(job->in.type, place, &element);
    char *end = numbers_format(element_traits_of(job->in.type), &element, 1, text);
    end = field_number(&job->fields, text, end - 1);
    *end++ = separator;
    end = format_unsigned(depth, end);
    *end++ = '\n';
    const size_t words = key_table_count(&command->words);
    return (words == 0 ||
            (group_add_key(&command->words, job, (uint32_t)(words - 1), &command->out) &&
             group_add_text(&command->out, &separator, 1))) &&
           group_add_text(&command->out, text, (size_t)(end - text));
}

/* The message of a failure in line i of those that have been read. */
static bool fail_line(const depth_command *command, size_t i, failure *why)
{
    return input_fail_line(command->job->reader, &command->lines, i, why);
}

/* Reads the end of interval i. *verdict: whether there is one. */
static bool read_end(const depth_command *command, size_t i, uint64_t *end, line_verdict *verdict,
                     failure *why)
{
    const field_rules *const rules = &command->rules;
    const parscan_type type = command->job->in.type;
    const char *const line = line_store_part(&command->lines, i).begin;
    text_span field;
    long double element;
    *verdict = field_read_number(rules, element_traits_of(type), line, rules->value.number,
                                 &element, &field);
    if (*verdict == LINE_IS_TAKEN) {
        element_orders(type, &element, 1, end);
        *end = order_without_sign_of_0(type, *end);
    }
    return *verdict == LINE_IS_TAKEN || *verdict == LINE_IS_LEFT_OUT ||
           fail_field(why, rules, element_traits_of(type), *verdict, field) ||
           fail_line(command, i, why);
}

static text_span key_of_word(const void *word, size_t i)
{
    (void)i;
    return *(const text_span *)word;
}

static bool is_last_word(const key_table *words, text_span word)
{
    const size_t count = key_table_count(words);
    size_t size;
    const char *const last = count > 0 ? key_table_key(words, (uint32_t)count - 1, &size) : NULL;
    return last != NULL && size == (size_t)(word.end - word.begin) &&
           memcmp(last, word.begin, size) == 0;
}

/* Puts the command that sorts the lines behind the message. Returns false. */
static bool advise_sort(const depth_command *command, failure *why)
{
    const bool worded = field_is_given(&command->by);
    const struct failure message = *why;
    char words[SORT_COMMAND];
    sort_keys keys = {.count = 1U + worded};
    keys.keys[0] = (sort_key){.field = command->by, .word = true};
    keys.keys[worded] = (sort_key){.field = command->job->fields.value};
    sort_keys_command(&keys, false, &command->common, words);
    return fail(why, "%.400s (%s sorts lines)", message.text, words);
}

/* Ends the sequence where line i is of another one. *verdict: whether it has a word. */
static bool choose_sequence(depth_command *command, size_t i, line_verdict *verdict, failure *why)
{
    const field_rules *const rules = &command->rules;
    const size_t words = key_table_count(&command->words);
    text_span word;
    uint32_t number;
    if (rules->key.number == 0)
        return true;
    *verdict =
        field_read_word(rules, line_store_part(&command->lines, i).begin, rules->key.number, &word);
    if (*verdict == LINE_IS_SHORT)
        return fail_field(why, rules, NULL, LINE_HAS_NO_KEY, word) || fail_line(command, i, why);
    if (*verdict == LINE_IS_LEFT_OUT)
        return true;
    if (!array_reserve(&command->word, (size_t)(word.end - word.begin) + 1))
        return session_out_of_memory(command->job, why);
    const size_t size = field_word_copy(rules, word, command->word.data);
    word = (text_span){command->word.data, (char *)command->word.data + size};
    if (is_last_word(&command->words, word))
        return true;
    if (!depth_finish(&command->run) ||
        !key_table_number(&command->words, key_of_word, &word, 1, &number))
        return session_out_of_memory(command->job, why);
    command->begun = false;
    if (number == words)
        return true;
    fail(why, "the lines of '%.*s' are not together",
         (int)(word.end - word.begin < 100 ? word.end - word.begin : 100), word.begin);
    advise_sort(command, why);
    return fail_line(command, i, why);
}

/* "field 2 is 30" */
static void place_words(parscan_type type, const field_choice *choice, uint64_t place,
                        char words[PLACE_WORDS])
{
    long double element;
    char number[NUMBER_MAX_LENGTH + 2], field[FIELD_WORDS];
    element_of_order(type, place, &element);
    *(numbers_format(element_traits_of(type), &element, 1, number) - 1) = '\0';
    field_choice_words(choice, field);
    snprintf(words, PLACE_WORDS, "%s is %s", field, number);
}

/* Whether both are places, and the end is not before the begin. */
static bool check_interval(const depth_command *command, size_t i, uint64_t begin, uint64_t end,
                           failure *why)
{
    const parscan_type type = command->job->in.type;
    const bool nan = end == ORDER_OF_NAN && parscan_is_float(type); /* begins after nothing else */
    char from[PLACE_WORDS], to[PLACE_WORDS];
    if (end >= begin && !nan)
        return true;
    place_words(type, &command->job->fields.value, begin, from);
    place_words(type, &command->rules.value, end, to);
    fail(why, "%s: %s, %s",
         nan || begin == ORDER_OF_NAN ? "NaN is no place" : "the interval ends before it begins",
         from, to);
    return fail_line(command, i, why);
}

static bool fail_order(const depth_command *command, size_t i, uint64_t begin, failure *why)
{
    char text[NUMBER_MAX_LENGTH + 2], before[NUMBER_MAX_LENGTH + 2];
    order_format(command->job->in.type, begin, text);
    order_format(command->job->in.type, command->last, before);
    fail(why, "%s is not in order: it comes after %s", text, before);
    advise_sort(command, why);
    return fail_line(command, i, why);
}

static bool add_interval(depth_command *command, size_t i, failure *why)
{
    const parscan_type type = command->job->in.type;
    const uint64_t begin =
        order_without_sign_of_0(type, ((const uint64_t *)command->orders.data)[i]);
    line_verdict verdict = LINE_IS_TAKEN;
    uint64_t end = 0;
    if (!choose_sequence(command, i, &verdict, why) ||
        (verdict == LINE_IS_TAKEN && !read_end(command, i, &end, &verdict, why)))
        return false;
    if (verdict == LINE_IS_LEFT_OUT)
        return true;
    if (!check_interval(command, i, begin, end, why))
        return false;
    if (command->begun && begin < command->last)
        return fail_order(command, i, begin, why);
    command->begun = true;
    command->last = begin;
    return depth_add(&command->run, begin, end) || session_out_of_memory(command->job, why);
}

/* Completes the number of --until, and refuses that of -k. */
static bool check_ends(unsigned begins, field_choice *ends, failure *why)
{
    if (!field_is_given(ends))
        ends->number = begins + 1;
    return ends->number != begins ||
           fail(why, "-k and --until are the same field, %u", ends->number);
}

/* Finds the fields in the header, and adds that of the output: the names, and "depth". */
static bool take_head(depth_command *command, failure *why)
{
    session *const job = command->job;
    const char separator = group_separator(job), *const head = input_head(job->reader);
    bool done = true;
    text_span field;
    if (!input_check_field(job->reader, &command->rules.value, why))
        return false;
    if (command->named || head == NULL)
        return true;
    command->named = true;
    field_rules begins = job->fields; /* to know the number of -k */
    const char *const end = head + strlen(head) - 1;
    if (!field_names_find(&begins, head, end, why) ||
        !field_names_find(&command->rules, head, end, why) ||
        !check_ends(begins.value.number, &command->rules.value, why))
        return fail_in(why, session_input_name(job));
    if (!field_choice_find(&command->rules, &command->rules.value, head, &field)) {
        fail(why, "the header has no field %u for --until", command->rules.value.number);
        return fail_in(why, session_input_name(job));
    }
    if (command->rules.key.number > 0)
        done = group_add_call(job, head, &command->by, NULL, &command->out) &&
               group_add_text(&command->out, &separator, 1);
    done = done && group_add_call(job, head, &job->fields.value, NULL, &command->out) &&
           group_add_text(&command->out, &separator, 1) &&
           group_add_text(&command->out, "depth\n", 6) &&
           head_names_distinguish(&job->fields, &command->out, 0, 2);
    return done || session_out_of_memory(job, why);
}

/* Reads the next lines. *ended: there are none. */
static bool take_lines(depth_command *command, bool *ended, failure *why)
{
    session *const job = command->job;
    job->in.n = command->out.n = 0;
    line_store_clear(&command->lines);
    if (!input_next_lines(job->reader, READ_LINES, &job->in, &command->lines, why) ||
        !take_head(command, why))
        return false;
    const double begin = seconds_now();
    const size_t n = job->in.n;
    *ended = n == 0;
    if (!array_reserve(&command->orders, n))
        return session_out_of_memory(job, why);
    element_orders(job->in.type, job->in.data, n, command->orders.data);
    for (size_t i = 0; i < n; i++)
        if (!add_interval(command, i, why))
            return false;
    if (*ended && !depth_finish(&command->run))
        return session_out_of_memory(job, why);
    command->read += n;
    command->seconds += seconds_now() - begin;
    return command->out.n == 0 || output_add(command->output, &command->out, why);
}

static int write_depths(depth_command *command, failure *why)
{
    session *const job = command->job;
    const char *name;
    bool ended = false;
    command->output = lines_open_output(job, why);
    if (command->output == NULL)
        return STATUS_FAILED;
    if (session_feeds(job, command->output, &name))
        return fail_output_is_input(name, why), STATUS_FAILED;
    while (!ended)
        if (!take_lines(command, &ended, why))
            return STATUS_FAILED;
    return output_complete(command->output, why) && output_commit(command->output, why)
               ? STATUS_DONE
               : STATUS_FAILED;
}

/* Completes what the options say of fields. */
static void choose_fields(session *job)
{
    job->fields.given = true;
    if (!field_is_given(&job->fields.value))
        job->fields.value.number = 1;
}

static int run_depth(session *job, void *user, failure *why)
{
    depth_command *const command = user;
    if (!common_reads_text(job->options, why))
        return STATUS_USAGE;
    choose_fields(job);
    if (!job->fields.header && job->fields.value.name == NULL && command->until.name == NULL &&
        !check_ends(job->fields.value.number, &command->until, why))
        return STATUS_USAGE;
    command->job = job;
    command->run.change = add_change;
    command->run.user = command;
    /* A name without a header is refused as that of a key is. */
    job->fields.key =
        field_is_named(&(field_rules){.value = command->until}) ? command->until : command->by;
    int status = session_begin(job, 0, NULL, NULL, NULL, why);
    command->rules = job->fields;
    command->rules.value = command->until;
    command->rules.key = command->by;
    if (status == STATUS_DONE) {
        shortest_decimal_prepare();
        status = write_depths(command, why);
    }
    if (status == STATUS_DONE)
        session_print_stats(job, command->read,
                            2 * (double)command->read * (double)parscan_type_size(job->in.type),
                            command->seconds, false);
    line_store_release(&command->lines);
    array_release(&command->orders);
    array_release(&command->out);
    array_release(&command->word);
    key_table_release(&command->words);
    depth_release(&command->run);
    output_close(command->output);
    return status;
}

int command_depth(int argc, char **argv)
{
    depth_command command = {.common = {.most_inputs = ANY_INPUTS},
                             .lines = LINE_STORE,
                             .orders = {.type = PARSCAN_U64},
                             .run = DEPTH_RUN,
                             .words = KEY_TABLE,
                             .word = {.type = PARSCAN_U8},
                             .out = {.type = PARSCAN_U8}};
    const usage spec = {.command = "depth",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "g:",
                        .take = take_depth_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_depth, argc, argv);
}
