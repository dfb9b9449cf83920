/*
 * A parallel, stable merge of sorted runs that lie in memory.
 *
 * The output is cut into tiles that fit a core's caches. Where a tile starts and ends in each run is
 * found by its exact rank, with ties in the order of the runs, so no tile is longer than others
 * whatever the keys are: equal ones, runs that do not overlap, one long run among short ones. A tile
 * is merged within the caches, in rounds of two-way merges.
 *
 * Two runs may be any memory: if they are not in order, or change meanwhile, the results may be
 * anything, but each place stays inside of its array, whatever was read. There are four ways:
 *
 *     keys alone        SIMD vectors in a bitonic network, four cuts of the output side by side
 *                       (merge_vectors.h)
 *     keys and values   the same vectors merge 64 bits an element: 32 bits of the rank, those in which
 *                       the ranks of the tile differ most, and the place of the element. Then keys and
 *                       values are fetched from there. Places are in input order, so this is stable
 *     few into many     each element of a much shorter part is placed by a search; what lies between is copied
 *     key by key        without such vectors, for parts with a NaN, and where 32 bits do not tell the
 *                       ranks apart (merge_kernels.c): from both ends of both halves of a merge, without
 *                       branches that depend on keys
 *
 * Sources: O. Green, S. Odeh, Y. Birk, Merge Path: A Visually Intuitive Approach to Parallel Merging,
 * 2014 (two runs; P. J. Varman et al., Merging Multiple Lists on Hierarchical-Memory Multiprocessors,
 * JPDC 1991, has the exact splitting of many); D. E. Knuth, The Art of Computer Programming, vol. 3,
 * 5.4.1 (multiway merging).
 */
#ifndef PARSCAN_APPS_MERGE_MERGE_RUNS_H
#define PARSCAN_APPS_MERGE_MERGE_RUNS_H

#include <stddef.h>

#include "apps/merge/key_order.h"
#include "scan/context/context_state.h"

/* Elements in order, one after another, of any alignment. values NULL: there are none. */
typedef struct merge_run {
    const char *keys, *values;
    size_t n;
    bool goes_on; /* the run before it has the elements that come before these: one sequence in two
                     runs, which makes the search for a split shorter */
} merge_run;

typedef struct merge_kernels merge_kernels; /* merge_kernels.h */

typedef struct merge_call {
    parscan_context *context;
    unsigned threads; /* of the context, that take part */
    const merge_kernels *kernels;
    key_order order;
    size_t key_size, value_size; /* value_size 0: no values; at most 64 */
    const merge_run *runs;       /* of equal keys, those of earlier runs come first */
    size_t count;
    /* The first n elements of the merged runs; they must not overlap the runs. keys_out NULL: the
       keys are not wanted. */
    char *keys_out, *values_out;
    size_t n;
    bool stream;   /* nobody reads the output soon: it may be stored past the caches */
    size_t *taken; /* of each run: how many of its elements are among the n */
    char *memory;  /* parscan_merge_memory() bytes for the threads, aligned to 64 */
} merge_call;

/* The kernels for a class of keys. */
const merge_kernels *parscan_merge_kernels(key_class kind);

/* The bytes that a merge of up to `count` runs on `threads` threads needs. */
size_t parscan_merge_memory(unsigned threads, size_t count);

/* n is at most the number of elements of all runs. */
void parscan_merge_runs(const merge_call *call);

/* How many of run's elements are among the first of a merge that ends with element `last` of run
   `other`: those below its key, and those equal to it if this run comes before the other one. */
size_t parscan_merge_below(const merge_call *call, size_t run, size_t other, size_t last);

#endif
