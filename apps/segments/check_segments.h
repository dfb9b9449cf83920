/*
 * The argument checks of segments (parscan/segments.h), for every call that takes them.
 */
#ifndef PARSCAN_APPS_SEGMENTED_CHECK_SEGMENTS_H
#define PARSCAN_APPS_SEGMENTED_CHECK_SEGMENTS_H

#include <stdbool.h>
#include <string.h>

#include "parscan/context.h"
#include "parscan/segments.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"

/* Rows are segments by offsets that nobody has written. Checked segments by rows have type 0, no data,
   and the length of a row in `count`. */

/* Whether offsets tell the segments, those of an array or of rows. */
static inline bool parscan_by_offsets(const parscan_segments *segments)
{
    return segments->kind == PARSCAN_SEGMENTS_OFFSETS || segments->kind == PARSCAN_SEGMENTS_ROWS;
}

/* The number of segments of n elements that are given by offsets or rows. */
static inline size_t parscan_segment_count(const parscan_segments *segments, size_t n)
{
    return segments->kind != PARSCAN_SEGMENTS_ROWS ? segments->count
           : n == 0                                ? 0
                                                   : n / segments->count;
}

/* Whether offsets have 8 bytes, not 4. Signed ones are read as unsigned: negative ones are too large. */
static inline bool parscan_wide_offsets(const parscan_segments *segments)
{
    return segments->type == PARSCAN_U64 || segments->type == PARSCAN_I64;
}

/* Returns offset k, from the first to the last, of segments that are given by offsets or rows. It uses
   memcpy, since the caller's array may have any alignment. */
static inline uint64_t parscan_segment_offset(const parscan_segments *segments, size_t k)
{
    if (segments->kind == PARSCAN_SEGMENTS_ROWS)
        return k * segments->count;
    if (!parscan_wide_offsets(segments)) {
        uint32_t offset;
        memcpy(&offset, (const char *)segments->data + k * sizeof offset, sizeof offset);
        return offset;
    }
    uint64_t offset;
    memcpy(&offset, (const char *)segments->data + k * sizeof offset, sizeof offset);
    return offset;
}

/*
 * Reads the caller's segments into *segments and checks that they partition n elements:
 * struct_size, kind, type and data are valid, the offsets start with 0 and end with n, and n is a
 * multiple of a row. data may be NULL only where there is nothing to read: n = 0, and count = 0 for offsets.
 *
 * This function does not check that offsets do not decrease: its callers see that while they read
 * them. With a CUDA context it reads no offset, since they may be in device memory.
 *
 * Errors: INVALID_ARGUMENT, with a message that names the argument.
 */
parscan_status parscan_check_segments(parscan_context *context, const parscan_segments *given,
                                      size_t n, parscan_segments *segments);

/* The same in two steps, for a call with lengths: the second one sets *n and segments->count to the
   lengths, or leaves them where parscan_length_at() has them, and checks the ends of the offsets. Errors: as
   above; UNSUPPORTED, a segment_count without offsets. */
parscan_status parscan_check_most_segments(parscan_context *context, const parscan_segments *given,
                                           size_t n, parscan_segments *segments);
parscan_status parscan_segment_lengths(parscan_context *context, call_lengths *lengths, size_t *n,
                                       parscan_segments *segments);

/* Checks that n is a multiple of a row. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_rows(parscan_context *context, const parscan_segments *segments,
                                  size_t n);

/* The memory of the segments' data. The segments are checked. */
parscan_extent parscan_segments_extent(const parscan_segments *segments, size_t n);

/* Checks the type of offsets, and that it holds the last one, n. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_offset_type(parscan_context *context, const parscan_segments *segments,
                                         size_t n);

/* Fails with INVALID_ARGUMENT: the last offset is not n. */
parscan_status parscan_fail_last_offset(parscan_context *context, const parscan_segments *segments,
                                        uint64_t last, size_t n);

/* Checks in one pass that offsets in host memory start with 0, end with n and do not decrease.
   Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_all_offsets(parscan_context *context, const parscan_segments *segments,
                                         size_t n);

/* Fails with INVALID_ARGUMENT and names the first offset that is less than the one before it. */
parscan_status parscan_fail_offsets(parscan_context *context, const parscan_segments *segments);

#endif
