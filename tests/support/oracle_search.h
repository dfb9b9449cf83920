/*
 * What a search for bounds must answer, by counting: needles are put in order by the oracle of sorts, and
 * keys are compared as numbers, in the words of parscan/search.h.
 */
#ifndef PARSCAN_TESTS_ORACLE_SEARCH_H
#define PARSCAN_TESTS_ORACLE_SEARCH_H

#include <stdbool.h>

#include "parscan/types.h"

/* bounds[i]: how many of `count` sorted keys are less than needle i; with `upper`, or equal to it. Arrays may have
   any alignment. Not for two threads at once. */
void oracle_bounds(parscan_type type, const void *sorted, size_t count, const void *values,
                   size_t n, bool upper, uint64_t *bounds);

/* The keys in order, for free(). */
void *oracle_sorted(parscan_type type, const void *keys, size_t n);

#endif
