/* Expansion on the CPU, once an index type and instruction set. */
#ifndef PARSCAN_APPS_ALLOCATE_EXPAND_KERNELS_H
#define PARSCAN_APPS_ALLOCATE_EXPAND_KERNELS_H

#include "apps/allocate/load_balance.h"

/* Writes owner and rank, where not NULL, of all slots of the load_balance; there is one at least. */
typedef void expand_function(parscan_context *context, const load_balance *shared, void *owner,
                             void *rank);

extern expand_function parscan_expand_u32_portable, parscan_expand_u32_avx2,
    parscan_expand_u32_avx512;
extern expand_function parscan_expand_u64_portable, parscan_expand_u64_avx2,
    parscan_expand_u64_avx512;

#endif
