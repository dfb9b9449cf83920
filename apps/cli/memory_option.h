/* The value of --memory. */
#ifndef PARSCAN_CLI_MEMORY_OPTION_H
#define PARSCAN_CLI_MEMORY_OPTION_H

#include "apps/cli/failure.h"
#include "apps/cli/machine_memory.h"

/* The least that a sorter works with. */
#define LEAST_MEMORY ((uint64_t)16 << 20)

/* Reads a number of bytes, with K, M, G or T, powers of 1024, or as a percentage of all memory. False
   with a message if it is none or less than LEAST_MEMORY. */
bool memory_take(const char *value, const machine_memory *memory, uint64_t *bytes, failure *why);

/* What is taken if nothing is said: half of what is available, LEAST_MEMORY if that is more. */
uint64_t memory_by_default(const machine_memory *memory);

#endif
