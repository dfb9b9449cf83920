/*
 * Segment heads as bits. This file is compiled once for each instruction set.
 *
 * Boundary p, 0 <= p <= n, lies between x[p-1] and x[p]; bit p tells whether they belong to
 * different segments. Flags are bytes, one for each boundary. Offsets and keys are first turned
 * into such bytes, CHUNK of them at a time: one byte can be stored in each cycle, while bits that
 * are set in the same word one after another would wait for each other. Then every 64 bytes become
 * a word of bits. The words of rows are one pattern, shifted.
 */
#include "apps/segments/heads.h"

#include <math.h>
#include <string.h>

#include "apps/segments/check_segments.h"
#include "apps/segments/key_change.h"
#include "scan/cpu/intrinsics.h"

enum { CHUNK = 4096, WORD = 64, MARKED = 64 };

/* Returns a word whose bit k tells whether flags[k] is not 0. */
static inline uint64_t word_of_flags(const uint8_t *flags)
{
#if PARSCAN_VECTOR_BYTES == 64
    const __m512i all = _mm512_loadu_si512(flags);
    return _mm512_test_epi8_mask(all, all);
#elif PARSCAN_VECTOR_BYTES == 32
    const __m256i zero = _mm256_setzero_si256();
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)flags);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(flags + 32));
    const uint32_t low_zeros = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero));
    const uint32_t high_zeros = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero));
    return ~((uint64_t)high_zeros << 32 | low_zeros);
#else
    /* Eight bytes a step: the top bit of each byte tells whether it is not 0, and a
       multiplication gathers the eight bits. */
    const uint64_t sevens = 0x7f7f7f7f7f7f7f7f, gather = 0x0102040810204080;
    uint64_t word = 0;
    for (int k = 0; k < WORD; k += 8) {
        uint64_t eight;
        memcpy(&eight, flags + k, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        const uint64_t set = (((eight & sevens) + sevens) | eight) & ~sevens;
        word |= ((set >> 7) * gather >> 56) << k;
    }
    return word;
#endif
}

static void words_of_flags(const uint8_t *flags, size_t count, uint64_t *words)
{
    for (; count >= WORD; count -= WORD, flags += WORD)
        *words++ = word_of_flags(flags);
    if (count > 0) {
        uint8_t rest[WORD] = {0};
        memcpy(rest, flags, count);
        *words = word_of_flags(rest);
    }
}

/* flags[k] = 1 where keys[k] differs from keys[k-1]. A NaN equals every NaN. */
#define X(ctx, NAME, number, name, type, arithmetic, class, low, high, lane)   \
    static void differ_##name(const void *keys, size_t count, uint8_t *flags)  \
    {                                                                          \
        const char *const bytes = keys;                                        \
        for (size_t k = 0; k < count; k++) {                                   \
            type a, b;                                                         \
            memcpy(&a, bytes + k * sizeof(type) - sizeof(type), sizeof(type)); \
            memcpy(&b, bytes + k * sizeof(type), sizeof(type));                \
            flags[k] = KEYS_DIFFER(name, class, lane, a, b);                   \
        }                                                                      \
    }
PARSCAN_TYPES(X, )
#undef X

static const uint8_t *flags_of_keys(const parscan_segments *segments, size_t p, size_t count,
                                    uint8_t *flags)
{
    flags[0] = 1;
    const size_t skip = p == 0;
    switch ((int)segments->type) {
#define X(ctx, NAME, number, name, type, ...)                                                 \
    case PARSCAN_##NAME:                                                                      \
        differ_##name((const char *)segments->data + (p + skip) * sizeof(type), count - skip, \
                      flags + skip);                                                          \
        break;
        PARSCAN_TYPES(X, )
#undef X
    }
    return flags;
}

#define OFFSET uint32_t
#define OF_TYPE(name) name##_u32
#include "apps/segments/mark_offsets_template.h"

#define OFFSET uint64_t
#define OF_TYPE(name) name##_u64
#include "apps/segments/mark_offsets_template.h"

static const uint8_t *flags_of_offsets(head_reader *reader, size_t p, size_t count, uint8_t *flags)
{
    memset(flags, 0, count);
    reader->last = parscan_wide_offsets(reader->segments)
                       ? mark_offsets_u64(reader, reader->last, p, p + count, flags)
                       : mark_offsets_u32(reader, reader->last, p, p + count, flags);
    return flags;
}

/* Guesses the first offset of the next range of x: it advances by as many offsets as the
   previous range had. */
