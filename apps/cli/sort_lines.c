#include "apps/cli/sort_lines.h"

#include <inttypes.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/line_output.h"
#include "apps/cli/output_file.h"

/* READ_ELEMENTS are read at once, WRITE_LINES are written at once. */
enum { READ_ELEMENTS = 4 * 1024 * 1024, WRITE_LINES = 256 * 1024 };

/* The bytes that sorting takes: of the lines, of their elements twice, and of indices twice. */
static uint64_t needed(const session *job, const line_store *lines)
{
    const uint64_t n = job->in.n, size = parscan_type_size(job->in.type);
    return line_store_bytes(lines) + n * (3 * size + 2 * sizeof(uint64_t));
}

static int read_lines(session *job, line_store *lines, uint64_t memory, failure *why)
{
    size_t before;
    do {
        before = job->in.n;
        if (!input_next_lines(job->reader, READ_ELEMENTS, &job->in, lines, why))
            return STATUS_FAILED;
        if (needed(job, lines) > memory) {
            fail(why,
                 "%s: %zu lines and what it takes to sort them are more than --memory of %" PRIu64
                 " bytes",
                 session_input_name(job), job->in.n, memory);
            return STATUS_FAILED;
        }
    } while (job->in.n > before);
    return STATUS_DONE;
}

static bool write_lines(session *job, const line_store *lines, output_writer *output, failure *why)
{
    line_gathering gathering = LINE_GATHERING;
    array part = {.type = PARSCAN_U8};
    const uint64_t *const order = job->out.data;
    const size_t n = job->out.n;
    bool done = lines_add_head(job, lines, &part, why);
    progress_begin(&job->progress, "writing", n);
    for (size_t first = 0; done && (first < n || part.n > 0); first += WRITE_LINES) {
        const size_t left = first < n ? n - first : 0;
        done = lines_gather(job, &gathering, lines, left > 0 ? order + first : order,
                            left < WRITE_LINES ? left : WRITE_LINES, &part, why) &&
               output_add(output, &part, why);
        part.n = 0;
        progress_update(&job->progress, first);
    }
    array_release(&part);
    line_gathering_release(&gathering);
    return done && output_complete(output, why) && output_commit(output, why);
}

static int sort_stored(session *job, const parscan_sort_options *options, double *seconds,
                       failure *why)
{
    if (!session_make_new_out(job, PARSCAN_U64, job->in.n, why))
        return STATUS_FAILED;
    const double begin = seconds_now();
    const parscan_status called = parscan_argsort(job->context, job->in.type, job->in.data,
                                                  PARSCAN_U64, job->out.data, job->in.n, options);
    *seconds = seconds_now() - begin;
    job->out.n = job->in.n;
    return session_check_result(job, called, why);
}

/* Keeps the indices of the first of equal elements. */
static bool keep_first_lines(session *job, failure *why)
{
    array orders = {.type = PARSCAN_U64};
    uint64_t *const indices = job->out.data;
    const size_t n = job->in.n;
    size_t kept = 0;
    if (!array_reserve(&orders, n))
        return session_out_of_memory(job, why);
    uint64_t *const of = orders.data;
    element_orders(job->in.type, job->in.data, n, of);
    for (size_t i = 0; i < n; i++)
        of[i] = order_without_sign_of_0(job->in.type, of[i]);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || of[indices[i]] != of[indices[kept - 1]])
            indices[kept++] = indices[i];
    array_release(&orders);
    job->out.n = kept;
    return true;
}

int sort_lines(session *job, const parscan_sort_options *options, bool unique, uint64_t memory,
               double *seconds, failure *why)
{
    line_store lines = LINE_STORE;
    output_writer *const output = lines_open_output(job, why);
    int status = output != NULL ? read_lines(job, &lines, memory, why) : STATUS_FAILED;
    if (status == STATUS_DONE)
        status = sort_stored(job, options, seconds, why);
    if (status == STATUS_DONE && unique && !keep_first_lines(job, why))
        status = STATUS_FAILED;
    if (status == STATUS_DONE && !write_lines(job, &lines, output, why))
        status = STATUS_FAILED;
    output_close(output);
    line_store_release(&lines);
    return status;
}
