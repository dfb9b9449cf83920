/*
 * What parscan_sort_columns() must answer: a merge sort of row numbers, which compares two rows column by
 * column: numbers as numbers (-0 before +0, NaNs last), strings by memcmp().
 */
#ifndef PARSCAN_TESTS_ORACLE_COLUMNS_H
#define PARSCAN_TESTS_ORACLE_COLUMNS_H

#include "parscan/columns.h"

/* order[k] is the row that comes k-th. Columns are of any alignment, and their data in host memory. */
void oracle_sort_columns(const parscan_column *columns, size_t column_count, size_t n,
                         size_t *order);

/* Below 0: row a is before row b; above: after; 0: they are equal. */
int oracle_compare_rows(const parscan_column *columns, size_t column_count, size_t a, size_t b);

#endif
