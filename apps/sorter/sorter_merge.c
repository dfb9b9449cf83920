/*
 * Runs become one sequence.
 *
 * Elements of the runs are in memory in slots. Of all runs that have more elements after those that
 * are looked at, one has the first last key: everything up to there can be merged, since no element that
 * is still to come is before it. What is merged then is cut at an exact rank, if the caller has less
 * room.
 */
#include <string.h>

#include "apps/merge/merge_kernels.h"
#include "apps/sorter/sorter_state.h"
#include "scan/context/size_math.h"

enum {
    READ_SHARE = 4,   /* a slot is 1/READ_SHARE of the pool's share of a run, if that is enough */
    OUTPUT_SHARE = 16 /* of the pool, for each of the two outputs of a merge to a longer run */
};

static size_t slot_bytes(const parscan_sorter *s, size_t elements)
{
    return whole_lines(elements * s->shape.key_size) + whole_lines(elements * s->shape.value_size);
}

/* What a merge of so many pieces needs beside slots. */
static size_t merge_bytes(const parscan_sorter *s, size_t pieces)
{
    return whole_lines(parscan_merge_memory(s->own->threads, pieces)) +
           whole_lines(pieces * (sizeof(sorter_piece) + sizeof(merge_run) + sizeof(size_t)));
}

/* Of the plan, what is left for slots beside the buffers of runs, `reserved` bytes, and a merge of
   `runs` runs. */
static size_t pool_bytes(const parscan_sorter *s, size_t runs, size_t reserved)
{
    const size_t held = reserved + merge_bytes(s, SORTER_WINDOW * runs) +
                        slot_bytes(s, s->buffers[0].capacity) +
                        slot_bytes(s, s->buffers[1].capacity);
    return held < s->array_bytes ? s->array_bytes - held : 0;
}

/* Slots of the least size that there is room for. */
static size_t most_slots(const parscan_sorter *s, size_t runs, size_t reserved)
{
    const size_t least = s->least_blocks * s->shape.block_elements;
    return pool_bytes(s, runs, reserved) / (slot_bytes(s, least) + sizeof(sorter_slot));
}

/* How many runs can be merged at once: a quarter of the slots reads ahead. */
static size_t fan_in(const parscan_sorter *s, size_t reserved)
{
    size_t runs = s->end_run - s->first_run;
    while (runs > 2 && most_slots(s, runs, reserved) / 4 * 3 < runs)
        runs -= runs / 16 + 1;
    return runs;
}

static size_t output_bytes(const parscan_sorter *s)
{
    const size_t blocks = s->array_bytes / OUTPUT_SHARE / SORTER_BLOCK_BYTES;
    return slot_bytes(s, size_max(blocks, 1) * s->shape.block_elements);
}

static bool is_spilled(const sorter_run *run)
{
    return run->memory == NULL;
}

static size_t slots_for(const parscan_sorter *s, size_t elements)
{
    size_t slots = 0;
    for (size_t k = s->first_run; k < s->end_run; k++)
        if (is_spilled(&s->runs[k]))
            slots += (s->runs[k].n - 1) / elements + 1;
    return slots;
}

/* Chooses the size of the slots and their number: as large as leaves each run several of them. */
static void plan_slots(parscan_sorter *s, size_t reserved)
{
    const size_t runs = s->end_run - s->first_run, room = pool_bytes(s, runs, reserved);
    const size_t share = room / (READ_SHARE * runs) / SORTER_BLOCK_BYTES;
    const size_t blocks = size_min(size_max(share, s->least_blocks), SPILL_BLOCKS);
    s->slot_elements = blocks * s->shape.block_elements;
    const size_t bytes = slot_bytes(s, s->slot_elements) + sizeof(sorter_slot);
    s->slot_count = size_min(size_max(room / bytes, runs + 1), slots_for(s, s->slot_elements));
}

