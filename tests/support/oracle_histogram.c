#include "tests/support/oracle_histogram.h"

#include <string.h>

#include "tests/support/oracle.h"

oracle_bins oracle_bins_of(parscan_type type, size_t bins, const void *lower, const void *upper)
{
    oracle_bins of = {.upper = {.integer = (int128)bins}, .bins = bins};
    if (lower != NULL)
        of.lower = number_read(type, lower, 0);
    if (upper != NULL)
        of.upper = number_read(type, upper, 0);
    return of;
}

static size_t bin_of_integer(const oracle_bins *of, int128 x)
{
    const int128 lower = of->lower.integer, upper = of->upper.integer;
    if (x < lower || x >= upper)
        return of->bins;
    const int128 product = (x - lower) * (int128)of->bins, width = upper - lower;
    /* A division of 64 bits takes a fraction of the time. */
    return (product | width) >> 64 == 0 ? (uint64_t)product / (uint64_t)width
                                        : (size_t)(product / width);
}

double oracle_edge(const oracle_bins *of, size_t b)
{
    const double lower = of->lower.real, upper = of->upper.real;
    return b >= of->bins ? upper : lower + (double)b * ((upper - lower) / (double)of->bins);
}

/* The greatest bin whose edge is not above x: edges never descend. */
static size_t bin_of_real(const oracle_bins *of, double x)
{
    size_t bin = 0, above = of->bins;
    if (!(x >= of->lower.real && x < of->upper.real))
        return of->bins;
    while (above - bin > 1) {
        const size_t middle = bin + (above - bin) / 2;
        if (oracle_edge(of, middle) <= x)
            bin = middle;
        else
            above = middle;
    }
    return bin;
}

size_t oracle_bin(const oracle_bins *of, number x)
{
    return x.is_float ? bin_of_real(of, x.real) : bin_of_integer(of, x.integer);
}

void oracle_histogram(const oracle_bins *of, parscan_type type, const void *in, size_t n,
                      uint64_t *counts)
{
    memset(counts, 0, of->bins * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        const size_t b = oracle_bin(of, number_read(type, in, i));
        if (b < of->bins)
            counts[b]++;
    }
}

size_t oracle_bin_order(parscan_type bin_type, const void *bin_of, size_t n, size_t bins,
                        uint64_t *offsets, size_t *order)
{
    memset(offsets, 0, (bins + 1) * sizeof *offsets);
    for (size_t i = 0; i < n; i++) {
        const int128 b = number_read(bin_type, bin_of, i).integer;
        if (b < (int128)bins)
            offsets[b + 1]++;
    }
    for (size_t b = 0; b < bins; b++)
        offsets[b + 1] += offsets[b];
    /* Each offset goes through its bin, and is then the next one's. */
    for (size_t i = 0; i < n; i++) {
        const int128 b = number_read(bin_type, bin_of, i).integer;
        if (b < (int128)bins)
            order[offsets[b]++] = i;
    }
    memmove(offsets + 1, offsets, bins * sizeof *offsets);
    offsets[0] = 0;
    return offsets[bins];
}
