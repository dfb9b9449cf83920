/*
 * A predicate as the kernels evaluate it: every comparison is "x lies in a range of keys", or "it
 * does not".
 *
 * The key of an integer is itself. The key of a float is its bits, the lower ones flipped when it
 * is negative: ordered as two's complement, keys are in the order of the floats, -0 just before +0,
 * NaNs beyond the infinities at both ends. So one loop, of integers, serves eight comparisons and
 * ten types; what NaN and -0 are taken for is decided once, in range_of() (compact_element.c).
 */
#ifndef PARSCAN_APPS_COMPACT_RANGE_H
#define PARSCAN_APPS_COMPACT_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "parscan/compact.h"

typedef struct compact_range {
    uint64_t first, width; /* key(x) - first <= width, in unsigned arithmetic of the key's width */
    bool outside;          /* the elements that do not lie in it are meant */
    parscan_predicate predicate; /* for elements that have no key */
} compact_range;

#endif
