/* The kernel of a linear recurrence for one tile. Compiled once for each float type and
   instruction set. */
#ifndef PARSCAN_APPS_SEGMENTED_RECURRENCE_KERNELS_H
#define PARSCAN_APPS_SEGMENTED_RECURRENCE_KERNELS_H

#include "scan/cpu/element.h"
#include "scan/cpu/isa.h"

/* A product that neither overflows nor underflows: mantissa * 2^exponent. */
typedef struct scaled {
    double mantissa;
    long exponent;
} scaled;

/* A constant in place of the array a is repeated so often: the elements that kernels take at once. */
#define RECURRENCE_CONSTANTS (64 / sizeof(T))

typedef struct recurrence_tile {
    const T *a, *b;
    size_t a_mask; /* element i of a is a[i & a_mask]: SIZE_MAX, or RECURRENCE_CONSTANTS - 1 */
    T *out;        /* may be a or b; NULL: nothing is stored */
    size_t n;
    T before;                    /* x before the tile */
    bool stream;                 /* stores bypass the caches; needs `out` aligned to 64 bytes */
    const void *next_a, *next_b; /* the next n elements of each, to be prefetched, or NULL */
    scaled *product;             /* is multiplied by all of a; NULL: not wanted */
} recurrence_tile;

static inline scaled scaled_normal(scaled x)
{
    int exponent;
    const double mantissa = frexp(x.mantissa, &exponent);
    return (scaled){mantissa, mantissa == 0 ? 0 : x.exponent + exponent};
}

static inline scaled scaled_times(scaled x, double factor)
{
    int exponent;
    return scaled_normal((scaled){x.mantissa * frexp(factor, &exponent), x.exponent + exponent});
}

/* The same in place. The exponent is left alone while the mantissa is far from the ends of double. */
static inline void scaled_multiply(scaled *x, double factor)
{
    const double mantissa = x->mantissa * factor;
    if (__builtin_expect(fabs(mantissa) >= 0x1p-500 && fabs(mantissa) <= 0x1p500, 1))
        x->mantissa = mantissa;
    else if (mantissa == 0 && (x->mantissa == 0 || factor == 0))
        *x = (scaled){0, 0};
    else
        *x = scaled_times(*x, factor);
}

/* Runs the recurrence over the tile. Returns x at its end. */
typedef T NAMED(parscan_recurrence_kernel)(const recurrence_tile *tile);

NAMED(parscan_recurrence_kernel)
NAMED(parscan_recurrence_portable), NAMED(parscan_recurrence_avx2),
    NAMED(parscan_recurrence_avx512);

#endif
