/* How rows are sorted by columns on CUDA: the keys and the rounds (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_SORT_COLUMNS_PLAN_H
#define PARSCAN_APPS_SORT_COLUMNS_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_sort_columns_plans has their meanings. */
typedef enum columns_variant {
    COLUMNS_ONE_NARROW,
    COLUMNS_ONE,
    COLUMNS_NARROW_FIRST,
    COLUMNS_ROUNDS,
    COLUMNS_VARIANTS
} columns_variant;

/* What of a call decides. */
typedef struct columns_facts {
    size_t n;
    unsigned bits; /* of a row, by the types of its columns */
} columns_facts;

typedef struct columns_plan {
    columns_variant variant;
    unsigned first_bits; /* of the first keys: 32 or 64 */
    unsigned later_bits; /* the most bits that keys of a later round have, its group's number too */
    unsigned rounds;     /* enough for all bits, whatever the rows are */
    unsigned lister_count; /* warps that list rows with equal keys */
    /* If so many of a sample of COLUMN_SAMPLE rows are equal in 64 bits, keys take the last bits first. 0: never */
    unsigned sampled_equal;
} columns_plan;

extern const parscan_plan_table parscan_sort_columns_plans;

columns_plan parscan_sort_columns_plan(const parscan_plan_device *device,
                                       const columns_facts *call);

#ifdef __cplusplus
}
#endif
#endif
