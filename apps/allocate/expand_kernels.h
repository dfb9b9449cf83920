/* Expansion on the CPU. Compiled once for each index type, or type of values, and instruction set. */
#ifndef PARSCAN_APPS_ALLOCATE_EXPAND_KERNELS_H
#define PARSCAN_APPS_ALLOCATE_EXPAND_KERNELS_H

#include "apps/allocate/load_balance.h"

/* The first step of a call whose slots are to be written. *total: 0 of no items, UINT64_MAX beyond 64 bits,
   the capacity in a context that measures. With n = 0 *shared is not set. Errors: OVERFLOW,
   OUT_OF_MEMORY: then nothing else is written. */
parscan_status parscan_begin_slots(parscan_context *context, parscan_type size_type,
                                   const void *sizes, size_t n, uint64_t capacity,
                                   load_balance *shared, uint64_t *total);

/* Writes owner and rank of all slots; each array may be NULL. There must be at least one slot.
   values: one for each item, which its slots receive in place of the index; NULL: none. Then rank is
   NULL. */
typedef void expand_function(parscan_context *context, const load_balance *shared,
                             const void *values, void *owner, void *rank);

extern expand_function parscan_expand_u8_portable, parscan_expand_u8_avx2, parscan_expand_u8_avx512;
extern expand_function parscan_expand_u16_portable, parscan_expand_u16_avx2,
    parscan_expand_u16_avx512;
extern expand_function parscan_expand_u32_portable, parscan_expand_u32_avx2,
    parscan_expand_u32_avx512;
extern expand_function parscan_expand_u64_portable, parscan_expand_u64_avx2,
    parscan_expand_u64_avx512;

#endif
