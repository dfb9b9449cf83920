/* Reads and writes floats as text; one function for each C type. */
#ifndef PARSCAN_CLI_NUMBER_FLOAT_H
#define PARSCAN_CLI_NUMBER_FLOAT_H

#include <stdbool.h>

/* The largest number of characters that a formatter writes. */
#define NUMBER_MAX_LENGTH 40

/*
 * Reads a float at text, rounded correctly, into element. Returns its end, or text if there is
 * none. It reads what strtod() does: decimal, hexadecimal, nan, inf. The text must end in a
 * character that cannot be part of a number. *fits is false if a decimal is beyond the type's
 * range.
 */
typedef const char *float_parser(const char *text, void *element, bool *fits);

/* Writes element with the fewest digits that give the same bits when read again; of a NaN, only the
   sign is kept. Returns the end. There is no terminating zero. */
typedef char *float_formatter(const void *element, char *to);

float_parser parse_f16, parse_bf16, parse_float, parse_double, parse_long_double;
float_formatter format_f16, format_bf16, format_float, format_double, format_long_double;

#endif
