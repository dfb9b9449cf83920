/* Where runs and segments start near the borders of a piece, in arrays of either engine. */
#ifndef PARSCAN_APPS_DISTRIBUTED_DIST_BORDERS_H
#define PARSCAN_APPS_DISTRIBUTED_DIST_BORDERS_H

#include "apps/distributed/dist_scan.h"
#include "parscan/segments.h"

/* Finds the first i, 0 < i < n, at which a segment starts by flags or keys; n if there is none. It
   reads what comes before i at most three times, in parallel. Errors: those of reductions and run
   lengths. */
parscan_status parscan_first_border(parscan_context *context, const parscan_segments *segments,
                                    size_t n, size_t *border);

/* Finds the last such i; 0 if there is none. It reads what comes after i. */
parscan_status parscan_last_border(parscan_context *context, const parscan_segments *segments,
                                   size_t n, size_t *border);

/* Whether two elements or keys are of one run: as ==, but a NaN equals every NaN. */
bool parscan_same_run(parscan_type type, const dist_element *a, const dist_element *b);

#endif
