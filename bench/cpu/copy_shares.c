/* One thread's part of the copies and the read. The functions that move whole vectors are compiled
   once for each instruction set. */
#include "copies.h"

#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#define HAVE_X86 1
#else
#define HAVE_X86 0
#endif

enum { LINE = 64, SHARE_UNIT = 4096, ACCUMULATORS = 4 };

typedef uint64_t line_words __attribute__((vector_size(LINE)));

/* Returns the sum of the words of whole blocks of ACCUMULATORS lines. */
static inline __attribute__((always_inline)) uint64_t read_blocks(const char *from, size_t blocks)
{
    line_words sums[ACCUMULATORS] = {{0}};
    for (size_t i = 0; i < blocks; i++, from += ACCUMULATORS * LINE) {
        for (int k = 0; k < ACCUMULATORS; k++) {
            line_words words;
            memcpy(&words, from + k * LINE, LINE);
            sums[k] += words;
        }
    }
    const line_words all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    uint64_t sum = 0;
    for (size_t k = 0; k < LINE / sizeof sum; k++)
        sum += all[k];
    return sum;
}

typedef struct copy_kernels {
    const char *name;
    void (*copy)(char *to, const char *from, size_t lines); /* `to` is aligned to LINE */
    uint64_t (*read)(const char *from, size_t blocks);
} copy_kernels;

#define COPY_KERNELS(set, words, target_name, vector, load, stream)                         \
    __attribute__((target(target_name))) static void copy_##set(char *to, const char *from, \
                                                                size_t lines)               \
    {                                                                                       \
        for (; lines > 0; lines--, to += LINE, from += LINE)                                \
            for (size_t k = 0; k < LINE; k += sizeof(vector))                               \
                stream((vector *)(void *)(to + k),                                          \
                       load((const vector *)(const void *)(from + k)));                     \
        _mm_sfence();                                                                       \
    }                                                                                       \
    __attribute__((target(target_name))) static uint64_t read_##set(const char *from,       \
                                                                    size_t blocks)          \
    {                                                                                       \
        return read_blocks(from, blocks);                                                   \
    }                                                                                       \
    static const copy_kernels kernels_##set = {words, copy_##set, read_##set};

#if HAVE_X86
COPY_KERNELS(avx512, "non-temporal AVX-512", "avx512f", __m512i, _mm512_loadu_si512,
             _mm512_stream_si512)
COPY_KERNELS(avx2, "non-temporal AVX2", "avx2", __m256i, _mm256_loadu_si256, _mm256_stream_si256)
COPY_KERNELS(sse2, "non-temporal SSE2", "sse2", __m128i, _mm_loadu_si128, _mm_stream_si128)

static const copy_kernels *kernels(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return &kernels_avx512;
    return __builtin_cpu_supports("avx2") ? &kernels_avx2 : &kernels_sse2;
}
#else
static void copy_plain(char *to, const char *from, size_t lines)
{
    memcpy(to, from, lines * LINE);
}

static const copy_kernels *kernels(void)
{
    static const copy_kernels plain = {"plain", copy_plain, read_blocks};
    return &plain;
}
#endif

const char *bench_copy_isa(void)
{
    return kernels()->name;
}

size_t bench_share_begin(size_t bytes, unsigned threads, unsigned k)
{
    return k == threads ? bytes : bytes / SHARE_UNIT * k / threads * SHARE_UNIT;
}

void bench_nt_copy_share(void *to_share, const void *from_share, size_t bytes)
{
    char *const to = to_share;
    const char *const from = from_share;
    size_t head = (LINE - (uintptr_t)to % LINE) % LINE;
    head = head < bytes ? head : bytes;
    memcpy(to, from, head);
    const size_t lines = (bytes - head) / LINE, done = head + lines * LINE;
    kernels()->copy(to + head, from + head, lines);
    memcpy(to + done, from + done, bytes - done);
}

uint64_t bench_read_share(const void *from_share, size_t bytes)
{
    const char *const from = from_share;
    const size_t blocks = bytes / (ACCUMULATORS * LINE);
    uint64_t sum = kernels()->read(from, blocks), word;
    for (size_t i = blocks * ACCUMULATORS * LINE; i < bytes; i += sizeof word) {
        memcpy(&word, from + i, sizeof word);
        sum += word;
    }
    return sum;
}
