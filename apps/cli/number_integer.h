/* Writes integers as text. */
#ifndef PARSCAN_CLI_NUMBER_INTEGER_H
#define PARSCAN_CLI_NUMBER_INTEGER_H

#include <stdint.h>

/* Writes value in decimal: at most 20 characters, without a terminating zero. Returns the end. */
char *format_unsigned(uint64_t value, char *to);

#endif
