/*
 * The kernels of the radix sort. Compiled once an instruction set.
 */
#include "apps/sort/sort_kernels.h"

#include <limits.h>
#include <stdalign.h>
#include <string.h>

#include "scan/cpu/intrinsics.h"

/* The scan of the digits' counts is a tile kernel of scan/, for u32. */
#define PARSCAN_ELEMENT U32
#define PARSCAN_ELEMENT_NAME u32
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "scan/cpu/tile_kernels.h"

#include "apps/merge/merge_vectors.h"
#include "scan/context/size_math.h"
#include "scan/cpu/read_once.h"
#include "scan/cpu/stream_fence.h"

#define TILE_KERNELS NAMED(PARSCAN_PASTE(parscan_tile_kernels_, PARSCAN_ISA))
#define KERNEL static inline __attribute__((always_inline, unused))

enum {
    DIGIT_BLOCK = 64,
    COMBINED_BYTES = 128 /* two cache lines, which go to memory together */,
    PREFETCH_FROM =
        32 << 10 /* bytes of a bucket that do not fit the first-level cache with its source */,
    COUNT_BLOCK = 1 << 30 /* its counts fit 32 bits */,
    KNOWN_BLOCK = 4096
};
#define VECTOR_SORT(bits) \
    PARSCAN_PASTE(PARSCAN_PASTE(parscan_sort_vectors_, PARSCAN_ISA), PARSCAN_PASTE(_i, bits))
#define UNROLL _Pragma("GCC unroll 8")

/* Turns the counts of digits into where each digit starts. */
static void scan_counts(uint32_t *counts, size_t n)
{
    const tile_scan tile = {.in = counts, .out = counts, .n = n, .exclusive = true};
    TILE_KERNELS.scan(PARSCAN_SUM, &tile);
}

/* Writes one whole line, past the caches where the machine can. */
KERNEL void stream_line(char *to, const char *line)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    _mm512_stream_si512((__m512i *)to, _mm512_load_si512(line));
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    for (int k = 0; k < 64; k += 32)
        _mm256_stream_si256((__m256i *)(to + k), _mm256_load_si256((const __m256i *)(line + k)));
#elif defined __x86_64__
    for (int k = 0; k < 64; k += 16)
        _mm_stream_si128((__m128i *)(to + k), _mm_load_si128((const __m128i *)(line + k)));
#else
    memcpy(to, line, 64);
#endif
}

/* Bytes ahead that are prefetched: what lies next is read next, so reads go on while stores go
   past the caches. */
enum { PREFETCHED = 32768 };

static void copy_bytes(char *to, const char *from, size_t bytes, bool stream)
{
    size_t head = (64 - (uintptr_t)to % 64) % 64;
    if (!stream || bytes < head + 64) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, head);
    for (; head + 64 <= bytes; head += 64) {
        __builtin_prefetch(from + head + PREFETCHED, 0, 2);
        alignas(64) char line[64];
        memcpy(line, from + head, sizeof line);
        stream_line(to + head, line);
    }
    memcpy(to + head, from + head, bytes - head);
    stream_fence();
}

/* The expression function(size, ...), with size a constant if it is a common one. */
#define BY_SIZE(size, function, ...)          \
    ((size) == 1   ? function(1, __VA_ARGS__) \
     : (size) == 2 ? function(2, __VA_ARGS__) \
     : (size) == 4 ? function(4, __VA_ARGS__) \
     : (size) == 8 ? function(8, __VA_ARGS__) \
                   : function((size), __VA_ARGS__))

KERNEL void reverse_sized(size_t size, char *restrict to, const char *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(to + (n - 1 - i) * size, from + i * size, size);
}

static void reverse(char *restrict to, const char *restrict from, size_t n, size_t size)
{
    BY_SIZE(size, reverse_sized, to, from, n);
}

KERNEL void exchange_elements(char *restrict a, char *restrict b, size_t size)
{
    char kept[64];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

KERNEL void exchange_sized(size_t size, char *restrict a, char *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        exchange_elements(a + i * size, b + (n - 1 - i) * size, size);
}

static void exchange(char *restrict a, char *restrict b, size_t n, size_t size)
{
    BY_SIZE(size, exchange_sized, a, b, n);
}

static void indices_4(char *values, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t number = (uint32_t)(first + i);
        memcpy(values + i * sizeof number, &number, sizeof number);
    }
}

static void indices_8(char *values, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t number = first + i;
        memcpy(values + i * sizeof number, &number, sizeof number);
    }
}

#define indices_none NULL
#define indices_any NULL

#include "apps/sort/bucket_digits.h"

#define KEY_TEMPLATE "apps/sort/key_kernels_template.h"
#include "apps/sort/each_key_class.h"

#define by_vectors_u8 NULL
#define by_vectors_u16 NULL
#define by_vectors_f16 NULL
#define by_vectors_bf16 NULL
#define count_window_u8 NULL
#define count_window_u16 NULL
#define count_window_f16 NULL
#define count_window_bf16 NULL
#define count_window_f32 NULL
#define count_window_f64 NULL
#define VECTORS_MOST_u8 0
#define VECTORS_MOST_u16 0
#define VECTORS_MOST_f16 0
#define VECTORS_MOST_bf16 0
#define BY_VECTORS_none(key) by_vectors_##key
#define BY_VECTORS_4(key) NULL
#define BY_VECTORS_8(key) NULL
#define BY_VECTORS_any(key) NULL

#define KERNELS(key, size, value)                                                                 \
    {                                                                                             \
        .key_size = size, .ascends = ascends_##key, .descends = descends_##key,                   \
        .varying = varying_##key, .count = count_##key, .scatter = scatter_##key##_##value,       \
        .sort = sort_##key##_##value, .line_bytes = LINE_BYTES_##key##_##value,                   \
        .copy = copy_bytes, .reverse = reverse, .exchange = exchange, .indices = indices_##value, \
        .count_wide = count_wide_##key, .count_known = count_known_##key, .fill = fill_##key,     \
        .raw = raw_##key, .rank = rank_of_##key, .key_of = key_of_##key,                          \
        .count_window = count_window_##key, .by_vectors = BY_VECTORS_##value(key),                \
        .vectors_sort_buckets = VECTORS_MOST_##key == INT_MAX                                     \
    }
#define KERNELS_OF_KEY(key, size)                                               \
    {                                                                           \
        KERNELS(key, size, none), KERNELS(key, size, 4), KERNELS(key, size, 8), \
            KERNELS(key, size, any)                                             \
    }

sort_kernels_table PARSCAN_PASTE(parscan_sort_kernels_, PARSCAN_ISA) = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = KERNELS_OF_KEY(name, bits / 8),
    PARSCAN_KEY_CLASSES(X, )
#undef X
};
