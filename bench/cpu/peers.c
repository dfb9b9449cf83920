#include "peers.h"

/* A peer that was not built is NULL. */
#pragma weak peer_std
#pragma weak peer_tbb
#pragma weak peer_tbb_sort
#pragma weak peer_highway
#pragma weak peer_vqsort
#pragma weak peer_parlay
#pragma weak peer_parlay_buffers
#pragma weak peer_ips4o

const bench_peer bench_peers[] = {
    {"openmp-simd", "^scan$", peer_openmp_simd, BENCH_POOL_NONE, false},
    {"openmp", "^(scan|compact-if|histogram-.*)$", peer_openmp, BENCH_POOL_OPENMP, false},
    {"openmp-eight", "^histogram-(256|4096)$", peer_openmp_eight, BENCH_POOL_OPENMP, false},
    {"std", "^(scan|sort-keys|compact-if|partition|unique)$", peer_std, BENCH_POOL_NONE, false},
    {"highway", "^compact-if$", peer_highway, BENCH_POOL_NONE, false},
    {"vqsort", "^sort-keys$", peer_vqsort, BENCH_POOL_NONE, false},
    {"std-par-unseq", "^(scan|sort-keys)$", peer_tbb, BENCH_POOL_TBB, false},
    {"tbb", "^sort-keys$", peer_tbb_sort, BENCH_POOL_TBB, false},
    {"parlaylib", "^(scan|sort-keys)$", peer_parlay, BENCH_POOL_PROCESS, true},
    {"parlaylib-buffers", "^(scan|sort-keys)$", peer_parlay_buffers, BENCH_POOL_PROCESS, true},
    {"ips4o", "^sort-keys$", peer_ips4o, BENCH_POOL_PROCESS, true},
    {0}};

/* Without a C++ compiler. */
__attribute__((weak)) const char *peer_versions(void)
{
    return "no C++ compiler";
}

__attribute__((weak)) void peer_limit_tbb(unsigned threads)
{
    (void)threads;
}
