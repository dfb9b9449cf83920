/* parscan unique: each element, line or word once, or how often it is there. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/group_run.h"
#include "apps/cli/line_output.h"
#include "apps/cli/number_text.h"
#include "apps/cli/shortest_float.h"
#include "apps/cli/word_order.h"
#include "parscan/sort.h"

typedef struct unique_command {
    common_options common;
    bool count, words;
    key_table keys; /* of elements: their orders, 8 bytes each */
    array numbers;  /* u32: of a piece, of their keys */
    array orders;   /* u64: of a piece */
    array counts;   /* u64: of each key, if they are counted */
    array chosen;   /* u64: of a piece of lines, the indices of those that are new */
    line_gathering gathering;
} unique_command;

enum { OPTION_COUNT = OPTION_OWN };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            MIRROR_OPTION,
                                            {"count", no_argument, NULL, OPTION_COUNT},
                                            {"words", no_argument, NULL, 'w'},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan unique [options] [FILE]...\n"
     "\n"
     "Writes each element once, where it is first. The input need not be sorted. With -k and the "
     "like,\n"
     "writes the first whole line of each element.\n"
     "\n"
     "  --count               write how often each element is there, and the element, with the\n"
     "                        separator or a tab between them; ascending (words: integers by "
     "value,\n"
     "                        then others by their bytes)\n"
     "  -w, --words           the elements are words, compared as written, in place of numbers\n",
     NULL},
    FIELD_HELP,
    MIRROR_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan unique --words --count data/days.txt"),
    {0}};

