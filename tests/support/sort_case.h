/*
 * One call of a sort, run and compared with the oracle.
 */
#ifndef PARSCAN_TESTS_SORT_CASE_H
#define PARSCAN_TESTS_SORT_CASE_H

#include "tests/support/oracle_sort.h"
#include "tests/support/segment_shapes.h"

typedef struct sort_case {
    parscan_type type;
    parscan_sort_options options; /* struct_size is filled in */
    size_t n;
    size_t value_size;       /* 0: keys alone */
    parscan_type index_type; /* not 0: argsort */
    const cut_array *cut;    /* not NULL: of segments */
    bool keys_in_place, values_in_place;
    unsigned in_offset, out_offset; /* bytes that the arrays start past an aligned address */
} sort_case;

/* The arrays of a call. Of an argsort, values_out are the indices. */
typedef struct sort_arrays {
    const void *keys_in;
    void *keys_out;
    const void *values_in;
    void *values_out;
} sort_arrays;

#define SORT_WORDS 640

/* Makes the call of the case, on segments if they are not NULL. */
parscan_status call_sort(parscan_context *context, const sort_case *sort,
                         const parscan_segments *segments, sort_arrays arrays);

/* The order that the oracle gives n keys, for free(). */
size_t *sort_order(const sort_case *sort, const void *keys);

/* n values of size bytes that tell where they come from, for free(). */
void *sort_values(size_t size, size_t n);

/* Compares the output with keys and values put in order. Words tell what is wrong. */
bool sorted_is_right(const sort_case *sort, const void *keys, const void *values,
                     const size_t *order, sort_arrays arrays, char words[SORT_WORDS]);

/* A case in words, and what is said of it. */
void describe_sort(const sort_case *sort, const char *what, char words[SORT_WORDS]);

/* Sorts keys in arrays of the test's own; the test fails unless the output is what the oracle says,
   and the inputs, the segments and the bytes around the outputs are what they were. */
void expect_sort(parscan_context *context, sort_case sort, const void *keys);

/* The same, given the order of the keys, so that it need not be found again. */
void expect_order(parscan_context *context, sort_case sort, const void *keys, const size_t *order);

#endif
