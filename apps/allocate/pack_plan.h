/* How records are moved on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_PACK_PLAN_H
#define PARSCAN_APPS_PACK_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_pack_plans has their meanings. A record is of one or the other, which the kernel of the first
   decides. */
typedef enum pack_variant { PACK_IN_BATCHES, PACK_IN_PIECES, PACK_VARIANTS } pack_variant;

#define PACK_WARPS 8u        /* of a block */
#define PACK_SMALL_BLOCKS 4u /* of small records, on a multiprocessor, at least */

/* A record that touches more aligned pieces of 16 bytes than this is large. */
#define PACK_SMALL_PIECES 96u

extern const parscan_plan_table parscan_pack_plans;

/* How many of n records a warp handles at once, if they are small: at most one for each lane. */
unsigned parscan_pack_plan(const parscan_plan_device *device, size_t n);

#ifdef __cplusplus
}
#endif
#endif
