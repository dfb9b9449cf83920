/* The peers of parscan_histogram() and parscan_bin(). */
#ifndef PARSCAN_BENCH_PEERS_HISTOGRAM_H
#define PARSCAN_BENCH_PEERS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Counts elements of 1 or 4 bytes, all of them below `bins`. */
typedef void bench_histogram_peer(const void *in, size_t element_size, size_t n, size_t bins,
                                  uint32_t *counts, unsigned threads);

/* One thread with one table. */
bench_histogram_peer bench_histogram_loop;

/* With omp parallel for reduction(+ : counts[:bins]). */
bench_histogram_peer bench_histogram_reduction;

/* Eight tables for each thread, in rotation; for up to BENCH_EIGHT_BINS bins. */
enum { BENCH_EIGHT_BINS = 4096 };
bench_histogram_peer bench_histogram_eight;

/* A plain counting sort of u32 values by u32 bins, on one thread: count, scan, scatter. */
void bench_bin_loop(const uint32_t *bin_of, const uint32_t *values, size_t n, size_t bins,
                    uint32_t *offsets, uint32_t *values_out);

#endif
