/* What the scans of a distributed array share (dist_scan.c, dist_tree.c, dist_segmented.c). */
#ifndef PARSCAN_APPS_DISTRIBUTED_DIST_SCAN_H
#define PARSCAN_APPS_DISTRIBUTED_DIST_SCAN_H

#include "apps/distributed/comm_state.h"
#include "scan/scan_call.h"

/* The bytes of the widest element that a build may have. */
enum { DIST_ELEMENT = 16 };

typedef struct dist_element {
    unsigned char bytes[DIST_ELEMENT];
} dist_element;

/* Notes the options of a checked call. */
void parscan_note_scan(parscan_comm *comm, const parscan_scan_call *call);

/* Combines init (NULL: none), of the call's out_type, and n values, one after the other, of
   parscan_sum_type(), from the first to the last. Without any value it is init, or the identity. The
   result is of parscan_sum_type() too, and may be one of the values. */
void parscan_fold(const parscan_scan_call *call, const void *init, const void *values, size_t n,
                  void *result);

/* The rank whose piece is the k-th in the order of combination. */
static inline unsigned parscan_rank_at(const parscan_comm *comm, bool reverse, unsigned k)
{
    return reverse ? comm->size - 1 - k : k;
}

/* A reproducible scan or reduction of floats. lengths: those of all ranks' pieces, `stride` bytes
   from one to the next. Agrees on its status. */
parscan_status parscan_dist_tree(parscan_comm *comm, const parscan_scan_call *call,
                                 const void *lengths, size_t stride);

#endif
