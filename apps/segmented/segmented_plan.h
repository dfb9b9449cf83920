/* Which variant of a segmented scan or reduction runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_SEGMENTED_PLAN_H
#define PARSCAN_APPS_SEGMENTED_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_segmented_plans has their meanings. */
typedef enum segmented_variant {
    SEGMENTED_DIRECT,
    SEGMENTED_DIRECT_TILES,
    SEGMENTED_BLOCK_EACH,
    SEGMENTED_PASS,
    SEGMENTED_FEW,
    SEGMENTED_FLAGS_OF_TILES,
    SEGMENTED_BITS,
    SEGMENTED_PARTS,
    SEGMENTED_VARIANTS
} segmented_variant;

/* For SEGMENTED_DIRECT (segmented_direct.cuh), on every device: the most elements, segments, segments
   of a finder, finders; room for status words. Limits of the plan are below these. */
#define SEGMENTED_DIRECT_MOST ((size_t)1 << 19)
#define SEGMENTED_DIRECT_SEGMENTS ((size_t)1 << 14)
#define DIRECT_EACH 32u
#define DIRECT_MOST_FINDERS 512u
#define SEGMENTED_DIRECT_WORDS ((size_t)1024)
/* The bytes that an element of `size` bytes counts among few. A thread has 16. */
#define SEGMENTED_FEW_ELEMENT(size) ((size) < 4 ? 4 : (size))

/* A segment of more elements is too long for one warp, in a finder of more than a few segments. */
#define DIRECT_LONG 1024u
#define DIRECT_FEW_WIDE 8u /* a few, of 8 bytes an element */

/* What of a call decides. */
typedef struct segmented_facts {
    bool reduces, by_offsets;
    bool continues; /* element 0 goes on with a segment of the chunk before */
    bool carries;   /* the kernel leaves what the next chunk goes on with */
    size_t n, segments;
    size_t out_size;   /* bytes of an element of the output */
    size_t few_blocks; /* that may stay on the device (few_tiles.cuh) */
} segmented_facts;

extern const parscan_plan_table parscan_segmented_plans;

/* SEGMENTED_DIRECT: parscan_segmented_direct_plan() tells the rest. SEGMENTED_BITS:
   parscan_segmented_marks_plan() tells whether blocks can do without. */
segmented_variant parscan_segmented_plan(const parscan_plan_device *device,
                                         const segmented_facts *call);

typedef struct segmented_direct_plan {
    segmented_variant variant; /* SEGMENTED_DIRECT or _TILES */
    unsigned each, finders;    /* segments of a finder; the number of finders, which are blocks */
    size_t tile, tile_blocks;  /* elements of a tile; blocks for tiles of long segments */
} segmented_direct_plan;

/* blocks: that the context may have at once. */
segmented_direct_plan parscan_segmented_direct_plan(const parscan_plan_device *device,
                                                    const segmented_facts *call, size_t blocks);

/* A scan by offsets in tiles. */
typedef struct segmented_marks_facts {
    size_t tiles, tile;       /* tile: elements */
    size_t own_tiles, stages; /* of a block: tiles; stages if flags are in them */
    size_t segments;
} segmented_marks_facts;

/* SEGMENTED_FLAGS_OF_TILES or SEGMENTED_BITS. */
segmented_variant parscan_segmented_marks_plan(const parscan_plan_device *device,
                                               const segmented_marks_facts *call);

#ifdef __cplusplus
}
#endif
#endif
