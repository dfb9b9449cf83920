#include "apps/cli/number_float.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Every power of ten that a double holds exactly. */
static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { LARGEST_POWER = sizeof powers_of_ten / sizeof powers_of_ten[0] - 1 };

/* Appends the digits at *text to *digits; the number of them. More than 19 may wrap around. */
static int read_digits(const char **text, uint64_t *digits)
{
    const char *const begin = *text;
    const char *p = begin;
    for (; (unsigned char)(*p - '0') <= 9; p++)
        *digits = *digits * 10 + (uint64_t)(*p - '0');
    *text = p;
    return p - begin > 100 ? 100 : (int)(p - begin);
}

/* Reads an exponent such as e+12. False if there is none, or it is too long. */
static bool read_exponent(const char **text, int *exponent)
{
    const char *p = *text + 1;
    const bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    uint64_t digits = 0;
    const int length = read_digits(&p, &digits);
    if (length == 0 || length > 4)
        return false;
    *exponent = negative ? -(int)digits : (int)digits;
    *text = p;
    return true;
}

/*
 * The common short decimals, without strtod(): digits times or over a power of ten, when a double
 * holds both exactly, is one correctly rounded operation (Clinger 1990). NULL: it is not such a
 * decimal.
 */
static const char *parse_short_decimal(const char *text, double *value)
{
    const char *p = text;
    const bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    uint64_t digits = 0;
    int length = read_digits(&p, &digits);
    int exponent = 0;
    if (*p == '.') {
        p++;
        const int fraction = read_digits(&p, &digits);
        length += fraction;
        exponent = -fraction;
    }
    if (length == 0 || length > 19 || digits > (uint64_t)1 << 53)
        return NULL;
    if (*p == 'e' || *p == 'E') {
        int scale;
        if (!read_exponent(&p, &scale))
            return NULL;
        exponent += scale;
    } else if (*p == 'x' || *p == 'X') {
        return NULL;
    }
    if (exponent < -LARGEST_POWER || exponent > LARGEST_POWER)
        return NULL;
    const double magnitude = exponent < 0 ? (double)digits / powers_of_ten[-exponent]
                                          : (double)digits * powers_of_ten[exponent];
    *value = negative ? -magnitude : magnitude;
    return p;
}

/* Whether the text says infinity. Otherwise an infinite result means that the number is too large.
   */
static bool is_written_infinity(const char *text)
{
    text += *text == '-' || *text == '+';
    return *text == 'i' || *text == 'I';
}

const char *parse_double(const char *text, void *element, bool *fits)
{
    double value;
    const char *end = parse_short_decimal(text, &value);
    *fits = true;
    if (end == NULL) {
        char *after;
        value = strtod(text, &after);
        *fits = !isinf(value) || is_written_infinity(text);
        end = after;
    }
    memcpy(element, &value, sizeof value);
    return end;
}

/* A double that was rounded correctly is rounded a second time to float. That is wrong only if the
   double lies half-way between two floats. */
static bool rounds_safely_to_float(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t below_float = bits & 0x1fffffff;
    return value == 0 || (fabs(value) >= 0x1p-126 && below_float != 0x10000000);
}

const char *parse_float(const char *text, void *element, bool *fits)
{
    double wide;
    float value;
    const char *end = parse_short_decimal(text, &wide);
    *fits = true;
    if (end != NULL && rounds_safely_to_float(wide)) {
        value = (float)wide;
    } else {
        char *after;
        value = strtof(text, &after);
        *fits = !isinf(value) || is_written_infinity(text);
        end = after;
    }
    memcpy(element, &value, sizeof value);
    return end;
}

const char *parse_long_double(const char *text, void *element, bool *fits)
{
    char *end;
    const long double value = strtold(text, &end);
    *fits = !isinf(value) || is_written_infinity(text);
    memcpy(element, &value, sizeof value);
    return end;
}
