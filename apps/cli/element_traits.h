/* The properties of each element type that reading and writing need, from scan/tables.h. */
#ifndef PARSCAN_CLI_ELEMENT_TRAITS_H
#define PARSCAN_CLI_ELEMENT_TRAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/number_float.h"
#include "scan/type_traits.h"

typedef struct element_traits {
    parscan_type type;
    size_t size;
    /* Integers lie between -lowest_magnitude and highest. */
    uint64_t lowest_magnitude;
    uint64_t highest;
    /* Floats; NULL for integers. */
    float_parser *parse_float;
    float_formatter *format_float;
} element_traits;

/* NULL if the type is not in the table. */
const element_traits *element_traits_of(parscan_type type);

/* NumPy's letter for the kind of type: u, i or f; V, bytes of any meaning, where NumPy has no such type
   and the packages that add it write it so. */
char element_kind(const element_traits *traits);

#endif
