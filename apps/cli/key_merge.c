#include "apps/cli/key_merge.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/cli/command.h"
#include "apps/cli/field_names.h"
#include "apps/cli/group_run.h"
#include "apps/cli/shortest_float.h"

/* About WRITE_BYTES are written at once. More than FEW_FILES are read in small chunks. */
enum { WRITE_BYTES = 4 * 1024 * 1024, FEW_FILES = 16 };

/* What has been read of a text at once. */
typedef struct key_part {
    line_store lines;
    key_columns columns;
} key_part;

/* A text. Of the part before the current one the last line is still compared. */
typedef struct key_file {
    input_reader *reader;
    key_part parts[2];
    unsigned now;
    size_t at; /* the line of the current part that comes next */
    bool begun, ended;
    array elements; /* they count lines */
} key_file;

typedef struct key_merging {
    session *job;
    const key_merge_rules *rules;
    key_file *files;
    size_t *heap; /* numbers of files that go on: the one that comes next is first */
    size_t count, going;
    size_t most;
    key_columns written; /* of the last line that was written: its words are in `text` */
    bool has_written;
    array text, out;
    merge_write *write;
    void *to;
} key_merging;

static key_columns *columns_of(key_file *file)
{
    return &file->parts[file->now].columns;
}

/* Whether the file with number a has the next line, not b. */
static bool comes_first(const key_merging *all, size_t a, size_t b)
{
    key_file *const first = &all->files[a], *const second = &all->files[b];
    const int found = key_columns_compare(all->rules->reader, columns_of(first), first->at,
                                          columns_of(second), second->at);
    return found < 0 || (found == 0 && a < b);
}

