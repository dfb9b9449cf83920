/*
 * One sort over ranks that are threads, compared with the sort of the joined array.
 */
#ifndef PARSCAN_TESTS_DIST_SORT_CASE_H
#define PARSCAN_TESTS_DIST_SORT_CASE_H

#include "parscan/distributed.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/sort_case.h"
#include "tests/support/thread_comm.h"

typedef struct dist_sort_case {
    sort_case sort; /* type, options, n, value_size, index_type (U64: argsort), keys_in_place */
    piece_pattern in, out;
    unsigned ranks, threads;
} dist_sort_case;

/* What the ranks share. */
typedef struct dist_sort_data {
    const dist_sort_case *sort;
    const char *keys, *values;
    char *keys_out, *values_out;
    pieces in, out;
} dist_sort_data;

/* Describes the arrays of a case, whose outputs are to be freed by dist_sort_release(). */
dist_sort_data dist_sort_data_of(const dist_sort_case *sort, const void *keys, const void *values);
void dist_sort_release(dist_sort_data *data);

/* A rank's call. */
parscan_status dist_sort_call(parscan_comm *comm, const dist_sort_data *data);

/* Sorts, and compares with `order`; NULL: with the sort of one context. keys are the joined array. */
thread_comm_result expect_dist_sort(dist_sort_case sort, const void *keys, const size_t *order);

#endif
