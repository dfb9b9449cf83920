/*
 * Copies of up to 64 bytes without a call, and without touching a byte beyond them. Where the compiler may not know how
 * many they are, a call of memcpy() takes three to five times as long.
 */
#ifndef PARSCAN_SCAN_CPU_COPY_SMALL_H
#define PARSCAN_SCAN_CPU_COPY_SMALL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scan/cpu/intrinsics.h"

#define COPY_SMALL_MOST 64u
#define COPY_FUNCTION static inline __attribute__((always_inline, unused))

typedef unsigned char copy_16 __attribute__((vector_size(16)));

/* The first and the last bytes, n each: these are all of n to 2n bytes, of which some are copied twice. Both are
   loaded before one is stored; they are typed, since arrays of bytes go through the stack. */
#define COPY_ENDS(n, type)                                                     \
    COPY_FUNCTION void copy_ends_##n(char *to, const char *from, size_t bytes) \
    {                                                                          \
        type first, last;                                                      \
        memcpy(&first, from, n);                                               \
        memcpy(&last, from + bytes - n, n);                                    \
        memcpy(to, &first, n);                                                 \
        memcpy(to + bytes - n, &last, n);                                      \
    }
COPY_ENDS(2, uint16_t)
COPY_ENDS(4, uint32_t)
COPY_ENDS(8, uint64_t)
COPY_ENDS(16, copy_16)

/* Copies 17 to 64 bytes. */
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
COPY_FUNCTION void copy_middle(char *to, const char *from, size_t bytes)
{
    const __mmask64 mask = _bzhi_u64(UINT64_MAX, (unsigned)bytes);
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
}
#else
#if PARSCAN_VECTOR_BYTES == 32
typedef unsigned char copy_32 __attribute__((vector_size(32)));
COPY_ENDS(32, copy_32)
#else
COPY_FUNCTION void copy_ends_32(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, 32);
    memcpy(to + bytes - 32, from + bytes - 32, 32);
}
#endif

COPY_FUNCTION void copy_middle(char *to, const char *from, size_t bytes)
{
    if (bytes <= 32)
        copy_ends_16(to, from, bytes);
    else
        copy_ends_32(to, from, bytes);
}
#endif
#undef COPY_ENDS

/* Copies up to COPY_SMALL_MOST bytes to where they do not overlap. */
COPY_FUNCTION void copy_small(char *to, const char *from, size_t bytes)
{
    if (bytes > 16)
        copy_middle(to, from, bytes);
    else if (bytes >= 8)
        copy_ends_8(to, from, bytes);
    else if (bytes >= 4)
        copy_ends_4(to, from, bytes);
    else if (bytes >= 2)
        copy_ends_2(to, from, bytes);
    else if (bytes == 1)
        *to = *from;
}

/* The same in functions that are inlined with sizes that the compiler knows, too. The question changes how gcc lays out
   the code of other sizes, which is up to 1.5 times as slow then: copy_small() does not ask. */
COPY_FUNCTION void copy_element(char *to, const char *from, const size_t bytes)
{
    if (__builtin_constant_p(bytes))
        memcpy(to, from, bytes);
    else
        copy_small(to, from, bytes);
}

#endif
