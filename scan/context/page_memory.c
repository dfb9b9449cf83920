#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "scan/context/page_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPED_FROM = 1 << 20, HEAD_BYTES = 64 }; /* the size of a block is in front of it */

static void *allocate_pages(size_t size, void *user)
{
    (void)user;
    if (size > SIZE_MAX - HEAD_BYTES)
        return NULL;
    size += HEAD_BYTES;
    char *block;
    if (size < MAPPED_FROM) {
        block = malloc(size);
    } else {
        block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        block = block == MAP_FAILED ? NULL : block;
#ifdef MADV_HUGEPAGE
        /* Fewer pages are faster to get; no page reaches beyond the block. It is a wish only. */
        if (block != NULL)
            madvise(block, size, MADV_HUGEPAGE);
#endif
    }
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + HEAD_BYTES;
}

static void release_pages(void *pointer, void *user)
{
    (void)user;
    char *const block = (char *)pointer - HEAD_BYTES;
    size_t size;
    memcpy(&size, block, sizeof size);
    if (size < MAPPED_FROM)
        free(block);
    else
        munmap(block, size);
}

const parscan_allocator parscan_page_allocator = {allocate_pages, release_pages, NULL};
