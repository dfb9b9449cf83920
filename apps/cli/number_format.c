#include "apps/cli/number_text.h"

#include "apps/cli/integer_bits.h"
#include "apps/cli/number_integer.h"

static char *format_signed(uint64_t value, char *to)
{
    if (value >> 63 == 0)
        return format_unsigned(value, to);
    *to++ = '-';
    return format_unsigned(0 - value, to);
}

char *numbers_format(const element_traits *traits, const void *elements, size_t count, char *to)
{
    const char *from = elements;
    const element_traits type = *traits;
    const bool is_signed = parscan_type_traits_of(traits->type).is_signed;
    for (size_t i = 0; i < count; i++, from += type.size) {
        if (type.format_float != NULL)
            to = type.format_float(from, to);
        else if (is_signed)
            to = format_signed(load_signed(from, type.size), to);
        else
            to = format_unsigned(load_unsigned(from, type.size), to);
        *to++ = '\n';
    }
    return to;
}

void numbers_set_point(char *text, const char *end, char point)
{
    for (; point != 0 && text < end; text++)
        if (*text == '.')
            *text = point;
}
