#define _POSIX_C_SOURCE 200809L /* pthread_sigmask */
/*
 * The threads that move runs between memory and files.
 *
 * There is one a folder, plus one. Each takes the task of writing, if there is one, else reads what will
 * be needed first: of the runs that are merged, the one whose last element in memory comes before those
 * of the others will be the first without elements (forecasting, Knuth, vol. 3, 5.4.9). That run gets
 * the next free slot, so all slots go to the runs that need them, whatever the keys are.
 *
 * A merge never stops for want of a slot: what is merged up to the last element of that run empties all
 * of its slots, and one of them, when it is free, is its own again.
 */
#include <signal.h>

#include "apps/merge/merge_kernels.h"
#include "apps/sorter/sorter_state.h"

enum { THREAD_STACK_BYTES = 256 << 10 };

/* Does a part of the work without the lock. */
static void unlocked(parscan_sorter *s,
                     bool (*move)(const spill_shape *, const spill_blocks *, spill_failure *),
                     const spill_blocks *blocks)
{
    spill_failure failure = {.status = PARSCAN_OK};
    pthread_mutex_unlock(&s->lock);
    const bool moved = move(&s->shape, blocks, &failure);
    if (moved && move == parscan_spill_read)
        parscan_spill_forget(&s->shape, blocks);
    pthread_mutex_lock(&s->lock);
    if (!moved && s->failure.status == PARSCAN_OK)
        s->failure = failure;
}

static bool goes_on(const parscan_sorter *s)
{
    return !s->is_leaving && s->failure.status == PARSCAN_OK;
}

static void write_task(parscan_sorter *s)
{
    const sorter_buffer buffer = *s->task.buffer;
    const size_t at_once = SPILL_BLOCKS * s->shape.block_elements;
    spill_blocks blocks = {.folder = s->task.folder, .offset = s->task.offset};
    s->task.is_taken = true;
    for (size_t begin = 0; begin < buffer.n && goes_on(s); begin += at_once) {
        blocks.n = buffer.n - begin < at_once ? buffer.n - begin : at_once;
        blocks.keys = buffer.keys + begin * s->shape.key_size;
        if (s->shape.value_size > 0)
            blocks.values = buffer.values + begin * s->shape.value_size;
        unlocked(s, parscan_spill_write, &blocks);
        blocks.offset += parscan_spill_bytes(&s->shape, blocks.n);
    }
    s->task.is_open = s->task.is_taken = false;
}

/* The run to read next; NULL if there is none. */
static sorter_run *run_to_read(parscan_sorter *s)
{
    sorter_run *found = NULL;
    if (!s->is_reading || s->free_slots == NULL)
        return NULL;
    for (size_t k = s->first_run; k < s->end_run; k++) {
        sorter_run *const run = &s->runs[k];
        if (run->read == run->n || run->is_being_read)
            continue;
        if (run->read == 0)
            return run;
        if (found == NULL || run->last_rank < found->last_rank)
            found = run;
    }
    return found;
}

static void read_slot(parscan_sorter *s, sorter_run *run)
{
    sorter_slot *const slot = s->free_slots;
    s->free_slots = slot->next;
    slot->n = run->n - run->read < s->slot_elements ? run->n - run->read : s->slot_elements;
    slot->taken = 0;
    slot->next = NULL;
    const spill_blocks blocks = {.folder = run->folder,
                                 .offset = run->offset + parscan_spill_bytes(&s->shape, run->read),
                                 .keys = slot->keys,
                                 .values = slot->values,
                                 .n = slot->n};
    run->is_being_read = true;
    unlocked(s, parscan_spill_read, &blocks);
    run->is_being_read = false;
    if (s->failure.status != PARSCAN_OK)
        return;
    run->read += slot->n;
    run->last_rank = s->kernels->rank(&s->order, slot->keys, slot->n - 1);
    if (run->last != NULL)
        run->last->next = slot;
    else
        run->first = slot;
    run->last = slot;
    s->unmerged += slot->n;
}

/* Returns false if there is nothing to do. */
static bool work(parscan_sorter *s)
{
    if (!goes_on(s))
        return false;
    if (s->task.is_open && !s->task.is_taken) {
        write_task(s);
        return true;
    }
    sorter_run *const run = run_to_read(s);
    if (run != NULL)
        read_slot(s, run);
    return run != NULL;
}

static void *be_thread(void *argument)
{
    parscan_sorter *const s = argument;
    pthread_mutex_lock(&s->lock);
    while (!s->is_leaving) {
        if (work(s))
            pthread_cond_broadcast(&s->changed);
        else
            pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Starts as many threads as the system gives. The caller's thread does their work if that is none. */
static void start_threads(parscan_sorter *s)
{
    const unsigned readers =
        s->folder_count < SORTER_MAX_READERS ? s->folder_count : SORTER_MAX_READERS;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (s->thread_count > 0 || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
    /* A new thread inherits the mask of signals: the program's handlers run on its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (s->thread_count < readers + 1 &&
           pthread_create(&s->threads[s->thread_count], &attributes, be_thread, s) == 0)
        s->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void parscan_sorter_write(parscan_sorter *s, spill_folder *folder, uint64_t offset,
                          const sorter_buffer *buffer)
{
    start_threads(s);
    s->bytes_spilled += parscan_spill_bytes(&s->shape, buffer->n);
    pthread_mutex_lock(&s->lock);
    s->task = (sorter_task){folder, offset, buffer, true, false};
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void parscan_sorter_await(parscan_sorter *s)
{
    if (s->thread_count > 0)
        pthread_cond_wait(&s->changed, &s->lock);
    else
        work(s);
}

parscan_status parscan_sorter_finish_writing(parscan_sorter *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->task.is_open && s->failure.status == PARSCAN_OK)
        parscan_sorter_await(s);
    const spill_failure failure = s->failure;
    pthread_mutex_unlock(&s->lock);
    return failure.status == PARSCAN_OK ? PARSCAN_OK
                                        : parscan_sorter_fail(s, failure.status, failure.words);
}

bool parscan_sorter_is_reading(parscan_sorter *s)
{
    if (run_to_read(s) != NULL)
        return true;
    for (size_t k = s->first_run; k < s->end_run; k++)
        if (s->runs[k].is_being_read)
            return true;
    return false;
}

void parscan_sorter_end_threads(parscan_sorter *s)
{
    if (s->thread_count > 0) {
        pthread_mutex_lock(&s->lock);
        s->is_leaving = true;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    for (unsigned k = 0; k < s->thread_count; k++)
        pthread_join(s->threads[k], NULL);
    s->thread_count = 0;
}
