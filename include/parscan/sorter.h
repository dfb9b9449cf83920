/*
 * parscan/sorter.h: sorts more elements than memory holds.
 *
 *     parscan_sorter *sorter;
 *     parscan_sorter_create(&sorter, context,
 *                           &PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U64, .memory_limit = 1 << 30));
 *     while (... more keys ...)
 *         parscan_sorter_push(sorter, keys, NULL, n);
 *     do
 *         parscan_sorter_pull(sorter, keys, NULL, capacity, &got);       the next keys in order
 *     while (got > 0);
 *     parscan_sorter_destroy(sorter);
 *
 * The order is that of parscan/sort.h: stable, ascending or descending, floats in their total order;
 * the result is that of parscan_sort_keys(), parscan_sort_pairs() or parscan_argsort() on all
 * elements, to the bit, with every number of threads.
 *
 * Elements are gathered in a buffer. A full buffer is sorted, which makes a run, and written to a file
 * by a thread of its own while the next buffer is filled. Pulls merge the runs: the last one is in
 * memory, and threads read the others ahead. If there are more runs than the limit has room to read at
 * once, groups of runs are merged to longer runs before; each such round is a level. What fits two
 * buffers, which is about half of the limit, is never written to a file.
 *
 * Memory       A sorter's memory comes from the allocator of its context; where that is malloc(), blocks
 *              of 1 MiB or more are pages of the system, which go back when they are freed. It is at
 *              most memory_limit, the scratch of the sorts included. With the stacks and tables of
 *              its threads, its anonymous memory is at most memory_limit + 4 MiB, with 1 to 64
 *              threads; from 10000 runs on also 200 bytes a run. Each thread needs 2 MiB of scratch, so
 *              a sorter uses at most one thread for every 6.4 MiB of its limit. Memory grows as
 *              elements come: few elements take little.
 * Files        One file in each folder. It has no name (O_TMPFILE), or, where the file system has no
 *              such files, is removed as soon as it is created. So nothing stays in a folder, however
 *              the process ends; a process that is killed between the two leaves an empty file, which
 *              the next sorter with that folder removes. Space that has been read is given back where
 *              the file system can. The file is not encrypted. Every 64 KiB of a run has a checksum,
 *              which is tested when it is read.
 * Threads      Those of a context of its own, which it makes with the SIMD instructions of the given
 *              one, and one a folder, plus one, to write and read files. They block all signals. With a
 *              CUDA context runs are sorted on the device, in host arrays, and merged on the CPU.
 *              A sorter is not for a child of fork().
 * Errors       Their messages are in the context, parscan_context_error(); those of files name the folder
 *              and the system's reason. After INVALID_ARGUMENT and UNSUPPORTED the sorter is as
 *              before. After another error every later call returns the same error; then only
 *              parscan_sorter_destroy() is of use. Inputs are never written.
 *
 * One thread at a time uses a sorter and its context. The context must live longer.
 *
 * Source: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.4.1 (multiway merging) and 5.4.9
 * (which block is read next: forecasting); O. Green, S. Odeh, Y. Birk, Merge Path, 2014.
 */
#ifndef PARSCAN_SORTER_H
#define PARSCAN_SORTER_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parscan_sorter parscan_sorter;

/* Options of parscan_sorter_create(). Make one with PARSCAN_SORTER_OPTIONS(...). */
typedef struct parscan_sorter_options {
    size_t struct_size; /* sizeof(parscan_sorter_options), see parscan/options.h */

    /* The type of the keys; it has no default. */
    parscan_type key_type;

    /* Non-zero: the largest key first. */
    int descending;

    /* Non-zero: the values are the indices of the elements, u64, in the order in which they were pushed.
       value_size is then 0 or 8, and no values are pushed. */
    int argsort;

    /* The number of folders. 0: one, "/tmp". */
    unsigned folder_count;

    /* The folders for files, used in turn; on several disks they are written and read at once.
       The names are copied. A folder is used only when something is spilled. */
    const char *const *folders;

    /* Bytes of a value, at most 64; values are moved whole and not interpreted. 0: keys alone. Not
       a parscan_type: PARSCAN_U32 would be 5 bytes. */
    size_t value_size;

    /* The most bytes of memory, at least 16 MiB. 0: 256 MiB. */
    size_t memory_limit;

    /* The most elements of a run. 0: as many as memory_limit has room for. Shorter runs make more work;
       they are for tests. */
    size_t run_limit;
} parscan_sorter_options;

/* A parscan_sorter_options with struct_size set: PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_F32). */
#define PARSCAN_SORTER_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_sorter_options, __VA_ARGS__)

/*
 * Creates a sorter.
 *   sorter    receives the new sorter, or NULL if the call fails
 *   context   whose allocator, threads and SIMD instructions the sorter takes over
 *   options   not NULL, since key_type has no default
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, a newer struct; OUT_OF_MEMORY.
 */
PARSCAN_API parscan_status parscan_sorter_create(parscan_sorter **sorter, parscan_context *context,
                                                 const parscan_sorter_options *options);

/*
 * Adds n elements after those that have been pushed before.
 *   keys     n keys in host memory, of any alignment
 *   values   n values in host memory; NULL without values and with argsort
 * Errors: INVALID_ARGUMENT, also after the first pull; OUT_OF_MEMORY; IO; with a CUDA context those
 * of its sorts. An error of a file may belong to elements of an earlier push.
 * Cost: a copy; for each run a sort. The call waits for the disk if that is slower than the pushes.
 */
PARSCAN_API parscan_status parscan_sorter_push(parscan_sorter *sorter, const void *keys,
                                               const void *values, size_t n);

/*
 * The next elements in order. The first call ends the pushes.
 *   keys, values   room for `capacity` keys and values in host memory, of any alignment. With argsort
 *                  keys may be NULL: not wanted. values is NULL without values. They must not
 *                  overlap
 *   got            receives how many elements were written: `capacity`, or fewer at the end, then 0
 * Errors: INVALID_ARGUMENT; OUT_OF_MEMORY; IO, also for a run that is not what was written. *got is 0
 * after an error, and keys and values are unspecified.
 * Cost: the first call sorts the last run, and merges groups of runs if there are too many. Then one
 * read of the files and log2(runs) steps in the caches for every element. Large capacities, from some
 * 100000 elements on, let all threads work.
 */
PARSCAN_API parscan_status parscan_sorter_pull(parscan_sorter *sorter, void *keys, void *values,
                                               size_t capacity, size_t *got);

/*
 * What has been done so far; each pointer may be NULL.
 *   elements        elements pushed
 *   runs            sorted runs made of them; the last one is made by the first pull
 *   levels          how often an element is merged, at most: 0 with one run, 1 if all runs are merged
 *                   at once. Known after the first pull
 *   bytes_spilled   bytes given to files, the runs of all levels together
 * Errors: INVALID_ARGUMENT, sorter is NULL.
 */
PARSCAN_API parscan_status parscan_sorter_counts(const parscan_sorter *sorter, uint64_t *elements,
                                                 uint64_t *runs, uint64_t *levels,
                                                 uint64_t *bytes_spilled);

/* Ends the threads of a sorter, closes its files and frees its memory, at any time. NULL is allowed. */
PARSCAN_API void parscan_sorter_destroy(parscan_sorter *sorter);

#ifdef __cplusplus
}
#endif
#endif
