/*
 * Sorts keys of which most are near each other, as those of a Zipf distribution, by counting. A sample tells the
 * window that has most of them. They are counted there; all others are copied, sorted on their own, and go before and
 * after the runs of the window.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/sort/sort_counting.h"
#include "scan/context/size_math.h"

enum { WINDOW_FROM = 3 /* log2 of the keys for each one in a window */ };

char *parscan_counting_outside(const counting *c, size_t share)
{
    return c->call->scratch.keys +
           (c->range.begin + counting_share(c->range.n, share, c->threads)) * c->call->key_size;
}

/* A share's table is followed by a count that is not used, and by the number of keys outside. */
size_t *parscan_counting_outside_count(const counting *c, size_t share)
{
    return (size_t *)parscan_counting_counts(c, share) + ((size_t)1 << c->digit.bits) / 2 + 1;
}

static void count_window_share(void *state, size_t share)
{
    const counting *const c = state;
    const size_t begin = counting_share(c->range.n, share, c->threads);
    const size_t width = (size_t)1 << c->digit.bits;
    uint32_t *const own = parscan_counting_counts(c, share);
    memset(own, 0, sizeof *own * width);
    *parscan_counting_outside_count(c, share) = c->call->kernels->count_window(
        &c->call->order, c->rank, width, counting_keys(c->call, c->range, begin),
        counting_share(c->range.n, share + 1, c->threads) - begin, own,
        parscan_counting_outside(c, share));
}

static int compare_ranks(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sets the window with the most keys of a sample. Returns false if too many are outside. */
static bool find_window(counting *c)
{
    const sort_call *const call = c->call;
    const uint64_t width = (uint64_t)1 << c->digit.bits;
    uint64_t ranks[COUNTING_SAMPLES];
    size_t most = 0;
    for (size_t i = 0; i < COUNTING_SAMPLES; i++)
        ranks[i] = call->kernels->rank(
            &call->order, counting_keys(call, c->range, i * (c->range.n / COUNTING_SAMPLES)));
    qsort(ranks, COUNTING_SAMPLES, sizeof *ranks, compare_ranks);
    for (size_t first = 0, end = 0; end < COUNTING_SAMPLES; first++) {
        while (end < COUNTING_SAMPLES && ranks[end] - ranks[first] < width)
            end++;
        if (end - first > most) {
            most = end - first;
            c->rank = ranks[first];
        }
    }
    /* The window ends with the greatest rank at most. */
    const uint64_t last = low_bits(8 * (unsigned)call->key_size) - (width - 1);
    c->rank = c->rank < width ? 0 : c->rank < last ? c->rank : last;
    return most >= COUNTING_SAMPLES - COUNTING_SAMPLES / 8;
}

size_t parscan_counting_gather_outside(const counting *c)
{
    const size_t size = c->call->key_size;
    char *to = parscan_counting_outside(c, c->threads);
    size_t count = 0;
    for (size_t share = 0; share < c->threads; share++)
        count += *parscan_counting_outside_count(c, share);
    if (count > c->range.n / 4)
        return c->range.n;
    for (size_t share = c->threads; share-- > 0;) {
        const size_t bytes = *parscan_counting_outside_count(c, share) * size;
        to -= bytes;
        memmove(to, parscan_counting_outside(c, share), bytes);
    }
    return count;
}

/* Sorts the keys outside, and leaves the window's part of the output in c->range. */
static void sort_outside(counting *c, size_t count)
{
    const sort_call *const call = c->call;
    const size_t begin = c->range.begin, end = begin + c->range.n, size = call->key_size;
    char *const sorted = call->out.keys + (end - count) * size;
    size_t below = 0, above = count;
    if (count > 0)
        parscan_sort_range(call,
                           (sort_range){.from = call->scratch, .begin = end - count, .n = count},
                           c->threads, c->worker);
    while (below < above) {
        const size_t middle = below + (above - below) / 2;
        if (call->kernels->rank(&call->order, sorted + middle * size) < c->rank)
            below = middle + 1;
        else
            above = middle;
    }
    memmove(call->out.keys + begin * size, sorted, below * size);
    c->range.begin = begin + below;
    c->range.n -= count;
}

size_t *parscan_counting_room(const counting *c)
{
    /* The array may be the output, of any alignment. */
    char *const at = c->call->scratch.keys + c->range.begin * c->call->key_size;
    return (size_t *)(at + -(uintptr_t)at % 64);
}

bool parscan_sort_by_window(counting *c)
{
    const sort_call *const call = c->call;
    const unsigned log2n = 63 - (unsigned)__builtin_clzll(c->range.n);
    c->digit = (key_digit){0, log2n < COUNTING_DIGIT_BITS + WINDOW_FROM ? log2n - WINDOW_FROM
                                                                        : COUNTING_DIGIT_BITS};
    const size_t width = (size_t)1 << c->digit.bits;
    if (call->kernels->count_window == NULL || call->scratch.keys == NULL ||
        c->range.from.keys == call->scratch.keys ||
        (width / 2 + 2) * sizeof(size_t) > call->bucket_limit * call->key_size || !find_window(c))
        return false;
    c->runs = (key_runs){NULL, parscan_counting_room(c), width};
    parscan_counting_shares(c, count_window_share);
    const size_t outside = parscan_counting_gather_outside(c);
    if (outside == c->range.n)
        return false;
    parscan_counting_add_up(c);
    sort_outside(c, outside);
    parscan_counting_write(c);
    return true;
}
