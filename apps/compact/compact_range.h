/*
 * A predicate in the form that the kernels evaluate: every comparison becomes "the key of x lies in
 * a range", or "it does not".
 *
 * The key of an integer is the integer itself. The key of a float is its bits, with all but the
 * sign bit flipped if it is negative. Compared as two's complement, these keys have the order of
 * the floats: -0 is just before +0, and NaNs are beyond the infinities at both ends. So one loop
 * over integers serves eight comparisons and all types. range_of() (compact_element.c) alone
 * decides how NaN and -0 compare.
 */
#ifndef PARSCAN_APPS_COMPACT_RANGE_H
#define PARSCAN_APPS_COMPACT_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "parscan/compact.h"

typedef struct compact_range {
    uint64_t first, width; /* in the range: key(x) - first <= width, unsigned, in the key's width */
    bool outside;          /* the elements outside of the range are kept */
    parscan_predicate predicate; /* for elements that have no key */
} compact_range;

#endif
