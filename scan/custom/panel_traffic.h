/*
 * What memory does while a panel is computed: the elements of a later panel are prefetched, and the
 * results of an earlier one are stored past the caches. Each call of the caller's function is a step that
 * takes a little of both. All at once they would stop the core, and memory would be idle afterwards.
 */
#ifndef PARSCAN_SCAN_CUSTOM_PANEL_TRAFFIC_H
#define PARSCAN_SCAN_CUSTOM_PANEL_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TRAFFIC_LINE = 64 };

/* Copies whole lines past the caches; `to` is aligned to them. */
typedef void traffic_store_lines(char *to, const char *from, size_t bytes);

typedef struct panel_traffic {
    const char *ahead; /* to be prefetched */
    size_t ahead_bytes;
    const char *from; /* to be stored to `to`, which is aligned to a line */
    char *to;
    size_t bytes;
    traffic_store_lines *store_lines;
    size_t ahead_step, step; /* the bytes of a step */
} panel_traffic;

/* Whole lines of a part. */
static inline size_t traffic_share(size_t bytes, size_t steps)
{
    return (bytes / steps / TRAFFIC_LINE + 1) * TRAFFIC_LINE;
}

/* From now on these bytes are prefetched, in so many steps. */
static inline void traffic_fetch(panel_traffic *traffic, const char *ahead, size_t bytes,
                                 size_t steps)
{
    traffic->ahead = ahead;
    traffic->ahead_bytes = bytes;
    traffic->ahead_step = traffic_share(bytes, steps);
}

static inline void traffic_step(panel_traffic *traffic)
{
    const size_t fetched =
        traffic->ahead_step < traffic->ahead_bytes ? traffic->ahead_step : traffic->ahead_bytes;
    for (size_t at = 0; at < fetched; at += TRAFFIC_LINE)
        __builtin_prefetch(traffic->ahead + at, 0, 2);
    if (fetched > 0) /* else there may be no array */
        traffic->ahead += fetched;
    traffic->ahead_bytes -= fetched;
    const size_t stored = traffic->step < traffic->bytes ? traffic->step : traffic->bytes;
    if (stored == 0)
        return;
    traffic->store_lines(traffic->to, traffic->from, stored);
    traffic->from += stored;
    traffic->to += stored;
    traffic->bytes -= stored;
}

/* From now on these bytes are stored, in so many steps; `from` must stay as it is until then. What is not a
   whole line is stored at once. */
static inline void traffic_store(panel_traffic *traffic, traffic_store_lines *store_lines, char *to,
                                 const char *from, size_t bytes, size_t steps)
{
    const size_t misaligned = (uintptr_t)to % TRAFFIC_LINE;
    size_t head = misaligned == 0 ? 0 : TRAFFIC_LINE - misaligned;
    head = head < bytes ? head : bytes;
    const size_t lines = (bytes - head) / TRAFFIC_LINE * TRAFFIC_LINE;
    memcpy(to, from, head);
    memcpy(to + head + lines, from + head + lines, bytes - head - lines);
    traffic->store_lines = store_lines;
    traffic->from = from + head;
    traffic->to = to + head;
    traffic->bytes = lines;
    traffic->step = traffic_share(lines, steps);
}

/* Stores what is left. */
static inline void traffic_end(panel_traffic *traffic)
{
    if (traffic->bytes > 0)
        traffic->store_lines(traffic->to, traffic->from, traffic->bytes);
    traffic->bytes = 0;
}

#endif
