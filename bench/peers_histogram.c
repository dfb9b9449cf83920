#include "peers_histogram.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Calls function(in, element_size, ...) with a constant size. */
#define WITH_SIZE(function, in, element_size, ...) \
    if (element_size == 1)                         \
        function(in, 1, __VA_ARGS__);              \
    else                                           \
        function(in, 4, __VA_ARGS__)

ALWAYS_INLINE size_t element(const void *in, size_t size, size_t i)
{
    return size == 1 ? ((const uint8_t *)in)[i] : ((const uint32_t *)in)[i];
}

ALWAYS_INLINE void loop(const void *in, size_t size, size_t n, uint32_t *counts)
{
    for (size_t i = 0; i < n; i++)
        counts[element(in, size, i)]++;
}

void bench_histogram_loop(const void *in, size_t element_size, size_t n, size_t bins,
                          uint32_t *counts, unsigned threads)
{
    (void)threads;
    memset(counts, 0, bins * sizeof *counts);
    WITH_SIZE(loop, in, element_size, n, counts);
}

ALWAYS_INLINE void reduction(const void *in, size_t size, size_t n, size_t bins, uint32_t *counts,
                             unsigned threads)
{
#pragma omp parallel for num_threads(threads) reduction(+ : counts[:bins])
    for (size_t i = 0; i < n; i++)
        counts[element(in, size, i)]++;
}

void bench_histogram_reduction(const void *in, size_t element_size, size_t n, size_t bins,
                               uint32_t *counts, unsigned threads)
{
    memset(counts, 0, bins * sizeof *counts);
    WITH_SIZE(reduction, in, element_size, n, bins, counts, threads);
}

ALWAYS_INLINE void eight(const void *in, size_t size, size_t n,
                         uint32_t (*tables)[BENCH_EIGHT_BINS])
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t t = 0; t < 8; t++)
            tables[t][element(in, size, i + t)]++;
    for (; i < n; i++)
        tables[0][element(in, size, i)]++;
}

static void eight_of_thread(const void *in, size_t element_size, size_t n, size_t bins,
                            uint32_t *counts)
{
    uint32_t tables[8][BENCH_EIGHT_BINS];
    for (size_t t = 0; t < 8; t++)
        memset(tables[t], 0, bins * sizeof **tables);
    WITH_SIZE(eight, in, element_size, n, tables);
#pragma omp critical(eight)
    for (size_t t = 0; t < 8; t++)
        for (size_t bin = 0; bin < bins; bin++)
            counts[bin] += tables[t][bin];
}

void bench_histogram_eight(const void *in, size_t element_size, size_t n, size_t bins,
                           uint32_t *counts, unsigned threads)
{
    memset(counts, 0, bins * sizeof *counts);
#pragma omp parallel for num_threads(threads)
    for (unsigned k = 0; k < threads; k++) {
        const size_t begin = n / threads * k, end = k + 1 < threads ? begin + n / threads : n;
        eight_of_thread((const char *)in + begin * element_size, element_size, end - begin, bins,
                        counts);
    }
}

void bench_bin_loop(const uint32_t *bin_of, const uint32_t *values, size_t n, size_t bins,
                    uint32_t *offsets, uint32_t *values_out)
{
    memset(offsets, 0, (bins + 1) * sizeof *offsets);
    for (size_t i = 0; i < n; i++)
        offsets[bin_of[i] + 1]++;
    uint32_t before = 0;
    for (size_t bin = 1; bin <= bins; bin++) {
        const uint32_t count = offsets[bin];
        offsets[bin] = before;
        before += count;
    }
    for (size_t i = 0; i < n; i++)
        values_out[offsets[bin_of[i] + 1]++] = values[i];
}
