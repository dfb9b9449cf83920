/*
 * The order of keys, the same in every sort and merge: classes of keys, and what they are compared by.
 */
#ifndef PARSCAN_APPS_MERGE_KEY_ORDER_H
#define PARSCAN_APPS_MERGE_KEY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "parscan/types.h"

/* The order of keys. Integers are ordered by (key ^ flip) & keep; for floats see rank() in
   key_rank.h. */
typedef struct key_order {
    uint64_t flip, keep;
} key_order;

/* What kernels are compiled for: a signed integer is sorted as an unsigned one. */
typedef enum key_class {
    KEY_U8,
    KEY_U16,
    KEY_U32,
    KEY_U64,
    KEY_F32,
    KEY_F64,
    KEY_CLASSES
} key_class;

typedef struct key_traits {
    key_class kind;
    unsigned bits; /* 0: keys of this type cannot be sorted */
    bool is_float, is_signed;
} key_traits;

key_traits parscan_key_traits(parscan_type type);

/* The order by the bits begin_bit to end_bit - 1 of a key; all bits for floats. */
key_order parscan_key_order(key_traits key, bool descending, unsigned begin_bit, unsigned end_bit);

#endif
