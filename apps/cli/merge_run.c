#include "apps/cli/merge_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/key_merge.h"
#include "apps/cli/line_output.h"
#include "apps/cli/merge_round.h"
#include "apps/cli/order_check.h"
#include "apps/cli/output_file.h"
#include "apps/cli/sort_keys.h"
#include "parscan/gather.h"

/* Of all files together ALL_ELEMENTS are in memory, of each LEAST_ELEMENTS at least and MOST_ELEMENTS at most.
   More than FEW_FILES are read in small chunks. */
enum {
    ALL_ELEMENTS = 1024 * 1024,
    MOST_ELEMENTS = 512 * 1024,
    LEAST_ELEMENTS = 4 * 1024,
    FEW_FILES = 16
};

/* A file, and what has been read of it. */
typedef struct merge_file {
    const char *path;
    input_reader *reader;
    array elements;
    line_store lines;
    array keys;     /* u64: of the elements; they ascend */
    size_t at;      /* the elements before have been merged */
    uint64_t first; /* the number in the file of the first element */
    uint64_t last;  /* the key of the last element before these, if there is one */
    bool ended;     /* nothing is left to be read */
} merge_file;

typedef struct merging {
    session *job;
    const merge_rules *rules;
    merge_file *files;
    size_t count, most;
    merge_round round;
    array out;                /* elements, or the bytes of lines */
    line_gathering gathering; /* of lines */
    output_writer *output;    /* or NULL */
    merge_write *write;       /* of the result, to `to` */
    void *to;
    bool begun; /* an element has been written, whose key is `last` without the sign of a 0 */
    uint64_t last, read;
    double seconds;
} merging;

/* What ascends in a file: the order of an element, or in descending files what is left above it. */
static uint64_t key_of(const merging *all, uint64_t order)
{
    return all->rules->descending ? ~order : order;
}

/* Says that element i of those that were read is not in order after one with that key. */
static bool fail_order(const merging *all, const merge_file *file, size_t i, uint64_t before,
                       failure *why)
{
    const session *const job = all->job;
    const bool lines = session_has_fields(job);
    const uint64_t key = ((const uint64_t *)file->keys.data)[i];
    char command[SORT_COMMAND];
    const sort_keys keys = {.keys = {{.field = job->fields.value}},
                            .count = lines && field_is_given(&job->fields.value)};
    sort_keys_command(&keys, all->rules->descending, job->options, command);
    return order_fail(input_name(file->path), lines,
                      lines ? line_store_line(&file->lines, i) : file->first + i + 1,
                      file->elements.type, key_of(all, key), key_of(all, before), command, why);
}

static bool check_keys(const merging *all, const merge_file *file, failure *why)
{
    const uint64_t *const keys = file->keys.data;
    uint64_t before = file->first > 0 ? file->last : 0;
    for (size_t i = 0; i < file->keys.n; i++) {
        if (keys[i] < before)
            return fail_order(all, file, i, before, why);
        before = keys[i];
    }
    return true;
}

/* Reads the next elements of a file of which all have been merged. */
static bool refill(merging *all, merge_file *file, failure *why)
{
    file->first += file->elements.n;
    if (file->keys.n > 0)
        file->last = ((const uint64_t *)file->keys.data)[file->keys.n - 1];
    file->elements.n = file->keys.n = file->at = 0;
    line_store_clear(&file->lines);
    if (!input_next_lines(file->reader, all->most, &file->elements,
                          session_has_fields(all->job) ? &file->lines : NULL, why))
        return false;
    const size_t n = file->elements.n;
    file->ended = n == 0;
    if (!array_reserve(&file->keys, n))
        return session_out_of_memory(all->job, why);
    uint64_t *const keys = file->keys.data;
    element_orders(file->elements.type, file->elements.data, n, keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of(all, keys[i]);
    file->keys.n = n;
    all->read += n;
    return check_keys(all, file, why);
}

/* The file whose last element comes before those of the others that go on: what comes after it may have to wait
   for what has not been read. NULL: all files have been read. */
static const merge_file *find_bound(const merging *all, uint64_t *bound)
{
    const merge_file *found = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const merge_file *const file = &all->files[i];
        if (file->ended)
            continue;
        const uint64_t last = ((const uint64_t *)file->keys.data)[file->keys.n - 1];
        if (found == NULL || last < *bound) {
            found = file;
            *bound = last;
        }
    }
    return found;
}

