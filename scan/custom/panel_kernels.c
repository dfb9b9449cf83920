/* Transposition of panels. This file is compiled once for each SIMD set. */
#include "scan/custom/panel_kernels.h"

#include <stdint.h>

#include "scan/cpu/copy_small.h"
#include "scan/cpu/intrinsics.h"
#include "scan/tables.h"

#if defined __clang__
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

/* Longer vectors have shuffles that start once in a cycle, not twice. */
#if PARSCAN_VECTOR_BYTES < 32
#define PANEL_VECTOR_BYTES PARSCAN_VECTOR_BYTES
#else
#define PANEL_VECTOR_BYTES 32

/* By the intrinsic the second chunk comes from memory right into its half: a shuffle less. */
static inline __attribute__((always_inline)) __m256i load_two_chunks(const char *first,
                                                                     const char *second)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)first);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)second);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
#endif

static inline void stream_vector(char *to, const char *from)
{
#if PARSCAN_VECTOR_BYTES == 64
    _mm512_stream_si512((__m512i *)(void *)to, _mm512_loadu_si512(from));
#elif PARSCAN_VECTOR_BYTES == 32
    _mm256_stream_si256((__m256i *)(void *)to,
                        _mm256_loadu_si256((const __m256i *)(const void *)from));
#elif defined __x86_64__
    _mm_stream_si128((__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)from));
#else
    memcpy(to, from, PANEL_VECTOR_BYTES);
#endif
}

#define LANES_2(f, k) f(k), f((k) + 1)
#define LANES_4(f, k) LANES_2(f, k), LANES_2(f, (k) + 2)
#define LANES_8(f, k) LANES_4(f, k), LANES_4(f, (k) + 4)
#define LANES_16(f, k) LANES_8(f, k), LANES_8(f, (k) + 8)
#define LANES_32(f, k) LANES_16(f, k), LANES_16(f, (k) + 16)
#if PANEL_VECTOR_BYTES == 32
#define EVERY_1(f) LANES_32(f, 0)
#define EVERY_2(f) LANES_16(f, 0)
#define EVERY_4(f) LANES_8(f, 0)
#define EVERY_8(f) LANES_4(f, 0)
#else
#define EVERY_1(f) LANES_16(f, 0)
#define EVERY_2(f) LANES_8(f, 0)
#define EVERY_4(f) LANES_4(f, 0)
#define EVERY_8(f) LANES_2(f, 0)
#endif

#define UNIT uint8_t
#define NAME_OF_UNIT(name) name##_1
#define LANES (PANEL_VECTOR_BYTES / 1)
#define EVERY_LANE EVERY_1
#include "scan/custom/transpose_template.h"

#define UNIT uint16_t
#define NAME_OF_UNIT(name) name##_2
#define LANES (PANEL_VECTOR_BYTES / 2)
#define EVERY_LANE EVERY_2
#include "scan/custom/transpose_template.h"

#define UNIT uint32_t
#define NAME_OF_UNIT(name) name##_4
#define LANES (PANEL_VECTOR_BYTES / 4)
#define EVERY_LANE EVERY_4
#include "scan/custom/transpose_template.h"

#define UNIT uint64_t
#define NAME_OF_UNIT(name) name##_8
#define LANES (PANEL_VECTOR_BYTES / 8)
#define EVERY_LANE EVERY_8
#include "scan/custom/transpose_template.h"

/* Elements of 16 bytes: vectors of two. */
static size_t transpose_squares_16(const char *from, size_t from_stride, size_t height,
                                   size_t width, char *to, size_t to_stride)
{
    size_t k = 0;
#if PANEL_VECTOR_BYTES == 32
    for (; k + 2 <= height; k += 2)
        for (size_t i = 0; i < width; i++) {
            const char *const first = from + k * from_stride + i * 16;
            const __m256i two = load_two_chunks(first, first + from_stride);
            _mm256_storeu_si256((__m256i *)(void *)(to + i * to_stride + k * 16), two);
        }
#else
    (void)from, (void)from_stride, (void)height, (void)width, (void)to, (void)to_stride;
#endif
    return k;
}

/* to[i * to_stride + k * size] = from[k * from_stride + i * size], one element after another. */
static inline __attribute__((always_inline)) void move_each(const char *from, size_t from_stride,
                                                            size_t height, size_t width, char *to,
                                                            size_t to_stride, const size_t size)
{
    for (size_t k = 0; k < height; k++)
        for (size_t i = 0; i < width; i++)
            copy_element(to + i * to_stride + k * size, from + k * from_stride + i * size, size);
}

static inline __attribute__((always_inline)) void reverse_each(const char *from, size_t n, char *to,
                                                               const size_t size)
{
    for (size_t k = 0; k < n; k++)
        copy_element(to + k * size, from + (n - 1 - k) * size, size);
}