static parscan_status allocate_pool(parscan_sorter *s)
{
    const size_t runs = s->end_run - s->first_run;
    const size_t of_slot = slot_bytes(s, s->slot_elements);
    s->piece_room = SORTER_WINDOW * runs;
    char *memory =
        parscan_host_allocate(&s->allocator, s->slot_count * (of_slot + sizeof(sorter_slot)) +
                                                 merge_bytes(s, s->piece_room));
    if (memory == NULL)
        return parscan_sorter_fail(s, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a merge of runs");
    s->pool = s->merge_memory = memory;
    memory += whole_lines(parscan_merge_memory(s->own->threads, s->piece_room));
    s->slots = (sorter_slot *)(memory + s->slot_count * of_slot);
    s->free_slots = NULL;
    for (size_t k = 0; k < s->slot_count; k++, memory += of_slot) {
        char *const values = memory + whole_lines(s->slot_elements * s->shape.key_size);
        s->slots[k] = (sorter_slot){.next = s->free_slots,
                                    .keys = memory,
                                    .values = s->shape.value_size > 0 ? values : NULL};
        s->free_slots = &s->slots[k];
    }
    s->pieces = (sorter_piece *)(s->slots + s->slot_count);
    s->piece_runs = (merge_run *)(s->pieces + s->piece_room);
    s->taken = (size_t *)(s->piece_runs + s->piece_room);
    return PARSCAN_OK;
}

/* Begins the merge of the runs first to end - 1. Beside it `reserved` bytes are in use. */
static parscan_status begin_merge(parscan_sorter *s, size_t first, size_t end, size_t reserved)
{
    s->first_run = first;
    s->end_run = end;
    s->unmerged = 0;
    plan_slots(s, reserved);
    const parscan_status status = allocate_pool(s);
    if (status != PARSCAN_OK)
        return status;
    pthread_mutex_lock(&s->lock);
    for (size_t k = first; k < end; k++) {
        sorter_run *const run = &s->runs[k];
        run->read = 0;
        run->first = run->last = NULL;
        if (is_spilled(run))
            continue;
        run->in_memory =
            (sorter_slot){.keys = run->memory->keys, .values = run->memory->values, .n = run->n};
        run->read = run->n;
        run->first = run->last = &run->in_memory;
        s->unmerged += run->n;
    }
    s->is_reading = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return PARSCAN_OK;
}

void parscan_sorter_end_merge(parscan_sorter *s)
{
    if (s->pool == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    s->is_reading = false;
    pthread_mutex_unlock(&s->lock);
    parscan_host_release(&s->allocator, s->pool);
    s->pool = NULL;
}

/* With the lock held: waits until each run has an element, or none left, and there is enough to merge
   for all threads, or no more can be read. Returns false after a failure. */
static bool wait_for_elements(parscan_sorter *s, size_t capacity)
{
    const size_t wanted = size_min(capacity, s->slot_count / 2 * s->slot_elements);
    for (;;) {
        bool all = true;
        for (size_t k = s->first_run; k < s->end_run && all; k++)
            all = s->runs[k].first != NULL || s->runs[k].read == s->runs[k].n;
        if (s->failure.status != PARSCAN_OK)
            return false;
        if (all && (s->unmerged >= wanted || !parscan_sorter_is_reading(s)))
            return true;
        parscan_sorter_await(s);
    }
}

/* The elements that are looked at: of each run those of its first slots. Returns the number of pieces;
   *limit is the piece with whose last element the merge has to end, or that number if all can be
   merged. */
static size_t find_pieces(parscan_sorter *s, size_t *limit)
{
    size_t count = 0;
    uint64_t least = 0;
    *limit = SIZE_MAX;
    for (size_t k = s->first_run; k < s->end_run; k++) {
        sorter_run *const run = &s->runs[k];
        sorter_slot *slot = run->first;
        for (unsigned i = 0; i < SORTER_WINDOW && slot != NULL; i++, slot = slot->next, count++) {
            s->pieces[count] = (sorter_piece){run, slot};
            s->piece_runs[count] = (merge_run){
                .keys = slot->keys + slot->taken * s->shape.key_size,
                .values =
                    slot->values != NULL ? slot->values + slot->taken * s->shape.value_size : NULL,
                .n = slot->n - slot->taken,
                .goes_on = i > 0};
        }
        if (slot == NULL && run->read == run->n)
            continue;
        const merge_run *const last = &s->piece_runs[count - 1];
        const uint64_t rank = s->kernels->rank(&s->order, last->keys, last->n - 1);
        if (*limit == SIZE_MAX || rank < least) {
            *limit = count - 1;
            least = rank;
        }
    }
    return count;
}

/* With the lock held: the elements that were merged leave their slots. */
static void take_pieces(parscan_sorter *s, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        sorter_run *const run = s->pieces[k].run;
        sorter_slot *const slot = s->pieces[k].slot;
        slot->taken += s->taken[k];
        s->unmerged -= s->taken[k];
        if (slot->taken < slot->n)
            continue;
        run->first = slot->next;
        if (run->first == NULL)
            run->last = NULL;
        if (slot != &run->in_memory) {
            slot->next = s->free_slots;
            s->free_slots = slot;
        }
    }
    pthread_cond_broadcast(&s->changed);
}

/* Merges what can be merged now, up to `capacity` elements. Returns their number, 0 at the end. */
static size_t merge_pieces(parscan_sorter *s, char *keys, char *values, size_t capacity)
{
    merge_call call = {.context = s->own,
                       .threads = s->own->threads,
                       .kernels = s->kernels,
                       .order = s->order,
                       .key_size = s->shape.key_size,
                       .value_size = s->shape.value_size,
                       .runs = s->piece_runs,
                       .keys_out = keys,
                       .values_out = values,
                       .taken = s->taken,
                       .memory = s->merge_memory};
    size_t limit, ready = 0;
    call.count = find_pieces(s, &limit);
    pthread_mutex_unlock(&s->lock);
    const size_t last = limit == SIZE_MAX ? 0 : s->piece_runs[limit].n - 1;
    for (size_t k = 0; k < call.count; k++) {
        if (limit != SIZE_MAX && k != limit)
            s->piece_runs[k].n = parscan_merge_below(&call, k, limit, last);
        ready += s->piece_runs[k].n;
    }
    call.n = size_min(ready, capacity);
    parscan_merge_runs(&call);
    pthread_mutex_lock(&s->lock);
    take_pieces(s, call.count);
    return call.n;
}

parscan_status parscan_sorter_merge(parscan_sorter *s, char *keys, char *values, size_t capacity,
                                    size_t *got)
{
    *got = 0;
    pthread_mutex_lock(&s->lock);
    bool goes_on = true;
    while (goes_on && *got < capacity && wait_for_elements(s, capacity - *got)) {
        const size_t n = merge_pieces(s, keys, values, capacity - *got);
        *got += n;
        if (keys != NULL)
            keys += n * s->shape.key_size;
        if (values != NULL)
            values += n * s->shape.value_size;
        goes_on = n > 0;
    }
    const spill_failure failure = s->failure;
    pthread_mutex_unlock(&s->lock);
    if (failure.status == PARSCAN_OK)
        return PARSCAN_OK;
    *got = 0;
    return parscan_sorter_fail(s, failure.status, failure.words);
}

/* Merges the runs first to end - 1 into `merged`, through two buffers: one is written while the other
   is filled. */
static parscan_status merge_to_run(parscan_sorter *s, sorter_run *merged, sorter_buffer outputs[2])
{
    uint64_t offset = merged->offset;
    parscan_status status = PARSCAN_OK;
    for (unsigned turn = 0; status == PARSCAN_OK; turn = !turn) {
        sorter_buffer *const out = &outputs[turn];
        status = parscan_sorter_merge(s, out->keys, out->values, out->capacity, &out->n);
        const parscan_status written = parscan_sorter_finish_writing(s);
        status = status == PARSCAN_OK ? written : status;
        if (status != PARSCAN_OK || out->n == 0)
            break;
        parscan_sorter_write(s, merged->folder, offset, out);
        offset += parscan_spill_bytes(&s->shape, out->n);
    }
    return status;
}

/* Replaces the runs first to end - 1 by one. */
static parscan_status merge_group(parscan_sorter *s, size_t first, size_t end,
                                  sorter_buffer outputs[2])
{
    sorter_run merged = {.level = 0};
    size_t n = 0;
    for (size_t k = first; k < end; k++) {
        n += s->runs[k].n;
        merged.level = s->runs[k].level > merged.level ? s->runs[k].level : merged.level;
    }
    merged.level++;
    parscan_status status = parscan_sorter_place_run(s, &merged, n);
    if (status == PARSCAN_OK)
        status = begin_merge(s, first, end, 2 * output_bytes(s));
    if (status == PARSCAN_OK)
        status = merge_to_run(s, &merged, outputs);
    if (status != PARSCAN_OK)
        return status; /* threads may be reading: the pool is released when they have ended */
    parscan_sorter_end_merge(s);
    s->runs[first] = merged;
    memmove(s->runs + first + 1, s->runs + end, (s->run_count - end) * sizeof *s->runs);
    s->run_count -= end - first - 1;
    return PARSCAN_OK;
}

/* Merges neighbours, from the first runs on, until `most` runs are left. No more runs are merged than
   that takes. */
static parscan_status merge_levels(parscan_sorter *s, size_t most)
{
    const size_t elements =
        output_bytes(s) / slot_bytes(s, s->shape.block_elements) * s->shape.block_elements;
    sorter_buffer outputs[2] = {{0}};
    parscan_status status = parscan_sorter_buffer_create(s, &outputs[0], elements);
    if (status == PARSCAN_OK)
        status = parscan_sorter_buffer_create(s, &outputs[1], elements);
    for (size_t first = 0; status == PARSCAN_OK && s->run_count > most; first++) {
        if (first + 1 >= s->run_count)
            first = 0;
        const size_t group = size_min(most, s->run_count - most + 1);
        status = merge_group(s, first, size_min(first + group, s->run_count), outputs);
    }
    if (status != PARSCAN_OK)
        parscan_sorter_end_threads(s); /* they may be writing what is released now */
    parscan_sorter_buffer_release(s, &outputs[0]);
    parscan_sorter_buffer_release(s, &outputs[1]);
    return status;
}

parscan_status parscan_sorter_begin_merge(parscan_sorter *s)
{
    parscan_release_scratch(s->own);
    s->first_run = 0;
    s->end_run = s->run_count;
    if (s->run_count > 2 && fan_in(s, 0) < s->run_count) {
        parscan_status status = parscan_sorter_spill_last(s);
        if (status == PARSCAN_OK)
            status = merge_levels(s, fan_in(s, 2 * output_bytes(s)));
        if (status != PARSCAN_OK)
            return status;
    }
    for (size_t k = 0; k < s->run_count; k++)
        s->levels = s->runs[k].level > s->levels ? s->runs[k].level : s->levels;
    s->levels += s->run_count > 1;
    return s->run_count > 0 ? begin_merge(s, 0, s->run_count, 0) : PARSCAN_OK;
}
