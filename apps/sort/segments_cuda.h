/*
 * A sort of segments as the CUDA engine's host code (sort_segments_cuda.c) hands it to the launches
 * of one key class (segment_launches_*.cu).
 */
#ifndef PARSCAN_APPS_SORT_SEGMENTS_CUDA_H
#define PARSCAN_APPS_SORT_SEGMENTS_CUDA_H

#include "apps/radix/radix_cuda.h"
#include "parscan/segments.h"

/* Segments that are too long for a tile, in any order: how many, and how many elements they have
   (SORT_COUNT_BITS), in one word, so that both are counted at once. */
typedef struct segment_list {
    uint64_t *taken;
    uint64_t *begins; /* of each: its first element, */
    uint64_t *starts; /* and how many the segments listed before it have */
    size_t room;      /* of both, in segments */
} segment_list;

/* Less than any of them has. */
#define SORT_LEAST_LISTED 2048u
/* Elements of a window, each of which lists one segment at most, whatever the offsets are. */
#define SORT_LEAST_WINDOW 256u

typedef struct parscan_sort_segments_cuda_call {
    parscan_context *context;
    const void *keys_in, *values_in; /* on the device, like all arrays; values NULL: indices */
    void *keys_out, *values_out;     /* in == out: in place */
    size_t n, value_size;            /* 0, 4, 8 */
    uint64_t flip, keep;
    unsigned passes;
    sort_digit digits[SORT_PASSES];
    const void *offsets; /* of 4 bytes, or wide: 8; no more than n */
    bool wide;
    size_t count;             /* of segments, at most */
    const uint64_t *count_at; /* NULL: count */
    uint64_t *deferred;       /* NULL: offsets are known to be right */
    /* Longer segments: listed, or, if taken is NULL, sorted by their block in the spare arrays, of n
       elements. */
    segment_list list;
    size_t most; /* out: elements of a segment that is not longer */
    void *spare_keys[2], *spare_values;
    uint32_t *spare_indices[2];
} parscan_sort_segments_cuda_call;

/* The elements of listed segments, one after another, and back; at most n of them. */
typedef struct parscan_listed_call {
    segment_list list;
    const void *keys_in, *values_in;
    void *keys, *values; /* the listed ones */
    uint32_t *segments;  /* that each is of */
    void *keys_out, *values_out;
    const void *order; /* of the listed ones */
    size_t n, key_size, value_size;
    bool wide; /* order has 8 bytes */
} parscan_listed_call;

typedef parscan_status parscan_sort_segments_launch(parscan_sort_segments_cuda_call *call);

#ifdef __cplusplus
extern "C" {
#endif
parscan_sort_segments_launch parscan_sort_segments_cuda_u8, parscan_sort_segments_cuda_u16,
    parscan_sort_segments_cuda_u32, parscan_sort_segments_cuda_u64, parscan_sort_segments_cuda_f32,
    parscan_sort_segments_cuda_f64;
parscan_status parscan_listed_collect_cuda(parscan_context *context,
                                           const parscan_listed_call *call);
parscan_status parscan_listed_return_cuda(parscan_context *context,
                                          const parscan_listed_call *call);
/* head[i] = 1 where a segment begins, by flags or keys on the device, else 0. */
parscan_status parscan_segment_heads_cuda(parscan_context *context,
                                          const parscan_segments *segments, uint8_t *heads,
                                          size_t n);
#ifdef __cplusplus
}
#endif
#endif
