/* What a context knows of the kernels that it has launched. Asking CUDA takes longer than many
   kernels. */
#ifndef PARSCAN_SCAN_CONTEXT_KERNEL_TABLE_H
#define PARSCAN_SCAN_CONTEXT_KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel with one launch shape. */
typedef struct parscan_cuda_kernel {
    const void *function; /* NULL: the entry is empty */
    unsigned threads;     /* of each block */
    size_t shared_bytes;  /* dynamic shared memory of each block */
    unsigned blocks;      /* the number of blocks that the device holds at once */
    int architecture;     /* for which it was compiled: 90 is compute capability 9.0 */
} parscan_cuda_kernel;

/* More kernels of the library than any program seen so far has launched. When the table is full,
   entries replace each other. */
#define PARSCAN_KERNELS_KNOWN 128u

static inline bool parscan_cuda_kernel_is(const parscan_cuda_kernel *entry, const void *function,
                                          unsigned threads, size_t shared_bytes)
{
    return entry->function == function && entry->threads == threads &&
           entry->shared_bytes == shared_bytes;
}

/* Returns the entry of the function with these threads and bytes. If there is none, returns the
   entry to store it in: the first empty one from its hash on, or, if the table is full, the one at
   its hash. */
static inline parscan_cuda_kernel *
parscan_cuda_kernel_entry(parscan_cuda_kernel table[PARSCAN_KERNELS_KNOWN], const void *function,
                          unsigned threads, size_t shared_bytes)
{
    const size_t home =
        (((uintptr_t)function >> 4) + threads / 32 + shared_bytes / 16) % PARSCAN_KERNELS_KNOWN;
    size_t at = home;
    while (table[at].function != NULL &&
           !parscan_cuda_kernel_is(&table[at], function, threads, shared_bytes)) {
        at = (at + 1) % PARSCAN_KERNELS_KNOWN;
        if (at == home)
            break;
    }
    return &table[at];
}

#endif
