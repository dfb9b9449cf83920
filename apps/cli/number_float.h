/* Floats to and from text, one function a C type. */
#ifndef PARSCAN_CLI_NUMBER_FLOAT_H
#define PARSCAN_CLI_NUMBER_FLOAT_H

#include <stdbool.h>

/* The most characters that a formatter writes. */
#define NUMBER_MAX_LENGTH 40

/*
 * Reads a float at text, rounded correctly, into element; returns where it ends, text itself when
 * there is none. The words of strtod(): decimal, hexadecimal, nan, inf. The text must end in a
 * character that is no part of a number. *fits is false when a decimal is beyond the type's range.
 */
typedef const char *float_parser(const char *text, void *element, bool *fits);

/* Writes element with the fewest digits that read back to the same bits (those of a NaN apart from
   its sign excepted); returns the end. No terminating zero. */
typedef char *float_formatter(const void *element, char *to);

float_parser parse_float, parse_double, parse_long_double;
float_formatter format_float, format_double, format_long_double;

#endif
