#include "apps/select/top_entries.h"

#include <string.h>

enum { FEW = 32 };

static size_t digit_of(uint64_t rank, unsigned shift)
{
    return rank >> shift & (TOP_DIGITS - 1);
}

/* The bits in which the ranks differ. */
static uint64_t varying_bits(const top_entry *entries, size_t n)
{
    uint64_t varying = 0;
    for (size_t i = 1; i < n; i++)
        varying |= entries[i].rank ^ entries[0].rank;
    return varying;
}

/* The shift of the uppermost digit that varies. */
static unsigned top_digit(uint64_t varying)
{
    const unsigned top = varying == 0 ? 0 : 63u - (unsigned)__builtin_clzll(varying);
    return top - top % TOP_DIGIT_BITS;
}

/* The rank of the k-th entry, or the last one with its upper bits if they tell the first k; *kept is how many of
   the first k have that rank, or less. */
static uint64_t limit_of(const top_entry *entries, size_t n, size_t k)
{
    unsigned shift = top_digit(varying_bits(entries, n));
    uint64_t above = shift + TOP_DIGIT_BITS < 64 ? entries[0].rank >> (shift + TOP_DIGIT_BITS) : 0;
    for (;; shift -= TOP_DIGIT_BITS) {
        size_t counts[TOP_DIGITS] = {0};
        const bool whole = shift + TOP_DIGIT_BITS >= 64;
        for (size_t i = 0; i < n; i++)
            counts[digit_of(entries[i].rank, shift)] +=
                whole || entries[i].rank >> (shift + TOP_DIGIT_BITS) == above;
        size_t digit = 0;
        for (; counts[digit] < k; digit++)
            k -= counts[digit];
        above = above << TOP_DIGIT_BITS | digit;
        if (shift == 0 || counts[digit] == k)
            return above << shift | (((uint64_t)1 << shift) - 1);
    }
}

void parscan_keep_best(top_entry *entries, size_t n, size_t k)
{
    if (k == n || k == 0)
        return;
    const uint64_t limit = limit_of(entries, n, k);
    size_t equal = k, kept = 0;
    for (size_t i = 0; i < n; i++)
        equal -= entries[i].rank < limit;
    for (size_t i = 0; i < n && kept < k; i++) {
        const bool ties = entries[i].rank == limit;
        entries[kept] = entries[i];
        kept += entries[i].rank < limit || (ties && equal > 0);
        equal -= ties && equal > 0;
    }
}

static void insertion_sort(top_entry *entries, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const top_entry e = entries[i];
        size_t at = i;
        for (; at > 0 && entries[at - 1].rank > e.rank; at--)
            entries[at] = entries[at - 1];
        entries[at] = e;
    }
}

static void sort_by_digit(const top_entry *from, size_t n, unsigned shift, top_entry *to)
{
    size_t at[TOP_DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        at[digit_of(from[i].rank, shift)]++;
    for (size_t d = 0; d < TOP_DIGITS; d++) {
        const size_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[at[digit_of(from[i].rank, shift)]++] = from[i];
}

void parscan_sort_entries(top_entry *entries, size_t n, top_entry *spare)
{
    if (n <= FEW) {
        insertion_sort(entries, n);
        return;
    }
    const uint64_t varying = varying_bits(entries, n);
    top_entry *from = entries, *to = spare;
    for (unsigned shift = 0; shift < 64; shift += TOP_DIGIT_BITS) {
        if (digit_of(varying, shift) == 0)
            continue;
        sort_by_digit(from, n, shift, to);
        top_entry *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != entries)
        memcpy(entries, from, n * sizeof *entries);
}
