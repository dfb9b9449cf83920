#include "tests/support/oracle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scan/tables.h"
#include "tests/support/half_number.h"

/* What is known of a type. */
typedef struct kind_of_number {
    bool is_float, is_signed;
    unsigned width;
    long double epsilon;
} kind_of_number;

#define EPSILON_OF_SIZE(size) ((size) == 4 ? FLT_EPSILON : (size) == 8 ? DBL_EPSILON : LDBL_EPSILON)
#define KIND_INTEGER(ctype) false, (ctype)-1 < (ctype)1, 8 * sizeof(ctype), 0
#define KIND_FLOAT(ctype) true, true, 8 * sizeof(ctype), EPSILON_OF_SIZE(sizeof(ctype))
#define KIND_HALF(ctype) true, true, 8 * sizeof(ctype), FLT_EPSILON

static const kind_of_number *kind_of(parscan_type type)
{
    static const kind_of_number kinds[] = {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...) \
    [PARSCAN_##NAME] = {KIND_##class(ctype)},
        PARSCAN_TYPES(X, )
#undef X
    };
    return &kinds[(size_t)type < sizeof kinds / sizeof *kinds ? (size_t)type : 0];
}

bool oracle_is_float(parscan_type type)
{
    return kind_of(type)->is_float;
}

/* So many elements are computed, and then compared. */
enum { BLOCK = 256 };

/* Elements in the order of combination: first, first + 1 and so on, or first, first - 1. */
typedef struct elements {
    size_t first, count;
    bool reverse;
} elements;

static inline size_t place(elements part, size_t k)
{
    return part.reverse ? part.first - k : part.first + k;
}

/* The block that begins after so many elements. */
static elements elements_from(const oracle_scan *scan, size_t begin)
{
    const size_t rest = scan->n - begin;
    return (elements){.first = scan->reverse ? rest - 1 : begin,
                      .count = rest < BLOCK ? rest : BLOCK,
                      .reverse = scan->reverse};
}

/* Integers are sign-extended. */
static void read_integers(parscan_type type, const void *array, elements part, uint64_t *to)
{
    switch ((int)type) {
#define READ_INTEGER(value) to[k] = (uint64_t)(value)
#define READ_FLOAT(value) (void)(value)
#define READ_HALF(value) (void)(value)
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...)                              \
    case PARSCAN_##NAME:                                                                       \
        for (size_t k = 0; k < part.count; k++) {                                              \
            ctype value;                                                                       \
            memcpy(&value, (const char *)array + place(part, k) * sizeof value, sizeof value); \
            READ_##class(value);                                                               \
        }                                                                                      \
        break;
        PARSCAN_TYPES(X, )
#undef X
    }
}

/* The integer in width bits, sign-extended if it is signed. */
static inline uint64_t cut(kind_of_number kind, uint64_t integer)
{
    const uint64_t low = integer & ~UINT64_C(0) >> (64 - kind.width);
    const uint64_t sign = kind.is_signed ? UINT64_C(1) << (kind.width - 1) : 0;
    return (low ^ sign) - sign;
}

static inline bool less(kind_of_number kind, uint64_t a, uint64_t b)
{
    const uint64_t sign = kind.is_signed ? UINT64_C(1) << 63 : 0;
    return (a ^ sign) < (b ^ sign);
}

static inline uint64_t combine_integers(kind_of_number kind, parscan_op op, uint64_t a, uint64_t b)
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

/* What nothing combines to. */
static uint64_t neutral_integer(kind_of_number kind, parscan_op op)
{
    const uint64_t highest = ~UINT64_C(0) >> (64 - kind.width + kind.is_signed);
    switch (op) {
    case PARSCAN_PRODUCT:
        return 1;
    case PARSCAN_MIN:
        return highest;
    case PARSCAN_MAX:
        return kind.is_signed ? ~highest : 0;
    case PARSCAN_AND:
        return cut(kind, ~UINT64_C(0));
    default:
        return 0;
    }
}

