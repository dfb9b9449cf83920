#include "tests/support/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/tables.h"
#include "scan/type_traits.h"
#include "tests/support/half_number.h"
#include "tests/support/oracle.h"

#define NUMBER_INTEGER(value) ((number){.integer = (value)})
#define NUMBER_FLOAT(value) ((number){.is_float = true, .real = (value)})
#define NUMBER_HALF(value) NUMBER_FLOAT(half_to_number(type, (value).bits))
#define ELEMENT_INTEGER(ctype, value) (ctype)(value)
#define ELEMENT_FLOAT(ctype, value) (ctype)(value)
#define ELEMENT_HALF(ctype, value)                   \
    {                                                \
        half_from_number(type, (long double)(value)) \
    }

number number_read(parscan_type type, const void *array, size_t i)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...)             \
    case PARSCAN_##NAME: {                                                    \
        ctype value;                                                          \
        memcpy(&value, (const char *)array + i * sizeof value, sizeof value); \
        return NUMBER_##class(value);                                         \
    }
        PARSCAN_TYPES(X, )
#undef X
    }
    return (number){0};
}

#define WRITE(ctx, NAME, number, name, ctype, arithmetic, class, ...)         \
    case PARSCAN_##NAME: {                                                    \
        const ctype element = ELEMENT_##class(ctype, value);                  \
        memcpy((char *)array + i * sizeof element, &element, sizeof element); \
        break;                                                                \
    }

void number_write_integer(parscan_type type, void *array, size_t i, int128 value)
{
    switch ((int)type) {
        PARSCAN_TYPES(WRITE, )
    }
}

void number_write_real(parscan_type type, void *array, size_t i, double value)
{
    switch ((int)type) {
        PARSCAN_TYPES(WRITE, )
    }
}

void *numbers_as(parscan_type type, const uint64_t *values, size_t n)
{
    void *const array = malloc(n * parscan_type_size(type) + 1);
    if (array == NULL)
        abort();
    for (size_t k = 0; k < n; k++)
        number_write_integer(type, array, k, values[k]);
    return array;
}

number_order number_compare(number a, number b)
{
    if (a.is_float) {
        if (isnan(a.real) || isnan(b.real))
            return NUMBER_UNORDERED;
        return a.real < b.real ? NUMBER_LESS : a.real > b.real ? NUMBER_GREATER : NUMBER_EQUAL;
    }
    return a.integer < b.integer   ? NUMBER_LESS
           : a.integer > b.integer ? NUMBER_GREATER
                                   : NUMBER_EQUAL;
}

static bool is_signed(parscan_type type)
{
    return parscan_type_traits_of(type).is_signed || oracle_is_float(type);
}

int128 number_lowest(parscan_type type)
{
    return is_signed(type) ? -((int128)1 << (8 * parscan_type_size(type) - 1)) : 0;
}

int128 number_highest(parscan_type type)
{
    return ((int128)1 << (8 * parscan_type_size(type) - is_signed(type))) - 1;
}

static size_t special_integers(parscan_type type, void *any)
{
    const int128 lowest = number_lowest(type), highest = number_highest(type);
    const int128 middle = highest / 2;
    const int128 all[] = {0,          1,       2,           -1,     lowest,
                          lowest + 1, highest, highest - 1, middle, middle + 1,
                          lowest / 2, 100,     127,         128,    -100};
    const size_t count = sizeof all / sizeof all[0];
    for (size_t k = 0; k < count; k++)
        number_write_integer(type, any, k, all[k]);
    return count;
}

/* NaNs whose bits differ in sign and payload, quiet ones. */
static void write_nan(parscan_type type, void *any, size_t k, bool negative, unsigned payload)
{
    const unsigned low_bits = type == PARSCAN_F16 ? 0x1ff : 0x3f;
    const uint16_t half = (uint16_t)((type == PARSCAN_F16 ? 0x7e00 : 0x7fc0) |
                                     (unsigned)negative << 15 | (payload & low_bits));
    const uint32_t narrow = UINT32_C(0x7fc00000) | (uint32_t)negative << 31 | payload;
    const uint64_t wide = UINT64_C(0x7ff8000000000000) | (uint64_t)negative << 63 | payload;
    if (is_half(type))
        memcpy((char *)any + k * sizeof half, &half, sizeof half);
    else if (type == PARSCAN_F32)
        memcpy((char *)any + k * sizeof narrow, &narrow, sizeof narrow);
    else
        memcpy((char *)any + k * sizeof wide, &wide, sizeof wide);
}

typedef struct float_limits {
    double largest, least_normal, denormal, step;
} float_limits;

static float_limits limits_of(parscan_type type)
{
    switch ((int)type) {
    case PARSCAN_F16:
        return (float_limits){65504, 0x1p-14, 0x1p-24, 0x1p-10};
    case PARSCAN_BF16:
        return (float_limits){0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7};
    case PARSCAN_F32:
        return (float_limits){0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-23};
    default:
        return (float_limits){0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, 0x1p-52};
    }
}

size_t number_specials(parscan_type type, void *any)
{
    if (!oracle_is_float(type))
        return special_integers(type, any);
    const float_limits of = limits_of(type);
    const double largest = of.largest, least_normal = of.least_normal;
    const double denormal = of.denormal, step = of.step;
    const double all[] = {0.0,       -0.0,      1,        -1,           1 + step,      -1 - step,
                          INFINITY,  -INFINITY, 0.5,      least_normal, -least_normal, denormal,
                          -denormal, largest,   -largest, 2.5,          1e10};
    const size_t count = sizeof all / sizeof all[0];
    for (size_t k = 0; k < count; k++)
        number_write_real(type, any, k, all[k]);
    write_nan(type, any, count, false, 0);
    write_nan(type, any, count + 1, true, 0);
    write_nan(type, any, count + 2, true, 12345);
    return count + 3;
}