static bool take_unique_option(int id, const char *value, void *user, failure *why)
{
    unique_command *const command = user;
    switch (id) {
    case OPTION_COUNT:
        command->count = true;
        return true;
    case 'w':
        command->words = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* What is compared of element i of a piece. */
static text_span key_of_order(const void *orders, size_t i)
{
    const char *const order = (const char *)((const uint64_t *)orders + i);
    return (text_span){order, order + sizeof(uint64_t)};
}

static text_span key_of_part(const void *lines, size_t i)
{
    return line_store_part(lines, i);
}

static text_span key_of_value(const void *lines, size_t i)
{
    return line_store_value(lines, i);
}

static bool number_words(unique_command *command, const session *job, const stream_piece *piece)
{
    return key_table_number(&command->keys, job->keep == KEEP_VALUES ? key_of_part : key_of_value,
                            &piece->lines, piece->in.n, command->numbers.data);
}

static bool number_elements(unique_command *command, const stream_piece *piece)
{
    const size_t n = piece->in.n;
    if (!array_reserve(&command->orders, n))
        return false;
    uint64_t *const orders = command->orders.data;
    element_orders_of_values(piece->in.type, piece->in.data, n, orders);
    return key_table_number(&command->keys, key_of_order, orders, n, command->numbers.data);
}

static bool count_keys(unique_command *command, size_t n)
{
    const size_t keys = key_table_count(&command->keys);
    const uint32_t *const numbers = command->numbers.data;
    if (!array_reserve(&command->counts, keys))
        return false;
    uint64_t *const counts = command->counts.data;
    while (command->counts.n < keys)
        counts[command->counts.n++] = 0;
    for (size_t i = 0; i < n; i++)
        counts[numbers[i]]++;
    return true;
}

/* Keeps the indices of the elements that are new: the first one of each new number. */
static void choose_new(unique_command *command, size_t before, size_t n)
{
    const uint32_t *const numbers = command->numbers.data;
    uint64_t *const chosen = command->chosen.data;
    command->chosen.n = 0;
    for (size_t i = 0; i < n; i++)
        if (numbers[i] == before + command->chosen.n)
            chosen[command->chosen.n++] = i;
}

/* Numbers the keys of a piece, and counts them or keeps the indices of those that are new. */
static bool number_piece(unique_command *command, const session *job, const stream_piece *piece)
{
    const size_t n = piece->in.n, before = key_table_count(&command->keys);
    if (!array_reserve(&command->chosen, n) || !array_reserve(&command->numbers, n) ||
        !(command->words ? number_words(command, job, piece) : number_elements(command, piece)))
        return false;
    if (command->count)
        return count_keys(command, n);
    choose_new(command, before, n);
    return true;
}

/* Moves the elements that are new to the front. */
static void keep_chosen(const unique_command *command, const stream_piece *piece, array *out)
{
    const size_t size = parscan_type_size(piece->in.type);
    const uint64_t *const chosen = command->chosen.data;
    for (size_t i = 0; i < command->chosen.n; i++)
        memcpy((char *)out->data + i * size, (const char *)piece->in.data + chosen[i] * size, size);
    out->n = command->chosen.n;
}

/* Each word gets a line. */
static bool add_words(const stream_piece *piece, const array *chosen, array *out)
{
    for (size_t i = 0; i < chosen->n; i++) {
        const text_span word =
            line_store_part(&piece->lines, (size_t)((const uint64_t *)chosen->data)[i]);
        if (!group_add_text(out, word.begin, (size_t)(word.end - word.begin)) ||
            !group_add_text(out, "\n", 1))
            return false;
    }
    return true;
}

static int unique_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    unique_command *const command = user;
    if (piece->in.n > 0 && !number_piece(command, job, piece)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    if (command->count)
        return STATUS_DONE;
    if (!session_has_fields(job)) {
        keep_chosen(command, piece, &piece->out);
        return STATUS_DONE;
    }
    const uint64_t *const chosen = command->chosen.data;
    const size_t n = piece->in.n > 0 ? command->chosen.n : 0;
    const bool done =
        job->keep == KEEP_VALUES
            ? add_words(piece, &command->chosen, &piece->out) || session_out_of_memory(job, why)
            : lines_add_head(job, &piece->lines, &piece->out, why) &&
                  lines_gather(job, &command->gathering, &piece->lines, chosen, n, &piece->out,
                               why);
    return done ? STATUS_DONE : STATUS_FAILED;
}

/* The key that is the order of an element. */
static uint64_t order_of_key(const key_table *keys, size_t number)
{
    size_t size;
    uint64_t order;
    memcpy(&order, key_table_key(keys, (uint32_t)number, &size), sizeof order);
    return order;
}

/* Writes a count and a key on a line. */
static bool add_count(const unique_command *command, const session *job, uint32_t number, array *to)
{
    char text[NUMBER_MAX_LENGTH + 24];
    const char separator = group_separator(job);
    const uint64_t count = ((const uint64_t *)command->counts.data)[number];
    char *const end = numbers_format(element_traits_of(PARSCAN_U64), &count, 1, text) - 1;
    *end = separator;
    if (!group_add_text(to, text, (size_t)(end + 1 - text)))
        return false;
    if (command->words)
        return group_add_key(&command->keys, job, number, to) && group_add_text(to, "\n", 1);
    long double element; /* room and alignment for an element of any type */
    element_of_order(job->in.type, order_of_key(&command->keys, number), &element);
    char *after = numbers_format(element_traits_of(job->in.type), &element, 1, text);
    after = field_number(&job->fields, text, after - 1);
    *after++ = '\n';
    return group_add_text(to, text, (size_t)(after - text));
}

/* Elements in ascending order, by their orders, which the library sorts. */
static parscan_status sort_orders(const unique_command *command, session *job, uint32_t *numbers)
{
    const size_t n = key_table_count(&command->keys);
    array orders = {.type = PARSCAN_U64};
    if (!array_reserve(&orders, n))
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    uint64_t *const of = orders.data;
    for (size_t i = 0; i < n; i++)
        of[i] = order_of_key(&command->keys, i);
    const parscan_status status =
        parscan_argsort(job->context, PARSCAN_U64, of, PARSCAN_U32, numbers, n, NULL);
    array_release(&orders);
    return status;
}

/* The keys in ascending order. */
static bool sort_keys_of(const unique_command *command, session *job, uint32_t *numbers,
                         failure *why)
{
    const parscan_status status = command->words ? word_order(job->context, &command->keys, numbers)
                                                 : sort_orders(command, job, numbers);
    return session_check_result(job, status, why) == STATUS_DONE;
}

static int write_counts(const unique_command *command, session *job, failure *why)
{
    const size_t n = key_table_count(&command->keys);
    uint32_t *const numbers = malloc((n + 1) * sizeof *numbers);
    array bytes = {.type = PARSCAN_U8};
    bool done = numbers != NULL || session_out_of_memory(job, why);
    shortest_decimal_prepare();
    done = done && sort_keys_of(command, job, numbers, why);
    for (size_t i = 0; done && i < n; i++)
        done = add_count(command, job, numbers[i], &bytes) || session_out_of_memory(job, why);
    job->input_format = FORMAT_TEXT;
    done = done && lines_write(job, &bytes, why);
    array_release(&bytes);
    free(numbers);
    return done ? STATUS_DONE : STATUS_FAILED;
}

/* What is read and kept of the lines. */
static int choose_parts(const unique_command *command, session *job, failure *why)
{
    if (!command->words)
        return STATUS_DONE;
    if (command->common.type != 0) {
        fail(why, "--type and --words exclude each other");
        return STATUS_USAGE;
    }
    job->keep = job->fields.given && !command->count ? KEEP_LINES_AND_VALUES : KEEP_VALUES;
    job->fields.worded = true;
    job->fields.every_word = !job->fields.given;
    job->fields.given = true;
    return STATUS_DONE;
}

static int read_unique(unique_command *command, session *job, stream_totals *totals, failure *why)
{
    const bool lines = session_has_fields(job);
    const stream_work work = {.out_type = command->count ? 0
                                          : lines        ? PARSCAN_U8
                                                         : job->in.type,
                              .lines = lines,
                              .compute = unique_piece,
                              .user = command};
    return stream_run(job, &work, totals, why);
}

static void release_unique(unique_command *command)
{
    key_table_release(&command->keys);
    array_release(&command->numbers);
    array_release(&command->orders);
    array_release(&command->counts);
    array_release(&command->chosen);
    line_gathering_release(&command->gathering);
}

static int run_unique(session *job, void *user, failure *why)
{
    unique_command *const command = user;
    stream_totals totals;
    int status = choose_parts(command, job, why);
    if (status == STATUS_DONE)
        status = session_begin(job, command->words ? PARSCAN_U8 : 0, NULL, NULL, NULL, why);
    if (status == STATUS_DONE)
        status = read_unique(command, job, &totals, why);
    if (status == STATUS_DONE && command->count)
        status = write_counts(command, job, why);
    if (status == STATUS_DONE)
        session_print_stats(job, totals.read,
                            (double)totals.read * (double)parscan_type_size(job->in.type),
                            totals.seconds, false);
    release_unique(command);
    return status;
}

int command_unique(int argc, char **argv)
{
    unique_command command = {.common = {.most_inputs = ANY_INPUTS},
                              .keys = KEY_TABLE,
                              .numbers = {.type = PARSCAN_U32},
                              .orders = {.type = PARSCAN_U64},
                              .counts = {.type = PARSCAN_U64},
                              .chosen = {.type = PARSCAN_U64},
                              .gathering = LINE_GATHERING};
    const usage spec = {.command = "unique",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "w",
                        .take = take_unique_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_unique, argc, argv);
}
