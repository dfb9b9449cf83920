/*
 * A segmented scan or reduction, or a recurrence, on CUDA: what the host code (segmented_cuda.c,
 * recurrence_cuda.c) passes to the launches of one element type (the .cu files, compiled once a
 * type). All pointers are to device memory.
 */
#ifndef PARSCAN_APPS_SEGMENTED_CUDA_H
#define PARSCAN_APPS_SEGMENTED_CUDA_H

#include "apps/segmented/recurrence_plan.h"
#include "apps/segmented/segmented_call.h"
#include "apps/segmented/segmented_plan.h"
#include "apps/segments/offsets_cuda.h"
#include "scan/scan_cuda.h"

/* The marks that tell where segments start. */
typedef enum segment_mark {
    SEGMENT_FLAGS, /* one byte each */
    SEGMENT_KEYS,  /* 1, 2, 4 or 8 bytes each, compared as unsigned integers */
    SEGMENT_FLOATS_4,
    SEGMENT_FLOATS_8,
    SEGMENT_BITS /* one for each element, made of offsets by parscan_mark_offsets_cuda() */
} segment_mark;

/* For every kernel: the least bytes of the accumulated type in a tile, and the most elements. */
#define SEGMENTED_LEAST_TILE_BYTES ((size_t)4096)
#define SEGMENTED_MOST_TILE ((size_t)8192)
/* The bits after its own that a tile reads. */
#define SEGMENT_BITS_BEYOND 128u
/* The status words for a tile's aggregate, by the bytes of the accumulated type. A scan's
   aggregate is a value and a number of heads; a recurrence's is a map of two values and an
   exponent. */
#define SEGMENT_WORDS(size) (((size) + 3) / 4 + 1)
#define RECURRENCE_WORDS(size) (3 * (size) / 4)
/* The most tiles of a reduction by offsets, a block each. */
#define SEGMENTED_REDUCE_TILES ((size_t)1024)

typedef struct parscan_segmented_cuda_call {
    parscan_cuda_call scan;
    segment_mark mark;
    const void *marks; /* NULL for SEGMENT_BITS, which are made first */
    unsigned mark_bytes;
    segment_offsets offsets; /* of flags and keys only n, where it is, and `deferred` */
    uint64_t *count;         /* receives the number of segments of a reduction by flags or keys */
    uint64_t capacity;       /* of which so many are written at most */
    /* Of a reduction by keys: the keys, of key_bytes, and what receives the first one of each segment. NULL:
       not wanted. */
    const void *keys;
    void *keys_out;
    unsigned key_bytes;
    const void *open; /* of the segmented_call, in host memory */
    void *
        through; /* receives the sum of the segment that is open at the end, as it is accumulated, of a
                      reduction, or of a scan of floats of 16 bits; NULL: not wanted */
    segmented_variant variant;
} parscan_segmented_cuda_call;

typedef struct parscan_recurrence_cuda_call {
    parscan_cuda_call scan; /* scan.in is b */
    const void *a;          /* one element if it is constant; NULL: it is constant_a */
    bool is_constant;
    const void *constant_a; /* in host memory */
    void *through; /* receives the last result of floats of 16 bits, as a float; NULL: not wanted */
    recurrence_variant variant;
} parscan_recurrence_cuda_call;

typedef cudaError_t parscan_segmented_cuda_launch(const parscan_segmented_cuda_call *call);
typedef cudaError_t parscan_recurrence_cuda_launch(const parscan_recurrence_cuda_call *call);

#ifdef __cplusplus
extern "C" {
#endif
#define X(ctx, NAME, number, name, ...)                               \
    parscan_segmented_cuda_launch parscan_segmented_scan_cuda_##name; \
    parscan_segmented_cuda_launch parscan_segmented_reduce_cuda_##name;
PARSCAN_TYPES(X, )
#undef X
parscan_recurrence_cuda_launch parscan_recurrence_cuda_f32, parscan_recurrence_cuda_f64;
#define X(ctx, NAME, number, name, ...) \
    parscan_recurrence_cuda_launch parscan_recurrence_cuda_##name;
PARSCAN_STORED_TYPES(X, )
#undef X
#ifdef __cplusplus
}
#endif

#endif
