/* The peers of an allocation: offsets as the sums of the sizes before, in a plain loop and in
   OpenMP's scan. */
#ifndef PARSCAN_BENCH_PEERS_ALLOCATE_H
#define PARSCAN_BENCH_PEERS_ALLOCATE_H

#include <stddef.h>

typedef void bench_offsets_peer(const void *sizes, void *offsets, size_t n, unsigned threads);

/* X(type of sizes, type of offsets) */
#define BENCH_OFFSETS_TYPES(X) X(u8, u64) X(u32, u32) X(u32, u64)

#define X(size, offset) \
    bench_offsets_peer bench_offsets_##size##_##offset, bench_offsets_openmp_##size##_##offset;
BENCH_OFFSETS_TYPES(X)
#undef X

#endif
