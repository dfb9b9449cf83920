/*
 * How a group is verified and timed (cuda_measure.cu).
 */
#ifndef PARSCAN_BENCH_CUDA_MEASURE_H
#define PARSCAN_BENCH_CUDA_MEASURE_H

#include "cuda_bench.h"

#define WRONG_RESULT "wrong result"

/* The references of the outputs and of the chain. If they fail, nothing is compared, and the program will fail. */
void make_references(group &g);

/* Runs a contestant once. An error, or a result that differs from the reference, becomes its
   failure. */
bool verify_contestant(group &g, contestant &c);

/* Verifies and times the contestants, and writes their rows. Returns false if a result was
   wrong. */
bool measure_contestants(group &g, unsigned log2n);

#endif
