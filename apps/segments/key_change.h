/*
 * Whether two neighbouring keys belong to different segments: KEYS_DIFFER(name, class, lane, a, b),
 * for keys of a type of PARSCAN_TYPES. Floats differ as by !=, but a NaN equals every NaN. Their bits
 * are compared as integers: so a caller's mode that flushes subnormal numbers to zero changes
 * nothing, no exception traps, and loops become SIMD loops.
 */
#ifndef PARSCAN_APPS_SEGMENTS_KEY_CHANGE_H
#define PARSCAN_APPS_SEGMENTS_KEY_CHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "apps/merge/key_order.h"
#include "scan/tables.h"

#define FLOATS_DIFFER(name, bits, type, infinity)                           \
    static inline bool floats_differ_##name(type x, type y)                 \
    {                                                                       \
        uint##bits##_t a, b;                                                \
        memcpy(&a, &x, sizeof a);                                           \
        memcpy(&b, &y, sizeof b);                                           \
        const uint##bits##_t size_a = (uint##bits##_t)(a << 1);             \
        const uint##bits##_t size_b = (uint##bits##_t)(b << 1);             \
        const uint##bits##_t nan_above = (uint##bits##_t)((infinity) << 1); \
        const bool zeros = (size_a | size_b) == 0;                          \
        const bool nans = (size_a > nan_above) & (size_b > nan_above);      \
        return (a != b) & !zeros & !nans;                                   \
    }
FLOATS_DIFFER(32, 32, float, infinity_f32)
FLOATS_DIFFER(64, 64, double, infinity_f64)
#define X(ctx, NAME, number, name, type, arithmetic, class, low, high, lane) \
    FLOATS_DIFFER(name, lane, type, infinity_##name)
PARSCAN_STORED_TYPES(X, )
#undef X
#undef FLOATS_DIFFER

#define INTEGER_DIFFERS(name, lane, a, b) ((a) != (b))
#define FLOAT_DIFFERS_0(a, b) (((a) != (b)) & (((a) == (a)) | ((b) == (b))))
#define FLOAT_DIFFERS_32(a, b) floats_differ_32(a, b)
#define FLOAT_DIFFERS_64(a, b) floats_differ_64(a, b)
#define FLOAT_DIFFERS(name, lane, a, b) FLOAT_DIFFERS_##lane(a, b)
#define HALF_DIFFERS(name, lane, a, b) floats_differ_##name(a, b)
#define KEYS_DIFFER(name, class, lane, a, b) class##_DIFFERS(name, lane, a, b)

#endif
