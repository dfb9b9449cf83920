/* An element of the caller's copied, where the compiler may not know its size: a call of memcpy() takes five times as
   long. */
#ifndef PARSCAN_SCAN_CUSTOM_COPY_ELEMENT_H
#define PARSCAN_SCAN_CUSTOM_COPY_ELEMENT_H

#include <stddef.h>
#include <string.h>

/* The first and the last bytes, `part` each: these are all of part to 2 part bytes, of which some are copied twice. */
static inline __attribute__((always_inline)) void copy_ends(char *to, const char *from, size_t size,
                                                            const size_t part)
{
    memcpy(to, from, part);
    memcpy(to + size - part, from + size - part, part);
}

/* size: 1 to 64. `to` does not overlap the element. */
static inline __attribute__((always_inline)) void copy_element(char *to, const char *from,
                                                               const size_t size)
{
    if (__builtin_constant_p(size))
        memcpy(to, from, size);
    else if (size >= 32)
        copy_ends(to, from, size, 32);
    else if (size >= 16)
        copy_ends(to, from, size, 16);
    else if (size >= 8)
        copy_ends(to, from, size, 8);
    else if (size >= 4)
        copy_ends(to, from, size, 4);
    else if (size >= 2)
        copy_ends(to, from, size, 2);
    else
        *to = *from;
}

#endif
