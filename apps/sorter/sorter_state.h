/*
 * The contents of a sorter.
 *
 *     sorter.c           public functions, options, the plan of memory
 *     sorter_fill.c      elements pushed: buffers, runs, their spilling
 *     sorter_merge.c     runs merged: what can be merged now, levels, elements pulled
 *     sorter_threads.c   the threads that write runs and read them ahead
 *     spill_file.c       the files
 *
 * The caller's thread owns everything but what `lock` guards: the task of writing, the slots of read
 * blocks and the runs' lists of them, and the failure.
 */
#ifndef PARSCAN_APPS_SORTER_SORTER_STATE_H
#define PARSCAN_APPS_SORTER_SORTER_STATE_H

#include <pthread.h>

#include "apps/merge/merge_runs.h"
#include "apps/sorter/spill_file.h"
#include "parscan/sorter.h"

enum {
    SORTER_BLOCK_BYTES = 64 << 10, /* of elements; more is read at once where there is room */
    SORTER_MAX_READERS = 8,
    SORTER_WINDOW = 2 /* slots of a run that one merge may take elements of */
};

/* Elements in memory. */
typedef struct sorter_buffer {
    char *keys, *values; /* one allocation; values is after the keys */
    size_t n, capacity;
} sorter_buffer;

/* Consecutive elements of a run that have been read, or are being read. */
typedef struct sorter_slot {
    struct sorter_slot *next; /* the run's next one, or the next free one */
    char *keys, *values;
    size_t n, taken; /* the first `taken` elements have been merged */
} sorter_slot;

typedef struct sorter_run {
    size_t n;
    const sorter_buffer *memory; /* not NULL: the run has not been spilled */
    spill_folder *folder;
    uint64_t offset;
    unsigned level; /* how often its elements have been merged */
    /* While it is merged. A run in memory has a slot too, which has all of it from the start on. */
    size_t read;        /* elements that have been read, or are being read */
    uint64_t last_rank; /* of the last element that has been read */
    bool is_being_read;
    sorter_slot *first, *last;
    sorter_slot in_memory;
} sorter_run;

/* Elements of a slot that are merged at once. */
typedef struct sorter_piece {
    sorter_run *run;
    sorter_slot *slot;
} sorter_piece;

/* What the writing thread is to do: n elements, which start a block at `offset`. */
typedef struct sorter_task {
    spill_folder *folder;
    uint64_t offset;
    const sorter_buffer *buffer;
    bool is_open; /* set with the task; cleared when it is done */
    bool is_taken;
} sorter_task;

struct parscan_sorter {
    parscan_context *context; /* the caller's */
    parscan_allocator allocator;
    parscan_context *own; /* threads and scratch of sorts and merges */
    parscan_type key_type;
    key_order order;
    const merge_kernels *kernels;
    spill_shape shape;
    bool descending, argsort;
    parscan_status status; /* the error that every call returns; OK: none so far */
    char words[256];

    /* The plan of memory. */
    size_t array_bytes;  /* of the limit, for elements and for what goes through all threads */
    size_t run_elements; /* the most of a run */
    size_t least_blocks; /* of a read, unless a run is shorter */

    spill_folder *folders; /* one allocation with their names */
    unsigned folder_count, next_folder;

    sorter_buffer buffers[2];
    unsigned filling; /* the buffer that is filled */
    bool is_pulled;   /* there has been a pull */
    sorter_run *runs; /* in the order of their elements in the input */
    size_t run_count, run_room;
    uint64_t elements, runs_made, levels, bytes_spilled;

    /* A merge: the runs first_run to end_run - 1. */
    size_t first_run, end_run;
    void *pool; /* one allocation, with all that follows */
    sorter_slot *slots;
    sorter_piece *pieces;
    merge_run *piece_runs; /* of each piece */
    size_t *taken;
    char *merge_memory;
    size_t slot_elements, slot_count, piece_room;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* whatever `lock` guards */
    pthread_t threads[SORTER_MAX_READERS + 1];
    unsigned thread_count;
    bool is_locking; /* lock and changed exist */
    bool is_leaving;
    sorter_task task;
    sorter_slot *free_slots;
    size_t unmerged; /* elements that have been read and not merged */
    bool is_reading; /* runs of the merge may be read */
    spill_failure failure;
};

static inline size_t parscan_sorter_element_bytes(const parscan_sorter *s)
{
    return s->shape.key_size + s->shape.value_size;
}

/* Keeps an error, whose message the context gets, for all later calls; returns it. */
parscan_status parscan_sorter_fail(parscan_sorter *s, parscan_status status, const char *words);

/* ---- sorter_fill.c ---- */

/* Room for n elements, empty. */
parscan_status parscan_sorter_buffer_create(parscan_sorter *s, sorter_buffer *buffer, size_t n);
void parscan_sorter_buffer_release(parscan_sorter *s, sorter_buffer *buffer);

parscan_status parscan_sorter_fill(parscan_sorter *s, const char *keys, const char *values,
                                   size_t n);

/* Sorts what was pushed last. Buffers whose runs are in files are released. */
parscan_status parscan_sorter_end_filling(parscan_sorter *s);

/* Writes the last run too, and releases its buffer. */
parscan_status parscan_sorter_spill_last(parscan_sorter *s);

/* Takes a place in a file for a run of n elements. */
parscan_status parscan_sorter_place_run(parscan_sorter *s, sorter_run *run, size_t n);

/* ---- sorter_threads.c ---- */

/* Begins to write a sorted buffer, at a place in a file. The one before must be finished. */
void parscan_sorter_write(parscan_sorter *s, spill_folder *folder, uint64_t offset,
                          const sorter_buffer *buffer);

/* Waits until nothing is written. Errors: IO. */
parscan_status parscan_sorter_finish_writing(parscan_sorter *s);

/* With the lock held: waits for a change, or does some work if there are no threads. */
void parscan_sorter_await(parscan_sorter *s);

/* With the lock held: whether a thread reads or may read now. */
bool parscan_sorter_is_reading(parscan_sorter *s);

void parscan_sorter_end_threads(parscan_sorter *s);

/* ---- sorter_merge.c ---- */

/* Merges groups of runs until all that are left can be merged at once, and starts that merge. */
parscan_status parscan_sorter_begin_merge(parscan_sorter *s);

/* The next elements; keys may be NULL. Fewer than capacity only at the end. */
parscan_status parscan_sorter_merge(parscan_sorter *s, char *keys, char *values, size_t capacity,
                                    size_t *got);

void parscan_sorter_end_merge(parscan_sorter *s);

#endif
