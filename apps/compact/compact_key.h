/*
 * The keys of one element type (compact_range.h), one at a time: U, the type of a key; key_of(x);
 * holds(range, x); same_run(a, b). From CMake: PARSCAN_ELEMENT and its sisters.
 *
 * Of floats of 16 bits only the bits are needed: T is then an unsigned integer, and FLOATS_BY_BITS 1.
 */
#ifndef PARSCAN_APPS_COMPACT_KEY_H
#define PARSCAN_APPS_COMPACT_KEY_H

#include "apps/compact/compact_range.h"
#include "apps/merge/key_order.h"
#include "scan/tables.h"

#define IS_STORED_INTEGER 0
#define IS_STORED_FLOAT 0
#define IS_STORED_HALF 1
#define FLOATS_BY_BITS 0
#if PARSCAN_PASTE(IS_STORED_, PARSCAN_ELEMENT_CLASS)
#undef FLOATS_BY_BITS
#undef PARSCAN_ELEMENT
#undef PARSCAN_ELEMENT_CLASS
#define FLOATS_BY_BITS 1
#define PARSCAN_ELEMENT PARSCAN_PASTE(U, PARSCAN_ELEMENT_BITS)
#define PARSCAN_ELEMENT_CLASS INTEGER
#endif

#include "scan/cpu/element.h"

#define HAS_FLOATS (PARSCAN_ELEMENT_IS_FLOAT || FLOATS_BY_BITS)

#if PARSCAN_ELEMENT_BITS != 0
typedef PARSCAN_PASTE(PARSCAN_PASTE(uint, PARSCAN_ELEMENT_BITS), _t) U;

#define SIGN_BIT ((U)((U)1 << (PARSCAN_ELEMENT_BITS - 1)))
#endif

#if FLOATS_BY_BITS
/* The bits of a float but its sign, and those of infinity. */
#define MAGNITUDE ((U)(SIGN_BIT - 1))
#define INFINITE ((U)NAMED(infinity))
#endif

static inline bool is_nan(T x)
{
#if FLOATS_BY_BITS
    return (x & MAGNITUDE) > INFINITE;
#elif PARSCAN_ELEMENT_IS_FLOAT
    return isnan(x);
#else
    (void)x;
    return false;
#endif
}

/* Compares as == does, except that NaN equals NaN. */
static inline bool same_run(T a, T b)
{
#if FLOATS_BY_BITS
    if (((a | b) & MAGNITUDE) == 0) /* -0 and +0 */
        return true;
#endif
    return a == b || (is_nan(a) && is_nan(b));
}

static inline T element_at(const void *array, size_t i)
{
    T value;
    memcpy(&value, (const char *)array + i * sizeof value, sizeof value);
    return value;
}

#if PARSCAN_ELEMENT_BITS == 0

static inline bool holds(const compact_range *range, T x)
{
    const parscan_predicate *const p = &range->predicate;
    const T value = p->value != NULL ? element_at(p->value, 0) : 0;
    switch (p->comparison) {
    case PARSCAN_EQUAL:
        return x == value;
    case PARSCAN_LESS:
        return x < value;
    case PARSCAN_LESS_EQUAL:
        return x <= value;
    case PARSCAN_GREATER:
        return x > value;
    case PARSCAN_GREATER_EQUAL:
        return x >= value;
    case PARSCAN_BETWEEN:
        return value <= x && x <= element_at(p->upper, 0);
    default:
        return x != value;
    }
}

#else

static inline U key_of(T x)
{
    U bits;
    memcpy(&bits, &x, sizeof bits);
    return HAS_FLOATS && (bits & SIGN_BIT) != 0 ? (U)(bits ^ (SIGN_BIT - 1)) : bits;
}

static inline bool holds(const compact_range *range, T x)
{
    const bool inside = (U)(key_of(x) - (U)range->first) <= (U)range->width;
    return inside != range->outside;
}

#endif
#endif
