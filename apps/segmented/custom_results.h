/*
 * Where the results of segments by an operator of the caller's go. A reduction scans its panels: the result of a segment
 * is the inclusive scan at its last element. By flags and keys a segment's result is written when the next one's head is
 * seen, one after another. By offsets and rows each offset in a panel is looked up; where offsets repeat, a segment is
 * empty. In reverse a segment ends where it starts in memory: flags' and keys' results are turned round at last.
 */
#ifndef PARSCAN_APPS_SEGMENTED_CUSTOM_RESULTS_H
#define PARSCAN_APPS_SEGMENTED_CUSTOM_RESULTS_H

#include <stdatomic.h>

#include "apps/segmented/run_keys.h"
#include "apps/segmented/segment_panel.h"
#include "scan/custom/custom_arrays.h"

/* What comes before a panel. */
typedef struct segment_carry {
    custom_value open;
    size_t segments; /* that have started */
} segment_carry;

typedef struct custom_results {
    custom_arrays arrays;
    const parscan_segments *segments;
    panel_shape shape;
    size_t panel;       /* elements of a panel */
    size_t room;        /* of the results of a reduction */
    run_keys keys;      /* the first ones of segments by keys, if they are wanted */
    custom_value start; /* the result of a segment without elements */
    atomic_bool wrong;  /* offsets are not as they were */
} custom_results;

/* Elements begin to begin + n - 1, in the order of combination, scanned. */
typedef struct scanned_panel {
    const char *rows;
    size_t begin, n;
    const uint64_t *heads; /* a bit for each element */
} scanned_panel;

/* Stores the results of a reduction that end in a panel. */
void parscan_store_ended(custom_results *to, custom_work *work, scanned_panel panel,
                         const segment_carry *before);

/* When all panels are done: the last segment, and the empty ones that end where the array does. */
void parscan_end_results(custom_results *to, const segment_carry *end);

/* The number of segments. */
uint64_t parscan_count_results(const custom_results *to, const segment_carry *end);

#endif
