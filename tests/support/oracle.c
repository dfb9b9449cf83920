#include "tests/support/oracle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scan/tables.h"
#include "tests/support/half_number.h"

/* One element or one result so far. */
typedef struct quantity {
    uint64_t integer;       /* an integer, sign-extended */
    long double real;       /* a float */
    long double magnitude;  /* what its rounding errors are relative to */
    long double operations; /* how many roundings lie behind it */
} quantity;

/* What is known of a type. */
typedef struct kind_of_number {
    parscan_type type;
    bool is_float, is_signed;
    unsigned width;
    long double epsilon;
} kind_of_number;

#define EPSILON_OF_SIZE(size) ((size) == 4 ? FLT_EPSILON : (size) == 8 ? DBL_EPSILON : LDBL_EPSILON)
#define KIND_INTEGER(ctype) false, (ctype)-1 < (ctype)1, 8 * sizeof(ctype), 0
#define KIND_FLOAT(ctype) true, true, 8 * sizeof(ctype), EPSILON_OF_SIZE(sizeof(ctype))
#define KIND_HALF(ctype) true, true, 8 * sizeof(ctype), FLT_EPSILON

static kind_of_number kind_of(parscan_type type)
{
    switch (type) {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...) \
    case PARSCAN_##NAME:                                          \
        return (kind_of_number){type, KIND_##class(ctype)};
        PARSCAN_TYPES(X, )
#undef X
    }
    return (kind_of_number){0};
}

bool oracle_is_float(parscan_type type)
{
    return kind_of(type).is_float;
}

#define QUANTITY_INTEGER(value) ((quantity){.integer = (uint64_t)(value)})
#define QUANTITY_FLOAT(value) ((quantity){.real = (value), .magnitude = fabsl(value)})
#define QUANTITY_HALF(value) QUANTITY_FLOAT(half_to_number(type, (value).bits))

static inline __attribute__((always_inline)) quantity read_element(parscan_type type,
                                                                   const void *array, size_t i)
{
    switch (type) {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...)             \
    case PARSCAN_##NAME: {                                                    \
        ctype value;                                                          \
        memcpy(&value, (const char *)array + i * sizeof value, sizeof value); \
        return QUANTITY_##class(value);                                       \
    }
        PARSCAN_TYPES(X, )
#undef X
    }
    return (quantity){0};
}

/* The integer in width bits, sign-extended if it is signed. */
static inline __attribute__((always_inline)) uint64_t cut(kind_of_number kind, uint64_t integer)
{
    const unsigned above = 64 - kind.width;
    const uint64_t low = integer << above >> above;
    const bool negative = kind.is_signed && (low >> (kind.width - 1) & 1) != 0;
    return negative ? low | ~(~UINT64_C(0) >> above) : low;
}

static inline __attribute__((always_inline)) bool less(kind_of_number kind, uint64_t a, uint64_t b)
{
    const uint64_t sign = kind.is_signed ? UINT64_C(1) << 63 : 0;
    return (a ^ sign) < (b ^ sign);
}

static inline __attribute__((always_inline)) uint64_t
combine_integers(kind_of_number kind, parscan_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case PARSCAN_SUM:
        return cut(kind, a + b);
    case PARSCAN_PRODUCT:
        return cut(kind, a * b);
    case PARSCAN_MIN:
        return less(kind, a, b) ? a : b;
    case PARSCAN_MAX:
        return less(kind, a, b) ? b : a;
    case PARSCAN_AND:
        return a & b;
    case PARSCAN_OR:
        return a | b;
    case PARSCAN_XOR:
        return a ^ b;
    }
    return 0;
}

/* The lesser of two, -0 below +0, NaN if there is one. */
static long double least(long double a, long double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == 0 && b == 0)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

static quantity combine_floats(parscan_op op, quantity a, quantity b)
{
    const long double operations = a.operations + b.operations + 1;
    switch (op) {
    case PARSCAN_SUM:
        return (quantity){.real = a.real + b.real,
                          .magnitude = a.magnitude + b.magnitude,
                          .operations = operations};
    case PARSCAN_PRODUCT:
        return (quantity){
            .real = a.real * b.real, .magnitude = fabsl(a.real * b.real), .operations = operations};
    case PARSCAN_MIN:
        return (quantity){.real = least(a.real, b.real)};
    case PARSCAN_MAX:
        return (quantity){.real = -least(-a.real, -b.real)};
    default:
        return (quantity){.real = NAN};
    }
}

