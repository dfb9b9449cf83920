/*
 * Shares of equal work in items of different sizes.
 *
 * Each item costs `item_cost` and 1 a slot. Lay all that work in a row: a share is a range of it,
 * whose ends are found by a binary search over the sums of chunks of items, and a walk in one
 * chunk. So an item may be split between shares, and neither one huge item nor many empty ones are
 * left to one core.
 *
 * Source: S. Baxter, Load-balancing search, moderngpu, 2013; merge path: O. Green, R. McColl,
 * D. A. Bader, GPU Merge Path, ICS 2012.
 */
#ifndef PARSCAN_APPS_ALLOCATE_SHARES_H
#define PARSCAN_APPS_ALLOCATE_SHARES_H

#include "apps/allocate/size_types.h"
#include "parscan/context.h"

/* Items whose sizes are summed to one: 8 bytes of scratch for these. */
#define SHARES_CHUNK 4096u

typedef struct shares {
    parscan_type size_type;
    const void *sizes;
    size_t n;
    uint64_t total;        /* slots */
    uint64_t *chunk_slots; /* the slots before each chunk; after the last: total */
    size_t chunks;
    unsigned item_cost;
} shares;

/* A place in the work. */
typedef struct share_point {
    size_t item;   /* n at the end */
    uint64_t slot; /* of all slots */
    uint64_t rank; /* of the item's; up to its size */
} share_point;

/* Sums the chunks, in the context's scratch. Errors: OVERFLOW, the total is beyond 64 bits;
   OUT_OF_MEMORY. *total is written unless it is OUT_OF_MEMORY. */
parscan_status parscan_shares_begin(parscan_context *context, parscan_type size_type,
                                    const void *sizes, size_t n, unsigned item_cost,
                                    shares *shared);

/* All work of the shares; a sum that must not overflow. */
uint64_t parscan_shares_work(const shares *shared);

/* The place that has `work` before it. */
share_point parscan_shares_at(const shares *shared, uint64_t work);

#endif
