/*
 * What a sort must answer: a merge sort of pairs (rank, index) by the rank, an integer that is made of the key by
 * the words of parscan/sort.h: numbers in the order of numbers, or some of their bits, the uppermost first.
 */
#ifndef PARSCAN_TESTS_ORACLE_SORT_H
#define PARSCAN_TESTS_ORACLE_SORT_H

#include <stdbool.h>

#include "parscan/sort.h"

typedef struct oracle_sort {
    parscan_type type;
    bool descending;
    unsigned begin_bit, end_bit; /* both 0: numbers, whole */
    const void *keys;            /* of any alignment */
    size_t n;
    const size_t *bounds; /* segment s is keys[bounds[s] .. bounds[s + 1]); NULL: all are one */
} oracle_sort;

/* order[k] is the index of the key that comes k-th. */
void oracle_sort_order(const oracle_sort *sort, size_t *order);

/* sorted[k] = array[order[k]], elements of size bytes. */
void oracle_gather(const void *array, size_t size, const size_t *order, size_t n, void *sorted);

#endif
