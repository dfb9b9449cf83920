/*
 * Divides items of different sizes into shares of equal work.
 *
 * Each item costs `item_cost`, and each of its slots costs 1. All this work is laid out in a row,
 * and a share is a range of it. A binary search over the sums of chunks of items, and a walk in one
 * chunk, find the ends of a share. So an item may be split between shares, and neither one huge
 * item nor many empty items are left to one core.
 *
 * Source: S. Baxter, Load-balancing search, moderngpu, 2013; merge path: O. Green, R. McColl, D. A.
 * Bader, GPU Merge Path, ICS 2012.
 */
#ifndef PARSCAN_APPS_ALLOCATE_LOAD_BALANCE_H
#define PARSCAN_APPS_ALLOCATE_LOAD_BALANCE_H

#include "apps/allocate/size_types.h"
#include "parscan/context.h"

/* The items in a chunk. Each chunk takes 8 bytes of scratch. */
#define BALANCE_CHUNK 4096u

typedef struct load_balance {
    parscan_type size_type;
    const void *sizes;
    size_t n;
    uint64_t total;        /* the number of slots */
    uint64_t *chunk_slots; /* in scratch: the slots before each chunk, and the total */
    size_t chunks;
    unsigned item_cost;
} load_balance;

/* A position in the work. */
typedef struct balance_point {
    size_t item;   /* the item; n at the end */
    uint64_t slot; /* the slot, among all slots; at most the total */
    uint64_t rank; /* the slot within the item; at most its size */
} balance_point;

/* Sums the chunks in the context's scratch. `sizes` must outlive *shared. shared->total is set
   unless the error is OUT_OF_MEMORY. Errors: OVERFLOW if the total does not fit 64 bits;
   OUT_OF_MEMORY. */
parscan_status parscan_load_balance_begin(parscan_context *context, parscan_type size_type,
                                          const void *sizes, size_t n, unsigned item_cost,
                                          load_balance *shared);

/* The sum of all work. It must not overflow. */
uint64_t parscan_load_balance_work(const load_balance *shared);

/* The position that has `work` before it. If sizes have changed since they were summed, it is another
   position, and not the same in every call. */
balance_point parscan_load_balance_at(const load_balance *shared, uint64_t work);

#endif