/* function_each(..., size) for sizes that the compiler then knows, function_any() for all others. */
#define BY_SIZE_CASE(bytes, function, ...)   \
    case bytes:                              \
        function##_each(__VA_ARGS__, bytes); \
        break;
#define BY_SIZE(size, function, ...)            \
    switch (size) {                             \
        BY_SIZE_CASE(1, function, __VA_ARGS__)  \
        BY_SIZE_CASE(2, function, __VA_ARGS__)  \
        BY_SIZE_CASE(4, function, __VA_ARGS__)  \
        BY_SIZE_CASE(8, function, __VA_ARGS__)  \
        BY_SIZE_CASE(12, function, __VA_ARGS__) \
        BY_SIZE_CASE(16, function, __VA_ARGS__) \
        BY_SIZE_CASE(24, function, __VA_ARGS__) \
        BY_SIZE_CASE(32, function, __VA_ARGS__) \
        BY_SIZE_CASE(48, function, __VA_ARGS__) \
        BY_SIZE_CASE(64, function, __VA_ARGS__) \
    default:                                    \
        function##_any(__VA_ARGS__, size);      \
        break;                                  \
    }

/* Other sizes, apart: in one function with them loops of 24 bytes took 1.06 to 1.19 of the time, by where they lay. */
static __attribute__((noinline)) void move_any(const char *from, size_t from_stride, size_t height,
                                               size_t width, char *to, size_t to_stride,
                                               size_t size)
{
    move_each(from, from_stride, height, width, to, to_stride, size);
}

static __attribute__((noinline)) void reverse_any(const char *from, size_t n, char *to, size_t size)
{
    reverse_each(from, n, to, size);
}

static void move_elements(const char *from, size_t from_stride, size_t height, size_t width,
                          char *to, size_t to_stride, size_t size)
{
    BY_SIZE(size, move, from, from_stride, height, width, to, to_stride)
}

static void reverse(const char *from, size_t n, size_t size, char *to)
{
    BY_SIZE(size, reverse, from, n, to)
}

/* The elements of a square's side: 1 if there are no squares. */
static size_t lanes_of(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 ? PANEL_VECTOR_BYTES / size : 1;
}

/* The squares as far as they go; `width` is whole ones. Returns how many of the height. */
static size_t transpose_squares(const char *from, size_t from_stride, size_t height, size_t width,
                                char *to, size_t to_stride, size_t size)
{
    switch (size) {
    case 1:
        return transpose_squares_1(from, from_stride, height, width, to, to_stride);
    case 2:
        return transpose_squares_2(from, from_stride, height, width, to, to_stride);
    case 4:
        return transpose_squares_4(from, from_stride, height, width, to, to_stride);
    case 8:
        return transpose_squares_8(from, from_stride, height, width, to, to_stride);
    case 16:
        return transpose_squares_16(from, from_stride, height, width, to, to_stride);
    default:
        return 0;
    }
}

/* The same, by squares as far as they go. */
static void transpose(const char *from, size_t from_stride, size_t height, size_t width, char *to,
                      size_t to_stride, size_t size)
{
    size_t done = 0;
    if (width % lanes_of(size) == 0)
        done = transpose_squares(from, from_stride, height, width, to, to_stride, size);
    move_elements(from + done * from_stride, from_stride, height - done, width, to + done * size,
                  to_stride, size);
}

static void to_columns(const panel_shape *shape, const char *from, size_t n, char *panel)
{
    const size_t size = shape->size, bytes = shape->rows * size, whole = n / shape->rows;
    char *const rows = panel + shape->stride;
    transpose(from, bytes, whole, shape->rows, rows, shape->stride, size);
    move_elements(from + whole * bytes, bytes, 1, n % shape->rows, rows + whole * size,
                  shape->stride, size);
}

/* The other way round: vectors are of rows; columns that fill no square, and rows, go one by one. */
static void from_columns(const panel_shape *shape, const char *rows, size_t n, char *to)
{
    const size_t size = shape->size, bytes = shape->rows * size, whole = n / shape->rows;
    const size_t lanes = lanes_of(size), squared = whole / lanes * lanes;
    const size_t done =
        transpose_squares(rows, shape->stride, shape->rows, squared, to, bytes, size);
    move_elements(rows + done * shape->stride, shape->stride, shape->rows - done, squared,
                  to + done * size, bytes, size);
    move_elements(rows + squared * size, shape->stride, shape->rows, whole - squared,
                  to + squared * bytes, bytes, size);
    move_elements(rows + whole * size, shape->stride, n % shape->rows, 1, to + whole * bytes, bytes,
                  size);
}

static void store_lines(char *to, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PARSCAN_VECTOR_BYTES)
        stream_vector(to + at, from + at);
}

const panel_kernels PARSCAN_PASTE(parscan_panel_kernels_, PARSCAN_ISA) = {to_columns, from_columns,
                                                                          reverse, store_lines};
