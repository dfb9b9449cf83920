#include "apps/sort/column_bits_kernels.h"

#include <string.h>

#include "apps/merge/key_order.h"
#include "scan/tables.h"

#define KERNEL static inline __attribute__((always_inline, unused))

/* ---- strings ---- */

KERNEL uint64_t first_on_top_64(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

KERNEL uint64_t first_on_top_32(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

/* 1 to 7 bytes, of a string that has no more. */
KERNEL uint64_t short_word(const char *at, unsigned bytes)
{
    if (bytes >= 4)
        return first_on_top_32(at) << 8 * (bytes - 4) | first_on_top_32(at + bytes - 4);
    uint64_t word = (unsigned char)at[0];
    for (unsigned k = 1; k < bytes; k++)
        word = word << 8 | (unsigned char)at[k];
    return word;
}

/* The last word of a string is read with bytes before it. */
KERNEL uint64_t rank_of_string(const sorted_column *column, unsigned word, size_t row)
{
    const char *const at = column->data + row * column->size;
    const unsigned bytes = column_word_bytes(column, word), end = 8 * word + bytes;
    const uint64_t rank = end >= 8 ? first_on_top_64(at + end - 8) : short_word(at, bytes);
    return (rank ^ column->flip) & bits_below(8 * bytes);
}

#include "apps/sort/column_bits_template.h"

#define KEY_TEMPLATE "apps/sort/column_bits_template.h"
#include "apps/sort/each_key_class.h"

/* ---- words ---- */

static uint64_t varying(const uint64_t *words, size_t n, uint64_t first)
{
    uint64_t found = 0;
    for (size_t i = 0; i < n; i++)
        found |= words[i] ^ first;
    return found;
}

static void add(const uint64_t *restrict words, const column_run *run, unsigned shift, size_t n,
                uint64_t *restrict keys)
{
    const unsigned low = run->low;
    const uint64_t mask = bits_below(run->bits);
    for (size_t i = 0; i < n; i++)
        keys[i] |= (words[i] >> low & mask) << shift;
}

const bit_kernels PARSCAN_PASTE(parscan_bit_kernels_, PARSCAN_ISA) = {
    .of =
        {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = {words_##name, words_of_##name},
            PARSCAN_KEY_CLASSES(X, )
#undef X
                [KEY_CLASSES] = {words_bytes, words_of_bytes},
        },
    .varying = varying,
    .add = add,
};