static double neutral_real(parscan_op op)
{
    switch (op) {
    case PARSCAN_PRODUCT:
        return 1;
    case PARSCAN_MIN:
        return INFINITY;
    case PARSCAN_MAX:
        return -INFINITY;
    default:
        return 0;
    }
}

/* The results of a block of elements, in a loop for each operator. */
static void continue_integers(const oracle_scan *scan, kind_of_number kind, const uint64_t *in,
                              size_t count, uint64_t *all, uint64_t *results)
{
    const bool exclusive = scan->kind == SCAN_EXCLUSIVE;
    uint64_t a = *all;
    switch (scan->op) {
#define X(ctx, NAME, ...)                                         \
    case PARSCAN_##NAME:                                          \
        for (size_t k = 0; k < count; k++) {                      \
            const uint64_t before = a;                            \
            a = combine_integers(kind, PARSCAN_##NAME, a, in[k]); \
            results[k] = exclusive ? before : a;                  \
        }                                                         \
        break;
        PARSCAN_OPS(X, )
#undef X
    }
    *all = a;
}

static void write_integers(uint64_t expected, uint64_t found, char words[ORACLE_WORDS])
{
    snprintf(words, ORACLE_WORDS, "expected 0x%llx, found 0x%llx", (unsigned long long)expected,
             (unsigned long long)found);
}

static size_t integers_disagree_at(const oracle_scan *scan, const void *out,
                                   char words[ORACLE_WORDS])
{
    const kind_of_number kind = *kind_of(scan->out_type);
    uint64_t in[BLOCK], results[BLOCK], found[BLOCK], all = neutral_integer(kind, scan->op);
    if (scan->init != NULL)
        read_integers(scan->out_type, scan->init, (elements){.count = 1}, &all);
    for (size_t begin = 0; begin < scan->n; begin += BLOCK) {
        const elements part = elements_from(scan, begin);
        read_integers(scan->type, scan->in, part, in);
        continue_integers(scan, kind, in, part.count, &all, results);
        if (scan->kind == SCAN_REDUCE)
            continue;
        read_integers(scan->out_type, out, part, found);
        for (size_t k = 0; k < part.count; k++)
            if (results[k] != found[k]) {
                write_integers(results[k], found[k], words);
                return place(part, k);
            }
    }
    if (scan->kind != SCAN_REDUCE)
        return ORACLE_AGREES;
    read_integers(scan->out_type, out, (elements){.count = 1}, found);
    if (all == found[0])
        return ORACLE_AGREES;
    write_integers(all, found[0], words);
    return 0;
}

/* Whether the number of 16 bits that was found lies in the interval of the roundings of what the float may
   be that it was rounded from. */
static bool half_agrees(parscan_type type, double expected, double off, double found)
{
    if (off != 0 || found != 0)
        return half_is_near(type, expected, off, found);
    const double zero = half_to_number(type, half_from_double(type, expected));
    return zero == 0 && (signbit(found) != 0) == (signbit(zero) != 0);
}

static void write_reals(long double expected, long double off, long double found,
                        char words[ORACLE_WORDS])
{
    snprintf(words, ORACLE_WORDS, "expected %.20Lg +- %.3Lg, found %.20Lg", expected, off, found);
}

#define REAL_OF_INTEGER(value) (REAL)(value)
#define REAL_OF_FLOAT(value) (REAL)(value)
#define REAL_OF_HALF(value) half_to_number(type, (value).bits)

#define REAL double
#define REALS(name) name##_in_double
#include "tests/support/oracle_reals.h"
#undef REAL
#undef REALS
#define REAL long double
#define REALS(name) name##_in_long_double
#include "tests/support/oracle_reals.h"
#undef REAL
#undef REALS

size_t oracle_disagrees_at(const oracle_scan *scan, const void *out, char words[ORACLE_WORDS])
{
    const kind_of_number *const kind = kind_of(scan->out_type);
    if (!kind->is_float)
        return integers_disagree_at(scan, out, words);
    /* Long double is slow, and the software's on some processors. */
    return kind->epsilon >= FLT_EPSILON ? disagree_at_in_double(scan, out, words)
                                        : disagree_at_in_long_double(scan, out, words);
}
