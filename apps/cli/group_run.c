#include "apps/cli/group_run.h"

#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/field_names.h"
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

/* Whether a field that is this text is written in quotes. */
static bool needs_quotes(const field_rules *rules, text_span text)
{
    if (!rules->quotes || text.begin == text.end)
        return rules->quotes && rules->separator == 0;
    bool needs = is_space(*text.begin) || is_space(text.end[-1]);
    for (const char *p = text.begin; p < text.end; p++)
        needs |= *p == '"' || (rules->separator != 0 ? *p == rules->separator : is_space(*p));
    return needs;
}

bool group_add_field(const session *job, const char *call, text_span text, array *to)
{
    const size_t size = (size_t)(text.end - text.begin), more = call != NULL ? strlen(call) + 2 : 0;
    const bool quoted = needs_quotes(&job->fields, text);
    if (!array_reserve(to, to->n + 2 * size + more + 2))
        return false;
    char *p = array_end(to);
    if (quoted)
        *p++ = '"';
    if (call != NULL) {
        memcpy(p, call, more - 2);
        p += more - 2;
        *p++ = '(';
    }
    for (const char *from = text.begin; from < text.end; from++) {
        if (quoted && *from == '"')
            *p++ = '"';
        *p++ = *from;
    }
    if (call != NULL)
        *p++ = ')';
    if (quoted)
        *p++ = '"';
    to->n = (size_t)(p - (char *)to->data);
    return true;
}

bool group_add_call(const session *job, const char *head, const field_choice *choice,
                    const char *call, array *to)
{
    text_span name;
    array word = {.type = PARSCAN_U8};
    if (!field_choice_find(&job->fields, choice, head, &name))
        return true;
    bool done = array_reserve(&word, (size_t)(name.end - name.begin) + 1);
    if (done) {
        char *const text = word.data;
        done = group_add_field(
            job, call, (text_span){text, text + field_word_copy(&job->fields, name, text)}, to);
    }
    array_release(&word);
    return done;
}

bool group_add_key(const key_table *keys, const session *job, uint32_t number, array *to)
{
    size_t size;
    const char *const key = key_table_key(keys, number, &size);
    /* White space would not separate an empty field. */
    if (size == 0 && job->fields.separator == 0)
        return group_add_text(to, "NA", 2);
    return group_add_field(job, NULL, (text_span){key, key + size}, to);
}
