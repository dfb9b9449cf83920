/* How rows are sorted on CUDA (scan/cuda/plan.h), once lines along an axis are rows. */
#ifndef PARSCAN_APPS_SORT_SORT_AXIS_PLAN_H
#define PARSCAN_APPS_SORT_SORT_AXIS_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_sort_axis_plans has their meanings. */
typedef enum sort_axis_variant {
    SORT_AXIS_SEGMENTS,
    SORT_AXIS_NETWORKS,
    SORT_AXIS_BY_ROW,
    SORT_AXIS_ALONE,
    SORT_AXIS_VARIANTS
} sort_axis_variant;

typedef struct sort_axis_facts {
    size_t rows, n;  /* neither is 0 */
    bool has_values; /* pairs */
    size_t
        code_size; /* bytes that a key takes in a network (sort_rows_kernels.cuh); 0: there is none for it */
} sort_axis_facts;

sort_axis_variant parscan_sort_axis_plan(const parscan_plan_device *device,
                                         const sort_axis_facts *facts);

extern const parscan_plan_table parscan_sort_axis_plans;

#ifdef __cplusplus
}
#endif
#endif
