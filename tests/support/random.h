/*
 * Inputs from a seed. The seed is printed to standard error by every process that uses it, and
 * the environment variable PARSCAN_TEST_SEED repeats it.
 */
#ifndef PARSCAN_TESTS_RANDOM_H
#define PARSCAN_TESTS_RANDOM_H

#include "parscan/types.h"

/* 64 random bits. Not for two threads at once. */
uint64_t random_bits(void);

/* What follows is as at the start of the process, from the same seed. */
void random_restart(void);

/* A random number of [0, below), below > 0. */
size_t random_below(size_t below);

/* Fills array[0..n) with values of type that keep a scan by op from settling early: any bits for
   sums, odd factors (floats: near 1) for products, a peak in the middle for minimum and maximum,
   few zeros for AND, few ones for OR. Floats have signed zeros, infinities and a rare NaN where op
   orders its operands. */
void random_fill(parscan_type type, parscan_op op, void *array, size_t n);

#endif