/* The number of keys from `at` on that are below the bound, or equal to it. */
static size_t count_below(const merge_file *file, uint64_t bound, bool or_equal)
{
    const uint64_t *const keys = file->keys.data;
    size_t low = file->at, high = file->keys.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keys[middle] < bound || (or_equal && keys[middle] == bound))
            low = middle + 1;
        else
            high = middle;
    }
    return low - file->at;
}

/* Takes of every file what is known to come next. */
static bool fill_round(merging *all, failure *why)
{
    uint64_t bound = UINT64_MAX;
    const merge_file *const until = find_bound(all, &bound);
    const bool lines = session_has_fields(all->job);
    merge_round_clear(&all->round);
    for (size_t i = 0; i < all->count; i++) {
        merge_file *const file = &all->files[i];
        const size_t n = count_below(file, bound, until == NULL || file <= until);
        if (!merge_round_add(&all->round, &file->elements, lines ? &file->lines : NULL,
                             file->keys.data, file->at, n))
            return session_out_of_memory(all->job, why);
        file->at += n;
    }
    return true;
}

/* Keeps the places of the first of equal elements. */
static void keep_first_places(merging *all)
{
    const merge_round *const round = &all->round;
    const uint64_t *const keys = round->keys[round->now].data;
    uint64_t *const places = round->places[round->now].data;
    array *const kept = &all->round.places[round->now];
    const size_t n = kept->n;
    kept->n = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = order_without_sign_of_0(round->elements.type, key_of(all, keys[i]));
        if (all->begun && key == all->last)
            continue;
        places[kept->n++] = places[i];
        all->begun = true;
        all->last = key;
    }
}

/* Puts the elements, or their lines, in their order. */
static bool gather_round(merging *all, failure *why)
{
    session *const job = all->job;
    const merge_round *const round = &all->round;
    const array *const places = &round->places[round->now];
    if (session_has_fields(job))
        return lines_gather(job, &all->gathering, &round->lines, places->data, places->n, &all->out,
                            why);
    if (!array_reserve(&all->out, places->n))
        return session_out_of_memory(job, why);
    all->out.n = places->n;
    return session_check_result(job,
                                parscan_gather(job->context, parscan_type_size(all->out.type),
                                               round->elements.data, round->elements.n, PARSCAN_U64,
                                               places->data, all->out.data, places->n),
                                why) == STATUS_DONE;
}

static bool merge_all(merging *all, failure *why)
{
    for (;;) {
        for (size_t i = 0; i < all->count; i++) {
            merge_file *const file = &all->files[i];
            if (!file->ended && file->at == file->elements.n && !refill(all, file, why))
                return false;
        }
        if (!fill_round(all, why))
            return false;
        if (all->round.elements.n == 0)
            return true;
        const double begin = seconds_now();
        all->out.n = 0;
        if (!merge_round_order(&all->round, all->job, why))
            return false;
        if (all->rules->unique)
            keep_first_places(all);
        if (!gather_round(all, why))
            return false;
        all->seconds += seconds_now() - begin;
        if (!all->write(all->to, &all->out, why))
            return false;
    }
}

static bool write_to_output(void *to, const array *bytes, failure *why)
{
    return output_add(to, bytes, why);
}

/* Reads the first part of a file; reader NULL: it could not be opened. */
static bool begin_file(merging *all, size_t i, const char *path, input_reader *reader, failure *why)
{
    merge_file *const file = &all->files[i];
    *file = (merge_file){.path = path,
                         .reader = reader,
                         .elements = {.type = all->job->in.type},
                         .lines = LINE_STORE,
                         .keys = {.type = PARSCAN_U64}};
    return reader != NULL && refill(all, file, why);
}

/* Opens the files after the first one, of which a part has been read. */
static bool open_files(merging *all, failure *why)
{
    session *const job = all->job;
    const bool small = all->count > FEW_FILES;
    for (size_t i = 0; i < all->count; i++) {
        const char *const path = i == 0 ? job->options->input : job->options->inputs[i];
        input_reader *const reader =
            i == 0 ? job->reader
                   : session_open_file(job, path, 0, &job->fields, job->reader, small, why);
        if (!begin_file(all, i, path, reader, why))
            return false;
    }
    return true;
}

