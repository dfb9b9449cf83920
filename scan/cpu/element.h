/*
 * One element type and its operators, for files of the CPU engine that are compiled once for each
 * type.
 *
 * Before this file: CMake defines PARSCAN_ELEMENT (U8), PARSCAN_ELEMENT_NAME (u8) and
 * PARSCAN_ELEMENT_CLASS (INTEGER), taken from tables.h.
 * This file defines what the templates of the CPU engine use:
 *     T, OPERATOR            the element type, and the type of `op` (here: parscan_op)
 *     combine(op, a, b)      a is the earlier operand
 *     identity(op), commutes(op)
 *     PARSCAN_HAS_KERNEL(op) whether BY_OPERATOR and DO_BY_OPERATOR take an operator: signed integers have minima and
 *                            maxima alone, since calls of the others are those of unsigned ones (parscan_scan_signless())
 *     BY_OPERATOR(op, function, ...)   the value of function(op, ...). op is a constant in the
 *                            call, so that the function is compiled once for each operator. The
 *                            function should be inline.
 *     DO_BY_OPERATOR(op, function, ...)   the same as a statement, for a function without a value
 *     BY_TYPE(type, function, ...)   the value of function(type, ...) of a view's type, a constant in the call: loops
 *                            over a view are compiled once a type. Compilers do that by themselves for two or three
 *     VIEW, load, store      an array as a scan sees it: in the order of combination, widened to T
 *     NAMED(function)        function_u8
 * Tests and `trace` define the same names for elements of other types.
 */
#ifndef PARSCAN_SCAN_CPU_ELEMENT_H
#define PARSCAN_SCAN_CPU_ELEMENT_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "parscan/types.h"
#include "scan/half.h"
#include "scan/tables.h"
#include "scan/type_traits.h"