static inline __attribute__((always_inline)) quantity
combine_quantities(kind_of_number kind, parscan_op op, quantity a, quantity b)
{
    if (kind.is_float)
        return combine_floats(op, a, b);
    return (quantity){.integer = combine_integers(kind, op, a.integer, b.integer)};
}

/* What nothing combines to. */
static quantity neutral(kind_of_number kind, parscan_op op)
{
    const uint64_t highest = ~UINT64_C(0) >> (64 - kind.width + kind.is_signed);
    switch (op) {
    case PARSCAN_PRODUCT:
        return (quantity){.integer = 1, .real = 1};
    case PARSCAN_MIN:
        return (quantity){.integer = highest, .real = INFINITY};
    case PARSCAN_MAX:
        return (quantity){.integer = kind.is_signed ? ~highest : 0, .real = -INFINITY};
    case PARSCAN_AND:
        return (quantity){.integer = cut(kind, ~UINT64_C(0))};
    default:
        return (quantity){0};
    }
}

/* Whether the number of 16 bits that was found lies in the interval of the roundings of what the float may
   be that it was rounded from. */
static bool half_agrees(parscan_type type, long double expected, long double off, long double found)
{
    if (off != 0 || found != 0)
        return half_is_near(type, expected, off, (double)found);
    const double zero = half_to_number(type, half_from_number(type, expected));
    return zero == 0 && (signbit(found) != 0) == (signbit(zero) != 0);
}

static inline __attribute__((always_inline)) bool agrees(kind_of_number kind, quantity expected,
                                                         quantity found)
{
    if (!kind.is_float)
        return expected.integer == found.integer;
    if (isnan(expected.real) || isnan(found.real))
        return isnan(expected.real) && isnan(found.real);
    const long double off = expected.operations * kind.epsilon * expected.magnitude;
    if (is_half(kind.type))
        return half_agrees(kind.type, expected.real, isinf(expected.real) ? 0 : off, found.real);
    if (off == 0 || isinf(expected.real))
        return expected.real == found.real && signbit(expected.real) == signbit(found.real);
    return fabsl(expected.real - found.real) <= off;
}

static void write_words(kind_of_number kind, quantity expected, quantity found, char *words)
{
    if (kind.is_float)
        snprintf(words, ORACLE_WORDS, "expected %.20Lg +- %.3Lg, found %.20Lg", expected.real,
                 expected.operations * kind.epsilon * expected.magnitude, found.real);
    else
        snprintf(words, ORACLE_WORDS, "expected 0x%llx, found 0x%llx",
                 (unsigned long long)expected.integer, (unsigned long long)found.integer);
}

/* Compiled twice, so that integers do not carry the parts of a float along. */
static inline __attribute__((always_inline)) size_t
disagrees_at(const oracle_scan *scan, const void *out, char words[ORACLE_WORDS], bool is_float)
{
    kind_of_number kind = kind_of(scan->out_type);
    kind.is_float = is_float;
    bool any = scan->init != NULL;
    quantity all = any ? read_element(scan->out_type, scan->init, 0) : neutral(kind, scan->op);
    const size_t steps = scan->kind == SCAN_REDUCE ? scan->n + 1 : scan->n;
    for (size_t k = 0; k < steps; k++) {
        const size_t i = scan->reverse ? scan->n - 1 - k : k;
        const quantity before = all;
        if (k < scan->n) {
            const quantity next = read_element(scan->type, scan->in, i);
            all = any ? combine_quantities(kind, scan->op, all, next) : next;
            any = true;
        }
        if (scan->kind == SCAN_REDUCE && k < scan->n)
            continue;
        const size_t at = scan->kind == SCAN_REDUCE ? 0 : i;
        const quantity expected = scan->kind == SCAN_INCLUSIVE ? all : before;
        const quantity found = read_element(scan->out_type, out, at);
        if (!agrees(kind, expected, found)) {
            write_words(kind, expected, found, words);
            return at;
        }
    }
    return ORACLE_AGREES;
}

size_t oracle_disagrees_at(const oracle_scan *scan, const void *out, char words[ORACLE_WORDS])
{
    return oracle_is_float(scan->out_type) ? disagrees_at(scan, out, words, true)
                                           : disagrees_at(scan, out, words, false);
}
