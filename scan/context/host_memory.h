/* Whether the host can read memory, asked without reading it. */
#ifndef PARSCAN_SCAN_CONTEXT_HOST_MEMORY_H
#define PARSCAN_SCAN_CONTEXT_HOST_MEMORY_H

#include <stdbool.h>

/* The first bytes at pointer. True where the system cannot tell. */
bool parscan_host_can_read(const void *pointer);

/* Whether this machine has a driver that gives out memory of a device. */
bool parscan_host_near_device(void);

#endif
