#include "shapes.h"

static size_t one(uint64_t random, size_t n)
{
    (void)random;
    return n;
}

static size_t each(uint64_t random, size_t n)
{
    (void)random, (void)n;
    return 1;
}

static size_t mean(uint64_t random, size_t length)
{
    return 1 + (size_t)(random % (2 * length - 1));
}

static size_t mean_3(uint64_t random, size_t n)
{
    (void)n;
    return mean(random, 3);
}

static size_t mean_100(uint64_t random, size_t n)
{
    (void)n;
    return mean(random, 100);
}

static size_t mean_10000(uint64_t random, size_t n)
{
    (void)n;
    return mean(random, 10000);
}

/* P(length >= k) = 1 / k: segments of every order of magnitude have equally many elements. */
static size_t zipf(uint64_t random, size_t n)
{
    const double length = 1 / ((double)(random >> 11) * 0x1p-53 + 0x1p-53);
    return length < (double)n ? (size_t)length : n;
}

const bench_shape bench_shapes[] = {{"one", one},
                                    {"each", each},
                                    {"mean-3", mean_3},
                                    {"mean-100", mean_100},
                                    {"mean-10000", mean_10000},
                                    {"zipf", zipf},
                                    {NULL, NULL}};
