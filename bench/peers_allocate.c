#include "peers_allocate.h"

#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define X(size, offset)                                                                          \
    void bench_offsets_##size##_##offset(const void *from, void *to, size_t n, unsigned threads) \
    {                                                                                            \
        const size *const sizes = from;                                                          \
        offset *const offsets = to, sum = 0;                                                     \
        (void)threads;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                         \
            offsets[i] = sum;                                                                    \
            sum += sizes[i];                                                                     \
        }                                                                                        \
    }                                                                                            \
    void bench_offsets_openmp_##size##_##offset(const void *from, void *to, size_t n,            \
                                                unsigned threads)                                \
    {                                                                                            \
        const size *const sizes = from;                                                          \
        offset *const offsets = to, sum = 0;                                                     \
        _Pragma("omp parallel for simd num_threads(threads) reduction(inscan, + : sum)") for (   \
            size_t i = 0; i < n; i++)                                                            \
        {                                                                                        \
            offsets[i] = sum;                                                                    \
            _Pragma("omp scan exclusive(sum)") sum += sizes[i];                                  \
        }                                                                                        \
    }
BENCH_OFFSETS_TYPES(X)
