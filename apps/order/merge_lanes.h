/*
 * Merges of two runs each by an order of the caller's, many side by side, so that one call compares the first elements
 * of all of them, and none waits for another's. Compiled once for each SIMD set.
 */
#ifndef PARSCAN_APPS_ORDER_MERGE_LANES_H
#define PARSCAN_APPS_ORDER_MERGE_LANES_H

#include "scan/cpu/isa.h"
#include "scan/custom/operator_state.h"

enum { MERGE_LANES = 16 };

/* One merge: `count` results, from elements a and b on of two runs. */
typedef struct merge_lane {
    const char *a, *a_end, *b, *b_end; /* they have at least `count` elements together */
    char *out;
    size_t count;
} merge_lane;

/* Runs `lanes` of them, at most MERGE_LANES. An element of a comes before an equal one of b. work:
   2 * MERGE_LANES elements, aligned to 64 bytes. */
typedef void parscan_merge_lanes(const parscan_operator *less, const merge_lane *lane, size_t lanes,
                                 char *work);

parscan_merge_lanes parscan_merge_lanes_portable, parscan_merge_lanes_avx2,
    parscan_merge_lanes_avx512;

#endif
