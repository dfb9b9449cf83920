/*
 * A value of any element type, for `trace`; of a type that is only stored (PARSCAN_STORED_TYPES), of the
 * type that it is computed in. Operators and types are looked up in scan/tables.h for each operation:
 * trace need not be fast.
 */
#ifndef PARSCAN_CLI_TRACE_VALUE_H
#define PARSCAN_CLI_TRACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/failure.h"
#include "apps/cli/number_float.h"
#include "parscan/types.h"
#include "scan/tables.h"

typedef union trace_value {
#define X(ctx, NAME, number, name, type, ...) type name;
    PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
} trace_value;

/* Room for any value as text. */
#define TRACE_VALUE_SIZE (NUMBER_MAX_LENGTH + 1)

/* combine(a, b), where a is the earlier operand. The type must have the operator. */
trace_value trace_value_combine(parscan_type type, parscan_op op, trace_value a, trace_value b);

trace_value trace_value_identity(parscan_type type, parscan_op op);

/* The first element of an exclusive scan: the identity, but 0 where the identity is -0. */
trace_value trace_value_start(parscan_type type, parscan_op op);

/* Whether the type has the operator: floats have no bit operators. */
bool trace_value_has_op(parscan_type type, parscan_op op);

/* An element of the type, widened. */
trace_value trace_value_of(parscan_type type, const void *element);

/* Reads a word as an element of the type, and widens it. */
bool trace_value_read(parscan_type type, const char *word, trace_value *value, failure *why);

/* The value as the type can store it: another one only if the type is stored only. */
trace_value trace_value_round(parscan_type type, trace_value value);

/* Writes a value as text output has it. */
void trace_value_print(parscan_type type, trace_value value, char text[TRACE_VALUE_SIZE]);

#endif
