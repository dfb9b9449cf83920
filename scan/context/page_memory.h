/* An allocator whose large blocks are pages of their own. */
#ifndef PARSCAN_SCAN_CONTEXT_PAGE_MEMORY_H
#define PARSCAN_SCAN_CONTEXT_PAGE_MEMORY_H

#include "parscan/context.h"

/*
 * malloc() may keep what is freed, and put the next block elsewhere, so a process may have more memory
 * than what is allocated. Blocks of 1 MiB or more of this allocator are mapped, and go back to the
 * system when they are released; the system is asked for huge pages. Smaller ones are malloc's.
 */
extern const parscan_allocator parscan_page_allocator;

#endif
