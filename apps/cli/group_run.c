#include "apps/cli/group_run.h"

#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/number_text.h"

void group_release(group_run *run)
{
    key_table_release(&run->keys);
    tallies_release(&run->groups);
    array_release(&run->numbers);
    free(run->head);
}

char group_separator(const session *job)
{
    return job->fields.separator != 0 ? job->fields.separator : '\t';
}

static bool take_head(group_run *run, const line_store *lines)
{
    if (lines->head == 0)
        return true;
    run->head = malloc(lines->head + 1);
    if (run->head == NULL)
        return false;
    memcpy(run->head, lines->text.data, lines->head);
    run->head[lines->head] = '\0';
    return true;
}

static text_span key_of_line(const void *lines, size_t i)
{
    return line_store_part(lines, i);
}

static bool number_keys(group_run *run, const line_store *lines)
{
    const size_t n = lines->places[0].n;
    return array_reserve(&run->numbers, n) &&
           key_table_number(&run->keys, key_of_line, lines, n, run->numbers.data);
}

static int group_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    group_run *const run = user;
    if (take_head(run, &piece->lines) && number_keys(run, &piece->lines) &&
        tallies_grow(&run->groups, key_table_count(&run->keys)) &&
        tallies_add(&run->groups, run->numbers.data, &piece->in))
        return STATUS_DONE;
    session_out_of_memory(job, why);
    return STATUS_FAILED;
}

int group_read(group_run *run, session *job, stream_totals *totals, failure *why)
{
    run->groups = (tallies){.type = job->in.type, .list = &run->list};
    return stream_run(job, &(stream_work){.lines = true, .compute = group_piece, .user = run},
                      totals, why);
}

bool group_add_text(array *to, const char *text, size_t size)
{
    if (size > 0 && !array_reserve(to, to->n + size))
        return false;
    if (size > 0)
        memcpy(array_end(to), text, size);
    to->n += size;
    return true;
}

/* Whether a text from between quotes needs them back. One with single quotes was written without. */
static bool needs_quotes(const session *job, text_span text)
{
    const char separator = job->fields.separator;
    bool needs = false;
    for (const char *p = text.begin; p < text.end && job->fields.quotes; p++) {
        const bool quote = *p == '"';
        if (quote && (p + 1 == text.end || p[1] != '"'))
            return false;
        needs = needs || quote || (separator != 0 ? *p == separator : is_space(*p));
        p += quote;
    }
    return needs;
}

bool group_add_field(const session *job, const char *call, text_span text, array *to)
{
    const bool quoted = needs_quotes(job, text), called = call != NULL;
    return group_add_text(to, "\"", quoted) &&
           (!called || group_add_text(to, call, strlen(call))) && group_add_text(to, "(", called) &&
           group_add_text(to, text.begin, (size_t)(text.end - text.begin)) &&
           group_add_text(to, ")", called) && group_add_text(to, "\"", quoted);
}

bool group_add_call(const session *job, const char *head, const field_choice *choice,
                    const char *call, array *to)
{
    text_span name = {0};
    const char *const given = choice->name != NULL ? choice->name : choice->digits;
    const unsigned number = field_is_given(choice) ? choice->number : 1;
    if (choice->name != NULL || !field_find(&job->fields, head, number, &name))
        name = (text_span){given, given + strlen(given)};
    return group_add_field(job, call, name, to);
}

bool group_add_key(const key_table *keys, const session *job, uint32_t number, array *to)
{
    size_t size;
    const char *const key = key_table_key(keys, number, &size);
    return group_add_field(job, NULL, (text_span){key, key + size}, to);
}
