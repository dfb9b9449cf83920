#include "apps/cli/gzip_block.h"

#include <string.h>

enum { MAGIC = 4, DEFLATE = 8, EXTRA = 4, FIXED = 12, SUBFIELD = 4, LEAST_DEFLATED = 2 };

static const unsigned char head[GZIP_BLOCK_HEAD] = {0x1f, 0x8b, DEFLATE, EXTRA, 0,   0, 0, 0, 0,
                                                    0xff, 6,    0,       'B',   'C', 2, 0, 0, 0};

const unsigned char gzip_block_last[GZIP_BLOCK_LAST] = {
    0x1f, 0x8b, DEFLATE, EXTRA, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C', 2, 0, 27, 0, 3};

static size_t load_short(const unsigned char *at)
{
    return at[0] | (size_t)at[1] << 8;
}

static uint32_t load_word(const unsigned char *at)
{
    return (uint32_t)(load_short(at) | load_short(at + 2) << 16);
}

static void store_word(unsigned char *to, size_t word)
{
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(word >> 8 * k);
}

size_t gzip_block_seal(unsigned char *block, size_t deflated, uint32_t crc, size_t size)
{
    const size_t whole = GZIP_BLOCK_HEAD + deflated + GZIP_BLOCK_TAIL;
    memcpy(block, head, sizeof head);
    block[GZIP_BLOCK_HEAD - 2] = (unsigned char)((whole - 1) & 0xff);
    block[GZIP_BLOCK_HEAD - 1] = (unsigned char)((whole - 1) >> 8);
    store_word(block + whole - 8, crc);
    store_word(block + whole - 4, size);
    return whole;
}

size_t gzip_block_store(unsigned char *block, const void *data, size_t size, uint32_t crc)
{
    unsigned char *const to = block + GZIP_BLOCK_HEAD;
    store_word(to + 1, size | ~size << 16);
    to[0] = 1; /* the last block of deflate's, stored */
    memcpy(to + GZIP_BLOCK_STORING, data, size);
    return gzip_block_seal(block, GZIP_BLOCK_STORING + size, crc, size);
}

size_t gzip_block_size(const unsigned char *extra, size_t length)
{
    for (size_t at = 0; at + SUBFIELD <= length;) {
        const size_t size = load_short(extra + at + 2);
        if (extra[at] == 'B' && extra[at + 1] == 'C' && size == 2 && at + SUBFIELD + 2 <= length)
            return load_short(extra + at + SUBFIELD) + 1;
        at += SUBFIELD + size;
    }
    return 0;
}

bool gzip_block_may_begin(const unsigned char *bytes)
{
    return memcmp(bytes, head, MAGIC) == 0;
}

gzip_block_state gzip_block_find(const unsigned char *bytes, size_t held, gzip_block *found)
{
    if (memcmp(bytes, head, held < MAGIC ? held : MAGIC) != 0)
        return BLOCK_IS_NONE;
    if (held < FIXED || held < FIXED + load_short(bytes + FIXED - 2))
        return BLOCK_IS_CUT;
    found->head = FIXED + load_short(bytes + FIXED - 2);
    found->size = gzip_block_size(bytes + FIXED, found->head - FIXED);
    if (found->size < found->head + LEAST_DEFLATED + GZIP_BLOCK_TAIL)
        return BLOCK_IS_NONE;
    if (held < found->size)
        return BLOCK_IS_CUT;
    found->deflated = found->size - found->head - GZIP_BLOCK_TAIL;
    found->crc = load_word(bytes + found->size - 8);
    found->data = load_word(bytes + found->size - 4);
    return found->data <= GZIP_BLOCK_MOST ? BLOCK_IS_WHOLE : BLOCK_IS_NONE;
}
