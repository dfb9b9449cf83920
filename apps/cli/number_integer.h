/* Integers to text. */
#ifndef PARSCAN_CLI_NUMBER_INTEGER_H
#define PARSCAN_CLI_NUMBER_INTEGER_H

#include <stdint.h>

/* Writes value in decimal, at most 20 characters and no terminating zero; returns the end. */
char *format_unsigned(uint64_t value, char *to);

#endif
