/*
 * Scatters items to many places; each place grows by one item at a time.
 *
 * Each place has a line of its own in a buffer that stays in cache. Only whole lines are written to
 * memory, past the caches where the alignment allows. So there is one TLB lookup for each line and
 * not for each item, and no line is read before it is overwritten.
 *
 * Source: the software write-combining of radix sorts: Satish et al., Fast Sort on CPUs and GPUs,
 * SIGMOD 2010.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_WRITE_COMBINE_H
#define PARSCAN_APPS_HISTOGRAM_WRITE_COMBINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "scan/cpu/stream_fence.h"

#if defined __SSE2__
#include <emmintrin.h>
#endif

enum { COMBINE_LINE = 64 };

/* The output of a scatter with items of `size` bytes, a power of two. Both arrays are the
   caller's. */
typedef struct combined {
    char *to;            /* item i, counted over all places, is at to + i * size */
    char *lines;         /* COMBINE_LINE bytes for each place, aligned to COMBINE_LINE */
    size_t misalignment; /* the misalignment of `to`, in items */
    bool aligned;        /* `to` is aligned to items, so items do not cross lines */
    uint64_t limit;      /* no item is written at this index or beyond, whatever the ends tell */
} combined;

static inline combined combine_into(char *to, char *lines, size_t size, uint64_t limit)
{
    const bool aligned = (uintptr_t)to % size == 0;
    return (combined){to, lines, aligned ? (uintptr_t)to % COMBINE_LINE / size : 0, aligned, limit};
}

static inline void combine_write_line(const combined *c, char *to, const char *line)
{
#if defined __SSE2__
    if (c->aligned) {
        for (size_t k = 0; k < COMBINE_LINE; k += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(void *)(to + k),
                             _mm_load_si128((const __m128i *)(const void *)(line + k)));
        return;
    }
#endif
    (void)c;
    memcpy(to, line, COMBINE_LINE);
}

/* Writes the items in a place's line. The last of them ends at `end`; the place started at
   `begin`. A line that ends beyond the limit is dropped. */
static inline void combine_flush(const combined *c, size_t place, uint64_t begin, uint64_t end,
                                 size_t size)
{
    const size_t items = COMBINE_LINE / size, last = (end + c->misalignment - 1) % items;
    const uint64_t held = last + 1 < end - begin ? last + 1 : end - begin;
    const char *const line = c->lines + place * COMBINE_LINE;
    if (end > c->limit)
        return;
    if (held == items)
        combine_write_line(c, c->to + (end - held) * size, line);
    else
        memcpy(c->to + (end - held) * size, line + (last + 1 - held) * size, held * size);
}

/* Appends an item to a place. The place's start is read only when its line is full. */
static inline void combine_put(const combined *c, size_t place, const uint64_t *begins,
                               uint64_t end, const void *item, size_t size)
{
    const size_t items = COMBINE_LINE / size, slot = (end + c->misalignment) % items;
    memcpy(c->lines + place * COMBINE_LINE + slot * size, item, size);
    if (slot == items - 1)
        combine_flush(c, place, begins[place], end + 1, size);
}

/* Writes the last items of a place. */
static inline void combine_end_of_place(const combined *c, size_t place, uint64_t begin,
                                        uint64_t end, size_t size)
{
    if ((end + c->misalignment) % (COMBINE_LINE / size) != 0)
        combine_flush(c, place, begin, end, size);
}

/* Called after the last item: makes streamed stores visible to other cores. */
static inline void combine_end(void)
{
    stream_fence();
}

#endif
