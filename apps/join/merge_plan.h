/* Which variant of a merge runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_JOIN_MERGE_PLAN_H
#define PARSCAN_APPS_JOIN_MERGE_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_merge_plans has their meanings. */
typedef enum merge_variant { MERGE_KEYS, MERGE_NETWORK, MERGE_PAIRS, MERGE_VARIANTS } merge_variant;

/* Shared memory of a block of MERGE_NETWORK, at most. */
enum { MERGE_NETWORK_BYTES = 104 << 10 };

/* What of a call decides. */
typedef struct merge_facts {
    size_t count, key_size; /* elements of both arrays; the most, where lengths are on the device */
    size_t value_size;      /* 0: keys alone */
    size_t alignment;       /* of all values and their size together: a power of two, at most 16 */
} merge_facts;

typedef struct merge_plan {
    merge_variant variant;
    unsigned unit;     /* bytes of values that are moved at once: 1, 2, 4, 8 or 16; 0: keys alone */
    size_t least_span; /* a block has so many elements at least */
} merge_plan;

extern const parscan_plan_table parscan_merge_plans;

merge_plan parscan_merge_plan(const parscan_plan_device *device, const merge_facts *call);

#ifdef __cplusplus
}
#endif
#endif
