#include "apps/cli/number_float.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/number_integer.h"
#include "apps/cli/shortest_float.h"
#include "parscan/types.h"

static char *append(char *to, const char *text)
{
    const size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

static char *append_zeros(char *to, int count)
{
    memset(to, '0', (size_t)count);
    return to + count;
}

static char *append_bytes(char *to, const char *bytes, int count)
{
    memcpy(to, bytes, (size_t)count);
    return to + count;
}

/* 0.000123, 12.5, 1200, or 1.25e-300 where that is shorter to read. */
static char *format_decimal(decimal value, char *to)
{
    while (value.digits % 10 == 0) {
        value.digits /= 10;
        value.exponent++;
    }
    char digits[24];
    const int length = (int)(format_unsigned(value.digits, digits) - digits);
    const int point = length + value.exponent; /* digits before the point */
    if (point > 17 || point < -3) {
        *to++ = digits[0];
        if (length > 1)
            *to++ = '.';
        to = append_bytes(to, digits + 1, length - 1);
        *to++ = 'e';
        if (point - 1 < 0)
            *to++ = '-';
        return format_unsigned((uint64_t)abs(point - 1), to);
    }
    if (point <= 0) {
        to = append_zeros(append(to, "0."), -point);
        return append_bytes(to, digits, length);
    }
    if (point >= length)
        return append_zeros(append_bytes(to, digits, length), point - length);
    to = append_bytes(to, digits, point);
    *to++ = '.';
    return append_bytes(to, digits + point, length - point);
}

/* An IEEE 754 binary number of 1 + exponent_bits + fraction_bits bits. */
static char *format_binary(uint64_t bits, int exponent_bits, int fraction_bits, char *to)
{
    const uint64_t hidden = (uint64_t)1 << fraction_bits;
    const int largest = (1 << exponent_bits) - 1;
    const uint64_t fraction = bits & (hidden - 1);
    const int biased = (int)(bits >> fraction_bits) & largest;
    if (bits >> (fraction_bits + exponent_bits) != 0)
        *to++ = '-';
    if (biased == largest)
        return append(to, fraction != 0 ? "nan" : "inf");
    if (biased == 0 && fraction == 0)
        return append(to, "0");
    const int exponent = (biased == 0 ? 1 : biased) - largest / 2 - fraction_bits;
    const uint64_t significand = biased == 0 ? fraction : fraction | hidden;
    return format_decimal(shortest_decimal(significand, exponent, fraction == 0 && biased > 1), to);
}

char *format_f16(const void *element, char *to)
{
    parscan_f16 value;
    memcpy(&value, element, sizeof value);
    return format_binary(value.bits, 5, 10, to);
}

char *format_bf16(const void *element, char *to)
{
    parscan_bf16 value;
    memcpy(&value, element, sizeof value);
    return format_binary(value.bits, 8, 7, to);
}

char *format_float(const void *element, char *to)
{
    uint32_t bits;
    memcpy(&bits, element, sizeof bits);
    return format_binary(bits, 8, FLT_MANT_DIG - 1, to);
}

char *format_double(const void *element, char *to)
{
    uint64_t bits;
    memcpy(&bits, element, sizeof bits);
    return format_binary(bits, 11, DBL_MANT_DIG - 1, to);
}

/* long double is not an element type yet. Tries more and more digits until the number reads back.
   */
char *format_long_double(const void *element, char *to)
{
    long double value;
    memcpy(&value, element, sizeof value);
    char text[NUMBER_MAX_LENGTH + 8];
    for (int digits = 1; digits <= LDBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*Lg", digits, value);
        if (strtold(text, NULL) == value || isnan(value))
            break;
    }
    return append(to, text);
}
