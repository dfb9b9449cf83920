/* The processors that this process may use, and their caches. */
#ifndef PARSCAN_SCAN_CPU_PROCESSORS_H
#define PARSCAN_SCAN_CPU_PROCESSORS_H

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

#endif
