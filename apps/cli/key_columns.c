#include "apps/cli/key_columns.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/element_order.h"
#include "apps/cli/field_names.h"
#include "apps/cli/order_check.h"
#include "apps/cli/parallel.h"
#include "apps/cli/word_order.h"

enum { BLOCK_LINES = 16 * 1024 };

/* A field that is wrong. */
typedef struct wrong_field {
    line_verdict verdict;
    size_t key;
    text_span field;
} wrong_field;

/* Lines whose keys are read by all threads, in blocks. */
typedef struct key_reading {
    const key_reader *reader;
    const line_store *lines;
    size_t first, n;
    key_columns *to;
    atomic_size_t wrong; /* the first line that is wrong, as far as it is known; n: none is */
} key_reading;

bool key_reader_begin(key_reader *reader, session *job, const sort_keys *keys, bool descending,
                      parscan_type type, failure *why)
{
    *reader = (key_reader){.job = job, .keys = keys, .descending = descending};
    for (size_t k = 0; k < keys->count; k++) {
        const sort_key *const key = &keys->keys[k];
        const parscan_type own = key->type != 0 ? key->type : type;
        reader->rules[k] = job->fields;
        reader->rules[k].value = key->field;
        reader->rules[k].worded = key->word;
        reader->traits[k] = element_traits_of(own != 0 ? own : PARSCAN_I64);
        if (!field_rules_complete(&reader->rules[k], why))
            return false;
    }
    return true;
}

bool key_reader_descends(const key_reader *reader, size_t key)
{
    return reader->keys->keys[key].descending != reader->descending;
}

/* Reads key k of line i. */
static line_verdict read_key(const key_reading *work, size_t i, size_t k, text_span *field)
{
    const key_reader *const reader = work->reader;
    const field_rules *const rules = &reader->rules[k];
    const element_traits *const traits = reader->traits[k];
    const char *const line = line_store_part(work->lines, work->first + i).begin;
    long double element; /* room and alignment for an element of any type */
    uint64_t order;
    if (reader->keys->keys[k].word) {
        const line_verdict verdict = field_read_word(rules, line, rules->value.number, field);
        ((text_span *)work->to->words[k].data)[i] = *field;
        return verdict;
    }
    const line_verdict verdict =
        field_read_number(rules, traits, line, rules->value.number, &element, field);
    if (verdict != LINE_IS_TAKEN)
        return verdict;
    element_orders(traits->type, &element, 1, &order);
    order = order_without_sign_of_0(traits->type, order);
    ((uint64_t *)work->to->orders[k].data)[i] = key_reader_descends(reader, k) ? ~order : order;
    return verdict;
}

/* Reads the keys of line i, up to one that is wrong or leaves it out. */
static line_verdict read_line(const key_reading *work, size_t i, wrong_field *wrong)
{
    line_verdict verdict = LINE_IS_TAKEN;
    for (size_t k = 0; k < work->reader->keys->count && verdict == LINE_IS_TAKEN; k++) {
        verdict = read_key(work, i, k, &wrong->field);
        wrong->key = k;
    }
    return wrong->verdict = verdict;
}

static void read_block(size_t block, unsigned thread, void *user)
{
    (void)thread;
    key_reading *const work = user;
    uint8_t *const left_out = work->to->left_out.data;
    const size_t begin = block * BLOCK_LINES, left = work->n - begin;
    const size_t end = begin + (left < BLOCK_LINES ? left : BLOCK_LINES);
    wrong_field wrong;
    for (size_t i = begin; i < end; i++) {
        const line_verdict verdict = read_line(work, i, &wrong);
        left_out[i] = verdict == LINE_IS_LEFT_OUT;
        if (verdict == LINE_IS_TAKEN || verdict == LINE_IS_LEFT_OUT)
            continue;
        size_t first = atomic_load(&work->wrong);
        while (i < first && !atomic_compare_exchange_weak(&work->wrong, &first, i))
            ;
        return;
    }
}

static bool make_room(const key_reader *reader, key_columns *columns, size_t n)
{
    bool done = array_reserve(&columns->left_out, n);
    for (size_t k = 0; done && k < reader->keys->count; k++) {
        columns->orders[k].type = PARSCAN_U64;
        columns->words[k].type = PARSCAN_U8;
        done = reader->keys->keys[k].word ? array_reserve(&columns->words[k], n * sizeof(text_span))
                                          : array_reserve(&columns->orders[k], n);
    }
    return done;
}

/* Says what is wrong with line i. */
static bool fail_line(const key_reading *work, const input_reader *input, size_t i, failure *why)
{
    wrong_field wrong;
    read_line(work, i, &wrong);
    fail_field(why, &work->reader->rules[wrong.key], work->reader->traits[wrong.key], wrong.verdict,
               wrong.field);
    return input_fail_line(input, work->lines, work->first + i, why);
}

