/* Expansion on the CPU, once an index type. */
#ifndef PARSCAN_APPS_ALLOCATE_EXPAND_CPU_H
#define PARSCAN_APPS_ALLOCATE_EXPAND_CPU_H

#include "apps/allocate/shares.h"

/* Writes owner and rank, where not NULL, of all slots of the shares; there is one at least. */
void parscan_expand_cpu_u32(parscan_context *context, const shares *shared, void *owner,
                            void *rank);
void parscan_expand_cpu_u64(parscan_context *context, const shares *shared, void *owner,
                            void *rank);

#endif
