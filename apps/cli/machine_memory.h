/* How much memory there is. */
#ifndef PARSCAN_CLI_MACHINE_MEMORY_H
#define PARSCAN_CLI_MACHINE_MEMORY_H

#include <stdint.h>

/* In bytes. A limit of the process or of one of its cgroups counts as the machine's end. */
typedef struct machine_memory {
    uint64_t all;
    uint64_t available; /* of it: what is free, or can be freed by dropping cached files */
} machine_memory;

/* root is the folder in which /proc and /sys are: "", but for tests. */
machine_memory machine_memory_read(const char *root);

#endif
