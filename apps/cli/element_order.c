#include "apps/cli/element_order.h"

#include <math.h>
#include <string.h>

#include "apps/cli/integer_bits.h"
#include "scan/half.h"
#include "scan/type_traits.h"

#define SIGN ((uint64_t)1 << 63)

static inline uint64_t order_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return ORDER_OF_NAN;
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

static double double_of_order(uint64_t order)
{
    const uint64_t bits = (order & SIGN) != 0 ? order & ~SIGN : ~order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return order == ORDER_OF_NAN ? (double)NAN : value;
}

/* An integer's order is its value from the lowest one on; a float's that of its value as a double. */
#define ORDER_INTEGER(value, lowest) ((uint64_t)(value) - (uint64_t)(lowest))
#define ORDER_FLOAT(value, lowest) order_of_double((double)(value))

void element_orders(parscan_type type, const void *elements, size_t n, uint64_t *orders)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, T, A, CLASS, lowest, ...) \
    case PARSCAN_##NAME: {                                   \
        const T *const from = elements;                      \
        for (size_t i = 0; i < n; i++)                       \
            orders[i] = ORDER_##CLASS(from[i], lowest);      \
        break;                                               \
    }
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
#define X(ctx, NAME, ...)                                                             \
    case PARSCAN_##NAME: {                                                            \
        for (size_t i = 0; i < n; i++)                                                \
            orders[i] = order_of_double(                                              \
                parscan_widen_##NAME##_F64(((const PARSCAN_C_##NAME *)elements)[i])); \
        break;                                                                        \
    }
#define PARSCAN_C_F16 parscan_f16
#define PARSCAN_C_BF16 parscan_bf16
        PARSCAN_STORED_TYPES(X, )
#undef X
    }
}

/* The nearest element: the value is one. */
#define ELEMENT_INTEGER(T, order, lowest) ((T)((order) + (uint64_t)(lowest)))
#define ELEMENT_FLOAT(T, order, lowest) ((T)double_of_order(order))

void element_of_order(parscan_type type, uint64_t order, void *element)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, T, A, CLASS, lowest, ...) \
    case PARSCAN_##NAME: {                                   \
        const T value = ELEMENT_##CLASS(T, order, lowest);   \
        memcpy(element, &value, sizeof value);               \
        break;                                               \
    }
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    case PARSCAN_F16: {
        const parscan_f16 value = parscan_narrow_F16((float)double_of_order(order));
        memcpy(element, &value, sizeof value);
        break;
    }
    case PARSCAN_BF16: {
        const parscan_bf16 value = parscan_narrow_BF16((float)double_of_order(order));
        memcpy(element, &value, sizeof value);
        break;
    }
    }
}

uint64_t order_without_sign_of_0(parscan_type type, uint64_t order)
{
    return parscan_type_traits_of(type).is_float && order == ~SIGN ? SIGN : order;
}

void element_orders_of_values(parscan_type type, void *elements, size_t n, uint64_t *orders)
{
    const size_t size = parscan_type_size(type);
    element_orders(type, elements, n, orders);
    for (size_t i = 0; i < n; i++) {
        const uint64_t order = order_without_sign_of_0(type, orders[i]);
        if (order != orders[i])
            memset((char *)elements + i * size, 0, size);
        orders[i] = order;
    }
}

double element_as_double(parscan_type type, const void *element)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, T, ...)     \
    case PARSCAN_##NAME: {                     \
        T value;                               \
        memcpy(&value, element, sizeof value); \
        return (double)value;                  \
    }
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
#define X(ctx, NAME, number, name, T, ...)        \
    case PARSCAN_##NAME: {                        \
        T value;                                  \
        memcpy(&value, element, sizeof value);    \
        return parscan_widen_##NAME##_F64(value); \
    }
        PARSCAN_STORED_TYPES(X, )
#undef X
    }
    return NAN;
}
