/*
 * Shares of equal work in items of different sizes.
 *
 * Each item costs `item_cost` and 1 a slot. Lay all that work in a row: a share is a range of it,
 * whose ends are found by a binary search over the sums of chunks of items, and a walk in one
 * chunk. So an item may be split between load_balance, and neither one huge item nor many empty ones are
 * left to one core.
 *
 * Source: S. Baxter, Load-balancing search, moderngpu, 2013; merge path: O. Green, R. McColl,
 * D. A. Bader, GPU Merge Path, ICS 2012.
 */
#ifndef PARSCAN_APPS_ALLOCATE_LOAD_BALANCE_H
#define PARSCAN_APPS_ALLOCATE_LOAD_BALANCE_H

#include "apps/allocate/size_types.h"
#include "parscan/context.h"

/* Items whose sizes are summed to one: 8 bytes of scratch for these. */
#define BALANCE_CHUNK 4096u

typedef struct load_balance {
    parscan_type size_type;
    const void *sizes;
    size_t n;
    uint64_t total;        /* slots */
    uint64_t *chunk_slots; /* the slots before each chunk; after the last: total */
    size_t chunks;
    unsigned item_cost;
} load_balance;

/* A place in the work. */
typedef struct balance_point {
    size_t item;   /* n at the end */
    uint64_t slot; /* of all slots */
    uint64_t rank; /* of the item's; up to its size */
} balance_point;

/* Sums the chunks, in the context's scratch. Errors: OVERFLOW, the total is beyond 64 bits;
   OUT_OF_MEMORY. *total is written unless it is OUT_OF_MEMORY. */
parscan_status parscan_load_balance_begin(parscan_context *context, parscan_type size_type,
                                          const void *sizes, size_t n, unsigned item_cost,
                                          load_balance *shared);

/* All work of the load_balance; a sum that must not overflow. */
uint64_t parscan_load_balance_work(const load_balance *shared);

/* The place that has `work` before it. */
balance_point parscan_load_balance_at(const load_balance *shared, uint64_t work);

#endif
