/*
 * Whether two neighbouring keys belong to different segments: KEYS_DIFFER(class, lane, a, b), for
 * keys of a type of PARSCAN_TYPES. Floats differ as by !=, but a NaN equals every NaN. Their bits
 * are compared as integers: so a caller's mode that flushes subnormal numbers to zero changes
 * nothing, no exception traps, and loops become SIMD loops.
 */
#ifndef PARSCAN_APPS_SEGMENTS_KEY_CHANGE_H
#define PARSCAN_APPS_SEGMENTS_KEY_CHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "scan/tables.h"

#define FLOATS_DIFFER(bits, type, infinity)                                                 \
    static inline bool floats_differ_##bits(type x, type y)                                 \
    {                                                                                       \
        uint##bits##_t a, b;                                                                \
        memcpy(&a, &x, sizeof a);                                                           \
        memcpy(&b, &y, sizeof b);                                                           \
        const uint##bits##_t size_a = a << 1, size_b = b << 1, nan_above = (infinity) << 1; \
        const bool zeros = (size_a | size_b) == 0;                                          \
        const bool nans = (size_a > nan_above) & (size_b > nan_above);                      \
        return (a != b) & !zeros & !nans;                                                   \
    }
FLOATS_DIFFER(32, float, UINT32_C(0x7f800000))
FLOATS_DIFFER(64, double, UINT64_C(0x7ff0000000000000))
#undef FLOATS_DIFFER

#define INTEGER_DIFFERS(lane, a, b) ((a) != (b))
#define FLOAT_DIFFERS_0(a, b) (((a) != (b)) & (((a) == (a)) | ((b) == (b))))
#define FLOAT_DIFFERS_32(a, b) floats_differ_32(a, b)
#define FLOAT_DIFFERS_64(a, b) floats_differ_64(a, b)
#define FLOAT_DIFFERS(lane, a, b) FLOAT_DIFFERS_##lane(a, b)
#define KEYS_DIFFER(class, lane, a, b) class##_DIFFERS(lane, a, b)

#endif
