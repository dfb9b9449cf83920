/*
 * One call of a counting sort by bins, run and compared with the oracle. Every array lies against a
 * guard page and has room for what is to be written and no more; inputs cannot be written.
 */
#ifndef PARSCAN_TESTS_BIN_CASE_H
#define PARSCAN_TESTS_BIN_CASE_H

#include "parscan/histogram.h"
#include "tests/support/number.h"
#include "tests/support/scan_case.h"

typedef struct bin_case {
    parscan_type bin_type, offset_type;
    size_t value_size;
    bool no_values, no_values_out; /* NULL: the indices, no output */
    size_t n, bins;
} bin_case;

/* Runs a case twice on the n bins at bin_of and the n values at `values`, arrays against the guards
   after them and anywhere; the test fails when an answer is wrong. */
void expect_bin(parscan_context *context, const bin_case *b, const void *bin_of,
                const void *values);

#endif