static size_t guess(const head_reader *reader, size_t begin)
{
    const size_t count = reader->segments->count, had = reader->last - reader->first;
    if (reader->length == 0)
        return 0;
    if (begin >= reader->begin) {
        const size_t skipped = (begin - reader->begin) / reader->length;
        const size_t beyond = skipped > 1 ? (skipped - 1) * had : 0;
        return beyond < count - reader->last ? reader->last + beyond : count;
    }
    const size_t back = (reader->begin - begin) / reader->length * had;
    return back < reader->first ? reader->first - back : 0;
}

static void begin_offsets(head_reader *reader, size_t begin, size_t length)
{
    const size_t at = parscan_find_offset(reader->segments, begin, guess(reader, begin));
    reader->first = reader->last = at;
    reader->begin = begin;
    reader->length = length;
}

/* The boundaries begin to end - 1, of which every `row`-th one starts a row. */
static void words_of_rows(head_reader *reader, size_t begin, size_t end, uint64_t *words)
{
    const size_t row = reader->segments->count;
    uint64_t pattern = 0;
    for (size_t bit = 0; bit < WORD; bit += row < WORD ? row : WORD)
        pattern |= (uint64_t)1 << bit;
    reader->first = begin / row + (begin % row != 0);
    reader->last = end / row + (end % row != 0);
    size_t next = reader->first * row - begin; /* from the first bit of the word to the next head */
    for (; begin < end; begin += WORD, words++) {
        *words = next < WORD ? pattern << next : 0;
        if (end - begin < WORD)
            *words &= ((uint64_t)1 << (end - begin)) - 1;
        if (next < WORD)
            next += (WORD - 1 - next) / row * row + row;
        next -= WORD;
    }
}

/* Reads the boundaries begin to begin + count into words. */
static void read_boundaries(head_reader *reader, size_t begin, size_t count, uint64_t *words)
{
    uint8_t buffer[CHUNK];
    const parscan_segments *const segments = reader->segments;
    const size_t end = begin + count < reader->n ? begin + count : reader->n;
    words[(count - 1) / WORD] = 0;
    if (segments->kind == PARSCAN_SEGMENTS_OFFSETS)
        begin_offsets(reader, begin, count);
    if (segments->kind == PARSCAN_SEGMENTS_ROWS)
        words_of_rows(reader, begin, end, words);
    for (size_t p = begin; p < end && segments->kind != PARSCAN_SEGMENTS_ROWS; p += CHUNK) {
        const size_t length = end - p < CHUNK ? end - p : CHUNK;
        const uint8_t *flags = (const uint8_t *)segments->data + p;
        if (segments->kind == PARSCAN_SEGMENTS_KEYS)
            flags = flags_of_keys(segments, p, length, buffer);
        else if (segments->kind == PARSCAN_SEGMENTS_OFFSETS)
            flags = flags_of_offsets(reader, p, length, buffer);
        words_of_flags(flags, length, words + (p - begin) / WORD);
    }
    if (begin == 0)
        words[0] = (words[0] & ~(uint64_t)1) | !reader->continues;
    if (begin + count > reader->n)
        words[(count - 1) / WORD] |= (uint64_t)1 << (count - 1) % WORD;
}

static uint64_t reversed(uint64_t word)
{
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(word);
}

/* Moves bit k to bit count - 1 - k. */
static void reverse_bits(uint64_t *words, size_t count)
{
    const size_t length = (count + WORD - 1) / WORD;
    for (size_t low = 0, high = length - 1; low <= high; low++, high--) {
        const uint64_t word = reversed(words[low]);
        words[low] = reversed(words[high]);
        words[high] = word;
        if (high == 0)
            break;
    }
    const unsigned shift = (unsigned)(length * WORD - count);
    if (shift == 0)
        return;
    for (size_t w = 0; w < length; w++)
        words[w] = words[w] >> shift | (w + 1 < length ? words[w + 1] << (WORD - shift) : 0);
}

void PARSCAN_PASTE(parscan_read_heads_, PARSCAN_ISA)(head_reader *reader, size_t begin,
                                                     size_t count, uint64_t *heads)
{
    if (reader->reverse) {
        read_boundaries(reader, reader->n - begin - count + 1, count, heads);
        reverse_bits(heads, count);
    } else {
        read_boundaries(reader, begin, count, heads);
    }
    reader->heads = 0;
    for (size_t w = 0; w < (count + WORD - 1) / WORD; w++)
        reader->heads += (size_t)__builtin_popcountll(heads[w]);
}
