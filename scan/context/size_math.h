/* Arithmetic of sizes that memory plans share. */
#ifndef PARSCAN_SCAN_CONTEXT_SIZE_MATH_H
#define PARSCAN_SCAN_CONTEXT_SIZE_MATH_H

#include <stddef.h>

static inline size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t size_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Rounds up to whole lines of 64 bytes, the alignment of scratch. */
static inline size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

#endif
