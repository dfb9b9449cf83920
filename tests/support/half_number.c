#include "tests/support/half_number.h"

#include <math.h>
#include <string.h>

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

/* 2^exponent, of those that a normal double has. No call of libm: oracles convert each element. */
static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

double half_to_number(parscan_type type, uint16_t bits)
{
    const int fraction = fraction_bits(type), all = 0x7fff >> fraction;
    const int exponent = (bits & 0x7fff) >> fraction, low = bits & ((1 << fraction) - 1);
    const double sign = bits >> 15 != 0 ? -1 : 1;
    if (exponent == all)
        return low != 0 ? copysign(NAN, sign) : sign * INFINITY;
    if (exponent == 0)
        return sign * low * power_of_two(least_place(type));
    return sign * (low + (1 << fraction)) * power_of_two(least_place(type) + exponent - 1);
}

/* Bits without a sign of `whole` and a rest, in units of 2^place; the rest is above a half, or between two. One that is rounded up to a power of two carries into
   the exponent. */
static uint16_t rounded(parscan_type type, int place, uint32_t whole, bool above, bool between)
{
    const int fraction = fraction_bits(type);
    const uint32_t infinity = 0x7fffu >> fraction << fraction;
    whole += above || (between && whole % 2 != 0);
    const uint32_t bits = ((uint32_t)(place - least_place(type)) << fraction) + whole;
    return (uint16_t)(bits < infinity ? bits : infinity);
}

/* What is a double. */
static uint16_t rounded_double(parscan_type type, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent =
        (int)(bits >> 52) - 1023; /* 2^exponent <= x, but of 0 and subnormal doubles */
    int place = least_place(type);
    if (exponent - fraction_bits(type) > place)
        place = exponent - fraction_bits(type);
    /* Exact, since it only changes the exponent. */
    const double places = x * power_of_two(-place);
    const uint32_t whole = (uint32_t)places;
    const double rest = places - whole;
    return rounded(type, place, whole, rest > 0.5, rest == 0.5);
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
    if ((double)x == x)
        return sign | rounded_double(type, (double)fabsl(x));
    int exponent, place = least_place(type);
    frexpl(x, &exponent); /* |x| < 2^exponent */
    if (x != 0 && exponent - 1 - fraction > place)
        place = exponent - 1 - fraction;
    /* Of the last place, 2^place: exact, since it only changes the exponent. */
    const long double places = ldexpl(fabsl(x), -place);
    const uint32_t whole = (uint32_t)places;
    const long double rest = places - whole;
    return sign | rounded(type, place, whole, rest > 0.5L, rest == 0.5L);
}

bool half_is_near(parscan_type type, long double x, long double off, double found)
{
    /* x is so near that it is rounded to what was found, which is quicker to see. */
    const double least_normal = type == PARSCAN_F16 ? 0x1p-14 : 0x1p-126;
    const long double half_place = fabs(found) * power_of_two(-2 - fraction_bits(type));
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
