/*
 * parscan/segments.h: an array cut into segments, as sorts and scans of segments take it.
 *
 * Three ways to say where the segments of x[0..n) are, all of them contiguous and in order:
 *
 *     flags     uint8_t flags[n]; a non-zero flag starts a segment
 *     offsets   offsets[count + 1]; segment s is x[offsets[s] .. offsets[s+1]), and may be empty
 *     keys      keys[n]; a segment is a run of equal keys (of floats: -0 equals +0, NaN equals NaN)
 *
 * The first element always starts a segment.
 */
#ifndef PARSCAN_SEGMENTS_H
#define PARSCAN_SEGMENTS_H

#include "parscan/options.h"
#include "parscan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum parscan_segment_kind {
    PARSCAN_SEGMENTS_FLAGS = 0,
    PARSCAN_SEGMENTS_OFFSETS = 1,
    PARSCAN_SEGMENTS_KEYS = 2
} parscan_segment_kind;

/* Begin with PARSCAN_SEGMENTS(...). */
typedef struct parscan_segments {
    size_t struct_size; /* sizeof(parscan_segments) */
    parscan_segment_kind kind;
    parscan_type type; /* of the offsets (u32, u64) or the keys (any); flags: 0 or u8 */
    const void *data;  /* flags[n], offsets[count + 1] or keys[n], of any alignment */
    size_t count;      /* offsets: the number of segments; otherwise 0, and not looked at */
} parscan_segments;

/* A parscan_segments with struct_size set: PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, ...). */
#define PARSCAN_SEGMENTS(...) PARSCAN_WITH_SIZE(parscan_segments, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
