/*
 * Floats of 16 bits as numbers, by their definition: a sign, an exponent, a fraction. Shares nothing with
 * scan/half.h.
 */
#ifndef PARSCAN_TESTS_HALF_NUMBER_H
#define PARSCAN_TESTS_HALF_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "parscan/types.h"

/* Whether type is one of them: F16 or BF16. The functions below take no other. */
bool is_half(parscan_type type);

/* The number of these bits, exactly. */
double half_to_number(parscan_type type, uint16_t bits);

/* The bits nearest to x, of two the even ones; infinity where x is beyond the greatest number by half its
   last place. A NaN gives the quiet one without a payload, of its sign. In every rounding mode. */
uint16_t half_from_number(parscan_type type, long double x);
uint16_t half_from_double(parscan_type type, double x);

/* Whether a number of the type lies between the roundings of x - off and x + off. */
bool half_is_near(parscan_type type, double x, double off, double found);

/* The bits of the next number above or below those of a finite number; -0 for none between it and 0. */
uint16_t half_next(uint16_t bits, bool up);

#endif
