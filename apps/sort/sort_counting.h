/*
 * A range of keys without values that is sorted by counting: what sort_counting.c, sort_window.c and
 * sort_common.c share.
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
    const uint64_t *table; /* by table, by common keys: what is at a hash */
    uint64_t multiplier;
    key_runs runs;
    atomic_uint_least64_t varying; /* by digit: the bits that vary */
    atomic_bool unknown;           /* by table: some key is not in the table */
} counting;

/* Whether keys of this rank are NaNs. */
bool parscan_counting_is_nan(const sort_call *call, uint64_t rank);

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

/* The same of keys of which some thousand are most, wherever they are (sort_common.c). */
bool parscan_sort_by_common(counting *c);

/* Of the last two, where 2^digit.bits are counted: the keys that are not, of each share where it begins in the scratch
   array, and how many they are. */
char *parscan_counting_outside(const counting *c, size_t share);
size_t *parscan_counting_outside_count(const counting *c, size_t share);

/* Puts them at the end of the range's part of the scratch array. Returns how many they are, or range.n if there are too
   many: more than a quarter. */
size_t parscan_counting_gather_outside(const counting *c);

/* The room that the scratch array then has before them. */
size_t *parscan_counting_room(const counting *c);

#endif
