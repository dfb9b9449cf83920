#include "apps/cli/line_output.h"

#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/output_file.h"
#include "apps/cli/parallel.h"
#include "parscan/allocate.h"

/* The places of lines in any order are fetched before they are needed. */
enum { BLOCK_LINES = 64 * 1024, AHEAD = 32 };

void line_gathering_release(line_gathering *gathering)
{
    array_release(&gathering->begins);
    array_release(&gathering->sizes);
    array_release(&gathering->offsets);
}

/* The lines of the output: at these places, or those of these indices. */
typedef struct placing {
    const uint64_t *places, *indices; /* indices NULL: there are none */
    line_gathering *to;
    size_t n;
} placing;

static void place_block(size_t index, unsigned thread, void *user)
{
    (void)thread;
    const placing *const work = user;
    const uint64_t *const places = work->places, *const indices = work->indices;
    uint64_t *const to_begins = work->to->begins.data, *const to_sizes = work->to->sizes.data;
    const size_t first = index * BLOCK_LINES;
    const size_t last = work->n - first < BLOCK_LINES ? work->n : first + BLOCK_LINES;
    for (size_t i = first; i < last; i++) {
        if (indices != NULL && last - i > AHEAD)
            __builtin_prefetch(&places[indices[i + AHEAD]]);
        const uint64_t place = places[indices != NULL ? indices[i] : i];
        to_begins[i] = line_place_begin(place);
        to_sizes[i] = line_place_size(place);
    }
}

static bool reserve(line_gathering *gathering, size_t n)
{
    return array_reserve(&gathering->begins, n) && array_reserve(&gathering->sizes, n) &&
           array_reserve(&gathering->offsets, n);
}

/* Copies the lines. */
static bool gather(session *job, line_gathering *gathering, const line_store *lines,
                   const placing *work, array *out, failure *why)
{
    const size_t n = work->n;
    uint64_t total;
    if (n == 0)
        return true;
    if (!reserve(gathering, n))
        return session_out_of_memory(job, why);
    parallel_for(session_threads(job), (n - 1) / BLOCK_LINES + 1, place_block,
                 (void *)(uintptr_t)work);
    const uint64_t *const offsets = gathering->offsets.data, *const sizes = gathering->sizes.data;
    parscan_status called = parscan_allocate(job->context, PARSCAN_U64, sizes, n, PARSCAN_U64,
                                             gathering->offsets.data, &total, NULL);
    if (called == PARSCAN_OK && !array_reserve(out, out->n + (size_t)total))
        return session_out_of_memory(job, why);
    if (called == PARSCAN_OK)
        called = parscan_pack(job->context, lines->text.data, PARSCAN_U64, gathering->begins.data,
                              PARSCAN_U64, sizes, array_end(out), offsets, n);
    out->n += (size_t)total;
    return session_check_result(job, called, why) == STATUS_DONE;
}

bool lines_gather(session *job, line_gathering *gathering, const line_store *lines,
                  const uint64_t *indices, size_t n, array *out, failure *why)
{
    return gather(job, gathering, lines, &(placing){lines->places[0].data, indices, gathering, n},
                  out, why);
}

bool lines_gather_at(session *job, line_gathering *gathering, const line_store *lines,
                     const uint64_t *places, size_t n, array *out, failure *why)
{
    return gather(job, gathering, lines, &(placing){places, NULL, gathering, n}, out, why);
}

bool lines_add_head(const session *job, const line_store *lines, array *out, failure *why)
{
    if (lines->head == 0)
        return true;
    if (!array_reserve(out, out->n + lines->head))
        return session_out_of_memory(job, why);
    memcpy(array_end(out), lines->text.data, lines->head);
    out->n += lines->head;
    return true;
}

output_writer *lines_open_output(session *job, failure *why)
{
    output_request request = session_output_to(job, job->options->output, &job->no_progress);
    const file_format format = output_format(&request);
    if (format != FORMAT_TEXT) {
        fail(why, "the output is lines of text, which no %s file holds", file_format_name(format));
        fail_in(why, output_file_name(job->options->output));
        return NULL;
    }
    request.format = FORMAT_RAW;
    return output_open(&request, PARSCAN_U8, NULL, why);
}

bool lines_write(session *job, const array *bytes, failure *why)
{
    output_writer *const output = lines_open_output(job, why);
    const bool done = output != NULL && output_add(output, bytes, why) &&
                      output_complete(output, why) && output_commit(output, why);
    output_close(output);
    return done;
}
