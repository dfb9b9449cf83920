#include "apps/cli/join_table.h"

#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/group_run.h"
#include "parscan/histogram.h"

enum { READ_ELEMENTS = 4 * 1024 * 1024 };

void join_table_release(join_table *table)
{
    key_table_release(&table->keys);
    array_release(&table->offsets);
    array_release(&table->lines);
    array_release(&table->rests);
    array_release(&table->ends);
    array_release(&table->head);
}

text_span join_table_rest(const join_table *table, size_t i)
{
    const uint64_t *const ends = table->ends.data;
    const char *const text = table->rests.data;
    return (text_span){text + (i > 0 ? ends[i - 1] : 0), text + ends[i]};
}

/* Adds the fields of a line but that one, each after a separator. *width: their number. */
static bool add_rest(const session *job, const field_rules *rules, const char *line, unsigned but,
                     array *to, size_t *width)
{
    const char separator = group_separator(job);
    text_span field;
    *width = 0;
    for (unsigned number = 1; field_place(rules, line, number, &field); number++) {
        if (number == but)
            continue;
        while (field.end > field.begin && field.end[-1] == '\r')
            field.end--;
        if (!group_add_text(to, &separator, 1) ||
            !group_add_text(to, field.begin, (size_t)(field.end - field.begin)))
            return false;
        ++*width;
    }
    return true;
}

static bool add_rests(join_table *table, const session *job, const field_rules *rules, unsigned key,
                      const line_store *lines)
{
    const size_t n = lines->spans[0].n;
    size_t width;
    if (lines->head > 0 &&
        !add_rest(job, rules, lines->text.data, key, &table->head, &table->width))
        return false;
    if (!array_reserve(&table->ends, table->ends.n + n))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!add_rest(job, rules, line_store_part(lines, i).begin, key, &table->rests, &width))
            return false;
        if (table->ends.n == 0 && table->head.n == 0)
            table->width = width;
        ((uint64_t *)table->ends.data)[table->ends.n++] = table->rests.n;
    }
    return true;
}

static text_span key_of_value(const void *lines, size_t i)
{
    return line_store_value(lines, i);
}

/* Reads all lines. numbers: of their keys. */
static bool read_lines(join_table *table, session *job, input_reader *reader,
                       const field_rules *rules, array *numbers, failure *why)
{
    line_store lines = LINE_STORE;
    array bytes = {.type = PARSCAN_U8};
    bool done, more;
    do {
        line_store_clear(&lines);
        bytes.n = 0;
        done = input_next_lines(reader, READ_ELEMENTS, &bytes, &lines, why);
        more = done && bytes.n > 0;
        if (!done)
            break;
        field_rules found = *rules;
        const char *const head = input_head(reader);
        done = head == NULL || field_names_find(&found, head, head + strlen(head) - 1, why);
        const unsigned key = found.value.number > 0 ? found.value.number : 1;
        done =
            done &&
            ((add_rests(table, job, &found, key, &lines) &&
              array_reserve(numbers, numbers->n + bytes.n) &&
              key_table_number(&table->keys, key_of_value, &lines, bytes.n, array_end(numbers))) ||
             session_out_of_memory(job, why));
        numbers->n += done ? bytes.n : 0;
    } while (done && more);
    line_store_release(&lines);
    array_release(&bytes);
    return done;
}

/* Orders the lines by their keys; lines of one key keep their order. */
static bool group_lines(join_table *table, session *job, const array *numbers, failure *why)
{
    const size_t keys = key_table_count(&table->keys);
    if (numbers->n > UINT32_MAX)
        return fail(why, "%zu lines are too many to be joined with", numbers->n);
    if (!array_reserve(&table->offsets, keys + 1) || !array_reserve(&table->lines, numbers->n))
        return session_out_of_memory(job, why);
    return session_check_result(job,
                                parscan_bin(job->context, PARSCAN_U32, numbers->data,
                                            sizeof(uint32_t), NULL, numbers->n, keys, PARSCAN_U64,
                                            table->offsets.data, table->lines.data),
                                why) == STATUS_DONE;
}

int join_table_read(join_table *table, session *job, const char *path, const field_choice *key,
                    failure *why)
{
    field_rules rules = job->fields;
    rules.value = *key;
    if (!field_rules_complete(&rules, why))
        return STATUS_USAGE;
    input_reader *const reader = session_open_file(job, path, 0, &rules, NULL, false, why);
    array numbers = {.type = PARSCAN_U32};
    const bool done = reader != NULL && read_lines(table, job, reader, &rules, &numbers, why) &&
                      group_lines(table, job, &numbers, why);
    input_close(reader);
    array_release(&numbers);
    return done ? STATUS_DONE : STATUS_FAILED;
}
