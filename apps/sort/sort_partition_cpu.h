/*
 * A stable partition of a range into buckets by one digit, on the cores of a CPU: the pass of a radix
 * sort through main memory.
 */
#ifndef PARSCAN_APPS_SORT_SORT_PARTITION_CPU_H
#define PARSCAN_APPS_SORT_SORT_PARTITION_CPU_H

#include <stdatomic.h>

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"

/* A range that is being partitioned into buckets by a digit. Each of `threads` shares of it is
   counted and scattered on its own. */
typedef struct sort_partition {
    const sort_call *call;
    sort_range range;
    elements to;
    key_digit digit;
    key_octaves octaves; /* in place of the digit, whose bits number them */
    unsigned threads, worker;
    size_t *rows;   /* counts[share][digit]; later the place of the share's next element */
    size_t *bounds; /* where each bucket starts, and where the last one ends */
    atomic_uint_least64_t varying; /* the bits that vary in the keys */
    bool stream;
} sort_partition;

/* Key i of the range's array. */
static inline const char *parscan_sort_partition_key(const sort_partition *p, size_t i)
{
    return p->range.from.keys + i * p->call->key_size;
}

/* A partition of a range by `threads` cores, of which `worker` is the first. The elements go to the
   same indices of `to`. The digit and the bounds are still to be set. */
sort_partition parscan_sort_partition(const sort_call *call, sort_range range, elements to,
                                      unsigned threads, unsigned worker);

/* Counts the digit in every share. Returns the bits that vary in the keys. */
uint64_t parscan_sort_partition_count(sort_partition *p);

/* Moves the elements, by the counts. p->bounds has 2^bits + 1 entries: where each bucket starts, and
   where the last one ends. */
void parscan_sort_partition_scatter(sort_partition *p);

/* Sort a range of keys without values by vectors (sort_vectors_cpu.c), where that takes less time than digits: a short
   one; one whose keys are skewed, by a sample, so that `digit` would leave many of them in one bucket. Return false, and
   have written nothing to the output, where it does not, or there are NaNs. */
bool parscan_sort_short_by_vectors(const sort_partition *p);
bool parscan_sort_skewed_by_vectors(const sort_partition *p, key_digit digit);

/* Sets p->octaves, and the width of p->digit, if a sample says that `digit` would leave a bucket of many different keys
   that must be cut again, and octaves fewer than half of them. */
bool parscan_sort_by_octaves(sort_partition *p, key_digit digit);

#endif
