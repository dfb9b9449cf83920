/* The peers of segmented scans and recurrences, one set for each element type: inclusive scans
   for the sum. */
#ifndef PARSCAN_BENCH_PEERS_SEGMENTED_H
#define PARSCAN_BENCH_PEERS_SEGMENTED_H

#include <stddef.h>
#include <stdint.h>

#include "scan/tables.h"

typedef void bench_segmented_scan(const void *in, const uint8_t *flags, void *out, size_t n,
                                  unsigned threads);
typedef size_t bench_segmented_reduce(const void *in, const uint8_t *flags, void *out, size_t n);
typedef void bench_recurrence(const void *a, const void *b, void *out, size_t n);

#define X(ctx, NAME, number, name, ...)                      \
    bench_segmented_scan bench_segmented_scan_loop_##name;   \
    bench_segmented_scan bench_segmented_scan_openmp_##name; \
    bench_segmented_reduce bench_segmented_reduce_##name;    \
    bench_recurrence bench_recurrence_##name;
PARSCAN_TYPES(X, )
#undef X

#endif
