/*
 * Bisects the ranks of keys for the rank of the n-th element, and each run with them. Elements of one
 * rank are then taken in the order of the runs.
 */
#include "apps/merge/merge_split.h"

#include <string.h>

#include "apps/merge/merge_kernels.h"

typedef struct split {
    const merge_call *call;
    size_t *low, *high; /* of each run: what comes before is taken, what comes behind is not */
    size_t *middle;     /* the same, if the rank that is tried were that of the last one taken */
} split;

static size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static uint64_t rank_at(const split *s, size_t run, size_t i)
{
    return s->call->kernels->rank(&s->call->order, s->call->runs[run].keys, i);
}

/* The least n for which the first n elements of each run are `wanted` in all, or up to twice that. */
static size_t find_depth(const split *s, size_t wanted)
{
    size_t depth = (wanted - 1) / s->call->count + 1;
    for (;; depth *= 2) {
        size_t sum = 0;
        for (size_t run = 0; run < s->call->count; run++)
            sum += size_min(depth, s->high[run] - s->low[run]);
        if (sum >= wanted)
            return depth;
    }
}

/* A range with the rank of the n-th element. If all runs have `deep` elements of a rank of at most r, or
   end before, and these are n in all, the rank is not above r. If no run has `shallow` elements of
   a rank below r, and count * shallow <= n, it is not below r. */
static void rank_range(const split *s, size_t n, uint64_t *least, uint64_t *greatest)
{
    const size_t deep = find_depth(s, n), shallow = n / s->call->count;
    *least = UINT64_MAX;
    *greatest = 0;
    for (size_t run = 0; run < s->call->count; run++) {
        const size_t left = s->high[run] - s->low[run];
        if (left == 0)
            continue;
        const uint64_t last = rank_at(s, run, s->low[run] + size_min(deep, left) - 1);
        *greatest = last > *greatest ? last : *greatest;
        if (left < shallow)
            continue;
        const uint64_t first = rank_at(s, run, s->low[run] + (shallow > 0 ? shallow - 1 : 0));
        *least = first < *least ? first : *least;
    }
}

/* Returns how many elements between low and high have a rank of at most `rank`. */
static size_t count_up_to(const split *s, uint64_t rank)
{
    const merge_call *const call = s->call;
    size_t sum = 0;
    for (size_t run = 0; run < call->count; run++) {
        s->middle[run] = s->low[run];
        if (s->low[run] == s->high[run])
            continue;
        s->middle[run] = call->kernels->up_to(&call->order, call->runs[run].keys, s->low[run],
                                              s->high[run], rank);
        sum += s->middle[run] - s->low[run];
    }
    return sum;
}

static void take_up_to_middle(const split *s)
{
    memcpy(s->low, s->middle, s->call->count * sizeof *s->low);
}

static void leave_from_middle(const split *s)
{
    memcpy(s->high, s->middle, s->call->count * sizeof *s->high);
}

/* Bisects the range of ranks for that of the n-th element: what has a lower rank is taken, what has a
   higher one is not. Returns how many of the elements between low and high are to be taken: all of
   them, or they have one rank. */
static size_t bisect(const split *s, size_t n)
{
    uint64_t least, greatest;
    rank_range(s, n, &least, &greatest);
    while (least < greatest) {
        const uint64_t rank = least + (greatest - least) / 2;
        const size_t below = count_up_to(s, rank);
        if (below < n) {
            take_up_to_middle(s);
            least = rank + 1;
            n -= below;
            continue;
        }
        leave_from_middle(s);
        greatest = rank;
        if (below == n)
            return n;
    }
    /* The ends of the range have not been searched for. */
    count_up_to(s, least);
    leave_from_middle(s);
    if (least > 0) {
        n -= count_up_to(s, least - 1);
        take_up_to_middle(s);
    }
    return n;
}

/* Takes the first n elements between low and high in the order of the runs. */
static void take_in_order(const split *s, size_t n)
{
    for (size_t run = 0; run < s->call->count; run++) {
        const size_t taken = size_min(s->high[run] - s->low[run], n);
        s->high[run] = s->low[run] + taken;
        n -= taken;
    }
}

void parscan_merge_split(const merge_call *call, const size_t *begin, size_t n, size_t *end,
                         size_t *room)
{
    const split s = {call, room, end, room + call->count};
    for (size_t run = 0; run < call->count; run++) {
        s.low[run] = begin[run];
        s.high[run] = begin[run] + size_min(call->runs[run].n - begin[run], n);
    }
    take_in_order(&s, n > 0 ? bisect(&s, n) : 0);
}