static void sift_down(key_merging *all, size_t at)
{
    size_t *const heap = all->heap;
    const size_t moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < all->going; at = child) {
        child += child + 1 < all->going && comes_first(all, heap[child + 1], heap[child]);
        if (!comes_first(all, heap[child], moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Says that line i is equal to the one before it: in which keys. */
static void fail_equal(const key_reader *reader, const key_columns *columns, size_t i, failure *why)
{
    fail(why, "the line is equal to the one before it in what is compared");
    for (size_t k = 0; k < reader->keys->count; k++) {
        const struct failure message = *why;
        char field[FIELD_WORDS], text[KEY_TEXT];
        field_choice_words(&reader->keys->keys[k].field, field);
        key_columns_format(reader, columns, i, k, text);
        fail(why, "%.600s%s %s is %s", message.text, k == 0 ? ":" : ",", field, text);
    }
}

/* Says in which key line i is not in order after the one before it. */
static void fail_order(const key_reader *reader, const key_columns *columns, size_t i,
                       const key_columns *before, size_t j, const char *advice, failure *why)
{
    const size_t k = key_columns_difference(reader, before, j, columns, i);
    char field[FIELD_WORDS], text[KEY_TEXT], text_before[KEY_TEXT];
    field_choice_words(&reader->keys->keys[k].field, field);
    key_columns_format(reader, columns, i, k, text);
    key_columns_format(reader, before, j, k, text_before);
    fail(why, "%s: %s is not in order: it comes after %s%s", field, text, text_before, advice);
}

/* Whether line i of the current part is in order after one of the same file. */
static bool check_order(const key_merging *all, key_file *file, size_t i, const key_columns *before,
                        size_t j, failure *why)
{
    const key_reader *const reader = all->rules->reader;
    const int found = key_columns_compare(reader, before, j, columns_of(file), i);
    char command[SORT_COMMAND], advice[SORT_COMMAND + 32] = "";
    if (found < 0 || (found == 0 && !all->rules->strict))
        return true;
    shortest_decimal_prepare();
    sort_keys_command(reader->keys, reader->descending, all->job->options, command);
    if (all->write != NULL)
        snprintf(advice, sizeof advice, " (%s sorts lines)", command);
    if (found == 0)
        fail_equal(reader, columns_of(file), i, why);
    else
        fail_order(reader, columns_of(file), i, before, j, advice, why);
    return input_fail_line(file->reader, &file->parts[file->now].lines, i, why);
}

/* Reads the next part of a file, of which the one before is through. */
static bool read_part(key_merging *all, key_file *file, failure *why)
{
    const key_columns *const before = columns_of(file);
    key_part *const part = &file->parts[!file->now];
    size_t n;
    do {
        line_store_clear(&part->lines);
        file->elements.n = 0;
        if (!input_next_lines(file->reader, all->most, &file->elements, &part->lines, why))
            return false;
        n = file->elements.n;
        if (!key_columns_read(all->rules->reader, file->reader, &part->lines, 0, &part->columns,
                              why))
            return false;
    } while (n > 0 && part->columns.n == 0);
    file->ended = n == 0;
    if (all->rules->lines != NULL)
        *all->rules->lines += part->columns.n;
    file->at = 0;
    file->now = file->ended ? file->now : !file->now;
    if (!file->ended && file->begun && !check_order(all, file, 0, before, before->n - 1, why))
        return false;
    file->begun = true;
    for (size_t i = 1; !file->ended && i < part->columns.n; i++)
        if (!check_order(all, file, i, &part->columns, i - 1, why))
            return false;
    return true;
}

/* Keeps the keys of a line. */
static bool keep_keys(key_merging *all, const key_columns *from, size_t i)
{
    const sort_keys *const keys = all->rules->reader->keys;
    size_t size = 0;
    for (size_t k = 0; k < keys->count; k++)
        size += keys->keys[k].word
                    ? (size_t)(key_words(from, k)[i].end - key_words(from, k)[i].begin)
                    : 0;
    all->text.n = 0;
    if (!array_reserve(&all->text, size + 1))
        return false;
    for (size_t k = 0; k < keys->count; k++) {
        array *const to = keys->keys[k].word ? &all->written.words[k] : &all->written.orders[k];
        to->type = keys->keys[k].word ? PARSCAN_U8 : PARSCAN_U64;
        if (!array_reserve(to, sizeof(text_span)))
            return false;
        if (!keys->keys[k].word) {
            *(uint64_t *)to->data = key_orders(from, k)[i];
            continue;
        }
        const text_span word = key_words(from, k)[i];
        char *const begin = array_end(&all->text);
        group_add_text(&all->text, word.begin, (size_t)(word.end - word.begin));
        *(text_span *)to->data = (text_span){begin, array_end(&all->text)};
    }
    all->has_written = true;
    return true;
}

/* Writes the next line of a file. */
static bool write_line(key_merging *all, key_file *file, failure *why)
{
    const text_span line = line_store_part(&file->parts[file->now].lines, file->at);
    const bool unique = all->rules->unique;
    if (all->write == NULL)
        return true;
    if (unique && all->has_written &&
        key_columns_compare(all->rules->reader, &all->written, 0, columns_of(file), file->at) == 0)
        return true;
    if ((unique && !keep_keys(all, columns_of(file), file->at)) ||
        !group_add_text(&all->out, line.begin, (size_t)(line.end - line.begin)))
        return session_out_of_memory(all->job, why);
    if (all->out.n < WRITE_BYTES)
        return true;
    const bool done = all->write(all->to, &all->out, why);
    all->out.n = 0;
    return done;
}

/* Reads the first part of each text; those that are not open are opened. */
static bool begin_files(key_merging *all, const merge_inputs *inputs, failure *why)
{
    session *const job = all->job;
    for (size_t i = 0; i < all->count; i++) {
        key_file *const file = &all->files[i];
        for (int p = 0; p < 2; p++)
            file->parts[p] = (key_part){LINE_STORE, KEY_COLUMNS};
        file->elements.type = job->in.type;
        file->reader = inputs->readers[i];
    }
    for (size_t i = 0; i < all->count; i++) {
        key_file *const file = &all->files[i];
        if (file->reader == NULL)
            file->reader = session_open_file(job, inputs->names[i], 0, &job->fields, job->reader,
                                             all->count > FEW_FILES, why);
        if (file->reader == NULL || !read_part(all, file, why))
            return false;
        if (!all->files[i].ended)
            all->heap[all->going++] = i;
    }
    for (size_t i = all->going; i > 0; i--)
        sift_down(all, i - 1);
    return true;
}

static bool merge_all(key_merging *all, failure *why)
{
    while (all->going > 0) {
        key_file *const file = &all->files[all->heap[0]];
        if (!write_line(all, file, why))
            return false;
        file->at++;
        if (file->at == columns_of(file)->n && !read_part(all, file, why))
            return false;
        if (file->ended)
            all->heap[0] = all->heap[--all->going];
        if (all->going > 0)
            sift_down(all, 0);
    }
    return all->out.n == 0 || all->write(all->to, &all->out, why);
}

static void release(key_merging *all)
{
    for (size_t i = 0; all->files != NULL && i < all->count; i++) {
        key_file *const file = &all->files[i];
        if (file->reader != all->job->reader)
            input_close(file->reader);
        array_release(&file->elements);
        for (int p = 0; p < 2; p++) {
            line_store_release(&file->parts[p].lines);
            key_columns_release(&file->parts[p].columns);
        }
    }
    free(all->files);
    free(all->heap);
    key_columns_release(&all->written);
    array_release(&all->text);
    array_release(&all->out);
}

int key_merge(session *job, const key_merge_rules *rules, const merge_inputs *inputs,
              merge_write *write, void *to, double *seconds, failure *why)
{
    key_merging all = {.job = job,
                       .rules = rules,
                       .files = calloc(inputs->count, sizeof(key_file)),
                       .heap = calloc(inputs->count, sizeof(size_t)),
                       .count = inputs->count,
                       .most = inputs->most,
                       .written = KEY_COLUMNS,
                       .text = {.type = PARSCAN_U8},
                       .out = {.type = PARSCAN_U8},
                       .write = write,
                       .to = to};
    const double begin = seconds_now();
    const bool done =
        ((all.files != NULL && all.heap != NULL) || session_out_of_memory(job, why)) &&
        begin_files(&all, inputs, why) && merge_all(&all, why);
    *seconds += seconds_now() - begin;
    for (size_t i = 0; all.files == NULL && i < inputs->count; i++)
        if (inputs->readers[i] != job->reader)
            input_close(inputs->readers[i]);
    release(&all);
    return done ? STATUS_DONE : STATUS_FAILED;
}
