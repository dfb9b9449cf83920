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

static double double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* 2^exponent, of those that a normal double has. No call of libm: oracles convert each element. */
static double power_of_two(int exponent)
{
    return double_of((uint64_t)(exponent + 1023) << 52);
}

double half_to_number(parscan_type type, uint16_t bits)
{
    const int fraction = fraction_bits(type), all = 0x7fff >> fraction;
    const int exponent = (bits & 0x7fff) >> fraction, low = bits & ((1 << fraction) - 1);
    const uint64_t sign = (uint64_t)(bits >> 15) << 63;
    if (exponent == all)
        return copysign(low != 0 ? NAN : INFINITY, sign != 0 ? -1 : 1);
    if (exponent == 0)
        return copysign(low * power_of_two(least_place(type)), sign != 0 ? -1 : 1);
    const int power = least_place(type) + exponent - 1 + fraction;
    return double_of(sign | (uint64_t)(power + 1023) << 52 | (uint64_t)low << (52 - fraction));
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

/* x = significand * 2^(exponent - 52), of which as many bits as are below the last place are rounded. */
uint16_t half_from_double(parscan_type type, double x)
{
    const int fraction = fraction_bits(type);
    const uint16_t infinity = (uint16_t)(0x7fff >> fraction << fraction);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 63 << 15);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t low = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024)
        return (uint16_t)(sign | infinity | (low != 0) << (fraction - 1));
    const int place =
        exponent - fraction > least_place(type) ? exponent - fraction : least_place(type);
    const int below = place - (exponent - 52);
    if (below > 54) /* less than half of the last place, 0 and subnormal doubles too */
        return sign;
    const uint64_t significand = UINT64_C(1) << 52 | low, half = UINT64_C(1) << (below - 1);
    const uint64_t rest = significand & (2 * half - 1);
    return sign | rounded(type, place, (uint32_t)(significand >> below), rest > half, rest == half);
}

uint16_t half_from_number(parscan_type type, long double x)
{
    const int fraction = fraction_bits(type);
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x) || (double)x == x)
        return half_from_double(type, isnan(x) ? copysign(NAN, sign != 0 ? -1 : 1) : (double)x);
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

bool half_is_near(parscan_type type, double x, double off, double found)
{
    /* x is so near that it is rounded to what was found, which is quicker to see. */
    const double least_normal = type == PARSCAN_F16 ? 0x1p-14 : 0x1p-126;
    const double half_place = fabs(found) * power_of_two(-2 - fraction_bits(type));
    if (fabs(found) >= least_normal && !isinf(found) && fabs(x - found) < half_place)
        return true;
    return found >= half_to_number(type, half_from_double(type, x - off)) &&
           found <= half_to_number(type, half_from_double(type, x + off));
}

uint16_t half_next(uint16_t bits, bool up)
{
    const bool negative = bits >> 15 != 0, away = negative != up;
    if (!away && (bits & 0x7fff) == 0)
        return negative ? 0x0001 : 0x8001;
    return (uint16_t)(away ? bits + 1 : bits - 1);
}
