/*
 * Access to sizes and offsets: arrays of an unsigned type that is known only at run time.
 *
 *     size_at(type, array, i)         returns element i of an array of any alignment
 *     WITH_SIZE_TYPE(type, call)      evaluates `call` with SIZE, a constant equal to type, so that
 *                                     `call` is compiled once for each type
 *     WITH_OFFSET_TYPE(type, call)    the same, with OFFSET
 */
#ifndef PARSCAN_APPS_ALLOCATE_SIZE_TYPES_H
#define PARSCAN_APPS_ALLOCATE_SIZE_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parscan/types.h"

#define SIZE_FUNCTION static inline __attribute__((always_inline, unused))

#define OFFSET_TYPES(X, ctx) X(ctx, U32, uint32_t) X(ctx, U64, uint64_t)
#define SIZE_TYPES(X, ctx) X(ctx, U8, uint8_t) X(ctx, U16, uint16_t) OFFSET_TYPES(X, ctx)

SIZE_FUNCTION uint64_t size_at(const parscan_type type, const void *array, size_t i)
{
    switch ((int)type) {
#define X(ctx, NAME, c_type)                                                  \
    case PARSCAN_##NAME: {                                                    \
        c_type value;                                                         \
        memcpy(&value, (const char *)array + i * sizeof value, sizeof value); \
        return value;                                                         \
    }
        SIZE_TYPES(X, )
#undef X
    default:
        return 0;
    }
}

#define WITH_SIZE_CASE(call, NAME, c_type)        \
    case PARSCAN_##NAME: {                        \
        const parscan_type SIZE = PARSCAN_##NAME; \
        call;                                     \
        break;                                    \
    }
#define WITH_SIZE_TYPE(type, call)       \
    switch ((int)(type)) {               \
        SIZE_TYPES(WITH_SIZE_CASE, call) \
    default:                             \
        break;                           \
    }

#define WITH_OFFSET_CASE(call, NAME, c_type)        \
    case PARSCAN_##NAME: {                          \
        const parscan_type OFFSET = PARSCAN_##NAME; \
        call;                                       \
        break;                                      \
    }
#define WITH_OFFSET_TYPE(type, call)         \
    switch ((int)(type)) {                   \
        OFFSET_TYPES(WITH_OFFSET_CASE, call) \
    default:                                 \
        break;                               \
    }

#endif
