/*
 * The keys of one element type (compact_range.h), one at a time: U, the type of a key; key_of(x);
 * holds(range, x); same_run(a, b). Before: scan/cpu/element.h and PARSCAN_ELEMENT_BITS.
 */
#ifndef PARSCAN_APPS_COMPACT_KEY_H
#define PARSCAN_APPS_COMPACT_KEY_H

#include "apps/compact/compact_range.h"
#include "scan/cpu/element.h"

static inline bool is_nan(T x)
{
#if PARSCAN_ELEMENT_IS_FLOAT
    return isnan(x);
#else
    (void)x;
    return false;
#endif
}

/* Compares as == does, except that NaN equals NaN. */
static inline bool same_run(T a, T b)
{
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

typedef PARSCAN_PASTE(PARSCAN_PASTE(uint, PARSCAN_ELEMENT_BITS), _t) U;

#define SIGN_BIT ((U)((U)1 << (PARSCAN_ELEMENT_BITS - 1)))

static inline U key_of(T x)
{
    U bits;
    memcpy(&bits, &x, sizeof bits);
    return PARSCAN_ELEMENT_IS_FLOAT && (bits & SIGN_BIT) != 0 ? (U)(bits ^ (SIGN_BIT - 1)) : bits;
}

static inline bool holds(const compact_range *range, T x)
{
    const bool inside = (U)(key_of(x) - (U)range->first) <= (U)range->width;
    return inside != range->outside;
}

#endif
#endif
