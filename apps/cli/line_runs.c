#define _POSIX_C_SOURCE 200809L
#include "apps/cli/line_runs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/field_names.h"
#include "apps/cli/spool.h"

/* WRITE_LINES are written at once. Lines of less than SMALL_LINE bytes are read in small chunks. A line takes LINE_BYTES
   in a merge beside TEXT_COPIES of it. OTHER_FILES of those that may be open are not runs. */
enum {
    WRITE_LINES = 64 * 1024,
    SMALL_LINE = 32 * 1024,
    LINE_BYTES = 104,
    TEXT_COPIES = 3,
    LEAST_MOST = 1024,
    OTHER_FILES = 24
};

bool line_runs_are_many(const line_runs *runs)
{
    const long files = sysconf(_SC_OPEN_MAX);
    const long most = files < 0 ? MOST_LINE_RUNS : files - OTHER_FILES;
    return runs->count >= 2 && (runs->count == MOST_LINE_RUNS || (long)runs->count >= most);
}

static bool write_run(line_runs *runs, const line_run *run, const array *bytes, failure *why)
{
    for (size_t done = 0; done < bytes->n;) {
        const ssize_t count = write(run->fd, (const char *)bytes->data + done, bytes->n - done);
        if (count < 0 && errno != EINTR)
            return fail(why, "folder %.200s: a run cannot be written: %s", run->folder,
                        strerror(errno));
        done += count > 0 ? (size_t)count : 0;
    }
    runs->bytes_spilled += bytes->n;
    return true;
}

/* Begins a file: with an empty line, so that it cannot be another one than a text. */
static bool open_run(line_runs *runs, line_run *run, unsigned level, failure *why)
{
    static char newline[] = "\n";
    const char *const folder = runs->folders[runs->files++ % runs->folder_count];
    *run = (line_run){temporary_file(folder, why), folder, level};
    return run->fd >= 0 &&
           write_run(runs, run, &(array){.type = PARSCAN_U8, .data = newline, .n = 1}, why);
}

static void measure(line_runs *runs, const line_store *lines)
{
    const uint64_t *const places = lines->places[0].data;
    const size_t n = lines->places[0].n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t size = line_place_size(places[i]);
        runs->longest = size > runs->longest ? (size_t)size : runs->longest;
        runs->bytes += size;
    }
    runs->lines += n;
}

bool line_runs_add(line_runs *runs, session *job, const line_store *lines, failure *why)
{
    const uint64_t *const places = lines->places[0].data;
    const size_t n = lines->places[0].n;
    line_gathering gathering = LINE_GATHERING;
    array part = {.type = PARSCAN_U8};
    line_run *const run = &runs->runs[runs->count++];
    bool done = open_run(runs, run, 0, why);
    for (size_t first = 0; done && first < n; first += WRITE_LINES) {
        const size_t left = n - first;
        done = lines_gather_at(job, &gathering, lines, places + first,
                               left < WRITE_LINES ? left : WRITE_LINES, &part, why) &&
               write_run(runs, run, &part, why);
        part.n = 0;
    }
    runs->made++;
    measure(runs, lines);
    array_release(&part);
    line_gathering_release(&gathering);
    return done;
}

/* Opens the run to be read: its descriptor is then the reader's. */
static input_reader *read_run(const line_runs *runs, line_run *run, session *job,
                              const field_rules *rules, failure *why)
{
    const int fd = run->fd;
    run->fd = -1;
    if (lseek(fd, 0, SEEK_SET) == 0)
        return session_open_file(job, run->folder, fd, rules, NULL, runs->longest < SMALL_LINE,
                                 why);
    fail(why, "folder %.200s: %s", run->folder, strerror(errno));
    close(fd);
    return NULL;
}

/* The most elements of one of so many runs in memory, of which each takes at least 2 bytes of text. */
static size_t elements_at_once(const line_runs *runs, size_t count, uint64_t memory)
{
    const uint64_t bytes = runs->bytes > 0 ? runs->bytes : 1;
    const double of_byte = TEXT_COPIES + (double)runs->lines * LINE_BYTES / (double)bytes;
    const double most = (double)memory / of_byte / (double)count / 2;
    return most > LEAST_MOST ? (size_t)most : LEAST_MOST;
}

/* The rules by which runs are read. They have neither a header nor lines that are left out. */
static bool rules_of_runs(const session *job, field_rules *rules, failure *why)
{
    const char *const head = input_head(job->reader);
    *rules = job->fields;
    if (head != NULL && !field_names_find(rules, head, head + strlen(head) - 1, why))
        return false;
    rules->header = rules->mirrors = false;
    rules->comment_count = 0;
    return true;
}

/* Merges the runs from `first` on, which are then no more. */
static int merge_from(line_runs *runs, size_t first, session *job, const merge_rules *order,
                      uint64_t memory, merge_write *write, void *to, double *seconds, failure *why)
{
    input_reader *readers[MOST_LINE_RUNS];
    const char *names[MOST_LINE_RUNS];
    const size_t count = runs->count - first;
    field_rules rules;
    size_t opened = 0;
    if (!rules_of_runs(job, &rules, why))
        return STATUS_FAILED;
    for (; opened < count; opened++) {
        line_run *const run = &runs->runs[first + opened];
        names[opened] = run->folder;
        readers[opened] = read_run(runs, run, job, &rules, why);
        if (readers[opened] == NULL)
            break;
    }
    if (opened == count) {
        runs->count = first;
        return merge_lines(
            job, order,
            &(merge_inputs){readers, names, count, elements_at_once(runs, count, memory)}, write,
            to, seconds, why);
    }
    while (opened > 0)
        input_close(readers[--opened]);
    return STATUS_FAILED;
}

static bool write_to_output(void *to, const array *bytes, failure *why)
{
    return output_add(to, bytes, why);
}

int line_runs_merge(line_runs *runs, session *job, const merge_rules *rules, uint64_t memory,
                    output_writer *output, uint64_t *levels, double *seconds, failure *why)
{
    *levels = runs->count > 0 ? runs->runs[0].level + 1 : 0;
    return merge_from(runs, 0, job, rules, memory, write_to_output, output, seconds, why);
}

/* The run that others are merged to. */
typedef struct longer_run {
    line_runs *runs;
    line_run run;
} longer_run;

static bool write_to_run(void *to, const array *bytes, failure *why)
{
    const longer_run *const longer = to;
    return write_run(longer->runs, &longer->run, bytes, why);
}

/* Levels do not ascend: those of the lowest ones are merged, at least half of all runs. */
static size_t first_to_merge(const line_runs *runs)
{
    size_t first = runs->count - 1;
    while (first > 0 && (2 * (runs->count - first) < runs->count || first + 2 > runs->count ||
                         runs->runs[first - 1].level == runs->runs[first].level))
        first--;
    return first;
}

int line_runs_shorten(line_runs *runs, session *job, const merge_rules *rules, uint64_t memory,
                      double *seconds, failure *why)
{
    const size_t first = first_to_merge(runs);
    longer_run longer = {.runs = runs};
    int status =
        open_run(runs, &longer.run, runs->runs[first].level + 1, why) ? STATUS_DONE : STATUS_FAILED;
    if (status == STATUS_DONE)
        status = merge_from(runs, first, job, rules, memory, write_to_run, &longer, seconds, why);
    if (status == STATUS_DONE)
        runs->runs[runs->count++] = longer.run;
    else if (longer.run.fd >= 0)
        close(longer.run.fd);
    return status;
}

void line_runs_release(line_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->runs[i].fd >= 0)
            close(runs->runs[i].fd);
    runs->count = 0;
}
