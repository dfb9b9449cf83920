/* The peers of bench_peer_process, of which each process calls one. */
#ifndef PARSCAN_BENCH_PEER_FUNCTIONS_H
#define PARSCAN_BENCH_PEER_FUNCTIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_job {
    const void *in;
    void *out, *spare; /* of as many bytes as `in` */
    size_t n;
    unsigned threads;
    int keeps; /* whether a result that the peer allocates is copied to `out`: not while it is timed */
} peer_job;

/* Scans `in` into `out`; or sorts it: into `out`, or, if the peer sorts in place, `out` itself. */
typedef void peer_function(const peer_job *job);

/* The peer for "scan" or "sort-keys" of a type by its name ("u32"). NULL: not for this, or not
   built. */
typedef peer_function *peer_lookup(const char *work, const char *type);
peer_lookup peer_parlay, peer_parlay_buffers, peer_ips4o, peer_tbb, peer_std;

/* For the two that run on TBB, before their first call. */
void peer_limit_tbb(unsigned threads);

#ifdef __cplusplus
}
#endif
#endif
