/* What a context knows of the kernels that it has launched: asking CUDA takes longer than many a kernel. */
#ifndef PARSCAN_SCAN_CONTEXT_KERNEL_TABLE_H
#define PARSCAN_SCAN_CONTEXT_KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel at one launch shape. */
typedef struct parscan_cuda_kernel {
    const void *function; /* NULL: the entry is empty */
    unsigned threads;     /* of a block */
    size_t shared_bytes;  /* dynamic shared memory of a block */
    unsigned blocks;      /* that the device holds at once */
    int architecture;     /* that it was compiled for: 90 is compute capability 9.0 */
} parscan_cuda_kernel;

/* More than the library has at once in any program that was seen; beyond, entries replace each other. */
#define PARSCAN_KERNELS_KNOWN 128u

static inline bool parscan_cuda_kernel_is(const parscan_cuda_kernel *entry, const void *function,
                                          unsigned threads, size_t shared_bytes)
{
    return entry->function == function && entry->threads == threads &&
           entry->shared_bytes == shared_bytes;
}

/* The entry of the function at these threads and bytes; if there is none, the entry to keep it in: the first
   empty one from its hash on, or, of a full table, the one that it would have had first. */
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
