/*
 * Finds where segments start, whether they are given by flags, offsets, keys or rows.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_HEADS_H
#define PARSCAN_APPS_SORT_SEGMENT_HEADS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "apps/segments/check_segments.h"
#include "apps/segments/key_change.h"
#include "parscan/segments.h"
#include "scan/tables.h"

/* The first i >= from at which keys[i] differs from keys[i-1]; `limit` if there is none below. */
#define X(ctx, NAME, number, name, type, arithmetic, class, low, high, lane)                \
    static inline size_t segment_change_##name(const char *keys, size_t from, size_t limit) \
    {                                                                                       \
        for (; from < limit; from++) {                                                      \
            type before, key;                                                               \
            memcpy(&before, keys + (from - 1) * sizeof key, sizeof key);                    \
            memcpy(&key, keys + from * sizeof key, sizeof key);                             \
            if (KEYS_DIFFER(name, class, lane, before, key))                                \
                break;                                                                      \
        }                                                                                   \
        return from;                                                                        \
    }
PARSCAN_TYPES(X, )
#undef X

/* Returns the first i >= from at which a segment starts, or `limit` if none does below it. For
   offsets, *next is the index of the segment to look at next. */
static inline size_t segment_head(const parscan_segments *s, size_t from, size_t limit,
                                  size_t *next)
{
    if (from == 0 || from >= limit)
        return from < limit ? from : limit;
    if (s->kind == PARSCAN_SEGMENTS_OFFSETS) {
        for (; *next < s->count; ++*next) {
            const uint64_t head = parscan_segment_offset(s, *next);
            if (head >= from)
                return head < limit ? head : limit;
        }
        return limit;
    }
    if (s->kind == PARSCAN_SEGMENTS_ROWS) {
        const size_t head = from - 1 - (from - 1) % s->count + s->count;
        return head < limit ? head : limit;
    }
    if (s->kind == PARSCAN_SEGMENTS_FLAGS) {
        const uint8_t *const flags = s->data;
        while (from < limit && flags[from] == 0)
            from++;
        return from;
    }
    switch ((int)s->type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return segment_change_##name(s->data, from, limit);
        PARSCAN_TYPES(X, )
#undef X
    }
    return limit;
}

#endif
