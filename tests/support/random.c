#include "tests/support/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scan/tables.h"
#include "tests/support/half_number.h"

static bool started;
static uint64_t state;

static uint64_t seed_of_this_process(void)
{
    static bool printed;
    static uint64_t seed;
    if (printed)
        return seed;
    const char *const given = getenv("PARSCAN_TEST_SEED");
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    seed = given != NULL ? strtoull(given, NULL, 10)
                         : ((uint64_t)now.tv_sec << 20 ^ (uint64_t)now.tv_nsec) % 1000000000;
    printed = true;
    fprintf(stderr, "PARSCAN_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* SplitMix64: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, 2014. */
static inline uint64_t next_bits(void)
{
    if (!started)
        state = seed_of_this_process();
    started = true;
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t random_bits(void)
{
    return next_bits();
}

void random_restart(void)
{
    started = false;
}

/* The upper half of a product: quicker than a remainder. */
size_t random_below(size_t below)
{
    __extension__ typedef unsigned __int128 uint128;
    return (size_t)((uint128)next_bits() * below >> 64);
}

/* Uniform in [0, 1). Here and below a product with a power of two is ldexp(), without the call. */
static inline double random_unit(void)
{
    return (double)(next_bits() >> 11) * 0x1p-53;
}

/* Up to the middle of the array and down again, with noise, in [0, 1). */
static double peak(size_t i, size_t n)
{
    const double height = 1 - fabs(2 * ((double)i + 0.5) / (double)n - 1);
    return height * (0.75 + 0.25 * random_unit());
}

/* The same of the integers of so many bits. */
static uint64_t integer_peak(size_t i, size_t n, unsigned width)
{
    return (uint64_t)(peak(i, n) * 2 * (double)(UINT64_C(1) << (width - 1)));
}

/* The value as bits, of which the low ones are taken. */
static inline uint64_t random_integer(parscan_op op, size_t i, size_t n, unsigned width,
                                      bool is_signed)
{
    const uint64_t lowest = is_signed ? UINT64_C(1) << (width - 1) : 0, highest = lowest - 1;
    const uint64_t bits = next_bits(), choice = next_bits() % 64;
    const uint64_t one_bit = UINT64_C(1) << (bits & (width - 1));
    switch (op) {
    case PARSCAN_PRODUCT:
        return choice == 0 ? 1 : bits | 1;
    case PARSCAN_MIN:
        return highest - integer_peak(i, n, width);
    case PARSCAN_MAX:
        return lowest + integer_peak(i, n, width);
    case PARSCAN_AND:
        return choice == 0 ? ~one_bit : ~UINT64_C(0);
    case PARSCAN_OR:
        return choice == 0 ? one_bit : 0;
    default:
        return choice >= 4   ? bits
               : choice == 0 ? 0
               : choice == 1 ? 1
               : choice == 2 ? lowest
                             : highest;
    }
}

static double random_real(parscan_op op, size_t i, size_t n)
{
    const uint64_t bits = next_bits(), choice = bits / 2 % 4096, power = bits >> 16 & 0xffff;
    const double sign = bits % 2 == 0 ? 1 : -1;
    switch (op) {
    case PARSCAN_PRODUCT:
        return sign * (1 + (random_unit() - 0.5) * 0x1p-10);
    case PARSCAN_MIN:
    case PARSCAN_MAX:
        if (choice < 512)
            return sign * 0.0;
        if (choice < 514)
            return choice == 512 ? NAN : sign * INFINITY;
        return (op == PARSCAN_MAX ? 1 : -1) * (1000 * peak(i, n) - 500 * random_unit());
    default:
        return choice < 64 ? sign * 0.0
                           : sign * (1 + random_unit()) * (double)(1u << power % 24) * 0x1p-12;
    }
}

/* The same for 16 bits: sums stay in the range of F16, with some of its subnormal numbers, and factors
   differ from 1. */
static double random_half(parscan_type type, parscan_op op, size_t i, size_t n)
{
    const double real = random_real(op, i, n);
    if (op == PARSCAN_PRODUCT)
        return copysign(1 + (fabs(real) - 1) * (type == PARSCAN_F16 ? 8 : 32), real);
    return op == PARSCAN_SUM && type == PARSCAN_F16 ? real * 0x1p-8 : real;
}

#define VALUE_INTEGER(type) (type) random_integer(op, i, n, 8 * sizeof(type), (type)-1 < (type)1)
#define VALUE_FLOAT(type) (type) random_real(op, i, n)
#define VALUE_HALF(ctype)                                   \
    {                                                       \
        half_from_double(type, random_half(type, op, i, n)) \
    }

void random_fill(parscan_type type, parscan_op op, void *array, size_t n)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...)           \
    case PARSCAN_##NAME:                                                    \
        for (size_t i = 0; i < n; i++) {                                    \
            const ctype value = VALUE_##class(ctype);                       \
            memcpy((char *)array + i * sizeof value, &value, sizeof value); \
        }                                                                   \
        break;
        PARSCAN_TYPES(X, )
#undef X
    }
}
