/* Copies of elements that do not lie next to each other, on the CPU. */
#ifndef PARSCAN_SCAN_AXIS_COPY_STRIDED_H
#define PARSCAN_SCAN_AXIS_COPY_STRIDED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Copies n elements of `size` bytes between arrays with strides in bytes. */
static inline void copy_strided(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                                size_t n, size_t size)
{
#define COPY_EACH(bytes)                                                 \
    for (size_t i = 0; i < n; i++, to += to_stride, from += from_stride) \
        memcpy(to, from, bytes);                                         \
    break;
    switch (size) {
    case 1:
        COPY_EACH(1)
    case 2:
        COPY_EACH(2)
    case 4:
        COPY_EACH(4)
    case 8:
        COPY_EACH(8)
    default:
        COPY_EACH(size)
    }
#undef COPY_EACH
}

#endif
