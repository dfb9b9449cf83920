/* Tells whether the host can read memory, without reading it. */
#ifndef PARSCAN_SCAN_CONTEXT_HOST_MEMORY_H
#define PARSCAN_SCAN_CONTEXT_HOST_MEMORY_H

#include <stdbool.h>

/* Whether the host can read the 8 bytes around pointer (aligned down). True where the system cannot
   tell. */
bool parscan_host_can_read(const void *pointer);

/* Whether this machine has a driver that can give out device memory. */
bool parscan_host_near_device(void);

#endif
