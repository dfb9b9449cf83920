/*
 * The order of elements in selections on CUDA, as numbers that kernels compute ranks with. Elements are bits, so a kernel
 * is compiled once for each size:
 *
 *     ordered = key ^ (signs where key is negative) ^ flip
 *     rank    = nan where key without its sign is above infinity, else ordered
 */
#ifndef PARSCAN_APPS_SELECT_ORDER_H
#define PARSCAN_APPS_SELECT_ORDER_H

#include "apps/merge/key_order.h"

typedef struct select_order {
    uint64_t signs, flip, infinity, nan;
} select_order;

/* The order of ascending ranks. nan_first: a NaN has the least rank, else the rank of a sort. */
static inline select_order select_order_of(parscan_type type, bool descending, bool nan_first)
{
    const parscan_type_traits traits = parscan_type_traits_of(type);
    const uint64_t all = UINT64_MAX >> (64 - 8 * traits.size), top = all ^ all >> 1;
    const uint64_t turned = descending ? all : 0;
    if (!traits.is_float)
        return (select_order){0, (traits.is_signed ? top : 0) ^ turned, all, 0};
    return (select_order){all >> 1, top ^ turned, key_infinity(traits.key),
                          nan_first ? 0 : all ^ turned};
}

/* The bits of the last of all numbers: in a reduction to an extreme, what no elements have. */
static inline uint64_t select_last_number(parscan_type type, const select_order *order)
{
    const parscan_type_traits traits = parscan_type_traits_of(type);
    const uint64_t all = UINT64_MAX >> (64 - 8 * traits.size), top = all ^ all >> 1;
    if (!traits.is_float)
        return all ^ order->flip;
    /* top is not flipped where the order ascends. */
    return (order->flip & 1) == 0 ? order->infinity : order->infinity | top;
}

#endif
