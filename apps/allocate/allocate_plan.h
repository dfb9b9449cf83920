/* Which variant of an allocation runs on CUDA, and of the sum of sizes in an expansion (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_ALLOCATE_PLAN_H
#define PARSCAN_APPS_ALLOCATE_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_allocate_plans has their meanings. */
typedef enum allocate_variant {
    ALLOCATE_SINGLE_PASS,
    ALLOCATE_UNSPECIALISED,
    ALLOCATE_VARIANTS
} allocate_variant;

extern const parscan_plan_table parscan_allocate_plans;

allocate_variant parscan_allocate_plan(const parscan_plan_device *device);

#ifdef __cplusplus
}
#endif
#endif