/* Takes out the lines that are left out. */
static void keep_lines(const key_reader *reader, line_store *lines, size_t first,
                       key_columns *columns)
{
    uint64_t *const places = (uint64_t *)lines->places[0].data + first;
    const uint8_t *const left_out = columns->left_out.data;
    size_t kept = 0;
    for (size_t i = 0; i < columns->n; i++) {
        if (left_out[i])
            continue;
        places[kept] = places[i];
        for (size_t k = 0; k < reader->keys->count; k++)
            if (reader->keys->keys[k].word)
                ((text_span *)columns->words[k].data)[kept] = key_words(columns, k)[i];
            else
                ((uint64_t *)columns->orders[k].data)[kept] = key_orders(columns, k)[i];
        kept++;
    }
    columns->n = kept;
    lines->places[0].n = first + kept;
}

/* Copies the words of a key that stand for others, behind each other. size: of those that have been copied. */
static size_t copy_words(const field_rules *rules, text_span *words, size_t n, char *to,
                         size_t size)
{
    for (size_t i = 0; i < n; i++) {
        if (!field_word_is_quoted(rules, words[i]))
            continue;
        const size_t length = to != NULL ? field_word_copy(rules, words[i], to + size)
                                         : (size_t)(words[i].end - words[i].begin);
        if (to != NULL)
            words[i] = (text_span){to + size, to + size + length};
        size += length;
    }
    return size;
}

/* Makes all words what they stand for. */
static bool read_quoted(const key_reader *reader, key_columns *columns)
{
    size_t size = 0;
    for (int writes = 0; writes < 2; writes++) {
        if (writes && (size == 0 || !array_reserve(&columns->copies, size)))
            return size == 0;
        size = 0;
        for (size_t k = 0; k < reader->keys->count; k++)
            if (reader->keys->keys[k].word)
                size = copy_words(&reader->rules[k], columns->words[k].data, columns->n,
                                  writes ? columns->copies.data : NULL, size);
    }
    return true;
}

/* Gives fields that have names their numbers; a Matrix Market file must have them. */
static bool find_names(key_reader *reader, const input_reader *input, failure *why)
{
    const char *const head = input_head(input);
    for (size_t k = 0; k < reader->keys->count && !reader->named && head != NULL; k++)
        if (!field_names_find(&reader->rules[k], head, head + strlen(head) - 1, why))
            return fail_in(why, session_input_name(reader->job));
    for (size_t k = 0; k < reader->keys->count; k++)
        if (!input_check_field(input, &reader->rules[k].value, why))
            return false;
    reader->named = true;
    return true;
}

bool key_columns_read(key_reader *reader, const input_reader *input, line_store *lines,
                      size_t first, key_columns *columns, failure *why)
{
    const size_t n = columns->n = lines->places[0].n - first;
    key_reading work = {
        .reader = reader, .lines = lines, .first = first, .n = n, .to = columns, .wrong = n};
    if (!find_names(reader, input, why))
        return false;
    if (!make_room(reader, columns, n))
        return session_out_of_memory(reader->job, why);
    parallel_for(session_threads(reader->job), (n + BLOCK_LINES - 1) / BLOCK_LINES, read_block,
                 &work);
    if (work.wrong < n)
        return fail_line(&work, input, work.wrong, why);
    if (reader->job->fields.missing == MISSING_IS_SKIPPED)
        keep_lines(reader, lines, first, columns);
    return !reader->job->fields.quotes || read_quoted(reader, columns) ||
           session_out_of_memory(reader->job, why);
}

/* The same of one key. */
static int compare_key(const key_reader *reader, size_t k, const key_columns *columns, size_t i,
                       const key_columns *others, size_t j)
{
    if (!reader->keys->keys[k].word) {
        const uint64_t a = key_orders(columns, k)[i], b = key_orders(others, k)[j];
        return (a > b) - (a < b);
    }
    const int found = word_compare(key_words(columns, k)[i], key_words(others, k)[j]);
    return key_reader_descends(reader, k) ? -found : found;
}

int key_columns_compare(const key_reader *reader, const key_columns *columns, size_t i,
                        const key_columns *others, size_t j)
{
    int found = 0;
    for (size_t k = 0; k < reader->keys->count && found == 0; k++)
        found = compare_key(reader, k, columns, i, others, j);
    return found;
}

size_t key_columns_difference(const key_reader *reader, const key_columns *columns, size_t i,
                              const key_columns *others, size_t j)
{
    size_t k = 0;
    while (k < reader->keys->count && compare_key(reader, k, columns, i, others, j) == 0)
        k++;
    return k;
}

void key_columns_format(const key_reader *reader, const key_columns *columns, size_t i, size_t k,
                        char text[KEY_TEXT])
{
    if (reader->keys->keys[k].word) {
        const text_span word = key_words(columns, k)[i];
        const size_t size = (size_t)(word.end - word.begin);
        snprintf(text, KEY_TEXT, "'%.*s'", size < 60 ? (int)size : 60, word.begin);
        return;
    }
    const uint64_t order = key_orders(columns, k)[i];
    order_format(reader->traits[k]->type, key_reader_descends(reader, k) ? ~order : order, text);
}

void key_columns_release(key_columns *columns)
{
    for (size_t k = 0; k < MOST_SORT_KEYS; k++) {
        array_release(&columns->orders[k]);
        array_release(&columns->words[k]);
    }
    array_release(&columns->copies);
    array_release(&columns->left_out);
}
