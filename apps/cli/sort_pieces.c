#include "apps/cli/sort_pieces.h"

#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/piece_pipeline.h"
#include "apps/cli/stream.h"
#include "parscan/sorter.h"

/* PULL_BYTES of the larger type are merged at once: enough for all threads. */
enum { PULL_BYTES = 2 * 1024 * 1024 };

/* The merge, and the files that it is written to. */
typedef struct merge {
    session *job;
    const sort_request *request;
    sort_totals *totals;
    parscan_sorter *sorter;
    output_writer *elements_out, *values_out; /* values_out: NULL, there are none */
    size_t most;                              /* elements of a piece */
    array orders; /* u64, of a piece whose equal elements are left out */
    bool begun;   /* last: the order of the last element */
    uint64_t last;
    uint64_t allotted, merged; /* elements */
    struct {
        size_t n;
        array elements, values; /* of argsort, the elements of the output are the indices */
    } pieces[PIPELINE_PIECES];
} merge;

/* A failure of a file names its folder; others are of the input. */
static int check_result(const session *job, parscan_status status, failure *why)
{
    return (status == PARSCAN_ERROR_IO ? session_check : session_check_result)(job, status, why);
}

static int push_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    const merge *const sort = user;
    return check_result(
        job, parscan_sorter_push(sort->sorter, piece->in.data, piece->second.data, piece->in.n),
        why);
}

/* Reads the files; runs are sorted, and spilled. */
static int fill_sorter(merge *sort, failure *why)
{
    stream_totals totals;
    const stream_work work = {.second = sort->request->values, .compute = push_piece, .user = sort};
    const int status = stream_run(sort->job, &work, &totals, why);
    sort->totals->elements = totals.read;
    sort->totals->seconds = totals.seconds;
    return status;
}

/* The number of elements of the next piece. */
static bool allot_stage(void *user, unsigned index, bool *ended, failure *why)
{
    (void)why;
    merge *const sort = user;
    const uint64_t left = sort->totals->elements - sort->allotted;
    sort->pieces[index].n = left < sort->most ? (size_t)left : sort->most;
    sort->allotted += sort->pieces[index].n;
    *ended = left == 0;
    return true;
}

/* Keeps the elements that differ from the one before, of the piece before too. */
static bool keep_new(merge *sort, array *elements)
{
    const size_t size = parscan_type_size(elements->type), n = elements->n;
    char *const data = elements->data;
    if (!array_reserve(&sort->orders, n))
        return false;
    uint64_t *const orders = sort->orders.data;
    element_orders(elements->type, data, n, orders);
    elements->n = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t order = order_without_sign_of_0(elements->type, orders[i]);
        if (sort->begun && order == sort->last)
            continue;
        memmove(data + elements->n++ * size, data + i * size, size);
        sort->begun = true;
        sort->last = order;
    }
    return true;
}

static bool pull_stage(void *user, unsigned index, failure *why)
{
    merge *const sort = user;
    array *const elements = &sort->pieces[index].elements, *const values =
                                                               &sort->pieces[index].values;
    const bool argsort = sort->request->argsort, has_values = sort->values_out != NULL;
    const size_t n = sort->pieces[index].n;
    if (!array_reserve(elements, n) || (has_values && !array_reserve(values, n)))
        return session_out_of_memory(sort->job, why);
    const double begin = seconds_now();
    size_t got;
    const parscan_status status = parscan_sorter_pull(sort->sorter, argsort ? NULL : elements->data,
                                                      argsort      ? elements->data
                                                      : has_values ? values->data
                                                                   : NULL,
                                                      n, &got);
    sort->totals->seconds += seconds_now() - begin;
    elements->n = values->n = got;
    sort->merged += got;
    if (sort->request->unique && !keep_new(sort, elements))
        return session_out_of_memory(sort->job, why);
    progress_update(&sort->job->progress, sort->merged);
    return check_result(sort->job, status, why) == STATUS_DONE;
}

static bool write_sort_stage(void *user, unsigned index, failure *why)
{
    const merge *const sort = user;
    return output_add(sort->elements_out, &sort->pieces[index].elements, why) &&
           (sort->values_out == NULL ||
            output_add(sort->values_out, &sort->pieces[index].values, why));
}

