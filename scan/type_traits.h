/*
 * What an element type is: its size, its kind, its class of keys and the type that it is computed in. Whatever depends on a type at run
 * time asks parscan_type_traits_of(), the one switch over PARSCAN_TYPES for that.
 */
#ifndef PARSCAN_SCAN_TYPE_TRAITS_H
#define PARSCAN_SCAN_TYPE_TRAITS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/types.h"
#include "scan/tables.h"

/* KEY_U8 and its sisters, from PARSCAN_KEY_CLASSES. KEY_CLASSES, their number, stands for none: keys
   of the type cannot be sorted. */
typedef enum key_class {
#define X(ctx, NAME, ...) KEY_##NAME,
    PARSCAN_KEY_CLASSES(X, )
#undef X
        KEY_CLASSES,
    KEY_F0 = KEY_CLASSES /* of a float without a SIMD lane */
} key_class;

typedef struct parscan_type_traits {
    size_t size; /* in bytes; 0: it is not a type */
    bool is_float, is_signed;
    parscan_type signless; /* a signed integer's: the unsigned type of its size; else the type */
    key_class key;
    parscan_type
        compute; /* of sums, carries and what else is between reading and writing; else the type */
} parscan_type_traits;

/* From the class and the lane of a type in PARSCAN_TYPES. A lane of 0 bits gives no class of keys. */
#define PARSCAN_SIGNLESS_INTEGER(NAME, lane) PARSCAN_U##lane
#define PARSCAN_SIGNLESS_FLOAT(NAME, lane) PARSCAN_##NAME
#define PARSCAN_SIGNLESS_HALF(NAME, lane) PARSCAN_##NAME
#define PARSCAN_KEY_OF_INTEGER(NAME, lane) KEY_U##lane
#define PARSCAN_KEY_OF_FLOAT(NAME, lane) KEY_F##lane
#define PARSCAN_KEY_OF_HALF(NAME, lane) KEY_##NAME
#define PARSCAN_COMPUTE_INTEGER(NAME) PARSCAN_##NAME
#define PARSCAN_COMPUTE_FLOAT(NAME) PARSCAN_##NAME
#define PARSCAN_COMPUTE_HALF(NAME) PARSCAN_F32

#ifdef __cplusplus
#define TRAITS_FUNCTION static constexpr
#else
#define TRAITS_FUNCTION static inline
#endif

TRAITS_FUNCTION parscan_type_traits parscan_type_traits_of(parscan_type type)
{
    enum { INTEGER, FLOAT, HALF };
    parscan_type_traits traits = {0, false, false, type, KEY_CLASSES, type};
    switch ((int)type) {
#define X(ctx, NAME, number, name, c_type, arithmetic, class_, low, high, lane) \
    case PARSCAN_##NAME:                                                        \
        traits.size = sizeof(c_type);                                           \
        traits.is_float = class_ != INTEGER;                                    \
        traits.is_signed = class_ == INTEGER && (low) < 0;                      \
        traits.signless = PARSCAN_SIGNLESS_##class_(NAME, lane);                \
        traits.key = PARSCAN_KEY_OF_##class_(NAME, lane);                       \
        traits.compute = PARSCAN_COMPUTE_##class_(NAME);                        \
        break;
        PARSCAN_TYPES(X, )
#undef X
    }
    return traits;
}

TRAITS_FUNCTION bool parscan_is_float(parscan_type type)
{
    return parscan_type_traits_of(type).is_float;
}

TRAITS_FUNCTION parscan_type parscan_signless(parscan_type type)
{
    return parscan_type_traits_of(type).signless;
}

/* The type that elements of a type are widened to where they are read, and rounded from where they are
   written: F32 for floats of 16 bits, which differ from it; else the type itself. */
TRAITS_FUNCTION parscan_type parscan_compute_type(parscan_type type)
{
    return parscan_type_traits_of(type).compute;
}

#endif
