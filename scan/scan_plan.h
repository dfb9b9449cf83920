/* Which variant of a scan or a reduction runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_SCAN_SCAN_PLAN_H
#define PARSCAN_SCAN_SCAN_PLAN_H

#include "scan/cuda/plan.h"
#include "scan/scan_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_scan_plans has their meanings. */
typedef enum scan_variant {
    SCAN_FEW,
    SCAN_SINGLE_PASS,
    SCAN_UNSPECIALISED,
    SCAN_BATCHES,
    SCAN_TILES,
    SCAN_SEQUENTIAL,
    SCAN_TREE_VECTORS,
    SCAN_TREE_ELEMENTS,
    REDUCE_FEW,
    REDUCE_BLOCKS,
    SCAN_VARIANTS
} scan_variant;

typedef struct scan_plan {
    scan_variant variant;
    parscan_block_shape shape; /* of the hierarchical scan */
} scan_plan;

/* What of a call decides. */
typedef struct scan_facts {
    parscan_scan_kind kind;
    parscan_block_shape shape;
    size_t n, in_size, out_size; /* elements; bytes of one */
    size_t few_blocks;           /* that may stay on the device (few_tiles.cuh) */
    bool init_on_device;
    bool length_on_device; /* n is the most that it can be */
    bool reproducible;
    bool has_tree; /* reproducible, and the result depends on the grouping */
    bool vectors;  /* whole vectors of 16 bytes of the output's type, forward */
} scan_facts;

extern const parscan_plan_table parscan_scan_plans;

scan_plan parscan_scan_plan(const parscan_plan_device *device, const scan_facts *call);

#define REDUCE_TILES_SHARING 8u /* log2 of the threads of a block that reduces tiles */

/* How many threads share the reduction of a tile of the hierarchical scan, as log2: some of a warp,
   or all of a block. */
unsigned parscan_scan_sharing(const parscan_plan_device *device, size_t tile_bytes);

#ifdef __cplusplus
}
#endif
#endif
