#include "apps/cli/line_append.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/group_run.h"
#include "apps/cli/head_names.h"
#include "apps/cli/number_text.h"
#include "apps/cli/parallel.h"
#include "apps/cli/shortest_float.h"

/* A line grows by MORE bytes at most: the separator and a number, whose newline is in place of its own. */
enum { BLOCK_LINES = 4 * 1024, WINDOW_BLOCKS = 64, MORE = NUMBER_MAX_LENGTH + 1 + FIELD_QUOTES };

/* Threads make the blocks of a window. Each begins where its lines would if all before had grown by MORE. */
typedef struct appending {
    const line_store *lines;
    const array *numbers;
    const element_traits *traits;
    const field_rules *rules;
    char separator;
    size_t fields; /* of each line */
    size_t first;  /* line of the window */
    size_t n;      /* its lines */
    char *out;     /* its place */
    char *ends[WINDOW_BLOCKS];
    size_t wrong
        [WINDOW_BLOCKS]; /* the first line of a block that has not so many fields, or its end */
} appending;

static char *block_begin(const appending *work, size_t block)
{
    const size_t before = block * BLOCK_LINES;
    const char *const begin = line_store_part(work->lines, work->first).begin;
    return work->out + (line_store_part(work->lines, work->first + before).begin - begin) +
           before * MORE;
}

/* What ends a line: a newline, or a carriage return and a newline. */
static size_t ending_of(text_span line)
{
    return 1 + (line.end - line.begin > 1 && line.end[-2] == '\r');
}

static void append_block(size_t block, unsigned thread, void *user)
{
    (void)thread;
    appending *const work = user;
    const size_t before = block * BLOCK_LINES, size = work->traits->size;
    const size_t count = work->n - before < BLOCK_LINES ? work->n - before : BLOCK_LINES;
    const size_t first = work->first + before;
    char *to = block_begin(work, block);
    size_t i = first;
    for (; i < first + count; i++) {
        const text_span line = line_store_part(work->lines, i);
        if (field_count(work->rules, line) != work->fields)
            break;
        const size_t ending = ending_of(line), kept = (size_t)(line.end - line.begin) - ending;
        memcpy(to, line.begin, kept);
        to[kept] = work->separator;
        char *const number = to + kept + 1;
        to = numbers_format(work->traits, (const char *)work->numbers->data + i * size, 1, number);
        to = field_number(work->rules, number, to - 1);
        memcpy(to, line.end - ending, ending);
        to += ending;
    }
    work->ends[block] = to;
    work->wrong[block] = i;
}

bool lines_fail_width(const session *job, const char *path, const line_store *lines, size_t i,
                      size_t has, size_t fields, const char *advice, failure *why)
{
    char line[32];
    snprintf(line, sizeof line, "line %" PRIu64, line_store_line(lines, i));
    fail_width(why, &job->fields, has, fields, advice);
    fail_in(why, line);
    return fail_in(why, input_name(path));
}

/* Whether the lines of the block have as many fields as the others. */
static bool check_block(const session *job, const appending *work, size_t block, failure *why)
{
    const size_t i = work->wrong[block], end = (block + 1) * BLOCK_LINES;
    if (i == work->first + (end < work->n ? end : work->n))
        return true;
    return lines_fail_width(job, job->options->input, work->lines, i,
                            field_count(work->rules, line_store_part(work->lines, i)), work->fields,
                            NULL, why);
}

static bool append_window(const session *job, appending *work, array *out, failure *why)
{
    const size_t blocks = (work->n + BLOCK_LINES - 1) / BLOCK_LINES;
    const char *const begin = line_store_part(work->lines, work->first).begin;
    const char *const end = line_store_part(work->lines, work->first + work->n - 1).end;
    if (!array_reserve(out, out->n + (size_t)(end - begin) + work->n * MORE))
        return session_out_of_memory(job, why);
    work->out = array_end(out);
    parallel_for(session_threads(job), blocks, append_block, work);
    for (size_t i = 0; i < blocks; i++) {
        if (!check_block(job, work, i, why))
            return false;
        const char *const made = block_begin(work, i);
        const size_t size = (size_t)(work->ends[i] - made);
        memmove(array_end(out), made, size);
        out->n += size;
    }
    return true;
}

bool lines_append(const session *job, const line_store *lines, const array *numbers, size_t *fields,
                  array *out, failure *why)
{
    enum { WINDOW = BLOCK_LINES * WINDOW_BLOCKS };
    appending work = {.lines = lines,
                      .numbers = numbers,
                      .traits = element_traits_of(numbers->type),
                      .rules = &job->fields,
                      .separator = group_separator(job)};
    const char *const head = lines->text.data;
    if (lines->head > 0)
        *fields = field_count(&job->fields, (text_span){head, head + lines->head});
    else if (*fields == 0 && numbers->n > 0)
        *fields = field_count(&job->fields, line_store_part(lines, 0));
    work.fields = *fields;
    if (work.traits->format_float != NULL)
        shortest_decimal_prepare();
    for (; work.first < numbers->n; work.first += work.n) {
        const size_t left = numbers->n - work.first;
        work.n = left < WINDOW ? left : WINDOW;
        if (!append_window(job, &work, out, why))
            return false;
    }
    return true;
}

bool lines_append_head(const session *job, const line_store *lines, const char *op, array *out)
{
    const char *const head = lines->text.data, separator = group_separator(job);
    if (lines->head == 0)
        return true;
    const size_t ending = ending_of((text_span){head, head + lines->head}), begin = out->n;
    const size_t fields = field_count(&job->fields, (text_span){head, head + lines->head});
    return group_add_text(out, head, lines->head - ending) && group_add_text(out, &separator, 1) &&
           group_add_call(job, head, &job->fields.value, op, out) &&
           group_add_text(out, head + lines->head - ending, ending) &&
           head_names_distinguish(&job->fields, out, begin, fields + 1);
}
