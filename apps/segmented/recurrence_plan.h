/* Which variant of a recurrence runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_RECURRENCE_PLAN_H
#define PARSCAN_APPS_RECURRENCE_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_recurrence_plans has their meanings. */
typedef enum recurrence_variant {
    RECURRENCE_SINGLE_PASS,
    RECURRENCE_UNSPECIALISED,
    RECURRENCE_VARIANTS
} recurrence_variant;

extern const parscan_plan_table parscan_recurrence_plans;

recurrence_variant parscan_recurrence_plan(const parscan_plan_device *device);

#ifdef __cplusplus
}
#endif
#endif