/* Whether the number of elements is known: *n. */
static bool find_length(const merging *all, uint64_t *n)
{
    *n = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint64_t length;
        if (!input_length(all->files[i].reader, &length))
            return false;
        *n += length;
    }
    return !all->rules->unique;
}

static bool open_output(merging *all, failure *why)
{
    session *const job = all->job;
    const char *name;
    uint64_t n;
    const bool lines = session_has_fields(job), known = find_length(all, &n);
    all->out.type = lines ? PARSCAN_U8 : job->in.type;
    all->output = lines ? lines_open_output(job, why)
                        : session_open_output(job, job->options->output, job->in.type,
                                              known ? &n : NULL, why);
    if (all->output == NULL)
        return false;
    all->write = write_to_output;
    all->to = all->output;
    if (session_feeds(job, all->output, &name))
        return fail_output_is_input(name, why);
    return !lines || (lines_add_head(job, &all->files[0].lines, &all->out, why) &&
                      output_add(all->output, &all->out, why));
}

static void release(merging *all)
{
    for (size_t i = 0; all->files != NULL && i < all->count; i++) {
        merge_file *const file = &all->files[i];
        if (file->reader != all->job->reader)
            input_close(file->reader);
        array_release(&file->elements);
        line_store_release(&file->lines);
        array_release(&file->keys);
    }
    free(all->files);
    merge_round_release(&all->round);
    array_release(&all->out);
    line_gathering_release(&all->gathering);
    output_close(all->output);
}

static bool merge_opened(merging *all, failure *why)
{
    if (all->files == NULL)
        return session_out_of_memory(all->job, why);
    return open_files(all, why) && open_output(all, why) && merge_all(all, why) &&
           output_complete(all->output, why) && output_commit(all->output, why);
}

int merge_run(session *job, const merge_rules *rules, failure *why)
{
    const size_t files = job->options->input_count, count = files > 0 ? files : 1;
    const size_t share = ALL_ELEMENTS / count;
    job->apart = true;
    const int status = session_begin(job, 0, NULL, NULL, NULL, why);
    if (status != STATUS_DONE)
        return status;
    merging all = {.job = job,
                   .rules = rules,
                   .files = calloc(count, sizeof(merge_file)),
                   .count = count,
                   .most = share < LEAST_ELEMENTS  ? LEAST_ELEMENTS
                           : share > MOST_ELEMENTS ? MOST_ELEMENTS
                                                   : share,
                   .round = MERGE_ROUND,
                   .gathering = LINE_GATHERING};
    const bool done = merge_opened(&all, why);
    if (done)
        session_print_stats(job, (size_t)all.read,
                            2 * (double)all.read * (double)parscan_type_size(job->in.type),
                            all.seconds, true);
    release(&all);
    return done ? STATUS_DONE : STATUS_FAILED;
}

int merge_lines(session *job, const merge_rules *rules, const merge_inputs *inputs,
                merge_write *write, void *to, double *seconds, failure *why)
{
    if (rules->keys != NULL)
        return key_merge(job, &(key_merge_rules){rules->keys, rules->unique, false, NULL}, inputs,
                         write, to, seconds, why);
    merging all = {.job = job,
                   .rules = rules,
                   .files = calloc(inputs->count, sizeof(merge_file)),
                   .count = inputs->count,
                   .most = inputs->most,
                   .round = MERGE_ROUND,
                   .out = {.type = PARSCAN_U8},
                   .gathering = LINE_GATHERING,
                   .write = write,
                   .to = to};
    size_t begun = 0;
    bool done = all.files != NULL || session_out_of_memory(job, why);
    for (; done && begun < all.count; begun++)
        done = begin_file(&all, begun, inputs->names[begun], inputs->readers[begun], why);
    done = done && merge_all(&all, why);
    for (; begun < all.count; begun++)
        input_close(inputs->readers[begun]);
    release(&all);
    *seconds += all.seconds;
    return done ? STATUS_DONE : STATUS_FAILED;
}
