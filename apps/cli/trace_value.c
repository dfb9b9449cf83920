#include "apps/cli/trace_value.h"

#include <math.h>
#include <string.h>

#include "apps/cli/number_text.h"
#include "scan/half.h"

/* What the expressions of tables.h are made of. One form serves floats and integers: no integer
   differs from itself, and of two equal ones either is the minimum. */
#define minimum(a, b) ((a) != (a) || (a) < (b) || ((a) == (b) && signbit((double)(a))) ? (a) : (b))
#define maximum(a, b) ((a) != (a) || (a) > (b) || ((a) == (b) && !signbit((double)(a))) ? (a) : (b))
#define lowest() lowest_value
#define highest() highest_value

#define COMBINE_CASE(ctx, NAME, number, name, meaning, order, expression, neutral) \
    case PARSCAN_##NAME:                                                           \
        return expression;
#define IDENTITY_CASE(ctx, NAME, number, name, meaning, order, expression, neutral) \
    case PARSCAN_##NAME:                                                            \
        return neutral;
#define HAS_CASE(ctx, NAME, ...) \
    case PARSCAN_##NAME:         \
        return true;

#define X(ctx, NAME, number, name, type, arithmetic, class, low, high, ...) \
    static type combine_##name(parscan_op op, type a, type b)               \
    {                                                                       \
        typedef type T;                                                     \
        typedef arithmetic A;                                               \
        switch (op) {                                                       \
            PARSCAN_OPS_##class(COMBINE_CASE, ) default : return a;         \
        }                                                                   \
    }                                                                       \
    static type identity_##name(parscan_op op)                              \
    {                                                                       \
        typedef type T;                                                     \
        typedef arithmetic A;                                               \
        const type lowest_value = low, highest_value = high;                \
        switch (op) {                                                       \
            PARSCAN_OPS_##class(IDENTITY_CASE, ) default : return 0;        \
        }                                                                   \
    }                                                                       \
    static bool has_##name(parscan_op op)                                   \
    {                                                                       \
        switch (op) {                                                       \
            PARSCAN_OPS_##class(HAS_CASE, ) default : return false;         \
        }                                                                   \
    }
PARSCAN_ARITHMETIC_TYPES(X, )
#undef X

trace_value trace_value_combine(parscan_type type, parscan_op op, trace_value a, trace_value b)
{
    switch ((int)parscan_compute_type(type)) {
#define X(ctx, NAME, number, name, ...)              \
    case PARSCAN_##NAME:                             \
        a.name = combine_##name(op, a.name, b.name); \
        break;
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    }
    return a;
}

trace_value trace_value_identity(parscan_type type, parscan_op op)
{
    trace_value value = {0};
    switch ((int)parscan_compute_type(type)) {
#define X(ctx, NAME, number, name, ...)   \
    case PARSCAN_##NAME:                  \
        value.name = identity_##name(op); \
        break;
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    }
    return value;
}

trace_value trace_value_start(parscan_type type, parscan_op op)
{
    trace_value value = trace_value_identity(type, op);
    switch ((int)parscan_compute_type(type)) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        if (value.name == 0)            \
            value.name = 0;             \
        break;
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    }
    return value;
}

bool trace_value_has_op(parscan_type type, parscan_op op)
{
    switch ((int)parscan_compute_type(type)) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return has_##name(op);
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    }
    return false;
}

trace_value trace_value_of(parscan_type type, const void *element)
{
    trace_value value;
    memset(&value, 0, sizeof value);
    switch ((int)type) {
#define X(ctx, NAME, number, name, T, A, ...)              \
    case PARSCAN_##NAME: {                                 \
        T stored;                                          \
        memcpy(&stored, element, sizeof stored);           \
        const A wide = parscan_widen_##NAME##_F32(stored); \
        memcpy(&value, &wide, sizeof wide);                \
        return value;                                      \
    }
        PARSCAN_STORED_TYPES(X, )
#undef X
    }
    memcpy(&value, element, parscan_type_size(type));
    return value;
}

bool trace_value_read(parscan_type type, const char *word, trace_value *value, failure *why)
{
    trace_value element;
    if (!number_parse(element_traits_of(type), word, &element, why))
        return false;
    *value = trace_value_of(type, &element);
    return true;
}

trace_value trace_value_round(parscan_type type, trace_value value)
{
    float computed;
    memcpy(&computed, &value, sizeof computed);
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...)                                         \
    case PARSCAN_##NAME:                                                        \
        computed = parscan_widen_##NAME##_F32(parscan_narrow_##NAME(computed)); \
        memcpy(&value, &computed, sizeof computed);                             \
        break;
        PARSCAN_STORED_TYPES(X, )
#undef X
    }
    return value;
}

/* A value that the type holds is written as one of the type; others need more digits. */
void trace_value_print(parscan_type type, trace_value value, char text[TRACE_VALUE_SIZE])
{
    const trace_value rounded = trace_value_round(type, value);
    const size_t size = parscan_type_size(parscan_compute_type(type));
    if (memcmp(&rounded, &value, size) != 0)
        type = parscan_compute_type(type);
    float computed;
    memcpy(&computed, &value, sizeof computed);
    switch ((int)type) {
#define X(ctx, NAME, number, name, T, ...)                 \
    case PARSCAN_##NAME: {                                 \
        const T element = parscan_narrow_##NAME(computed); \
        memcpy(&value, &element, sizeof element);          \
        break;                                             \
    }
        PARSCAN_STORED_TYPES(X, )
#undef X
    }
    char *const end = numbers_format(element_traits_of(type), &value, 1, text);
    end[-1] = '\0'; /* instead of the newline */
}
