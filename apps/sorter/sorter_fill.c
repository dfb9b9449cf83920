/*
 * Elements pushed become runs.
 *
 * There are two buffers. The first one grows up to the length of a run. When both are full and more
 * elements come, the older run is written to a file while the newer one is sorted; from then on each run
 * is written while the next one is gathered. So up to two buffers of elements are never written, and
 * the last run is merged from memory.
 */
#include <string.h>

#include "apps/sorter/sorter_state.h"
#include "parscan/sort.h"
#include "scan/context/size_math.h"

enum { FIRST_BUFFER_BYTES = 256 << 10, GROWTH = 4 };

parscan_status parscan_sorter_buffer_create(parscan_sorter *s, sorter_buffer *buffer, size_t n)
{
    const size_t keys = whole_lines(n * s->shape.key_size);
    char *const memory = parscan_host_allocate(&s->allocator, keys + n * s->shape.value_size);
    if (memory == NULL)
        return parscan_sorter_fail(s, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a run");
    *buffer = (sorter_buffer){
        .keys = memory, .values = s->shape.value_size > 0 ? memory + keys : NULL, .capacity = n};
    return PARSCAN_OK;
}

void parscan_sorter_buffer_release(parscan_sorter *s, sorter_buffer *buffer)
{
    parscan_host_release(&s->allocator, buffer->keys);
    *buffer = (sorter_buffer){0};
}

/* Adds n elements, for which there is room. */
static void append(parscan_sorter *s, sorter_buffer *buffer, const char *keys, const char *values,
                   size_t n)
{
    const size_t key_size = s->shape.key_size, value_size = s->shape.value_size;
    memcpy(buffer->keys + buffer->n * key_size, keys, n * key_size);
    if (s->argsort)
        for (size_t i = 0; i < n; i++) {
            const uint64_t index = s->elements + i;
            memcpy(buffer->values + (buffer->n + i) * sizeof index, &index, sizeof index);
        }
    else if (value_size > 0)
        memcpy(buffer->values + buffer->n * value_size, values, n * value_size);
    buffer->n += n;
    s->elements += n;
}

/* Makes the buffer larger, for `more` elements if a run may have so many. */
static parscan_status grow_buffer(parscan_sorter *s, sorter_buffer *buffer, size_t more)
{
    const size_t first = FIRST_BUFFER_BYTES / parscan_sorter_element_bytes(s);
    const size_t left = s->run_elements - buffer->n;
    const size_t wanted = size_max(GROWTH * buffer->capacity, buffer->n + size_min(more, left));
    sorter_buffer larger;
    const parscan_status status = parscan_sorter_buffer_create(
        s, &larger, size_min(size_max(wanted, first), s->run_elements));
    if (status != PARSCAN_OK)
        return status;
    if (buffer->n > 0) {
        memcpy(larger.keys, buffer->keys, buffer->n * s->shape.key_size);
        if (s->shape.value_size > 0)
            memcpy(larger.values, buffer->values, buffer->n * s->shape.value_size);
    }
    larger.n = buffer->n;
    parscan_sorter_buffer_release(s, buffer);
    *buffer = larger;
    return PARSCAN_OK;
}

/* The buffer's elements are in order afterwards, and a run. */
static parscan_status sort_buffer(parscan_sorter *s, const sorter_buffer *buffer)
{
    /* On a CUDA context the device sorts. */
    parscan_context *const by = s->context->backend == PARSCAN_BACKEND_CPU ? s->own : s->context;
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.descending = s->descending);
    if (s->run_count == s->run_room) {
        const size_t room = 2 * s->run_room + 8;
        sorter_run *const runs = parscan_host_allocate(&s->allocator, room * sizeof *runs);
        if (runs == NULL)
            return parscan_sorter_fail(s, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for runs");
        if (s->run_count > 0)
            memcpy(runs, s->runs, s->run_count * sizeof *runs);
        parscan_host_release(&s->allocator, s->runs);
        s->runs = runs;
        s->run_room = room;
    }
    const parscan_status status =
        s->shape.value_size == 0
            ? parscan_sort_keys(by, s->key_type, buffer->keys, buffer->keys, buffer->n, &options)
            : parscan_sort_pairs(by, s->key_type, buffer->keys, buffer->keys, s->shape.value_size,
                                 buffer->values, buffer->values, buffer->n, &options);
    if (status != PARSCAN_OK)
        return parscan_sorter_fail(s, status, parscan_context_error(by));
    s->runs[s->run_count++] = (sorter_run){.n = buffer->n, .memory = buffer};
    s->runs_made++;
    return PARSCAN_OK;
}

parscan_status parscan_sorter_place_run(parscan_sorter *s, sorter_run *run, size_t n)
{
    spill_folder *const folder = &s->folders[s->next_folder];
    spill_failure failure;
    s->next_folder = (s->next_folder + 1) % s->folder_count;
    if (!parscan_spill_open(folder, &failure))
        return parscan_sorter_fail(s, failure.status, failure.words);
    run->n = n;
    run->folder = folder;
    run->offset = folder->end;
    folder->end += parscan_spill_bytes(&s->shape, n);
    return PARSCAN_OK;
}

/* Begins to write the run that is in a buffer. Whatever was being written is finished first. */
static parscan_status spill(parscan_sorter *s, sorter_run *run)
{
    const sorter_buffer *const buffer = run->memory;
    parscan_status status = parscan_sorter_finish_writing(s);
    if (status == PARSCAN_OK)
        status = parscan_sorter_place_run(s, run, run->n);
    if (status != PARSCAN_OK)
        return status;
    run->memory = NULL;
    parscan_sorter_write(s, run->folder, run->offset, buffer);
    return PARSCAN_OK;
}

static sorter_run *last_run(parscan_sorter *s)
{
    return &s->runs[s->run_count - 1];
}

/* The filling buffer is full: makes a run of it, and the other buffer empty. */
static parscan_status change_buffers(parscan_sorter *s)
{
    sorter_buffer *const full = &s->buffers[s->filling], *const other = &s->buffers[!s->filling];
    const bool is_first = other->keys == NULL;
    parscan_status status = PARSCAN_OK;
    if (!is_first && last_run(s)->memory != NULL)
        status = spill(s, last_run(s));
    if (status == PARSCAN_OK)
        status = sort_buffer(s, full);
    if (status == PARSCAN_OK && is_first)
        status = parscan_sorter_buffer_create(s, other, s->run_elements);
    else if (status == PARSCAN_OK)
        status = spill(s, last_run(s));
    if (status != PARSCAN_OK)
        return status;
    other->n = 0;
    s->filling = !s->filling;
    return PARSCAN_OK;
}

parscan_status parscan_sorter_fill(parscan_sorter *s, const char *keys, const char *values,
                                   size_t n)
{
    while (n > 0) {
        parscan_status status = PARSCAN_OK;
        if (s->buffers[s->filling].n == s->run_elements)
            status = change_buffers(s);
        sorter_buffer *const buffer = &s->buffers[s->filling];
        if (status == PARSCAN_OK && buffer->n == buffer->capacity)
            status = grow_buffer(s, buffer, n);
        if (status != PARSCAN_OK)
            return status;
        const size_t more = size_min(n, buffer->capacity - buffer->n);
        append(s, buffer, keys, values, more);
        keys += more * s->shape.key_size;
        if (values != NULL)
            values += more * s->shape.value_size;
        n -= more;
    }
    return PARSCAN_OK;
}

parscan_status parscan_sorter_end_filling(parscan_sorter *s)
{
    parscan_status status = parscan_sorter_finish_writing(s);
    if (status == PARSCAN_OK && s->buffers[s->filling].n > 0)
        status = sort_buffer(s, &s->buffers[s->filling]);
    if (status != PARSCAN_OK)
        return status;
    sorter_buffer *const other = &s->buffers[!s->filling];
    if (s->run_count >= 2 && s->runs[s->run_count - 2].memory == NULL)
        parscan_sorter_buffer_release(s, other);
    return PARSCAN_OK;
}

parscan_status parscan_sorter_spill_last(parscan_sorter *s)
{
    parscan_status status = spill(s, last_run(s));
    if (status == PARSCAN_OK)
        status = parscan_sorter_finish_writing(s);
    if (status == PARSCAN_OK)
        parscan_sorter_buffer_release(s, &s->buffers[s->filling]);
    return status;
}
