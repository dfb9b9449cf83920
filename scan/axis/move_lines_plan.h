/* How elements are moved between two arrays with strides on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_SCAN_AXIS_MOVE_LINES_PLAN_H
#define PARSCAN_SCAN_AXIS_MOVE_LINES_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MOVE_GIVEN = 3, /* axes of a call, and of a box */
    MOVE_AXES = 4,  /* with the parts of an element */
    MOVE_THREADS = 256
};

/* parscan_move_lines_plans has their meanings. */
typedef enum move_variant {
    MOVE_STRAIGHT,
    MOVE_TURNED,
    MOVE_TURNED_SMALL,
    MOVE_VARIANTS
} move_variant;

/* What of a call decides. */
typedef struct move_facts {
    size_t lengths[MOVE_GIVEN];               /* none is 0 */
    int64_t from[MOVE_GIVEN], to[MOVE_GIVEN]; /* strides in bytes */
    size_t size;                              /* of an element, in bytes: any */
    size_t alignment;                         /* a power of two that divides both addresses */
} move_facts;

/* Threads side by side along one axis of a box. */
typedef struct move_sweep {
    unsigned shift;  /* 2^shift threads are side by side */
    unsigned chunks; /* so often they go on, until they have passed the box */
} move_sweep;

/* The axes in this order: the nearest one of the array that is read, that of the array that is written, and the
   others. STRAIGHT: the first is the nearest of both. Axes of one length in both arrays are joined. Elements that
   are no unit have an axis of their own. A box has one place of the last axis. */
typedef struct move_plan {
    move_variant variant;
    unsigned unit; /* bytes that a thread moves at once: 1, 2, 4, 8; STRAIGHT: also 16 */
    size_t lengths[MOVE_AXES]; /* in units */
    int64_t from[MOVE_AXES], to[MOVE_AXES];
    unsigned box[MOVE_AXES], parts[MOVE_AXES]; /* the lengths of a box; boxes along each axis */
    size_t boxes;
    unsigned pitch; /* in shared memory: units from a row of a box to the next one */
    size_t shared_bytes;
    move_sweep reads, writes;
} move_plan;

extern const parscan_plan_table parscan_move_lines_plans;

move_plan parscan_move_lines_plan(const parscan_plan_device *device, const move_facts *facts);

#ifdef __cplusplus
}
#endif
#endif
