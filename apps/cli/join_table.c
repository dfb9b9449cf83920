#include "apps/cli/join_table.h"

#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/field_names.h"
#include "apps/cli/group_run.h"
#include "apps/cli/line_append.h"
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

bool join_check_line(const session *job, const char *path, const line_store *lines, size_t i,
                     size_t has, size_t fields, line_verdict *verdict, failure *why)
{
    const missing_rule missing = job->fields.missing;
    *verdict = has == fields                   ? LINE_IS_TAKEN
               : missing == MISSING_IS_SKIPPED ? LINE_IS_LEFT_OUT
                                               : LINE_IS_SHORT;
    if (has == fields || (has < fields && missing != MISSING_FAILS))
        return true;
    return lines_fail_width(
        job, path, lines, i, has, fields,
        has < fields ? "--missing skip leaves such lines out, --missing 0 adds empty fields" : NULL,
        why);
}

bool join_add_empty(const session *job, size_t count, array *to)
{
    const char empty[] = {group_separator(job), 'N', 'A'};
    for (size_t i = 0; i < count; i++)
        if (!group_add_text(to, empty, job->fields.separator == 0 ? sizeof empty : 1))
            return false;
    return true;
}

/* Adds the fields of a line but that one, each after a separator. *width: their number; *fields: that of all. */
static bool add_rest(const session *job, const field_rules *rules, const char *line, unsigned but,
                     array *to, size_t *width, size_t *fields)
{
    const char separator = group_separator(job);
    text_span field;
    unsigned number = 1;
    *width = 0;
    for (; field_place(rules, line, number, &field); number++) {
        if (number == but)
            continue;
        while (field.end > field.begin && field.end[-1] == '\r')
            field.end--;
        if (!group_add_text(to, &separator, 1) ||
            !group_add_text(to, field.begin, (size_t)(field.end - field.begin)))
            return false;
        ++*width;
    }
    *fields = number - 1;
    return true;
}

/* Adds what is written of line i. A line that is left out gets a key that no line has. */
static bool add_line(join_table *table, session *job, const field_rules *rules, unsigned key,
                     const char *path, const line_store *lines, size_t i, uint32_t *number,
                     failure *why)
{
    size_t width, fields;
    line_verdict verdict = LINE_IS_TAKEN;
    if (!add_rest(job, rules, line_store_part(lines, i).begin, key, &table->rests, &width, &fields))
        return session_out_of_memory(job, why);
    if (table->fields == 0) {
        table->fields = fields;
        table->width = width;
    }
    if (table->paired &&
        !join_check_line(job, path, lines, i, fields, table->fields, &verdict, why))
        return false;
    if (verdict == LINE_IS_LEFT_OUT)
        *number = UINT32_MAX;
    if (verdict == LINE_IS_SHORT && !join_add_empty(job, table->width - width, &table->rests))
        return session_out_of_memory(job, why);
    ((uint64_t *)table->ends.data)[table->ends.n++] = table->rests.n;
    return true;
}

/* Adds what is written of all lines of the store, whose keys have those numbers. */
static bool add_lines(join_table *table, session *job, const field_rules *rules, const char *path,
                      const line_store *lines, uint32_t *numbers, failure *why)
{
    const size_t n = lines->places[0].n;
    const unsigned key = rules->value.number > 0 ? rules->value.number : 1;
    if ((lines->head > 0 && !add_rest(job, rules, lines->text.data, key, &table->head,
                                      &table->width, &table->fields)) ||
        !array_reserve(&table->ends, table->ends.n + n))
        return session_out_of_memory(job, why);
    for (size_t i = 0; i < n; i++)
        if (!add_line(table, job, rules, key, path, lines, i, numbers + i, why))
            return false;
    return true;
}

static text_span key_of_value(const void *lines, size_t i)
{
    return line_store_value(lines, i);
}

/* Reads all lines of the file at path. numbers: of their keys. */
static bool read_lines(join_table *table, session *job, input_reader *reader, const char *path,
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
        done =
            done &&
            ((array_reserve(numbers, numbers->n + bytes.n) &&
              key_table_number(&table->keys, key_of_value, &lines, bytes.n, array_end(numbers))) ||
             session_out_of_memory(job, why)) &&
            add_lines(table, job, &found, path, &lines, array_end(numbers), why);
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
    const bool done = reader != NULL &&
                      read_lines(table, job, reader, path, &rules, &numbers, why) &&
                      group_lines(table, job, &numbers, why);
    input_close(reader);
    array_release(&numbers);
    return done ? STATUS_DONE : STATUS_FAILED;
}
