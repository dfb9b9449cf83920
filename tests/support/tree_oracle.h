/*
 * What a reproducible scan of floats must answer, to the bit: the tree of scan/reproducible/tree.h,
 * written down once more, by what an element is and not by the steps that compute it.
 */
#ifndef PARSCAN_TESTS_TREE_ORACLE_H
#define PARSCAN_TESTS_TREE_ORACLE_H

#include "tests/support/oracle.h"

/* Writes the n results, or the one of a reduction: sums or products of f32, f64, or of f32 in f64.
   out is aligned to its elements. */
void tree_oracle(const oracle_scan *scan, void *out);

/* The first of n floats in which the bits differ, any NaN as good as another; n if there is none.
   The arrays may have any alignment. */
size_t bits_differ_at(parscan_type type, const void *a, const void *b, size_t n);

#endif
