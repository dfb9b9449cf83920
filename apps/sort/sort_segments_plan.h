/*
 * The plan of a sort of segments on CUDA. A launch of windows has a block for each window of the array; it
 * sorts the segments that start there and fit its tile (segment_tile_kernels.cuh). The variants differ
 * in what happens to longer segments, and in the blocks (segment_launches.cu).
 */
#ifndef PARSCAN_APPS_SORT_SORT_SEGMENTS_PLAN_H
#define PARSCAN_APPS_SORT_SORT_SEGMENTS_PLAN_H

#include "apps/radix/radix_sort_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sort_segments_variant {
    SEGMENTS_ONE_BY_ONE,
    SEGMENTS_ONE_BY_ONE_TOGETHER,
    SEGMENTS_ALONE,
    SEGMENTS_ALONE_BRIEF,
    SEGMENTS_ALONE_FEW,
    SEGMENTS_TOGETHER,
    SEGMENTS_IN_TWO,
    SEGMENTS_IN_TWO_BRIEF,
    SEGMENTS_LISTED,
    SEGMENTS_LISTED_BRIEF,
    SEGMENTS_SMALL_ALONE,
    SEGMENTS_SMALL_TOGETHER,
    SEGMENTS_SMALL_LISTED,
    SEGMENTS_VARIANTS
} sort_segments_variant;

typedef struct sort_segments_facts {
    size_t n, count;             /* elements, segments */
    size_t key_size, value_size; /* value_size: 0, 4 or 8 */
    bool floats;
    bool whole_keys; /* all bits of a key are compared */
    bool offsets;    /* segments by offsets; else only the device knows their number */
} sort_segments_facts;

typedef struct sort_segments_plan {
    sort_segments_variant variant;
    bool one_launch;    /* or two; else later launches sort the long segments that blocks list */
    bool together;      /* all blocks of a cooperative launch sort the listed segments */
    bool short_windows; /* segments are short: little of a tile is left for what follows a window */
} sort_segments_plan;

sort_segments_plan parscan_sort_segments_plan(const parscan_plan_device *device,
                                              const sort_segments_facts *facts);

extern const parscan_plan_table parscan_sort_segments_plans;

#ifdef __cplusplus
}
#endif
#endif
