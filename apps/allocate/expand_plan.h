/* Which variant of an expansion runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_EXPAND_PLAN_H
#define PARSCAN_APPS_EXPAND_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_expand_plans has their meanings. */
typedef enum expand_variant {
    EXPAND_TOTAL,
    EXPAND_QUEUED,
    EXPAND_AFTER_TOTAL,
    EXPAND_VARIANTS
} expand_variant;

/* What of a call decides. */
typedef struct expand_facts {
    uint64_t capacity;
    bool slots;   /* owner or rank is wanted */
    bool on_host; /* owner, rank or the total is in host memory */
} expand_facts;

typedef struct expand_plan {
    expand_variant variant;
    bool wide; /* offsets of slots are u64, else u32 */
} expand_plan;

extern const parscan_plan_table parscan_expand_plans;

expand_plan parscan_expand_plan(const parscan_plan_device *device, const expand_facts *call);

#ifdef __cplusplus
}
#endif
#endif
