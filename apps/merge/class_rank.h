/* key_rank.h in a file that CMake compiles once for each class of keys, and the merge path of such keys. */
#ifndef PARSCAN_APPS_MERGE_CLASS_RANK_H
#define PARSCAN_APPS_MERGE_CLASS_RANK_H

#include <stddef.h>
#include <string.h>

#include "apps/merge/key_order.h"
#include "scan/tables.h"

#define KERNEL static inline __attribute__((always_inline, unused))
#define OF_KEY(function) function
#define KEY_BITS PARSCAN_ELEMENT_BITS
#define KEY_FLOAT_INTEGER 0
#define KEY_FLOAT_FLOAT 1
#define KEY_FLOAT_HALF 1
#define KEY_FLOAT PARSCAN_PASTE(KEY_FLOAT_, PARSCAN_ELEMENT_CLASS)
#define KEY_INFINITY NAMED(infinity)
#include "apps/merge/key_rank.h"

/* What keys are compared by: rank() or rank_of_value(). */
typedef KEY rank_function(const key_order *order, KEY key);

/* The merge path: how many of the first `size` elements of the merge of a and b are a's, which come first
   among equal ones. size is at most n + n2; the answer leaves the rest to b, in whatever order keys are. */
KERNEL size_t merge_cross(const key_order *order, rank_function *rank_by, const char *a, size_t n,
                          const char *b, size_t n2, size_t size)
{
    size_t low = size > n2 ? size - n2 : 0, high = size < n ? size : n;
    while (low < high) {
        const size_t i = low + (high - low) / 2;
        if (rank_by(order, key(b, size - 1 - i)) < rank_by(order, key(a, i)))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

#endif
