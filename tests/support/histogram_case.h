/*
 * One call of a histogram, run and compared with the oracle. Every array lies against a guard page;
 * the input cannot be written; bounds are at odd addresses.
 */
#ifndef PARSCAN_TESTS_HISTOGRAM_CASE_H
#define PARSCAN_TESTS_HISTOGRAM_CASE_H

#include "parscan/histogram.h"
#include "tests/support/number.h"
#include "tests/support/scan_case.h"

typedef struct histogram_case {
    parscan_type type, count_type;
    size_t n, bins;
    const void *lower, *upper; /* or NULL; both NULL: no options */
} histogram_case;

/* Runs a case twice on the n elements at `in`, arrays against the guards after them and anywhere;
   the test fails when an answer is wrong. */
void expect_histogram(parscan_context *context, const histogram_case *h, const void *in);

/* How a histogram's input is spread over its range. */
typedef enum spread {
    SPREAD_UNIFORM, /* and a little outside */
    SPREAD_ONE,     /* one value */
    SPREAD_SKEWED,  /* most in few bins */
    SPREAD_SORTED,
    SPREAD_EDGES, /* the first and the last value of bins */
    SPREAD_ANY,   /* any bits, and the values that comparisons get wrong */
    SPREADS
} spread;

/* n elements for the bins of a case; for free(). */
void *spread_array(const histogram_case *h, spread s);

#endif
