/*
 * What a histogram and a counting sort must answer, by plain loops written from the formulas of
 * parscan/histogram.h.
 */
#ifndef PARSCAN_TESTS_ORACLE_HISTOGRAM_H
#define PARSCAN_TESTS_ORACLE_HISTOGRAM_H

#include "tests/support/number.h"

/* Equal widths of [lower, upper). */
typedef struct oracle_bins {
    number lower, upper;
    size_t bins;
} oracle_bins;

/* The bounds as options give them: NULL, for integers, is 0 and bins. */
oracle_bins oracle_bins_of(parscan_type type, size_t bins, const void *lower, const void *upper);

/* Where bin b of floats starts; upper for b = bins. */
double oracle_edge(const oracle_bins *of, size_t b);

/* The bin of x; bins if it is in none. */
size_t oracle_bin(const oracle_bins *of, number x);

/* counts[0..bins) of in[0..n). */
void oracle_histogram(const oracle_bins *of, parscan_type type, const void *in, size_t n,
                      uint64_t *counts);

/* offsets[0..bins], and the indices of bin_of[0..n) in the order of bins; how many have a bin. */
size_t oracle_bin_order(parscan_type bin_type, const void *bin_of, size_t n, size_t bins,
                        uint64_t *offsets, size_t *order);

#endif
