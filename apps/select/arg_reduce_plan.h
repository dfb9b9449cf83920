/* Which variant of a reduction to an index runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_ARG_REDUCE_PLAN_H
#define PARSCAN_APPS_ARG_REDUCE_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_arg_reduce_plans has their meanings. */
typedef enum arg_reduce_variant {
    ARG_REDUCE_TILES,
    ARG_REDUCE_BLOCKS,
    ARG_REDUCE_PARTS,
    ARG_REDUCE_FOUND_PARTS,
    ARG_REDUCE_VARIANTS
} arg_reduce_variant;

/* What of a call decides. */
typedef struct arg_reduce_facts {
    size_t n, size;                /* size: bytes of an element */
    bool has_segments, by_offsets; /* by_offsets: or by rows */
} arg_reduce_facts;

typedef struct arg_reduce_plan {
    arg_reduce_variant variant;
} arg_reduce_plan;

extern const parscan_plan_table parscan_arg_reduce_plans;

arg_reduce_plan parscan_arg_reduce_plan(const parscan_plan_device *device,
                                        const arg_reduce_facts *call);

#ifdef __cplusplus
}
#endif
#endif
