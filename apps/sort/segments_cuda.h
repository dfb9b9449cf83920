/*
 * A sort of segments on CUDA: what the host code (sort_segments_cuda.c) passes to the launches of
 * one key class (segment_launches.cu). All arrays are in device memory.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENTS_CUDA_H
#define PARSCAN_APPS_SORT_SEGMENTS_CUDA_H

#include "apps/radix/radix_cuda.h"
#include "apps/sort/sort_segments_plan.h"
#include "parscan/segments.h"
#include "scan/tables.h"

/* The segments that are too long for a tile, in any order. *taken holds in one word their number
   and, in its low SORT_COUNT_BITS bits, the number of their elements, so that one atomic
   operation counts both. In a launch whose blocks sort them together, each block has a word and a
   list of its own. */
typedef struct segment_list {
    uint64_t *taken;
    uint64_t *begins; /* for each segment: the index of its first element in the array, */
    uint64_t *starts; /* and the number of elements in the segments listed before it */
    size_t room;      /* of the two, in segments */
} segment_list;

/* The most blocks of a launch that sort long segments together. A thread looks at one block. */
#define SORT_BLOCKS_TOGETHER 512u

/* Every listed segment has more elements. */
#define SORT_LEAST_LISTED 2048u
/* The least number of elements in a window. Each window lists at most one segment, whatever the
   offsets are. */
#define SORT_LEAST_WINDOW 256u

typedef struct parscan_sort_segments_cuda_call {
    parscan_context *context;
    const void *keys_in, *values_in; /* values_in NULL: the values are the elements' indices */
    void *keys_out, *values_out;     /* equal to the input: the sort is in place */
    size_t n, value_size;            /* n: at most; 0, 4 or 8 bytes */
    const uint64_t *n_at;            /* the number of elements on the device, or NULL */
    uint64_t flip, keep;
    unsigned passes;
    sort_digit digits[SORT_PASSES];
    const void *offsets; /* 4 bytes each, or 8 if `wide` */
    bool wide;
    size_t count;              /* the number of segments, or a bound if count_at is not NULL */
    const uint64_t *count_at;  /* the number of segments on the device, or NULL */
    parscan_deferred deferred; /* where the device leaves an error; no words: offsets are right */
    sort_segments_plan plan;
    /* Longer segments are listed; if list.taken is NULL, their block sorts them, and the spare
       arrays have n elements (values: NULL unless the sort is in place). plan.together: all blocks
       sort them; list.taken has SORT_BLOCKS_TOGETHER words, list.room as many to spare, and counts
       2 x SORT_DIGITS for each block. */
    segment_list list;
    size_t most; /* output: a segment with so many elements or fewer is not listed */
    uint32_t *counts, *spare_indices[2];
    void *spare_keys[2], *spare_values;
} parscan_sort_segments_cuda_call;

/* The elements of the listed segments are collected one segment after another, sorted, and
   written back. There are at most n. */
typedef struct parscan_listed_call {
    segment_list list;
    const void *keys_in, *values_in;
    void *keys, *values; /* the collected elements */
    uint32_t *segments;  /* the listed segment of each element */
    void *keys_out, *values_out;
    const void *order; /* the sorted order of the collected elements */
    size_t n, key_size, value_size;
    bool wide; /* order has 8 bytes, else 4 */
} parscan_listed_call;

typedef parscan_status parscan_sort_segments_launch(parscan_sort_segments_cuda_call *call);

#ifdef __cplusplus
extern "C" {
#endif
#define X(ctx, NAME, bits, name, ...) \
    extern parscan_sort_segments_launch parscan_sort_segments_cuda_##name;
PARSCAN_KEY_CLASSES(X, )
#undef X

/* Collect the elements of the listed segments, and write them back in order. Errors: DEVICE. */
parscan_status parscan_listed_collect_cuda(parscan_context *context,
                                           const parscan_listed_call *call);
parscan_status parscan_listed_return_cuda(parscan_context *context,
                                          const parscan_listed_call *call);
#ifdef __cplusplus
}
#endif
#endif
