/*
 * The segments of an array, divided among the threads of a context: short ones each to a thread, long
 * ones one after another to all threads together.
 *
 * Segments by offsets or rows are taken in groups of consecutive ones. Flags and keys are read twice: the
 * first time they tell how many segments start in each chunk of the array and where the first does, so that the
 * second time each chunk knows the number of its first segment and the end of its last one.
 *
 *     segment_division division;
 *     parscan_divide_segments(&division, context, segments, n, &threads);
 *     ...scratch of division.bytes, and more for each thread...
 *     parscan_each_segment(&division, scratch, threads, take_short, take_long, state, &count);
 */
#ifndef PARSCAN_APPS_SELECT_SEGMENTS_H
#define PARSCAN_APPS_SELECT_SEGMENTS_H

#include <stdatomic.h>

#include "apps/segments/check_segments.h"
#include "scan/context/context_state.h"

/* One segment, number `segment`, which is x[begin .. end). */
typedef struct one_segment {
    size_t segment, begin, end;
} one_segment;

/* What is done with one segment. worker: no other segment is taken by the same one meanwhile. */
typedef void take_segment(void *state, one_segment s, unsigned worker);

typedef struct segment_division {
    parscan_context *context;
    const parscan_segments *segments;
    size_t n;
    size_t length, parts; /* segments in a group, or elements in a chunk; groups or chunks */
    size_t long_from;     /* a segment of more elements is long */
    size_t most_long;     /* there are not more of them */
    size_t bytes;         /* of scratch */
} segment_division;

/* Plans for n elements on so many threads. The segments are checked (check_segments.h). */
segment_division parscan_divide_segments(parscan_context *context, const parscan_segments *segments,
                                         size_t n, unsigned threads);

/* The most segments there can be. */
size_t parscan_most_segments(const parscan_segments *segments, size_t n);

/* Calls take_short(state, segment, worker) for every short segment, on the threads, and then
   take_long(state, segment, 0) for every long one, on the calling thread. *count becomes the number of segments;
   count may be NULL. Errors: INVALID_ARGUMENT, offsets that decrease: then some segments may have been
   taken. */
parscan_status parscan_each_segment(const segment_division *division, void *scratch,
                                    unsigned threads, take_segment *take_short,
                                    take_segment *take_long, void *state, uint64_t *count);

#endif