/* No stage waits for another program. */
static void interrupt_sort(void *user)
{
    (void)user;
}

static parscan_type out_type(const merge *sort)
{
    return sort->request->argsort ? PARSCAN_U64 : sort->job->in.type;
}

/* Opens the outputs before the files are read, so that what cannot be written is told soon. */
static bool open_outputs(merge *sort, failure *why)
{
    session *const job = sort->job;
    const sort_request *const request = sort->request;
    sort->elements_out = session_open_output(job, job->options->output, out_type(sort),
                                             request->unique ? NULL : &(uint64_t){0}, why);
    if (sort->elements_out == NULL || request->values == NULL)
        return sort->elements_out != NULL;
    sort->values_out =
        session_open_output(job, request->values_output, job->second.type, &(uint64_t){0}, why);
    return sort->values_out != NULL &&
           output_is_elsewhere(sort->values_out, sort->elements_out, why);
}

/* All outputs are complete before the first one takes its place. */
static bool write_merged(merge *sort, failure *why)
{
    const pipeline stages = {.read = allot_stage,
                             .compute = pull_stage,
                             .write = write_sort_stage,
                             .interrupt = interrupt_sort,
                             .user = sort};
    output_writer *const outputs[] = {sort->elements_out, sort->values_out};
    const size_t count = sort->values_out != NULL ? 2 : 1;
    bool done = true;
    for (size_t i = 0; i < count && !sort->request->unique; i++)
        output_set_length(outputs[i], sort->totals->elements);
    progress_begin(&sort->job->progress, "merging", sort->totals->elements);
    done = pipeline_run(&stages, why);
    for (size_t i = 0; i < count; i++)
        done = done && output_complete(outputs[i], why);
    for (size_t i = 0; i < count; i++)
        done = done && output_commit(outputs[i], why);
    return done;
}

static int create_sorter(merge *sort, failure *why)
{
    const sort_request *const request = sort->request;
    const uint64_t memory = request->memory < SIZE_MAX ? request->memory : SIZE_MAX;
    return session_check(
        sort->job,
        parscan_sorter_create(
            &sort->sorter, sort->job->context,
            &PARSCAN_SORTER_OPTIONS(.key_type = sort->job->in.type,
                                    .descending = request->descending, .argsort = request->argsort,
                                    .folders = request->folders,
                                    .folder_count = request->folder_count,
                                    .value_size = request->values != NULL
                                                      ? parscan_type_size(sort->job->second.type)
                                                      : 0,
                                    .memory_limit = (size_t)memory)),
        why);
}

static int run_sort_pieces(merge *sort, failure *why)
{
    int status = create_sorter(sort, why);
    if (status == STATUS_DONE && !open_outputs(sort, why))
        status = STATUS_FAILED;
    if (status == STATUS_DONE)
        status = fill_sorter(sort, why);
    if (status == STATUS_DONE && !write_merged(sort, why))
        status = STATUS_FAILED;
    if (status != STATUS_DONE)
        return status;
    sort_totals *const totals = sort->totals;
    return session_check(sort->job,
                         parscan_sorter_counts(sort->sorter, NULL, &totals->runs, &totals->levels,
                                               &totals->bytes_spilled),
                         why);
}

int sort_pieces(session *job, const sort_request *request, sort_totals *totals, failure *why)
{
    merge sort = {
        .job = job, .request = request, .totals = totals, .orders = {.type = PARSCAN_U64}};
    size_t size = parscan_type_size(out_type(&sort));
    if (request->values != NULL && parscan_type_size(job->second.type) > size)
        size = parscan_type_size(job->second.type);
    sort.most = PULL_BYTES / size;
    *totals = (sort_totals){0};
    for (unsigned i = 0; i < PIPELINE_PIECES; i++) {
        sort.pieces[i].elements.type = out_type(&sort);
        sort.pieces[i].values.type = job->second.type;
    }
    const int status = run_sort_pieces(&sort, why);
    parscan_sorter_destroy(sort.sorter);
    array_release(&sort.orders);
    output_close(sort.elements_out);
    output_close(sort.values_out);
    for (unsigned i = 0; i < PIPELINE_PIECES; i++) {
        array_release(&sort.pieces[i].elements);
        array_release(&sort.pieces[i].values);
    }
    return status;
}
