/*
 * A segmented scan or reduction, or a recurrence, as the CUDA engine's host code (segmented_cuda.c)
 * hands it to the launches of one element type (the .cu files, compiled once a type).
 */
#ifndef PARSCAN_APPS_SEGMENTED_CUDA_H
#define PARSCAN_APPS_SEGMENTED_CUDA_H

#include "apps/segmented/segmented_call.h"
#include "apps/segments/offsets_cuda.h"
#include "scan/scan_cuda.h"

/* What says where segments begin, on the device. */
typedef enum segment_mark {
    SEGMENT_FLAGS, /* of a byte */
    SEGMENT_KEYS,  /* of 1, 2, 4 or 8 bytes that compare as unsigned integers do */
    SEGMENT_FLOATS_4,
    SEGMENT_FLOATS_8,
    SEGMENT_BITS /* one an element, made of offsets by parscan_mark_offsets_cuda() */
} segment_mark;

/* The least bytes of the accumulated type in a tile of any kernel, and the most elements. */
#define SEGMENTED_LEAST_TILE_BYTES ((size_t)4096)
#define SEGMENTED_MOST_TILE ((size_t)8192)
/* Bits that a tile looks at behind its own. */
#define SEGMENT_BITS_BEYOND 128u
/* The words that a tile's aggregate takes, of an accumulated type of so many bytes: a value and
   a number of heads; a map of two values and an exponent. */
#define SEGMENT_WORDS(size) (((size) + 3) / 4 + 1)
#define RECURRENCE_WORDS(size) (3 * (size) / 4)
/* The elements and segments' ends that a reduction by offsets shares out to a tile of warps, at
   least if they are many, and the tiles there are at most of fewer. */
#define SEGMENTED_LEAST_SHARE ((size_t)5110)
#define SEGMENTED_FEW_TILES ((size_t)770)

typedef struct parscan_segmented_cuda_call {
    parscan_cuda_call scan;
    segment_mark mark;
    const void *marks; /* NULL for bits: they are made first */
    unsigned mark_bytes;
    segment_offsets offsets;
    uint64_t *count; /* where a reduction by flags or keys stores its number of segments */
} parscan_segmented_cuda_call;

typedef struct parscan_recurrence_cuda_call {
    parscan_cuda_call scan; /* in: b */
    const void *a;
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
#ifdef __cplusplus
}
#endif

#endif
