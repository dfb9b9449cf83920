/*
 * The order of keys, the same in every sort and merge. Their classes are in scan/type_traits.h.
 */
#ifndef PARSCAN_APPS_MERGE_KEY_ORDER_H
#define PARSCAN_APPS_MERGE_KEY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "parscan/context.h"
#include "scan/type_traits.h"

/* The order of keys. Integers are ordered by (key ^ flip) & keep; for floats see rank() in
   key_rank.h. */
typedef struct key_order {
    uint64_t flip, keep;
} key_order;

/* A number whose lowest bits are set. */
static inline uint64_t low_bits(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* infinity_f32: the bits of a class's infinity, above which are those of NaNs without a sign. */
#ifdef __GNUC__
#define KEY_CONSTANT static const __attribute__((unused)) uint64_t
#else
#define KEY_CONSTANT static const uint64_t
#endif
#define X(ctx, NAME, bits, name, is_float, infinity) KEY_CONSTANT infinity_##name = infinity;
PARSCAN_KEY_CLASSES(X, )
#undef X

/* The bits of infinity of a class of keys; 0 of integers. */
TRAITS_FUNCTION uint64_t key_infinity(key_class key)
{
    switch (key) {
#define X(ctx, NAME, bits, name, is_float, infinity) \
    case KEY_##NAME:                                 \
        return infinity;
        PARSCAN_KEY_CLASSES(X, )
#undef X
    default:
        return 0;
    }
}

/* Checks that an argument is an element type that has a class of keys; or the argument key_type.
   Errors: INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_sorted_type(parscan_context *context, const char *name,
                                         parscan_type type);
parscan_status parscan_check_key_type(parscan_context *context, parscan_type key_type);

/* Checks the bytes of a value that moves with a key: 1 to 64. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_value_size(parscan_context *context, size_t size);

/* The order by the bits begin_bit to end_bit - 1 of a key of that type; all bits for floats. */
key_order parscan_key_order(parscan_type type, bool descending, unsigned begin_bit,
                            unsigned end_bit);

#endif
