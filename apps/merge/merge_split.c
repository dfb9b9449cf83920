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

/* The least and the greatest rank between low and high. */
static void rank_range(const split *s, uint64_t *least, uint64_t *greatest)
{
    const merge_call *const call = s->call;
    *least = UINT64_MAX;
    *greatest = 0;
    for (size_t run = 0; run < call->count; run++) {
        if (s->low[run] == s->high[run])
            continue;
        const char *const keys = call->runs[run].keys;
        const uint64_t first = call->kernels->rank(&call->order, keys, s->low[run]);
        const uint64_t last = call->kernels->rank(&call->order, keys, s->high[run] - 1);
        *least = first < *least ? first : *least;
        *greatest = last > *greatest ? last : *greatest;
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

/* Takes the first n elements between low and high in the order of the runs. */
static void take_in_order(const split *s, size_t n)
{
    for (size_t run = 0; run < s->call->count; run++) {
        const size_t left = s->high[run] - s->low[run], taken = left < n ? left : n;
        s->high[run] = s->low[run] + taken;
        n -= taken;
    }
}

void parscan_merge_split(const merge_call *call, const size_t *begin, size_t n, size_t *end,
                         size_t *room)
{
    const split s = {call, room, end, room + call->count};
    const size_t bytes = call->count * sizeof(size_t);
    for (size_t run = 0; run < call->count; run++) {
        const size_t left = call->runs[run].n - begin[run];
        s.low[run] = begin[run];
        s.high[run] = begin[run] + (left < n ? left : n);
    }
    uint64_t least, greatest;
    rank_range(&s, &least, &greatest);
    while (n > 0 && least < greatest) {
        const uint64_t rank = least + (greatest - least) / 2;
        const size_t below = count_up_to(&s, rank);
        if (below < n) {
            memcpy(s.low, s.middle, bytes);
            least = rank + 1;
            n -= below;
        } else {
            memcpy(s.high, s.middle, bytes);
            greatest = below == n ? least : rank;
        }
    }
    take_in_order(&s, n);
}
