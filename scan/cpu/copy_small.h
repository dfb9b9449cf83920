/*
 * Copies of up to 64 bytes without a call, and without touching a byte beyond them. For files that are
 * compiled once for each instruction set.
 */
#ifndef PARSCAN_SCAN_CPU_COPY_SMALL_H
#define PARSCAN_SCAN_CPU_COPY_SMALL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scan/cpu/intrinsics.h"

#define COPY_SMALL_MOST 64u
#define COPY_FUNCTION static inline __attribute__((always_inline, unused))

/* Copies n to 2n bytes by two copies of n bytes; the second ends where the bytes end. */
COPY_FUNCTION void copy_ends(char *to, const char *from, size_t bytes, const size_t n)
{
    char first[COPY_SMALL_MOST / 2], last[COPY_SMALL_MOST / 2];
    memcpy(first, from, n);
    memcpy(last, from + bytes - n, n);
    memcpy(to, first, n);
    memcpy(to + bytes - n, last, n);
}

/* Copies 17 to 64 bytes. */
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
COPY_FUNCTION void copy_middle(char *to, const char *from, size_t bytes)
{
    const __mmask64 mask = _bzhi_u64(UINT64_MAX, (unsigned)bytes);
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
}
#else
COPY_FUNCTION void copy_middle(char *to, const char *from, size_t bytes)
{
    if (bytes > 32)
        copy_ends(to, from, bytes, 32);
    else
        copy_ends(to, from, bytes, 16);
}
#endif

/* Copies up to COPY_SMALL_MOST bytes. */
COPY_FUNCTION void copy_small(char *to, const char *from, size_t bytes)
{
    if (bytes > 16)
        copy_middle(to, from, bytes);
    else if (bytes >= 8)
        copy_ends(to, from, bytes, 8);
    else if (bytes >= 4)
        copy_ends(to, from, bytes, 4);
    else if (bytes >= 2)
        copy_ends(to, from, bytes, 2);
    else if (bytes == 1)
        *to = *from;
}

#endif
