#include "apps/cli/sort_by_keys.h"

#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/group_run.h"
#include "apps/cli/held_keys.h"
#include "apps/cli/key_merge.h"
#include "apps/cli/line_output.h"
#include "apps/cli/output_file.h"
#include "apps/cli/sort_lines.h"

/* Of all files together ALL_LINES are in memory, of each LEAST_LINES at least. */
enum { ALL_LINES = 1024 * 1024, LEAST_LINES = 4 * 1024 };

/* Where merged lines go: behind the header, which is known when the first one comes. */
typedef struct merged_lines {
    session *job;
    output_writer *output;
    bool begun;
} merged_lines;

static bool write_merged(void *to, const array *bytes, failure *why)
{
    merged_lines *const merged = to;
    const char *const head = merged->begun ? NULL : input_head(merged->job->reader);
    array line = {.type = PARSCAN_U8};
    bool done = true;
    merged->begun = true;
    if (head != NULL) {
        done = group_add_text(&line, head, strlen(head)) ? output_add(merged->output, &line, why)
                                                         : session_out_of_memory(merged->job, why);
        array_release(&line);
    }
    return done && output_add(merged->output, bytes, why);
}

/* Reads all files, and writes what they make. */
static int merge_files(session *job, const key_merge_rules *rules, bool writes, sort_totals *totals,
                       failure *why)
{
    const size_t given = job->options->input_count, count = given > 0 ? given : 1;
    const size_t share = ALL_LINES / count;
    input_reader **const readers = calloc(count, sizeof(input_reader *));
    const char **const names = calloc(count, sizeof(char *));
    merged_lines merged = {.job = job};
    int status = STATUS_FAILED;
    if (readers == NULL || names == NULL) {
        session_out_of_memory(job, why);
    } else {
        readers[0] = job->reader;
        for (size_t i = 0; i < count; i++)
            names[i] = i == 0 ? job->options->input : job->options->inputs[i];
        merged.output = writes ? lines_open_output(job, why) : NULL;
        const char *name;
        if (writes && merged.output != NULL && session_feeds(job, merged.output, &name))
            fail_output_is_input(name, why);
        else if (!writes || merged.output != NULL)
            status = key_merge(
                job, rules,
                &(merge_inputs){readers, names, count, share > LEAST_LINES ? share : LEAST_LINES},
                writes ? write_merged : NULL, &merged, &totals->seconds, why);
    }
    const array nothing = {.type = PARSCAN_U8};
    if (status == STATUS_DONE && writes &&
        !((merged.begun || write_merged(&merged, &nothing, why)) &&
          output_complete(merged.output, why) && output_commit(merged.output, why)))
        status = STATUS_FAILED;
    output_close(merged.output);
    free(readers);
    free(names);
    return status;
}

void sort_keys_print_stats(session *job, const sort_keys *keys, const sort_totals *totals)
{
    session_print_stats(job, (size_t)totals->elements,
                        (double)totals->elements * (double)(keys->count * sizeof(uint64_t)),
                        totals->seconds, totals->runs > 0);
}

int sort_by_keys(session *job, const sort_keys *keys, key_work work, const sort_request *request,
                 sort_totals *totals, failure *why)
{
    held_keys held = HELD_KEYS;
    sort_request by_keys = *request;
    *totals = (sort_totals){0};
    if (!key_reader_begin(&held.reader, job, keys, request->descending, job->options->type, why))
        return STATUS_USAGE;
    job->fields.given = true;
    job->fields.value = keys->keys[0].field;
    job->fields.worded = true;
    job->keep = KEEP_LINES;
    job->apart = work == KEYS_MERGE;
    int status = session_begin(job, PARSCAN_U8, NULL, NULL, NULL, why);
    by_keys.keys = &held;
    if (status == STATUS_DONE && work == KEYS_SORT)
        status = sort_lines(job, &PARSCAN_SORT_OPTIONS(0), &by_keys, totals, why);
    else if (status == STATUS_DONE)
        status = merge_files(job,
                             &(key_merge_rules){&held.reader, request->unique,
                                                work == KEYS_CHECK && request->unique,
                                                &totals->elements},
                             work == KEYS_MERGE, totals, why);
    held_keys_release(&held);
    if (status == STATUS_DONE && work != KEYS_SORT)
        sort_keys_print_stats(job, keys, totals);
    return status;
}
