#include "peers_compact.h"

#include <omp.h>

#ifndef BENCH_HAVE_STD
bench_compact_peer *const bench_std_copy_if = NULL, *const bench_std_partition = NULL,
                          *const bench_std_unique = NULL, *const bench_highway_copy_if = NULL;
#endif
#ifndef BENCH_HAVE_THRUST
bench_compact_peer *const bench_thrust_copy_if = NULL;
#endif

size_t bench_openmp_compact(const uint32_t *in, size_t n, uint32_t limit, uint32_t *out,
                            unsigned threads)
{
    size_t kept[1024 + 1] = {0};
#pragma omp parallel num_threads(threads)
    {
        const size_t me = (size_t)omp_get_thread_num(), team = (size_t)omp_get_num_threads();
        const size_t begin = n / team * me, end = me + 1 == team ? n : n / team * (me + 1);
        size_t mine = 0;
        for (size_t i = begin; i < end; i++)
            mine += in[i] < limit;
        kept[me + 1] = mine;
#pragma omp barrier
#pragma omp single
        for (size_t k = 1; k <= team; k++)
            kept[k] += kept[k - 1];
        size_t to = kept[me];
        for (size_t i = begin; i < end; i++)
            if (in[i] < limit)
                out[to++] = in[i];
#pragma omp single
        kept[1024] = kept[team];
    }
    return kept[1024];
}

size_t bench_loop_indices(const uint32_t *in, size_t n, uint32_t limit, uint32_t *out,
                          unsigned threads)
{
    (void)threads;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[kept] = (uint32_t)i;
        kept += in[i] < limit;
    }
    return kept;
}
