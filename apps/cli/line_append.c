#include "apps/cli/line_append.h"

#include <string.h>

#include "apps/cli/group_run.h"
#include "apps/cli/number_text.h"
#include "apps/cli/parallel.h"
#include "apps/cli/shortest_float.h"

/* A line grows by MORE bytes at most: the separator and a number, whose newline is in place of its own. */
enum { BLOCK_LINES = 4 * 1024, WINDOW_BLOCKS = 64, MORE = NUMBER_MAX_LENGTH + 1 };

/* Threads make the blocks of a window. Each begins where its lines would if all before had grown by MORE. */
typedef struct appending {
    const line_store *lines;
    const array *numbers;
    const element_traits *traits;
    char separator;
    size_t first; /* line of the window */
    size_t n;     /* its lines */
    char *out;    /* its place */
    char *ends[WINDOW_BLOCKS];
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
    for (size_t i = first; i < first + count; i++) {
        const text_span line = line_store_part(work->lines, i);
        const size_t ending = ending_of(line), kept = (size_t)(line.end - line.begin) - ending;
        memcpy(to, line.begin, kept);
        to[kept] = work->separator;
        to = numbers_format(work->traits, (const char *)work->numbers->data + i * size, 1,
                            to + kept + 1);
        memcpy(to - 1, line.end - ending, ending);
        to += ending - 1;
    }
    work->ends[block] = to;
}

static bool append_window(const session *job, appending *work, array *out)
{
    const size_t blocks = (work->n + BLOCK_LINES - 1) / BLOCK_LINES;
    const char *const begin = line_store_part(work->lines, work->first).begin;
    const char *const end = line_store_part(work->lines, work->first + work->n - 1).end;
    if (!array_reserve(out, out->n + (size_t)(end - begin) + work->n * MORE))
        return false;
    work->out = array_end(out);
    parallel_for(session_threads(job), blocks, append_block, work);
    for (size_t i = 0; i < blocks; i++) {
        const char *const made = block_begin(work, i);
        const size_t size = (size_t)(work->ends[i] - made);
        memmove(array_end(out), made, size);
        out->n += size;
    }
    return true;
}

bool lines_append(const session *job, const line_store *lines, const array *numbers, array *out)
{
    enum { WINDOW = BLOCK_LINES * WINDOW_BLOCKS };
    appending work = {.lines = lines,
                      .numbers = numbers,
                      .traits = element_traits_of(numbers->type),
                      .separator = group_separator(job)};
    if (work.traits->format_float != NULL)
        shortest_decimal_prepare();
    for (; work.first < numbers->n; work.first += work.n) {
        const size_t left = numbers->n - work.first;
        work.n = left < WINDOW ? left : WINDOW;
        if (!append_window(job, &work, out))
            return false;
    }
    return true;
}

bool lines_append_head(const session *job, const line_store *lines, const char *op, array *out)
{
    const char *const head = lines->text.data, separator = group_separator(job);
    if (lines->head == 0)
        return true;
    const size_t ending = ending_of((text_span){head, head + lines->head});
    return group_add_text(out, head, lines->head - ending) && group_add_text(out, &separator, 1) &&
           group_add_call(job, head, &job->fields.value, op, out) &&
           group_add_text(out, head + lines->head - ending, ending);
}
