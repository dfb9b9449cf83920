/* Which variant of a gather or a scatter runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_GATHER_PLAN_H
#define PARSCAN_APPS_GATHER_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_gather_plans has their meanings. */
typedef enum gather_variant {
    GATHER_ELEMENTS,
    GATHER_UNITS,
    GATHER_SCATTER,
    GATHER_WINNERS,
    GATHER_VARIANTS
} gather_variant;

/* What of a call decides. */
typedef struct gather_facts {
    size_t n, value_size;
    size_t alignment; /* of in, out and value_size together: a power of two, at most 16 */
    bool scatters, last_wins;
} gather_facts;

typedef struct gather_plan {
    gather_variant variant;
    unsigned unit;     /* bytes that are moved at once: 1, 2, 4, 8 or 16 */
    bool wide_winners; /* places are u64, else u32 */
} gather_plan;

extern const parscan_plan_table parscan_gather_plans;

gather_plan parscan_gather_plan(const parscan_plan_device *device, const gather_facts *call);

#ifdef __cplusplus
}
#endif
#endif
