/* The shortest decimal number that is rounded to a given binary floating-point number. */
#ifndef PARSCAN_CLI_SHORTEST_FLOAT_H
#define PARSCAN_CLI_SHORTEST_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct decimal {
    uint64_t digits; /* the value is digits * 10^exponent */
    int exponent;
} decimal;

/*
 * Of all decimals that round (to nearest, ties to even) to significand * 2^exponent, those with the
 * fewest digits, and of these the nearest.   significand   from 1 to 2^53 - 1   exponent      from
 * -1074 to 971   narrow_below  the next smaller number is half as far away as the next larger one:
 * the significand                 is the smallest of a normal number, and there is a smaller
 * exponent Trailing zeros are possible. Source: Giulietti, The Schubfach way to render doubles
 * (2020).
 */
decimal shortest_decimal(uint64_t significand, int exponent, bool narrow_below);

/* Computes the table that shortest_decimal() reads. Call it once before. It is not thread-safe. */
void shortest_decimal_prepare(void);

#endif
