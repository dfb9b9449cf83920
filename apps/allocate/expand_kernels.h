/* Expansion on the CPU. Compiled once for each index type and instruction set. */
#ifndef PARSCAN_APPS_ALLOCATE_EXPAND_KERNELS_H
#define PARSCAN_APPS_ALLOCATE_EXPAND_KERNELS_H

#include "apps/allocate/load_balance.h"

/* Writes owner and rank of all slots; each array may be NULL. There must be at least one slot. */
typedef void expand_function(parscan_context *context, const load_balance *shared, void *owner,
                             void *rank);

extern expand_function parscan_expand_u32_portable, parscan_expand_u32_avx2,
    parscan_expand_u32_avx512;
extern expand_function parscan_expand_u64_portable, parscan_expand_u64_avx2,
    parscan_expand_u64_avx512;

#endif
