/* Two sorted arrays of one type, for suites of what merges, joins or compares them. */
#ifndef PARSCAN_TESTS_SORTED_PAIR_H
#define PARSCAN_TESTS_SORTED_PAIR_H

#include "parscan/context.h"
#include "tests/support/key_patterns.h"

typedef struct sorted_pair {
    parscan_type type;
    const char *a, *b;
    size_t n, n2;
} sorted_pair;

typedef void expect_pair(parscan_context *context, const sorted_pair *pair);

/* Calls expect() with keys of the pattern, in order. */
void with_sorted_pair(parscan_context *context, expect_pair *expect, parscan_type type,
                      key_pattern pattern, size_t n, size_t n2);

/* With keys of every pattern, in each of these lengths. */
void each_pattern_of_pairs(parscan_type type, const size_t (*lengths)[2], size_t count,
                           expect_pair *expect);

/* With up to `most` keys in each array, of all types in turn. */
void each_length_of_pairs(size_t most, expect_pair *expect);

#endif
