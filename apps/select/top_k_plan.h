/* Which variant of a top-k runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_TOP_K_PLAN_H
#define PARSCAN_APPS_TOP_K_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_top_k_plans has their meanings. */
typedef enum top_k_variant {
    TOP_K_COUNTS,
    TOP_K_ONE_BLOCK,
    TOP_K_FEW,
    TOP_K_MANY,
    TOP_K_SORTED,
    TOP_K_SEGMENT_WARPS,
    TOP_K_SEGMENT_BLOCKS,
    TOP_K_SEGMENT_BOTH,
    TOP_K_SEGMENTS_SORTED,
    TOP_K_VARIANTS
} top_k_variant;

/* A block chooses up to so many (top_k_choose.cuh). */
#define TOP_K_MOST_CHOSEN ((size_t)1024)
/* The same of a warp, in a segment of up to so many elements (top_k_warps.cuh). */
#define TOP_K_MOST_OF_WARP ((size_t)32)
#define TOP_K_WARP_ELEMENTS ((size_t)1024)
/* A block takes so many elements of a sample. */
#define TOP_K_SAMPLES_OF_BLOCK ((size_t)4096)

/* What of a call decides. */
typedef struct top_k_facts {
    size_t n, k, size; /* size: bytes of an element */
    bool has_segments;
    size_t row;  /* the length of all segments; 0: they differ, or only the device knows n */
    bool wanted; /* values or indices are */
} top_k_facts;

typedef struct top_k_plan {
    top_k_variant variant;
    bool wide;      /* ranks and places have 8 bytes, else 4 */
    size_t samples; /* of a sample: a multiple of TOP_K_SAMPLES_OF_BLOCK */
    size_t room;    /* for candidates */
    size_t apart;   /* so many rows, one after another, each by this plan for an array; 0: not so */
} top_k_plan;

extern const parscan_plan_table parscan_top_k_plans;

top_k_plan parscan_top_k_plan(const parscan_plan_device *device, const top_k_facts *call);

#ifdef __cplusplus
}
#endif
#endif
