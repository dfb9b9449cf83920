/*
 * The kernels of compaction that work on bits and bytes, whatever the elements are. Compiled once
 * for each instruction set.
 */
#include <string.h>

#include "apps/compact/compact_kernels.h"
#include "scan/cpu/compress_table.h"
#include "scan/cpu/intrinsics.h"
#include "scan/cpu/stream_fence.h"
#include "scan/tables.h"

/* Writes the positions of up to 64 set bits, in whole vectors. Returns their number. */
static inline size_t word_positions_u32(uint64_t bits, uint32_t base, uint32_t *to)
{
    size_t kept = 0;
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i positions = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)base));
    for (int k = 0; k < KEEP_BITS; k += 16, bits >>= 16) {
        _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi32((__mmask16)bits, positions));
        kept += (size_t)__builtin_popcountll(bits & 0xffff);
        positions = _mm512_add_epi32(positions, _mm512_set1_epi32(16));
    }
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    for (uint32_t k = 0; k < KEEP_BITS; k += 8, bits >>= 8) {
        const __m256i lanes =
            _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)parscan_compress_table[bits & 0xff]));
        _mm256_storeu_si256((__m256i *)(to + kept),
                            _mm256_add_epi32(lanes, _mm256_set1_epi32((int)(base + k))));
        kept += (size_t)__builtin_popcountll(bits & 0xff);
    }
#else
    for (; bits != 0; bits &= bits - 1)
        to[kept++] = base + (uint32_t)__builtin_ctzll(bits);
#endif
    return kept;
}

static inline size_t word_positions_u64(uint64_t bits, uint64_t base, uint64_t *to)
{
    size_t kept = 0;
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i positions = _mm512_add_epi64(lanes, _mm512_set1_epi64((long long)base));
    for (int k = 0; k < KEEP_BITS; k += 8, bits >>= 8) {
        _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi64((__mmask8)bits, positions));
        kept += (size_t)__builtin_popcountll(bits & 0xff);
        positions = _mm512_add_epi64(positions, _mm512_set1_epi64(8));
    }
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    for (uint64_t k = 0; k < KEEP_BITS; k += 8, bits >>= 8) {
        const uint64_t lanes = parscan_compress_table[bits & 0xff];
        const __m256i start = _mm256_set1_epi64x((long long)(base + k));
        const __m128i low = _mm_cvtsi64_si128((long long)lanes);
        const __m128i high = _mm_cvtsi64_si128((long long)(lanes >> 32));
        _mm256_storeu_si256((__m256i *)(to + kept),
                            _mm256_add_epi64(_mm256_cvtepu8_epi64(low), start));
        _mm256_storeu_si256((__m256i *)(to + kept + 4),
                            _mm256_add_epi64(_mm256_cvtepu8_epi64(high), start));
        kept += (size_t)__builtin_popcountll(bits & 0xff);
    }
#else
    for (; bits != 0; bits &= bits - 1)
        to[kept++] = base + (uint64_t)__builtin_ctzll(bits);
#endif
    return kept;
}

static inline void prefetch_for_word(compact_ahead ahead, size_t word)
{
    if (ahead.from == NULL)
        return;
    const char *const from = ahead.from + word * ahead.bytes_a_word;
    for (size_t byte = 0; byte < ahead.bytes_a_word; byte += 64)
        __builtin_prefetch(from + byte, 0, 2);
}

static size_t positions_u32(const uint64_t *keep, size_t words, uint32_t base, uint32_t *buffer,
                            compact_ahead ahead)
{
    size_t kept = 0;
    for (size_t w = 0; w < words; w++) {
        prefetch_for_word(ahead, w);
        if (keep[w] != 0)
            kept += word_positions_u32(keep[w], base + (uint32_t)w * KEEP_BITS, buffer + kept);
    }
    return kept;
}

static size_t positions_u64(const uint64_t *keep, size_t words, uint64_t base, uint64_t *buffer,
                            compact_ahead ahead)
{
    size_t kept = 0;
    for (size_t w = 0; w < words; w++) {
        prefetch_for_word(ahead, w);
        if (keep[w] != 0)
            kept += word_positions_u64(keep[w], base + w * KEEP_BITS, buffer + kept);
    }
    return kept;
}

