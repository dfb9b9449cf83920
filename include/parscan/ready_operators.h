/*
 * parscan/ready_operators.h: operators for parscan/operator.h that are often wanted, made by its macros. parscan.h
 * does not include it: a program that does compiles those functions itself, with its own flags.
 *
 *     parscan_operator_create(&op, &PARSCAN_OPERATOR_OPTIONS(PARSCAN_READY_OPERATOR(affine_f64)));
 *
 * An element is what is named here, or any struct of the program's with the same fields. e is the identity, to be
 * given as the option of that name; where an operator commutes, the option `commutes` may be set.
 *
 *     name                an element                        combine(a, b), a the earlier            e         commutes
 *     sum_u128            uint64_t low, high                a + b modulo 2^128                      0         yes
 *     product_c32, _c64   re, im: float, double             the complex product a b                 1         but for rounding
 *     max_at_f32, _f64    value, uint64_t index             the greater value, of equal ones a; a   none      no
 *                                                           NaN is the greatest
 *     min_at_f32, _f64    the same                          the less value, of equal ones a; a NaN  none      no
 *                                                           is the least
 *     last_f32, _f64      float, double                     b, or a where b is NaN                  NaN       no
 *     last_u64            uint64_t value, present           b, or a where b is not present          {0, 0}    no
 *     affine_f32, _f64    a, b: the map x -> a x + b        a, then b: b.a a.a, b.a a.b + b.b       {1, 0}    no
 *     matrix_f32, _f64    m[4]: a 2 x 2 matrix by rows      a, then b: the product b a              {1,0,0,1} no
 *
 * The sum of complex numbers is not here: two sums in one struct are as quickly written.
 *
 * Since parscan 0.3.
 */
#ifndef PARSCAN_READY_OPERATORS_H
#define PARSCAN_READY_OPERATORS_H

#include "parscan/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of PARSCAN_OPERATOR_OPTIONS() for an operator of this header. */
#define PARSCAN_READY_OPERATOR(name) PARSCAN_DEFINED_OPERATOR(parscan_##name, parscan_of_##name)

/* The manual leaves out what follows. */
/* clang-format off */
PARSCAN_DEFINE_OPERATOR(parscan_sum_u128, parscan_of_sum_u128,
    (typedef struct { uint64_t low, high; } parscan_of_sum_u128;), {
    parscan_of_sum_u128 sum;
    sum.low = earlier.low + later.low;
    sum.high = earlier.high + later.high + (sum.low < earlier.low);
    return sum;
})

#define PARSCAN_READY_OF(real, f, c)                                                                \
    PARSCAN_DEFINE_OPERATOR(parscan_product_##c, parscan_of_product_##c,                            \
        (typedef struct { real re, im; } parscan_of_product_##c;), {         \
        parscan_of_product_##c product;                                                             \
        product.re = earlier.re * later.re - earlier.im * later.im;                                 \
        product.im = earlier.re * later.im + earlier.im * later.re;                                 \
        return product;                                                                             \
    })                                                                                              \
    PARSCAN_DEFINE_OPERATOR(parscan_max_at_##f, parscan_of_max_at_##f,                              \
        (typedef struct { real value; uint64_t index; } parscan_of_max_at_##f;), { \
        const int is_later = later.value > earlier.value ||                                         \
                             (later.value != later.value && earlier.value == earlier.value);        \
        return is_later ? later : earlier;                                                          \
    })                                                                                              \
    PARSCAN_DEFINE_OPERATOR(parscan_min_at_##f, parscan_of_min_at_##f,                              \
        (typedef struct { real value; uint64_t index; } parscan_of_min_at_##f;), { \
        const int is_later = later.value < earlier.value ||                                         \
                             (later.value != later.value && earlier.value == earlier.value);        \
        return is_later ? later : earlier;                                                          \
    })                                                                                              \
    PARSCAN_DEFINE_OPERATOR(parscan_last_##f, parscan_of_last_##f,                                  \
        (typedef real parscan_of_last_##f;), { return later == later ? later : earlier; })          \
    PARSCAN_DEFINE_OPERATOR(parscan_affine_##f, parscan_of_affine_##f,                              \
        (typedef struct { real a, b; } parscan_of_affine_##f;), {             \
        parscan_of_affine_##f both;                                                                 \
        both.a = later.a * earlier.a;                                                               \
        both.b = later.a * earlier.b + later.b;                                                     \
        return both;                                                                                \
    })                                                                                              \
    PARSCAN_DEFINE_OPERATOR(parscan_matrix_##f, parscan_of_matrix_##f,                              \
        (typedef struct { real m[4]; } parscan_of_matrix_##f;), {             \
        parscan_of_matrix_##f both;                                                                 \
        both.m[0] = later.m[0] * earlier.m[0] + later.m[1] * earlier.m[2];                          \
        both.m[1] = later.m[0] * earlier.m[1] + later.m[1] * earlier.m[3];                          \
        both.m[2] = later.m[2] * earlier.m[0] + later.m[3] * earlier.m[2];                          \
        both.m[3] = later.m[2] * earlier.m[1] + later.m[3] * earlier.m[3];                          \
        return both;                                                                                \
    })
PARSCAN_READY_OF(float, f32, c32)
PARSCAN_READY_OF(double, f64, c64)

PARSCAN_DEFINE_OPERATOR(parscan_last_u64, parscan_of_last_u64,
    (typedef struct { uint64_t value, present; } parscan_of_last_u64;), {
    return later.present ? later : earlier;
})
/* The manual goes on. */
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
