/* Which variant of compaction, unique, run lengths or partition runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_COMPACT_PLAN_H
#define PARSCAN_APPS_COMPACT_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_compact_plans has their meanings. The last four are ways of a partition, which its kernel
   chooses itself (compact_parts.cuh). */
typedef enum compact_variant {
    COMPACT_FEW,
    COMPACT_SMALL,
    COMPACT_MANY,
    COMPACT_UNSPECIALISED,
    COMPACT_PARTS_HELD,
    COMPACT_PARTS_COUNTED,
    COMPACT_PARTS_REST_TURNED,
    COMPACT_PARTS_KEPT_TURNED,
    COMPACT_VARIANTS
} compact_variant;

/* A partition of at most so many times the tiles that its blocks hold is counted, without a sample. */
#define PARTS_COUNTED_MOST 2u
/* A part of less than so many percent of the sample is reversed. */
#define PARTS_TURNED_PERCENT 25u

/* What of a call decides. */
typedef struct compact_facts {
    size_t n, width;   /* elements; bytes of one */
    bool records;      /* are moved beside what is tested; then the sizes below are not asked for */
    bool more;         /* lengths of runs, or rows, are written, too */
    size_t few_blocks; /* that may stay on the device (few_tiles.cuh) */
    size_t small_tile; /* elements of a small tile, by the width of an element */
    size_t small_blocks; /* with small tiles, that the context may have at once */
} compact_facts;

extern const parscan_plan_table parscan_compact_plans;

/* Whether small_blocks decides. If not, it need not be known. */
bool parscan_compact_may_be_small(const parscan_plan_device *device, const compact_facts *call);

compact_variant parscan_compact_plan(const parscan_plan_device *device, const compact_facts *call);

#ifdef __cplusplus
}
#endif
#endif