static void lengths_u32(size_t open, size_t base, const uint32_t *positions, size_t n,
                        uint32_t *buffer)
{
    buffer[0] = (uint32_t)(base + positions[0] - open);
    for (size_t k = 1; k < n; k++)
        buffer[k] = positions[k] - positions[k - 1];
}

static void lengths_u64(size_t open, size_t base, const uint32_t *positions, size_t n,
                        uint64_t *buffer)
{
    buffer[0] = base + positions[0] - open;
    for (size_t k = 1; k < n; k++)
        buffer[k] = positions[k] - positions[k - 1];
}

/* The number of bits that are set in [begin, end), which must not be empty. */
static inline size_t count_bits(const uint64_t *keep, size_t begin, size_t end)
{
    const size_t first = begin / KEEP_BITS, last = (end - 1) / KEEP_BITS;
    const uint64_t from = UINT64_MAX << begin % KEEP_BITS;
    const uint64_t to = UINT64_MAX >> (KEEP_BITS - 1 - (end - 1) % KEEP_BITS);
    if (first == last)
        return (size_t)__builtin_popcountll(keep[first] & from & to);
    size_t set = (size_t)__builtin_popcountll(keep[first] & from);
    for (size_t w = first + 1; w < last; w++)
        set += (size_t)__builtin_popcountll(keep[w]);
    return set + (size_t)__builtin_popcountll(keep[last] & to);
}

/* Index is the type of row offsets and columns. buffer == NULL: columns are not written. */
#define COLUMNS_KERNEL(name, Index)                                                     \
    static size_t name(compact_rows *rows, const uint64_t *keep, size_t n,              \
                       const uint32_t *positions, Index *buffer)                        \
    {                                                                                   \
        size_t done = 0;                                                                \
        for (size_t at = 0; at < n;) {                                                  \
            const size_t row_left = rows->columns - rows->column;                       \
            const size_t step = row_left < n - at ? row_left : n - at;                  \
            const size_t entries = count_bits(keep, at, at + step);                     \
            const Index shift = (Index)(rows->column - at);                             \
            if (buffer != NULL)                                                         \
                for (size_t k = done; k < done + entries; k++)                          \
                    buffer[k] = (Index)(positions[k] + shift);                          \
            done += entries;                                                            \
            at += step;                                                                 \
            rows->column += step;                                                       \
            if (rows->column == rows->columns) {                                        \
                const Index offset = (Index)(rows->entries + done);                     \
                rows->column = 0;                                                       \
                rows->row++;                                                            \
                memcpy((Index *)rows->row_offsets + rows->row, &offset, sizeof offset); \
            }                                                                           \
        }                                                                               \
        rows->entries += done;                                                          \
        return done;                                                                    \
    }
COLUMNS_KERNEL(columns_u32, uint32_t)
COLUMNS_KERNEL(columns_u64, uint64_t)

#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
typedef __m512i bytes;
#define stream_bytes(to, v) _mm512_stream_si512((void *)(to), v)
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
typedef __m256i bytes;
#define stream_bytes(to, v) _mm256_stream_si256((void *)(to), v)
#elif defined __x86_64__
typedef __m128i bytes;
#define stream_bytes(to, v) _mm_stream_si128((void *)(to), v)
#endif

static void stream(void *to, const void *from, size_t size)
{
#if defined __x86_64__
    /* Only whole lines are streamed. Another core may be writing to the rest of the first and
       the last line. */
    enum { LINE = 64 };
    const size_t before = (LINE - (uintptr_t)to % LINE) % LINE;
    if (size >= before + LINE) {
        char *out = to;
        const char *in = from;
        memcpy(out, in, before);
        size_t i = before;
        for (; i + LINE <= size; i += LINE) {
            for (size_t k = 0; k < LINE; k += sizeof(bytes)) {
                bytes v;
                memcpy(&v, in + i + k, sizeof v);
                stream_bytes(out + i + k, v);
            }
        }
        memcpy(out + i, in + i, size - i);
        return;
    }
#endif
    memcpy(to, from, size);
}

const place_kernels PARSCAN_PASTE(parscan_place_kernels_, PARSCAN_ISA) = {
    .positions_u32 = positions_u32,
    .positions_u64 = positions_u64,
    .lengths_u32 = lengths_u32,
    .lengths_u64 = lengths_u64,
    .columns_u32 = columns_u32,
    .columns_u64 = columns_u64,
    .stream = stream,
    .fence = stream_fence,
};
