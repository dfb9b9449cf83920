/*
 * A range of keys without values that is sorted by counting: what sort_counting.c and sort_window.c share.
 */
#ifndef PARSCAN_APPS_SORT_SORT_COUNTING_H
#define PARSCAN_APPS_SORT_SORT_COUNTING_H

#include <stdatomic.h>

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"
#include "scan/cpu/team.h"

enum { COUNTING_SAMPLES = 256, COUNTING_DIGIT_BITS = 16 };

/* The runs of equal keys of a range: run r consists of keys[r] and ends where the next run
   starts, the last one where the range ends. */
typedef struct key_runs {
    const uint64_t *keys;
    size_t *begin; /* they hold counts at first */
    size_t count;
} key_runs;

static inline const char *counting_keys(const sort_call *call, sort_range range, size_t i)
{
    return range.from.keys + (range.begin + i) * call->key_size;
}

static inline size_t counting_share(size_t n, size_t share, unsigned threads)
{
    return share == threads ? n : n / threads * share;
}

/* A range that is sorted by counting. Each of `threads` shares is counted on its own, in memory of
   its worker. */
typedef struct counting {
    const sort_call *call;
    sort_range range;
    unsigned threads, worker;
    key_digit digit;       /* by digit: the bits that vary, and the rank of the bits that do not */
    uint64_t rank;         /* by window: the least one in it */
    const uint64_t *table; /* by table: what find_hash() has found */
    uint64_t multiplier;
    key_runs runs;
    atomic_uint_least64_t varying; /* by digit: the bits that vary */
    atomic_bool unknown;           /* by table: some key is not in the table */
} counting;

/* Runs a part for each share. */
void parscan_counting_shares(counting *c, parscan_team_part *run);

/* The memory for the counts of a share: uint32_t of 2^digit.bits, or size_t. */
void *parscan_counting_counts(const counting *c, size_t share);

/* Adds up the shares' counts of each digit, in c->runs.begin. */
void parscan_counting_add_up(counting *c);

/* Writes the runs of c->range, whose counts are in c->runs.begin, to the output. */
void parscan_counting_write(counting *c);

/* Sorts keys of which most are near each other (sort_window.c). Returns false, and has written nothing to the output,
   where that is not so. */
bool parscan_sort_by_window(counting *c);

#endif
