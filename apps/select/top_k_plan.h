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
    TOP_K_BLOCKS,
    TOP_K_ONE_BLOCK,
    TOP_K_FEW,
    TOP_K_MANY,
    TOP_K_SORTED,
    TOP_K_ROW_THREADS,
    TOP_K_ROW_WARPS,
    TOP_K_ROW_BLOCKS,
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
/* A thread chooses up to so many of a row of up to so many elements (top_k_rows.cuh). */
#define TOP_K_MOST_OF_THREAD ((size_t)16)
#define TOP_K_THREAD_ELEMENTS ((size_t)64)
/* One launch chooses up to so many of an array (top_k_blocks.cuh). */
#define TOP_K_MOST_OF_BLOCKS ((size_t)64)
#define TOP_K_CHUNK_BYTES ((size_t)32768) /* of a block at once (select_chunks.cuh) */
#define TOP_K_LIST_TILE_BYTES 32768       /* of a list of candidates in order (top_k_list.cuh) */
#define TOP_K_ROWS_OF_BLOCK ((size_t)128)
/* The shared memory that its blocks need, and those that take rows. */
#define TOP_K_STREAM_BYTES ((size_t)107 << 10)
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
    bool wide;        /* ranks and places have 8 bytes, else 4 */
    size_t samples;   /* of a sample: a multiple of TOP_K_SAMPLES_OF_BLOCK */
    size_t room;      /* for candidates */
    size_t blocks;    /* of TOP_K_BLOCKS */
    bool specialised; /* the form of the pass that lists candidates in order */
    size_t apart; /* so many rows, one after another, each by this plan for an array; 0: not so */
} top_k_plan;

extern const parscan_plan_table parscan_top_k_plans;

/* Whether its kernels know where rows begin by their length, and need no offsets. */
bool parscan_top_k_takes_rows(top_k_variant variant);

top_k_plan parscan_top_k_plan(const parscan_plan_device *device, const top_k_facts *call);

#ifdef __cplusplus
}
#endif
#endif
