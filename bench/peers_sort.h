/* The peers of sorting, which sort in place. NULL: not built, or not for this type. */
#ifndef PARSCAN_BENCH_PEERS_SORT_H
#define PARSCAN_BENCH_PEERS_SORT_H

#include <stddef.h>

#include "parscan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* threads: for peers that take a number. TBB's threads are limited by bench_std_threads(). */
typedef void bench_sort_function(void *keys, size_t n, unsigned threads);

#define BENCH_SORT_PEERS(X) \
    X(bench_std_sort) X(bench_std_sort_par) X(bench_tbb_sort) X(bench_vqsort)

#ifdef BENCH_HAVE_THRUST
bench_sort_function *bench_thrust_sort(parscan_type type);
#else
static inline bench_sort_function *bench_thrust_sort(parscan_type type)
{
    (void)type;
    return NULL;
}
#endif

#if defined __cplusplus || defined BENCH_HAVE_STD
#define X(peer) bench_sort_function *peer(parscan_type type);
#else /* no C++ compiler */
#define X(peer)                                                \
    static inline bench_sort_function *peer(parscan_type type) \
    {                                                          \
        (void)type;                                            \
        return NULL;                                           \
    }
#endif
BENCH_SORT_PEERS(X)
#undef X

#ifdef __cplusplus
}
#endif
#endif
