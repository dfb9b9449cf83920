/*
 * parscan/segments.h: how a call is told the segments of an array.
 *
 * The segments of x[0..n) are contiguous, in order, and cover the array. There are four ways to
 * describe them:
 *
 *     flags     uint8_t flags[n]; a non-zero flag starts a segment
 *     offsets   offsets[count + 1]; segment s is x[offsets[s] .. offsets[s+1]) and may be empty
 *     keys      keys[n]; a segment is a run of equal keys (of floats: -0 equals +0, NaN equals NaN)
 *     rows      the length of a row; every so many elements are a segment. Since parscan 0.3
 *
 * Element 0 always starts a segment, whatever its flag. offsets[0] = 0, offsets[count] = n, and
 * offsets must not decrease. n must be a multiple of the length of a row, which is not 0 unless n is;
 * with n = 0 there is no row.
 *
 * Rows are the segments of offsets 0, m, 2 m and so on, with the same results to the bit, and no array
 * to be made or read: on the CPU there is none; on CUDA they are written to scratch by each call, 4 bytes
 * a row (8 from n = 2^32 on).
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
    PARSCAN_SEGMENTS_KEYS = 2,
    PARSCAN_SEGMENTS_ROWS = 3
} parscan_segment_kind;

/* Make one with PARSCAN_SEGMENTS(...). */
typedef struct parscan_segments {
    size_t struct_size; /* sizeof(parscan_segments), see parscan/options.h */
    parscan_segment_kind kind;
    parscan_type
        type; /* of the offsets (u32, u64, i32, i64) or of the keys (any); for flags 0 or u8; for rows
                          not read */
    const void
        *data;    /* flags[n], offsets[count + 1] or keys[n], an array like the call's others; for
                         rows not read */
    size_t count; /* for offsets the number of segments, for rows the length of each; otherwise not
                         read */
} parscan_segments;

/* A parscan_segments with struct_size set: PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, ...). */
#define PARSCAN_SEGMENTS(...) PARSCAN_WITH_SIZE(parscan_segments, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
