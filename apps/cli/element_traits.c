#include "apps/cli/element_traits.h"

/* clang-format off */
#define TRAITS_INTEGER(T, lowest, highest) \
    0 - (uint64_t)(lowest), (uint64_t)(highest), NULL, NULL
#define TRAITS_FLOAT(T, lowest, highest)                                                        \
    0, 0,                                                                                       \
    _Generic((T)0, float: parse_float, double: parse_double, long double: parse_long_double),   \
    _Generic((T)0, float: format_float, double: format_double, long double: format_long_double)
#define TRAITS_HALF(T, lowest, highest)                                                         \
    0, 0,                                                                                       \
    _Generic((T){0}, parscan_f16: parse_f16, parscan_bf16: parse_bf16),                         \
    _Generic((T){0}, parscan_f16: format_f16, parscan_bf16: format_bf16)
/* clang-format on */

static const element_traits table[] = {
#define X(ctx, NAME, number, name, T, A, CLASS, lowest, highest, ...) \
    {PARSCAN_##NAME, sizeof(T), TRAITS_##CLASS(T, lowest, highest)},
    PARSCAN_TYPES(X, )
#undef X
};

const element_traits *element_traits_of(parscan_type type)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].type == type)
            return &table[i];
    return NULL;
}

char element_kind(const element_traits *traits)
{
    const parscan_type_traits type = parscan_type_traits_of(traits->type);
    if (traits->type == PARSCAN_BF16)
        return 'V';
    return type.is_float ? 'f' : type.is_signed ? 'i' : 'u';
}
