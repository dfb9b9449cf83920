#include "tests/support/half_number.h"

#include <math.h>

/* How many bits the fraction has, and the exponent of the last place of a subnormal number. */
static int fraction_bits(parscan_type type)
{
    return type == PARSCAN_F16 ? 10 : 7;
}

static int least_place(parscan_type type)
{
    return type == PARSCAN_F16 ? -24 : -133;
}

bool is_half(parscan_type type)
{
    return type == PARSCAN_F16 || type == PARSCAN_BF16;
}

double half_to_number(parscan_type type, uint16_t bits)
{
    const int fraction = fraction_bits(type), all = 0x7fff >> fraction;
    const int exponent = (bits & 0x7fff) >> fraction, low = bits & ((1 << fraction) - 1);
    const double sign = bits >> 15 != 0 ? -1 : 1;
    if (exponent == all)
        return low != 0 ? copysign(NAN, sign) : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(low, least_place(type));
    return sign * ldexp(low + (1 << fraction), least_place(type) + exponent - 1);
}

uint16_t half_from_number(parscan_type type, long double x)
{
    const int fraction = fraction_bits(type);
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const uint16_t infinity = (uint16_t)(0x7fff >> fraction << fraction);
    if (isnan(x))
        return (uint16_t)(sign | infinity | 1 << (fraction - 1));
    if (isinf(x))
        return sign | infinity;
    int exponent, place = least_place(type);
    frexpl(x, &exponent); /* |x| < 2^exponent */
    if (x != 0 && exponent - 1 - fraction > place)
        place = exponent - 1 - fraction;
    /* Of the last place, 2^place: exact, since it only changes the exponent. */
    const long double places = ldexpl(fabsl(x), -place);
    uint32_t whole = (uint32_t)places;
    const long double rest = places - whole;
    whole += rest > 0.5L || (rest == 0.5L && whole % 2 != 0);
    /* One that is rounded up to a power of two carries into the exponent. */
    const uint32_t bits = ((uint32_t)(place - least_place(type)) << fraction) + whole;
    return bits > infinity ? sign | infinity : (uint16_t)(sign | bits);
}

bool half_is_near(parscan_type type, long double x, long double off, double found)
{
    /* x is so near that it is rounded to what was found, which is quicker to see. */
    const double least_normal = type == PARSCAN_F16 ? 0x1p-14 : 0x1p-126;
    const long double half_place = ldexp(fabs(found), -2 - fraction_bits(type));
    if (fabs(found) >= least_normal && !isinf(found) && fabsl(x - found) < half_place)
        return true;
    return found >= half_to_number(type, half_from_number(type, x - off)) &&
           found <= half_to_number(type, half_from_number(type, x + off));
}

uint16_t half_next(uint16_t bits, bool up)
{
    const bool negative = bits >> 15 != 0, away = negative != up;
    if (!away && (bits & 0x7fff) == 0)
        return negative ? 0x0001 : 0x8001;
    return (uint16_t)(away ? bits + 1 : bits - 1);
}
