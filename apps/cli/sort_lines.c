#include "apps/cli/sort_lines.h"

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/held_keys.h"
#include "apps/cli/line_runs.h"
#include "apps/cli/output_file.h"

/* WRITE_LINES are written at once. What is read at once takes a small share of the memory, and READ_ELEMENTS at most. */
enum { READ_ELEMENTS = 4 * 1024 * 1024, READ_SHARE = 64, WRITE_LINES = 256 * 1024 };

typedef struct line_sort {
    session *job;
    const parscan_sort_options *options;
    const sort_request *request;
    sort_totals *totals;
    line_store lines; /* those in memory; their elements are job->in */
    line_runs runs;   /* the lines before */
    output_writer *output;
} line_sort;

/* The bytes that sorting takes: of the lines, and of their elements and places twice. */
static uint64_t needed(const line_sort *sort)
{
    const session *const job = sort->job;
    const uint64_t n = job->in.n, size = parscan_type_size(job->in.type);
    const held_keys *const keys = sort->request->keys;
    return line_store_bytes(&sort->lines) +
           (keys != NULL ? held_keys_bytes(keys) : n * (2 * size + sizeof(uint64_t)));
}

static bool write_lines(session *job, const line_store *lines, output_writer *output, failure *why)
{
    line_gathering gathering = LINE_GATHERING;
    array part = {.type = PARSCAN_U8};
    const uint64_t *const places = lines->places[0].data;
    const size_t n = lines->places[0].n;
    bool done = lines_add_head(job, lines, &part, why);
    progress_begin(&job->progress, "writing", n);
    for (size_t first = 0; done && (first < n || part.n > 0); first += WRITE_LINES) {
        const size_t left = first < n ? n - first : 0;
        done = lines_gather_at(job, &gathering, lines, left > 0 ? places + first : places,
                               left < WRITE_LINES ? left : WRITE_LINES, &part, why) &&
               output_add(output, &part, why);
        part.n = 0;
        progress_update(&job->progress, first);
    }
    array_release(&part);
    line_gathering_release(&gathering);
    return done;
}

/* Keeps the first of equal elements, which are sorted, and their places. */
static bool keep_first_lines(line_sort *sort, failure *why)
{
    session *const job = sort->job;
    const size_t n = job->in.n;
    array orders = {.type = PARSCAN_U64};
    uint64_t *const places = sort->lines.places[0].data;
    uint64_t last = 0;
    size_t kept = 0;
    if (!array_reserve(&orders, n))
        return session_out_of_memory(job, why);
    const uint64_t *const of = orders.data;
    element_orders(job->in.type, job->in.data, n, orders.data);
    for (size_t i = 0; i < n; i++) {
        const uint64_t order = order_without_sign_of_0(job->in.type, of[i]);
        if (kept == 0 || order != last)
            places[kept++] = places[i];
        last = order;
    }
    array_release(&orders);
    sort->lines.places[0].n = kept;
    return true;
}

/* Sorts the lines that are in memory: their elements, and their places with them. */
static int sort_held(line_sort *sort, failure *why)
{
    session *const job = sort->job;
    array *const elements = &job->in, *const places = &sort->lines.places[0];
    held_keys *const keys = sort->request->keys;
    const double begin = seconds_now();
    if (keys != NULL) {
        const int status = held_keys_sort(keys, &sort->lines, sort->request->unique, why);
        sort->totals->seconds += seconds_now() - begin;
        sort->totals->elements += keys->n;
        return status;
    }
    const parscan_status called = parscan_sort_pairs(job->context, elements->type, elements->data,
                                                     elements->data, sizeof(uint64_t), places->data,
                                                     places->data, elements->n, sort->options);
    sort->totals->seconds += seconds_now() - begin;
    sort->totals->elements += elements->n;
    const int status = session_check_result(job, called, why);
    return status != STATUS_DONE || !sort->request->unique || keep_first_lines(sort, why)
               ? status
               : STATUS_FAILED;
}

/* Frees what lines in memory have taken, but for the header. */
static bool free_lines(line_sort *sort, failure *why)
{
    session *const job = sort->job;
    line_store head = LINE_STORE;
    const size_t size = head.head = sort->lines.head;
    if (!line_store_add_text(&head, sort->lines.text.data, size))
        return session_out_of_memory(job, why);
    line_store_release(&sort->lines);
    sort->lines = head;
    array_release(&job->in);
    return true;
}

