/*
 * What a segmented scan, a segmented reduction and a recurrence must answer: the oracle of a scan, one
 * segment after another; a loop in long double.
 */
#ifndef PARSCAN_TESTS_ORACLE_SEGMENTED_H
#define PARSCAN_TESTS_ORACLE_SEGMENTED_H

#include "tests/support/oracle.h"

typedef struct oracle_segments {
    oracle_scan scan;     /* of the whole array */
    const size_t *bounds; /* count + 1; segment s is from bounds[s] to bounds[s + 1] */
    size_t count;
} oracle_segments;

/* A segment in which out is wrong, with where in the array and words for what was expected and
   found; ORACLE_AGREES when there is none. */
size_t oracle_segment_disagrees(const oracle_segments *segments, const void *out, size_t *at,
                                char words[ORACLE_WORDS]);

typedef struct oracle_recurrence {
    parscan_type type; /* F32 or F64 */
    const void *a, *b; /* of any alignment, as all arrays here */
    const void *x0;    /* NULL: 0 */
    size_t n;
    bool exact; /* no rounding is allowed: the numbers are small integers */
} oracle_recurrence;

/* The first element in which out is wrong, and words; ORACLE_AGREES when there is none.
 *
 * However maps are grouped, b[j] comes to out[i] through the products of a[j+1..i], each rounded at
 * most once, through one addition a step, and through one product and one addition for every group
 * before its own that is put in front of it, of which there are few (32 are allowed). So errors
 * follow the recurrence of the magnitudes. What underflows is lost: a few of the least numbers, times
 * what they are multiplied by. */
size_t oracle_recurrence_disagrees_at(const oracle_recurrence *question, const void *out,
                                      char words[ORACLE_WORDS]);

#endif
