/* The copies and the read on several threads of OpenMP. */
#include "copy.h"

#include <string.h>

void bench_memcpy(void *to, const void *from, size_t bytes, unsigned threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (unsigned k = 0; k < threads; k++) {
        const size_t begin = bench_share_begin(bytes, threads, k);
        memcpy((char *)to + begin, (const char *)from + begin,
               bench_share_begin(bytes, threads, k + 1) - begin);
    }
}

void bench_nt_copy(void *to, const void *from, size_t bytes, unsigned threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (unsigned k = 0; k < threads; k++) {
        const size_t begin = bench_share_begin(bytes, threads, k);
        bench_nt_copy_share((char *)to + begin, (const char *)from + begin,
                            bench_share_begin(bytes, threads, k + 1) - begin);
    }
}

uint64_t bench_read(const void *from, size_t bytes, unsigned threads)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum) if (threads > 1)
    for (unsigned k = 0; k < threads; k++) {
        const size_t begin = bench_share_begin(bytes, threads, k);
        sum += bench_read_share((const char *)from + begin,
                                bench_share_begin(bytes, threads, k + 1) - begin);
    }
    return sum;
}
