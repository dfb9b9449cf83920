/*
 * Chooses the digits by which a bucket is sorted within the caches.
 *
 * If more bits vary than are needed to tell the bucket's n keys apart, the top log2 n + PLAN_MARGIN
 * of them tell nearly all keys apart. Keys are sorted by these bits, and the few that are still out
 * of order are put right by insertion. (With uniform keys, one in 2^PLAN_MARGIN.) If there are many
 * of those, the bucket is sorted again by all its bits.
 */
#ifndef PARSCAN_APPS_SORT_BUCKET_DIGITS_H
#define PARSCAN_APPS_SORT_BUCKET_DIGITS_H

#define PLAN_MARGIN 5u

/* `digits` digits of `bits` bits each, the first at bit `low`: together they reach the highest
   bit that varies. */
typedef struct bucket_digits {
    unsigned digits, bits, low;
    bool partial; /* bits below `low` vary too */
} bucket_digits;

KERNEL unsigned ceiling_of(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

KERNEL bucket_digits plan_bucket(uint64_t varying, size_t n, bool complete)
{
    const unsigned low = (unsigned)__builtin_ctzll(varying);
    const unsigned high = 64 - (unsigned)__builtin_clzll(varying);
    const unsigned log2n = 63 - (unsigned)__builtin_clzll(n);
    const unsigned widest = log2n < BUCKET_DIGIT_BITS ? log2n : BUCKET_DIGIT_BITS;
    const unsigned all = ceiling_of(high - low, widest);
    const unsigned some = ceiling_of(log2n + PLAN_MARGIN, widest);
    bucket_digits plan = {.digits = all, .low = low};
    if (!complete && some < all) {
        plan.digits = some;
        plan.bits = ceiling_of(log2n + PLAN_MARGIN, some);
        plan.low = high - some * plan.bits;
        plan.partial = true;
    } else {
        plan.bits = ceiling_of(high - low, all);
    }
    return plan;
}

#endif
