/* What reading and writing has to know of each element type, expanded from scan/tables.h. */
#ifndef PARSCAN_CLI_ELEMENT_TRAITS_H
#define PARSCAN_CLI_ELEMENT_TRAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/number_float.h"
#include "parscan/types.h"

typedef struct element_traits {
    parscan_type type;
    size_t size;
    /* Integers: from -lowest_magnitude to highest. */
    uint64_t lowest_magnitude;
    uint64_t highest;
    /* Floats; NULL for integers. */
    float_parser *parse_float;
    float_formatter *format_float;
} element_traits;

/* NULL when type is not one of the table. */
const element_traits *element_traits_of(parscan_type type);

bool element_is_signed(const element_traits *traits);

/* The unsigned type of a signed one's size; of another type that type itself. */
parscan_type unsigned_type_of(parscan_type type);

/* The letter that numpy has for the kind: u, i or f. */
char element_kind(const element_traits *traits);

#endif
