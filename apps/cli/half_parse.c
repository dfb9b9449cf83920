/* Reads floats of 16 bits. */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/number_float.h"
#include "scan/half.h"
#include "scan/tables.h"

/* The bits of the float towards zero from a double; the lowest one is also set if that cut something off
   (rounding to odd). Rounded once more to far fewer bits, it gives what the double gives. */
static uint32_t round_to_odd(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 63) << 31;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023 + 127; /* of a float */
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    if (isnan(value))
        return sign | 0x7fc00000;
    if (isinf(value))
        return sign | 0x7f800000;
    if (exponent >= 255)
        return sign | 0x7f7fffff;
    if (exponent <= -24) /* below half of the smallest float */
        return sign | (value != 0);
    const uint64_t all = exponent > 0 ? (uint64_t)exponent << 52 | fraction
                                      : (fraction | (uint64_t)1 << 52) >> (1 - exponent);
    const uint64_t lost = exponent > 0 ? 0 : (fraction | (uint64_t)1 << 52) << (63 + exponent);
    return sign | (uint32_t)(all >> 29) | ((all & 0x1fffffff) != 0 || lost != 0);
}

static double parse_rounded(const char *text, int mode)
{
    const int before = fegetround();
    fesetround(mode);
    const double value = strtod(text, NULL);
    fesetround(before);
    return value;
}

/* How a decimal that is rounded to a double lies to it: 1 if it is farther from zero, -1 if it is nearer, 0
   if it is the same. */
static int side_of(const char *text, double value)
{
    const double lower = parse_rounded(text, FE_DOWNWARD), upper = parse_rounded(text, FE_UPWARD);
    const int above = (upper > value) - (lower < value);
    return value > 0 ? above : -above;
}

/* The bits of an element from those of a float. */
typedef uint16_t narrow_function(uint32_t bits);

/* The text is rounded to a double, and that to an element. This is wrong only if the double lies half-way
   between two elements, and the text does not. */
static const char *parse_half(const char *text, void *element, bool *fits, narrow_function *narrow)
{
    double wide;
    const char *const end = parse_double(text, &wide, fits);
    uint32_t bits = round_to_odd(wide);
    const uint32_t magnitude = bits & 0x7fffffff;
    const bool is_exact = (bits & 1) == 0 && magnitude > 0 && magnitude < 0x7f800000;
    if (is_exact && narrow(bits - 1) != narrow(bits + 1))
        bits += (uint32_t)side_of(text, wide);
    const uint16_t value = narrow(bits);
    *fits = *fits && (isinf(wide) || (value & 0x7fff) != narrow(0x7f800000));
    memcpy(element, &value, sizeof value);
    return end;
}

#define X(ctx, NAME, number, name, ...)                                   \
    static uint16_t narrow_##name(uint32_t bits)                          \
    {                                                                     \
        return parscan_narrow_##NAME(float_of_bits(bits)).bits;           \
    }                                                                     \
    const char *parse_##name(const char *text, void *element, bool *fits) \
    {                                                                     \
        return parse_half(text, element, fits, narrow_##name);            \
    }
PARSCAN_STORED_TYPES(X, )
#undef X
