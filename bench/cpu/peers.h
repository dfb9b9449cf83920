/* The peers of the rows: each is asked for its function for a row's work and type. */
#ifndef PARSCAN_BENCH_PEERS_H
#define PARSCAN_BENCH_PEERS_H

#include <stddef.h>
#include <stdint.h>

#include "harness.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_job {
    const void *in;
    void *out, *spare; /* of as many bytes as `in` */
    uint32_t *counts;  /* of a histogram */
    size_t n, bins;
    uint32_t limit; /* a filter keeps what is below it */
    unsigned threads;
    int keeps; /* whether a result that the peer allocates is copied to `out`: not while it is timed */
    uint64_t result; /* how many elements it has kept */
} peer_job;

/* Sorts work in `out`, which holds a copy of `in`. */
typedef void peer_function(peer_job *job);

/* NULL: not for this type, or not built. */
typedef peer_function *peer_lookup(const char *work, const char *type);

typedef struct bench_peer {
    const char *name, *works; /* a regular expression of the works that it does, were it built */
    peer_lookup *lookup;      /* NULL: not built */
    bench_pool pool;          /* NONE: it runs on one thread */
    bool alone; /* only where --only names it: its threads would stay beside the others' */
} bench_peer;

/* Ended by an empty one. */
extern const bench_peer bench_peers[];

peer_lookup peer_openmp_simd, peer_openmp, peer_openmp_eight, peer_std, peer_tbb, peer_tbb_sort,
    peer_vqsort, peer_highway, peer_parlay, peer_parlay_buffers, peer_ips4o;

/* Limits the threads of those that run on TBB. */
void peer_limit_tbb(unsigned threads);

/* The names and versions of the C++ peers that were built. The string is static. */
const char *peer_versions(void);

#ifdef __cplusplus
}
#endif
#endif
