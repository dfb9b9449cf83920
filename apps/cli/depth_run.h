/* How many intervals cover each place, where they come in the order of their begins. Places are the orders of
   elements (element_order.h), without the sign of 0. */
#ifndef PARSCAN_CLI_DEPTH_RUN_H
#define PARSCAN_CLI_DEPTH_RUN_H

#include "apps/cli/array.h"

/* Is called for each place where the number changes, in ascending order. False: memory ran out. */
typedef bool depth_change(void *user, uint64_t place, uint64_t depth);

/* Start with DEPTH_RUN and who is called. */
typedef struct depth_run {
    depth_change *change;
    void *user;
    array ends;     /* u64: of the intervals that go on, as a heap; their number is the depth */
    uint64_t place; /* of the last begin or end */
    uint64_t told;  /* the depth before that place */
} depth_run;

#define DEPTH_RUN ((depth_run){.ends = {.type = PARSCAN_U64}})

/* Adds an interval, without its end, which is not before its begin, and that not before the last one's. False: memory
   ran out. */
bool depth_add(depth_run *run, uint64_t begin, uint64_t end);

/* No more intervals come. Others may follow, of other places. */
bool depth_finish(depth_run *run);

void depth_release(depth_run *run);

#endif
