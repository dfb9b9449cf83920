#define _POSIX_C_SOURCE 200809L
#include "apps/cli/line_runs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/spool.h"

/* WRITE_LINES are written at once. Lines of less than SMALL_LINE bytes are read in small chunks. A line takes LINE_BYTES
   in a merge beside TEXT_COPIES of it. */
enum {
    WRITE_LINES = 64 * 1024,
    SMALL_LINE = 32 * 1024,
    LINE_BYTES = 104,
    TEXT_COPIES = 3,
    LEAST_MOST = 1024
};

static const char *folder_of(const line_runs *runs, size_t run)
{
    return runs->folders[run % runs->folder_count];
}

static bool write_run(int fd, const char *folder, const array *bytes, failure *why)
{
    for (size_t done = 0; done < bytes->n;) {
        const ssize_t count = write(fd, (const char *)bytes->data + done, bytes->n - done);
        if (count < 0 && errno != EINTR)
            return fail(why, "folder %.200s: a run cannot be written: %s", folder, strerror(errno));
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static void measure(line_runs *runs, const line_store *lines, const uint64_t *order, size_t n)
{
    const uint64_t *const sizes = lines->spans[1].data;
    for (size_t i = 0; i < n; i++) {
        const uint64_t size = sizes[order[i]];
        runs->longest = size > runs->longest ? (size_t)size : runs->longest;
        runs->bytes += size;
    }
    runs->lines += n;
}

bool line_runs_add(line_runs *runs, session *job, const line_store *lines, const uint64_t *order,
                   size_t n, failure *why)
{
    const char *const folder = folder_of(runs, runs->count);
    line_gathering gathering = LINE_GATHERING;
    /* No file begins so that it could be another one than a text: with an empty line. */
    array part = {.type = PARSCAN_U8};
    if (runs->count == MOST_LINE_RUNS)
        return fail(why, "%s: more than %d runs of --memory would be needed: give it more",
                    session_input_name(job), MOST_LINE_RUNS);
    const int fd = temporary_file(folder, why);
    if (fd < 0)
        return false;
    runs->fds[runs->count++] = fd;
    bool done = array_reserve(&part, 1) || session_out_of_memory(job, why);
    if (done)
        ((char *)part.data)[part.n++] = '\n';
    for (size_t first = 0; done && first < n; first += WRITE_LINES) {
        const size_t left = n - first;
        done = lines_gather(job, &gathering, lines, order + first,
                            left < WRITE_LINES ? left : WRITE_LINES, &part, why) &&
               write_run(fd, folder, &part, why);
        part.n = 0;
    }
    measure(runs, lines, order, n);
    array_release(&part);
    line_gathering_release(&gathering);
    return done;
}

/* Opens the run: its descriptor is then the reader's. */
static input_reader *open_run(line_runs *runs, size_t run, session *job, const field_rules *rules,
                              failure *why)
{
    const int fd = runs->fds[run];
    runs->fds[run] = -1;
    if (lseek(fd, 0, SEEK_SET) == 0)
        return session_open_file(job, folder_of(runs, run), fd, rules, NULL,
                                 runs->longest < SMALL_LINE, why);
    fail(why, "folder %.200s: %s", folder_of(runs, run), strerror(errno));
    close(fd);
    return NULL;
}

/* The most elements of a run in memory, of which each takes at least 2 bytes of text. */
static size_t elements_at_once(const line_runs *runs, uint64_t memory)
{
    const uint64_t bytes = runs->bytes > 0 ? runs->bytes : 1;
    const double of_byte = TEXT_COPIES + (double)runs->lines * LINE_BYTES / (double)bytes;
    const double most = (double)memory / of_byte / (double)runs->count / 2;
    return most > LEAST_MOST ? (size_t)most : LEAST_MOST;
}

int line_runs_merge(line_runs *runs, session *job, const merge_rules *rules, uint64_t memory,
                    output_writer *output, double *seconds, failure *why)
{
    input_reader *readers[MOST_LINE_RUNS];
    const char *names[MOST_LINE_RUNS];
    field_rules fields = job->fields;
    const char *const head = input_head(job->reader);
    size_t opened = 0;
    if (head != NULL && !field_names_find(&fields, head, head + strlen(head) - 1, why))
        return STATUS_FAILED;
    fields.header = false;
    for (; opened < runs->count; opened++) {
        names[opened] = folder_of(runs, opened);
        readers[opened] = open_run(runs, opened, job, &fields, why);
        if (readers[opened] == NULL)
            break;
    }
    if (opened == runs->count)
        return merge_lines(job, rules,
                           &(merge_inputs){readers, names, opened, elements_at_once(runs, memory)},
                           output, seconds, why);
    while (opened > 0)
        input_close(readers[--opened]);
    return STATUS_FAILED;
}

void line_runs_release(line_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->fds[i] >= 0)
            close(runs->fds[i]);
    runs->count = 0;
}
