/* How a scan or a reduction along an axis is divided on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PLAN_H
#define PARSCAN_SCAN_AXIS_AXIS_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_axis_plans has their meanings. */
typedef enum axis_variant {
    AXIS_SERIAL,
    AXIS_ROW_CALLS,
    AXIS_NEIGHBOURS,
    AXIS_COLUMNS,
    AXIS_STAGED,
    AXIS_PIPED_COLUMNS,
    AXIS_PIPED_STAGED,
    AXIS_WARPS,
    AXIS_ROW_VECTORS,
    AXIS_REDUCE,
    AXIS_TREE,
    AXIS_VARIANTS
} axis_variant;

/* What of a call decides. */
typedef struct axis_facts {
    bool reduces;
    bool has_tree;            /* reproducible, and the result depends on the grouping */
    size_t outer, n, inner;   /* none is 0, but n of a reduction */
    size_t in_size, out_size; /* bytes of an element, of all arrays of the input */
    size_t sum_size;          /* of a sum of elements */
    size_t part_size;         /* of one of the parts of an element, all of it if it has one */
    bool
        packed; /* no array that is read or written line by line has gaps: it is outer x n x inner */
    bool alike;     /* elements of both arrays are at the same place in vectors of 16 bytes */
    bool rows_near; /* elements of a line are nearer to each other than lines are */
    bool has_near;  /* a scan of sums: neighbours along inner have no gap between them */
    /* Scans and reductions of sums: neighbours along inner are whole vectors of AXIS_NEIGHBOURS() in both arrays; rows of
       a reduction without gaps begin at a vector of 16 bytes. */
    bool has_neighbours, has_row_vectors;
    bool has_row_calls; /* a row without gaps may be a call of its own */
    bool has_sixteen;   /* an element is 16 bytes side by side */
    bool has_runs;      /* an element is several rows: sums of a scan are of one */
} axis_facts;

/* Kernels keep so many elements of a line in the registers of a thread. One more than a multiple of the
   banks of shared memory, so that neighbouring threads are in different banks (axis_tiles.cuh); odd and fewer
   where sums of 24 bytes need shared memory too. */
#define AXIS_ROWS(size, sum_size) \
    ((sum_size) > 12 ? ((size) > 8 ? 7u : 13u) : (size) == 8 ? 17u : 33u)

#define AXIS_THREADS 384u /* of a block that scans tiles: every device has shared memory for it */
/* Of a block whose warps have roles (axis_piped.cuh), by bytes of an element: warps that scan, which have 32 pieces
   of AXIS_ROWS rows each, stages, bytes of a row of columns, shared memory. */
#define AXIS_PIPED_SCANNERS 10u
#define AXIS_PIPED_STAGES(size) ((size) == 8 ? 4u : 5u)
#define AXIS_PIPED_ROW_BYTES 128u
#define AXIS_PIPED_BYTES 221184u
#define AXIS_VECTORS_THREADS 256u /* of a block that takes lines in vectors */
/* A thread has so many neighbours, of `size` bytes an element; registers allow no 16 bytes of lines. Its longest lines. */
#define AXIS_NEIGHBOURS(size) ((size) == 1 ? 8u : 16u / (unsigned)(size))
#define AXIS_NEIGHBOURS_ROWS 8u
#define AXIS_WARPS_THREADS 256u  /* of a block whose warps take rows */
#define AXIS_REDUCE_THREADS 256u /* of a block that reduces */
/* So many of these blocks are on a multiprocessor at once: what registers allow. */
#define AXIS_REDUCE_BLOCKS(sum_size) ((sum_size) > 8 ? 3u : 4u)

typedef struct axis_plan {
    axis_variant variant;
    unsigned threads; /* of a block; PIPED_...: those of them that scan */
    /* A tile of a scan has `width` columns and tile_rows rows; a thread takes `rows` of them in one column.
       STAGED: a row of all lines after each other is a row of the tiles, and width is inner. COLUMNS: the
       lines are cut in `sets` of `width`; a set has `tiles` tiles. PIPED_...: likewise. WARPS: a warp takes `rows` lines at a time. */
    unsigned width, rows;
    size_t tile_rows, sets, tiles; /* tiles: of a set; STAGED: of all */
    bool chained;                  /* a tile may need what comes before it */
    /* REDUCE: a block has near lines along inner, far lines along outer, and `together` threads of a line.
       A line is cut in `splits` parts. ROW_VECTORS: `together` threads have a row. */
    unsigned near, far, together;
    size_t splits;
    bool many; /* a thread has several lines at once */
    /* TREE: a block has a tile of the tree of `width` lines, in up to `rows` rows of ROW elements;
       rows_near: neighbouring threads have rows of a line. A line has `tiles` tiles. */
    bool rows_near;
} axis_plan;

extern const parscan_plan_table parscan_axis_plans;

axis_plan parscan_axis_plan(const parscan_plan_device *device, const axis_facts *call);

/* The status words that the tiles, or the parts of lines, publish, if they do. */
size_t parscan_axis_status_words(const axis_plan *plan, size_t outer, size_t inner,
                                 size_t sum_size);

#ifdef __cplusplus
}
#endif
#endif
