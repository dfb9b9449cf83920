/* The peers of compaction, for u32: they keep what is below `limit`, or one element of each run.
   Each returns how many elements it kept. Those that also write the rest return how many
   elements come first. */
#ifndef PARSCAN_BENCH_PEERS_COMPACT_H
#define PARSCAN_BENCH_PEERS_COMPACT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef size_t bench_compact_peer(const uint32_t *in, size_t n, uint32_t limit, uint32_t *out,
                                  unsigned threads);

/* C++'s std::copy_if, std::partition_copy, std::unique_copy and Highway's CopyIf, each on one
   thread; Thrust's copy_if with its OpenMP backend. NULL: not built. */
extern bench_compact_peer *const bench_std_copy_if,
    *const bench_std_partition, *const bench_std_unique, *const bench_highway_copy_if,
                                                             *const bench_thrust_copy_if;

/* OpenMP: each thread counts its share, then copies it behind the shares before. */
bench_compact_peer bench_openmp_compact;

/* A plain loop: the indices of the kept elements. */
bench_compact_peer bench_loop_indices;

#ifdef __cplusplus
}
#endif
#endif
