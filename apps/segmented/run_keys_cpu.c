#include "apps/segmented/run_keys.h"

#include <string.h>

enum { WORD = 64, ELEMENT_ROOM = 16 };

/* Copies the elements of 64 whose bits are set, `count` of them at most. Returns their number. */
static inline __attribute__((always_inline)) size_t
copy_marked(const char *from, const size_t size, uint64_t bits, char *to, size_t count)
{
    size_t copied = 0;
    if (bits == UINT64_MAX && count >= WORD) {
        memcpy(to, from, WORD * size);
        return WORD;
    }
    for (; bits != 0 && copied < count; bits &= bits - 1)
        memcpy(to + copied++ * size, from + (size_t)__builtin_ctzll(bits) * size, size);
    return copied;
}

/* Forward, the head of a segment is its first element. */
static inline __attribute__((always_inline)) void write_forward(const run_keys *keys,
                                                                const size_t size,
                                                                const uint64_t *heads, size_t begin,
                                                                size_t n, size_t segments)
{
    const char *from = keys->keys + begin * size;
    for (size_t i = 0; i < n && segments < keys->room; i += WORD, from += WORD * size)
        segments += copy_marked(from, size, heads[i / WORD], keys->out + segments * size,
                                keys->room - segments);
}

/* In reverse, a head is the last element of a segment of the array. The element after that is the first one
   of the segment that was open. */
static inline __attribute__((always_inline)) void write_reverse(const run_keys *keys,
                                                                const size_t size,
                                                                const uint64_t *heads, size_t begin,
                                                                size_t n, size_t segments)
{
    for (size_t i = 0; i < n; i += WORD)
        for (uint64_t bits = heads[i / WORD]; bits != 0; bits &= bits - 1, segments++) {
            const size_t at = keys->n - begin - i - (size_t)__builtin_ctzll(bits);
            if (segments > 0 && segments <= keys->room && at < keys->n)
                memcpy(keys->out + (segments - 1) * size, keys->keys + at * size, size);
        }
}

static inline __attribute__((always_inline)) void write_keys(const run_keys *keys,
                                                             const size_t size,
                                                             const uint64_t *heads, size_t begin,
                                                             size_t n, size_t segments)
{
    if (keys->reverse)
        write_reverse(keys, size, heads, begin, n, segments);
    else
        write_forward(keys, size, heads, begin, n, segments);
}

void parscan_write_run_keys(const run_keys *keys, const uint64_t *heads, size_t begin, size_t n,
                            size_t segments)
{
    switch (keys->size) { /* copies of a constant size */
    case 0:
        break;
    case 1:
        write_keys(keys, 1, heads, begin, n, segments);
        break;
    case 2:
        write_keys(keys, 2, heads, begin, n, segments);
        break;
    case 4:
        write_keys(keys, 4, heads, begin, n, segments);
        break;
    case 8:
        write_keys(keys, 8, heads, begin, n, segments);
        break;
    default:
        write_keys(keys, keys->size, heads, begin, n, segments);
        break;
    }
}

void parscan_end_run_keys(const run_keys *keys, size_t segments)
{
    if (keys->out == NULL || !keys->reverse || segments == 0)
        return;
    if (segments <= keys->room)
        memcpy(keys->out + (segments - 1) * keys->size, keys->keys, keys->size);
    parscan_reverse_elements(keys->out, keys->size, segments < keys->room ? segments : keys->room);
}

void parscan_reverse_elements(char *elements, size_t size, size_t count)
{
    for (size_t low = 0, high = count; low + 1 < high; low++) {
        high--;
        for (size_t at = 0; at < size; at += ELEMENT_ROOM) {
            char a[ELEMENT_ROOM];
            const size_t bytes = size - at < ELEMENT_ROOM ? size - at : ELEMENT_ROOM;
            memcpy(a, elements + low * size + at, bytes);
            memcpy(elements + low * size + at, elements + high * size + at, bytes);
            memcpy(elements + high * size + at, a, bytes);
        }
    }
}