#define X(ctx, NAME, number, name, type, arithmetic, class, low, high, lane) \
    typedef type parscan_element_##NAME;                                     \
    typedef arithmetic parscan_arithmetic_##NAME;                            \
    enum { PARSCAN_SIGNLESS_##NAME = PARSCAN_SIGNLESS_##class(NAME, lane) }; \
    static inline type parscan_lowest_##NAME(void)                           \
    {                                                                        \
        return low;                                                          \
    }                                                                        \
    static inline type parscan_highest_##NAME(void)                          \
    {                                                                        \
        return high;                                                         \
    }
PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
#define X(ctx, NAME, number, name, type, ...) typedef type parscan_element_##NAME;
PARSCAN_STORED_TYPES(X, )
#undef X

typedef PARSCAN_PASTE(parscan_element_, PARSCAN_ELEMENT) T;
typedef PARSCAN_PASTE(parscan_arithmetic_, PARSCAN_ELEMENT) A;
typedef parscan_op OPERATOR;

#define lowest() PARSCAN_PASTE(parscan_lowest_, PARSCAN_ELEMENT)()
#define highest() PARSCAN_PASTE(parscan_highest_, PARSCAN_ELEMENT)()
#define PARSCAN_ELEMENT_TYPE PARSCAN_PASTE(PARSCAN_, PARSCAN_ELEMENT)
#define PARSCAN_IS_FLOAT_INTEGER 0
#define PARSCAN_IS_FLOAT_FLOAT 1
#define PARSCAN_ELEMENT_IS_FLOAT PARSCAN_PASTE(PARSCAN_IS_FLOAT_, PARSCAN_ELEMENT_CLASS)
#define PARSCAN_ELEMENT_OPS PARSCAN_PASTE(PARSCAN_OPS_, PARSCAN_ELEMENT_CLASS)

/* IEEE 754-2019 minimum and maximum for floats: a NaN wins, and -0 is below +0. */
#define PARSCAN_MINIMUM_INTEGER(a, b) ((b) < (a) ? (b) : (a))
#define PARSCAN_MAXIMUM_INTEGER(a, b) ((b) > (a) ? (b) : (a))
#define PARSCAN_MINIMUM_FLOAT(a, b) \
    ((a) != (a) || (a) < (b) || ((a) == (b) && signbit(a)) ? (a) : (b))
#define PARSCAN_MAXIMUM_FLOAT(a, b) \
    ((a) != (a) || (a) > (b) || ((a) == (b) && !signbit(a)) ? (a) : (b))
#define minimum(a, b) PARSCAN_PASTE(PARSCAN_MINIMUM_, PARSCAN_ELEMENT_CLASS)(a, b)
#define maximum(a, b) PARSCAN_PASTE(PARSCAN_MAXIMUM_, PARSCAN_ELEMENT_CLASS)(a, b)

static inline T combine(OPERATOR op, T a, T b)
{
    switch (op) {
#define X(ctx, NAME, number, name, meaning, order, expression, neutral) \
    case PARSCAN_##NAME:                                                \
        return expression;
        PARSCAN_ELEMENT_OPS(X, )
#undef X
    default:
        return a;
    }
}

/* Whether combine(a, b) equals combine(b, a). If so, its expression also works on SIMD vectors. */
static inline bool commutes(OPERATOR op)
{
    enum { ORDERED, COMMUTES };
    switch (op) {
#define X(ctx, NAME, number, name, meaning, order, ...) \
    case PARSCAN_##NAME:                                \
        return order == COMMUTES;
        PARSCAN_ELEMENT_OPS(X, )
#undef X
    default:
        return false;
    }
}

static inline T identity(OPERATOR op)
{
    switch (op) {
#define X(ctx, NAME, number, name, meaning, order, expression, neutral) \
    case PARSCAN_##NAME:                                                \
        return neutral;
        PARSCAN_ELEMENT_OPS(X, )
#undef X
    default:
        return 0;
    }
}

#define PARSCAN_ELEMENT_IS_SIGNED (!PARSCAN_ELEMENT_IS_FLOAT && (T)-1 < (T)1)
#define PARSCAN_OR_IS(number, NAME) || (number) == PARSCAN_##NAME
#define PARSCAN_HAS_KERNEL(number) \
    !(PARSCAN_ELEMENT_IS_SIGNED && (0 PARSCAN_SIGNLESS_OPS(PARSCAN_OR_IS, number)))
#define PARSCAN_LAST_ARM (PARSCAN_ELEMENT_IS_SIGNED ? PARSCAN_MAX : PARSCAN_SUM)

/* A chain of conditional expressions that ends with the sum, for signed integers with the maximum. The compiler
   leaves out the arms whose condition is always false: the last one's own, and those without a kernel. Operators
   have been checked before. */
#define PARSCAN_UNPACK(...) __VA_ARGS__
#define PARSCAN_OPERATOR_ARM_(number, op, function, ...)                             \
    ((op) == (number) && (number) != PARSCAN_LAST_ARM && PARSCAN_HAS_KERNEL(number)) \
        ? function(number, __VA_ARGS__)                                              \
        :
#define PARSCAN_OPERATOR_ARM_OF(...) PARSCAN_OPERATOR_ARM_(__VA_ARGS__)
#define PARSCAN_OPERATOR_ARM(call, NAME, ...) \
    PARSCAN_OPERATOR_ARM_OF(PARSCAN_##NAME, PARSCAN_UNPACK call)
#define BY_OPERATOR(op, function, ...)                                      \
    (PARSCAN_ELEMENT_OPS(PARSCAN_OPERATOR_ARM, (op, function, __VA_ARGS__)) \
         function(PARSCAN_LAST_ARM, __VA_ARGS__))

/* BY_TYPE: the arms are those of the types that are widened to T. */
#define PARSCAN_TYPE_ARM_(is_widened, number, type, function, ...) \
    ((is_widened) && (type) == (number)) ? function(number, __VA_ARGS__):
#define PARSCAN_TYPE_ARM_OF(...) PARSCAN_TYPE_ARM_(__VA_ARGS__)
#define PARSCAN_TYPE_ARM(call, FROM, TO)                                                    \
    PARSCAN_TYPE_ARM_OF((int)PARSCAN_SIGNLESS_##TO == PARSCAN_ELEMENT_TYPE, PARSCAN_##FROM, \
                        PARSCAN_UNPACK call)
#define BY_TYPE(type, function, ...)                                    \
    (PARSCAN_WIDENINGS(PARSCAN_TYPE_ARM, (type, function, __VA_ARGS__)) \
         function(PARSCAN_ELEMENT_TYPE, __VA_ARGS__))

/* The same for functions that return nothing, as a statement. */
#define PARSCAN_OPERATOR_CASE_(number, function, ...) \
    case number:                                      \
        if (PARSCAN_HAS_KERNEL(number))               \
            function(number, __VA_ARGS__);            \
        break;
#define PARSCAN_OPERATOR_CASE_OF(...) PARSCAN_OPERATOR_CASE_(__VA_ARGS__)
#define PARSCAN_OPERATOR_CASE(call, NAME, ...) \
    PARSCAN_OPERATOR_CASE_OF(PARSCAN_##NAME, PARSCAN_UNPACK call)
#define DO_BY_OPERATOR(op, function, ...)                                       \
    do {                                                                        \
        switch (op) {                                                           \
            PARSCAN_ELEMENT_OPS(PARSCAN_OPERATOR_CASE, (function, __VA_ARGS__)) \
        default:                                                                \
            break;                                                              \
        }                                                                       \
    } while (0)

/* An array in the order of combination: element i is data[i], or data[n-1-i] in reverse. The view
   does not own the memory. */
typedef struct parscan_view {
    void *data;
    parscan_type type;
    size_t n;
    bool reverse;
} VIEW;

/* Copies by memcpy, since the caller's arrays may have any alignment. */
static inline T load(const VIEW *view, size_t i)
{
    const size_t at = view->reverse ? view->n - 1 - i : i;
    if (view->type == PARSCAN_ELEMENT_TYPE) {
        T value;
        memcpy(&value, (const char *)view->data + at * sizeof value, sizeof value);
        return value;
    }
#define X(ctx, FROM, TO)                                                                      \
    if ((int)PARSCAN_SIGNLESS_##TO == PARSCAN_ELEMENT_TYPE && view->type == PARSCAN_##FROM) { \
        parscan_element_##FROM value;                                                         \
        memcpy(&value, (const char *)view->data + at * sizeof value, sizeof value);           \
        return (T)value;                                                                      \
    }
    PARSCAN_ARITHMETIC_WIDENINGS(X, )
#undef X
#define X(ctx, FROM, TO)                                                            \
    if (PARSCAN_##TO == PARSCAN_ELEMENT_TYPE && view->type == PARSCAN_##FROM) {     \
        parscan_element_##FROM value;                                               \
        memcpy(&value, (const char *)view->data + at * sizeof value, sizeof value); \
        return (T)parscan_widen_##FROM##_##TO(value);                               \
    }
    PARSCAN_STORED_WIDENINGS(X, )
#undef X
    return 0;
}

/* The view's elements are of type T, or of a stored type that T is the compute type of: then the value
   is rounded to the nearest. */
static inline void store(const VIEW *view, size_t i, T value)
{
    const size_t at = view->reverse ? view->n - 1 - i : i;
#define X(ctx, NAME, ...)                                                           \
    if (PARSCAN_ELEMENT_TYPE == PARSCAN_F32 && view->type == PARSCAN_##NAME) {      \
        const parscan_element_##NAME rounded = parscan_narrow_##NAME((float)value); \
        memcpy((char *)view->data + at * sizeof rounded, &rounded, sizeof rounded); \
        return;                                                                     \
    }
    PARSCAN_STORED_TYPES(X, )
#undef X
    memcpy((char *)view->data + at * sizeof value, &value, sizeof value);
}

#endif
