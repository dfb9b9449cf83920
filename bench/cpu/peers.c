#include "peers.h"

#ifdef BENCH_HAVE_STD
#define STD(lookup) lookup
#else
#define STD(lookup) NULL
#endif
#ifdef BENCH_HAVE_TBB
#define TBB(lookup) lookup
#else
#define TBB(lookup) NULL
#endif
#ifdef BENCH_HAVE_HIGHWAY
#define HIGHWAY(lookup) lookup
#else
#define HIGHWAY(lookup) NULL
#endif
#ifdef BENCH_HAVE_HWY
#define VQSORT(lookup) lookup
#else
#define VQSORT(lookup) NULL
#endif
#ifdef BENCH_HAVE_PARLAYLIB
#define PARLAY(lookup) lookup
#else
#define PARLAY(lookup) NULL
#endif
#ifdef BENCH_HAVE_IPS4O
#define IPS4O(lookup) lookup
#else
#define IPS4O(lookup) NULL
#endif

const bench_peer bench_peers[] = {
    {"openmp-simd", "^scan$", peer_openmp_simd, BENCH_POOL_NONE, false},
    {"openmp", "^(scan|compact-if|histogram-.*)$", peer_openmp, BENCH_POOL_OPENMP, false},
    {"openmp-eight", "^histogram-(256|4096)$", peer_openmp_eight, BENCH_POOL_OPENMP, false},
    {"std", "^(scan|sort-keys|compact-if|partition|unique)$", STD(peer_std), BENCH_POOL_NONE,
     false},
    {"highway", "^compact-if$", HIGHWAY(peer_highway), BENCH_POOL_NONE, false},
    {"vqsort", "^sort-keys$", VQSORT(peer_vqsort), BENCH_POOL_NONE, false},
    {"std-par-unseq", "^(scan|sort-keys)$", TBB(peer_tbb), BENCH_POOL_TBB, false},
    {"tbb", "^sort-keys$", TBB(peer_tbb_sort), BENCH_POOL_TBB, false},
    {"parlaylib", "^(scan|sort-keys)$", PARLAY(peer_parlay), BENCH_POOL_PROCESS, true},
    {"parlaylib-buffers", "^(scan|sort-keys)$", PARLAY(peer_parlay_buffers), BENCH_POOL_PROCESS,
     true},
    {"ips4o", "^sort-keys$", IPS4O(peer_ips4o), BENCH_POOL_PROCESS, true},
    {0}};

#ifndef BENCH_HAVE_STD
const char *peer_versions(void)
{
    return "no C++ compiler";
}

void peer_limit_tbb(unsigned threads)
{
    (void)threads;
}
#endif
