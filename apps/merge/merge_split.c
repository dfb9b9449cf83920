/*
 * Bisects the ranks of keys for the rank of the n-th element, and each run with them. Elements of one
 * rank are then taken in the order of the runs.
 */
#include "apps/merge/merge_split.h"

#include <string.h>

#include "apps/merge/merge_kernels.h"
#include "scan/context/size_math.h"

typedef struct split {
    const merge_call *call;
    size_t *low, *high; /* of each run: what comes before is taken, what comes after is not */
    size_t *middle;     /* the same, if the rank that is tried were that of the last one taken */
} split;

static uint64_t rank_at(const split *s, size_t run, size_t i)
{
    return s->call->kernels->rank(&s->call->order, s->call->runs[run].keys, i);
}

static size_t left_of(const split *s, size_t run)
{
    return s->high[run] - s->low[run];
}

static bool goes_on(const split *s, size_t run)
{
    return run + 1 < s->call->count && s->call->runs[run + 1].goes_on;
}

/* Whether the first `depth` elements of a sequence end before this run of it. */
static bool is_behind(const split *s, size_t run, size_t depth)
{
    return s->call->runs[run].goes_on && left_of(s, run - 1) >= depth;
}

static size_t count_sequences(const split *s)
{
    size_t count = 0;
    for (size_t run = 0; run < s->call->count; run++)
        count += left_of(s, run) > 0 && !is_behind(s, run, 1);
    return count;
}

/* The least n for which the first n elements of each run are `wanted` in all, or up to twice that.
   Runs that are after n others of their sequence are left out. */
static size_t find_depth(const split *s, size_t wanted, size_t sequences)
{
    size_t depth = (wanted - 1) / sequences + 1;
    for (;; depth *= 2) {
        size_t sum = 0;
        for (size_t run = 0; run < s->call->count; run++)
            if (!is_behind(s, run, depth))
                sum += size_min(depth, left_of(s, run));
        if (sum >= wanted)
            return depth;
    }
}

/* The ranks among which the search is, and the one that it starts with. */
typedef struct rank_range {
    uint64_t least, greatest, likely;
} rank_range;

/* A range with the rank of the n-th element, and the mean of the ranks that an equal share of
   likely_n elements ends with in each sequence. If all runs have `deep` elements of a rank of at most r,
   or end before, and these are n in all, the rank is not above r. If no sequence has `shallow`
   elements of a rank below r, and sequences * shallow <= n, it is not below r. */
static rank_range find_range(const split *s, size_t n, size_t likely_n)
{
    const size_t sequences = count_sequences(s), deep = find_depth(s, n, sequences);
    const size_t shallow = n / sequences, likely = likely_n / sequences;
    rank_range range = {.least = UINT64_MAX};
    size_t number = 0;
    for (size_t run = 0; run < s->call->count; run++) {
        const size_t left = left_of(s, run);
        if (left == 0 || is_behind(s, run, deep))
            continue;
        const uint64_t last = rank_at(s, run, s->low[run] + size_min(deep, left) - 1);
        range.greatest = last > range.greatest ? last : range.greatest;
        if (left < shallow && !goes_on(s, run))
            continue;
        const size_t first = size_min(shallow, left);
        const uint64_t rank = rank_at(s, run, s->low[run] + (first > 0 ? first - 1 : 0));
        range.least = rank < range.least ? rank : range.least;
        if (left <= likely || is_behind(s, run, likely))
            continue;
        const uint64_t at = rank_at(s, run, s->low[run] + likely);
        number++;
        if (at > range.likely)
            range.likely += (at - range.likely) / number;
        else
            range.likely -= (range.likely - at) / number;
    }
    if (range.likely < range.least || range.likely > range.greatest)
        range.likely = range.least + (range.greatest - range.least) / 2;
    return range;
}

/* Returns how many elements between low and high have a rank of at most `rank`. */
static size_t count_up_to(const split *s, uint64_t rank)
{
    const merge_call *const call = s->call;
    size_t sum = 0;
    for (size_t run = 0; run < call->count; run++) {
        s->middle[run] = s->low[run];
        if (left_of(s, run) == 0)
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
   higher one is not. Ends as soon as `least` to n elements are up to a rank. Returns how many of the
   elements between low and high are to be taken: all of them, or they have one rank. */
static size_t bisect(const split *s, size_t least, size_t n)
{
    rank_range range = find_range(s, n, least + (n - least) / 2);
    uint64_t rank = range.likely;
    while (range.least < range.greatest) {
        const size_t up_to = count_up_to(s, rank);
        if (up_to < least) {
            take_up_to_middle(s);
            range.least = rank + 1;
            least -= up_to;
            n -= up_to;
        } else {
            leave_from_middle(s);
            range.greatest = rank;
            if (up_to <= n)
                return up_to;
        }
        rank = range.least + (range.greatest - range.least) / 2;
    }
    /* The ends of the range have not been searched for. */
    count_up_to(s, range.least);
    leave_from_middle(s);
    if (range.least > 0) {
        n -= count_up_to(s, range.least - 1);
        take_up_to_middle(s);
    }
    return n;
}

/* Takes the first n elements between low and high in the order of the runs. */
static void take_in_order(const split *s, size_t n)
{
    for (size_t run = 0; run < s->call->count; run++) {
        const size_t taken = size_min(left_of(s, run), n);
        s->high[run] = s->low[run] + taken;
        n -= taken;
    }
}

/* The next n elements of two runs. The ends are within the runs, and n apart from the begins, whatever
   the keys are. */
static void split_two(const merge_call *call, const size_t *begin, size_t n, size_t *end)
{
    merge_part left[2];
    for (size_t run = 0; run < 2; run++)
        left[run] = (merge_part){.keys = call->runs[run].keys + begin[run] * call->key_size,
                                 .n = call->runs[run].n - begin[run]};
    const size_t of_first = call->kernels->cross(&call->order, left[0], left[1], n);
    end[0] = begin[0] + of_first;
    end[1] = begin[1] + (n - of_first);
}

size_t parscan_merge_split(const merge_call *call, const size_t *begin, size_t least, size_t n,
                           size_t *end, size_t *room)
{
    const split s = {call, room, end, room + call->count};
    if (call->count == 2) {
        split_two(call, begin, n, end);
        return n;
    }
    for (size_t run = 0; run < call->count; run++) {
        const size_t before = call->runs[run].goes_on ? left_of(&s, run - 1) : 0;
        s.low[run] = begin[run];
        s.high[run] = begin[run] + size_min(call->runs[run].n - begin[run], n - before);
    }
    const size_t taken = n > 0 ? bisect(&s, least, n) : 0;
    take_in_order(&s, taken);
    n = 0;
    for (size_t run = 0; run < call->count; run++)
        n += end[run] - begin[run];
    return n;
}