static merge_rules rules_of(const line_sort *sort)
{
    held_keys *const keys = sort->request->keys;
    return (merge_rules){sort->options->descending != 0, sort->request->unique,
                         keys != NULL ? &keys->reader : NULL};
}

/* Makes a run of the lines that are in memory. The header stays there. */
static int spill_lines(line_sort *sort, failure *why)
{
    session *const job = sort->job;
    line_store *const lines = &sort->lines;
    const merge_rules rules = rules_of(sort);
    int status = sort_held(sort, why);
    if (status != STATUS_DONE)
        return status;
    if (!line_runs_add(&sort->runs, job, lines, why))
        return STATUS_FAILED;
    const size_t head = lines->head;
    line_store_clear(lines);
    lines->head = lines->text.n = head;
    job->in.n = 0;
    if (sort->request->keys != NULL)
        held_keys_clear(sort->request->keys);
    if (!line_runs_are_many(&sort->runs))
        return STATUS_DONE;
    return free_lines(sort, why)
               ? line_runs_shorten(&sort->runs, job, &rules, sort->request->memory,
                                   &sort->totals->seconds, why)
               : STATUS_FAILED;
}

/* Reads all lines. Where as many as were read last would be beyond the memory, those that are there become a run. */
static int read_lines(line_sort *sort, failure *why)
{
    session *const job = sort->job;
    held_keys *const keys = sort->request->keys;
    const uint64_t memory = sort->request->memory, share = memory / READ_SHARE;
    const size_t most = share < READ_ELEMENTS ? (size_t)share : READ_ELEMENTS;
    for (;;) {
        const size_t before = job->in.n;
        const uint64_t held = needed(sort);
        const size_t line = sort->lines.places[0].n;
        if (!input_next_lines(job->reader, most, &job->in, &sort->lines, why))
            return STATUS_FAILED;
        if (keys != NULL && !held_keys_add(keys, job->reader, &sort->lines, line, why))
            return STATUS_FAILED;
        if (job->in.n == before)
            return STATUS_DONE;
        const uint64_t now = needed(sort);
        const int status = now + (now - held) > memory ? spill_lines(sort, why) : STATUS_DONE;
        if (status != STATUS_DONE)
            return status;
    }
}

static bool write_head(line_sort *sort, failure *why)
{
    array part = {.type = PARSCAN_U8};
    const bool done =
        lines_add_head(sort->job, &sort->lines, &part, why) && output_add(sort->output, &part, why);
    array_release(&part);
    return done;
}

/* Merges the runs, the last of which is what is in memory. */
static int merge_runs(line_sort *sort, failure *why)
{
    session *const job = sort->job;
    sort_totals *const totals = sort->totals;
    int status = sort->lines.places[0].n > 0 ? spill_lines(sort, why) : STATUS_DONE;
    if (status == STATUS_DONE && !write_head(sort, why))
        status = STATUS_FAILED;
    if (status == STATUS_DONE && !free_lines(sort, why))
        status = STATUS_FAILED;
    if (status != STATUS_DONE)
        return status;
    const merge_rules rules = rules_of(sort);
    status = line_runs_merge(&sort->runs, job, &rules, sort->request->memory, sort->output,
                             &totals->levels, &totals->seconds, why);
    totals->runs = sort->runs.made;
    totals->bytes_spilled = sort->runs.bytes_spilled;
    return status;
}

static int write_held(line_sort *sort, failure *why)
{
    sort->totals->runs = 1;
    const int status = sort_held(sort, why);
    return status != STATUS_DONE || write_lines(sort->job, &sort->lines, sort->output, why)
               ? status
               : STATUS_FAILED;
}

int sort_lines(session *job, const parscan_sort_options *options, const sort_request *request,
               sort_totals *totals, failure *why)
{
    line_sort sort = {.job = job,
                      .options = options,
                      .request = request,
                      .totals = totals,
                      .lines = LINE_STORE,
                      .runs = {.folders = request->folders, .folder_count = request->folder_count},
                      .output = lines_open_output(job, why)};
    *totals = (sort_totals){0};
    int status = sort.output != NULL ? read_lines(&sort, why) : STATUS_FAILED;
    if (status == STATUS_DONE)
        status = sort.runs.count > 0 ? merge_runs(&sort, why) : write_held(&sort, why);
    if (status == STATUS_DONE &&
        (!output_complete(sort.output, why) || !output_commit(sort.output, why)))
        status = STATUS_FAILED;
    output_close(sort.output);
    line_store_release(&sort.lines);
    line_runs_release(&sort.runs);
    return status;
}
