/* The plan of a sort by bins on CUDA: what sorts the values, and where the offsets come from. */
#ifndef PARSCAN_APPS_HISTOGRAM_BIN_PLAN_H
#define PARSCAN_APPS_HISTOGRAM_BIN_PLAN_H

#include "apps/radix/radix_sort_plan.h"

/* The most elements that one block sorts in one launch. Such a call needs no scratch, and all its
   offsets are written whether there are values or not. */
#define BIN_BLOCK_ELEMENTS 4096u

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bin_variant {
    BIN_COUNTED,
    BIN_COUNTED_IN_MEMORY,
    BIN_IN_BLOCK,
    BIN_BY_DIGITS,
    BIN_BY_RANGES,
    BIN_BY_TILES,
    BIN_VARIANTS
} bin_variant;

typedef struct bin_facts {
    size_t n;
    uint64_t bins;
    bool values; /* are wanted, or their indices; else only the offsets */
} bin_facts;

bin_variant parscan_bin_plan(const parscan_plan_device *device, const bin_facts *facts);

extern const parscan_plan_table parscan_bin_plans;

#ifdef __cplusplus
}
#endif
#endif
