#ifndef PARSCAN_TESTS_ALLOCATED_H
#define PARSCAN_TESTS_ALLOCATED_H

#include <stdlib.h>

/* Memory, also of no bytes; to be freed. */
static inline void *allocated(size_t bytes)
{
    void *const memory = malloc(bytes + (bytes == 0));
    if (memory == NULL)
        abort();
    return memory;
}

#endif
