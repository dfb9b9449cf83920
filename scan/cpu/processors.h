/* The processors that this process may use, and their caches. */
#ifndef PARSCAN_SCAN_CPU_PROCESSORS_H
#define PARSCAN_SCAN_CPU_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns how many processors this process may run on at once, at least 1: what its affinity and
   the quota of its control group allow. */
unsigned parscan_processors(void);

/* Returns how many processors the quota of a control group allows, rounded up; 0: any number.
   membership: a file like /proc/self/cgroup; groups: the folder where control groups are mounted,
   /sys/fs/cgroup. The quota of each group above counts too. */
unsigned parscan_quota(const char *membership, const char *groups);

/* Returns the size of the second-level cache of one core; a usual one if the system does not
   tell. */
size_t parscan_l2_bytes(void);

/* Returns whether a scatter should fetch the lines that it will write. An Intel core completes
   stores in order, and one that misses the first-level cache holds up all after it; then fetching
   is twice as fast. On AMD's cores it only costs instructions. PARSCAN_PREFETCH_STORES = 0 or 1 in
   the environment decides otherwise, for tests and measurements. */
bool parscan_prefetch_stores(void);

#endif
