/*
 * The plan of a radix sort on CUDA, of keys, pairs and indices, and of the passes of a sort by bins: how
 * large tiles are, and how elements are ranked in them (digit_pass_shape.cuh).
 */
#ifndef PARSCAN_APPS_RADIX_RADIX_SORT_PLAN_H
#define PARSCAN_APPS_RADIX_RADIX_SORT_PLAN_H

#include "scan/cuda/plan.h"

/* 8 bits a digit. */
#define SORT_DIGIT_BITS 8u
#define SORT_DIGITS (1u << SORT_DIGIT_BITS)

/* The number of bins whose offsets a block counts (bin_range.cuh). */
#define BIN_RANGE 4096u

/* The ranges of all offsets. */
static inline uint64_t bin_ranges(uint64_t bins)
{
    return bins / BIN_RANGE + 1;
}

/* Shared memory of a block: what every architecture has, and what a block with large tiles needs, which
   compute capability 8.0 has. */
#define EVERYWHERE_BYTES 65536u
#define SORT_LARGE_BYTES 166912u

/* At most so much do blocks need that rank pairs by counts, and one block that sorts pairs with keys of 8
   bytes. */
#define SORT_COUNTED_PAIRS_BYTES 225456u
#define SORT_BLOCK_WIDE_BYTES 66080u

/* The elements that one block sorts at once. */
#define SORT_BLOCK_ELEMENTS 4096u

#ifdef __cplusplus
extern "C" {
#endif

typedef enum radix_sort_variant {
    RADIX_IN_BLOCK,
    RADIX_COUNTED,
    RADIX_FEW,
    RADIX_BY_VOTES,
    RADIX_BY_COUNTS,
    RADIX_NUMBERS_BY_COUNTS,
    RADIX_VARIANTS
} radix_sort_variant;

typedef struct radix_sort_facts {
    size_t n, key_size, value_size; /* value_size: 0, 4 or 8 */
    bool floats;
    bool whole_keys; /* the order takes all bits of a key */
    bool counted;    /* only the device knows the number of elements */
    bool bins;       /* keys are bins, and may be absent */
    bool only_nans;  /* keys that were counted are sorted where NaNs differ */
    bool by_ranges;  /* the offsets of bins are counted beside the digits */
} radix_sort_facts;

typedef struct radix_sort_plan {
    radix_sort_variant variant;
    bool large_tiles;       /* of many elements: blocks have SORT_LARGE_BYTES */
    bool many_counters;     /* blocks that count digits have as many counters as they can */
    size_t counting_blocks; /* at most so many */
    bool notices;           /* elements that are in order are copied */
} radix_sort_plan;

radix_sort_plan parscan_radix_sort_plan(const parscan_plan_device *device,
                                        const radix_sort_facts *facts);

extern const parscan_plan_table parscan_radix_sort_plans;

#ifdef __cplusplus
}
#endif
#endif
