/* The plan of a sort in parts on CUDA (sort_parts_call.h): how elements are divided into buckets and rounds, and
   whether a round's pieces are sorted where they are. */
#ifndef PARSCAN_APPS_SORT_SORT_PARTS_PLAN_H
#define PARSCAN_APPS_SORT_SORT_PARTS_PLAN_H

#include "apps/radix/radix_sort_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sort_parts_variant {
    PARTS_IN_PIECES,
    PARTS_JOINED,
    PARTS_VARIANTS
} sort_parts_variant;

typedef struct sort_parts_facts {
    size_t n;   /* elements before or after, whichever are more */
    bool moves; /* there are no values, or aligned words of 4 or 8 bytes */
} sort_parts_facts;

typedef struct sort_parts_plan {
    sort_parts_variant variant;
    size_t bucket_bytes; /* of the buckets that are best to sort */
    size_t small;        /* elements up to which neighbouring buckets become one */
    size_t round;        /* elements of buckets that are best to sort together */
    size_t samples;      /* keys that are looked at for the bits that vary */
    size_t piece;   /* elements of a result of merges that are best to merge while others travel */
    size_t ordered; /* up to so many elements, a split keeps the order of keys */
} sort_parts_plan;

sort_parts_plan parscan_sort_parts_plan(const parscan_plan_device *device,
                                        const sort_parts_facts *facts);

extern const parscan_plan_table parscan_sort_parts_plans;

#ifdef __cplusplus
}
#endif
#endif
