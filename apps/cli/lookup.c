#include "apps/cli/lookup.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/element_traits.h"
#include "apps/cli/file_format.h"
#include "parscan/types.h"

const char *type_name_of(int value)
{
    return element_traits_of((parscan_type)value) != NULL ? parscan_type_name((parscan_type)value)
                                                          : NULL;
}

/* Of the integers; the list ends before the first float. */
const char *integer_name_of(int value)
{
    const element_traits *const traits = element_traits_of((parscan_type)value);
    return traits != NULL && traits->parse_float == NULL ? type_name_of(value) : NULL;
}

const char *op_name_of(int value)
{
    return parscan_op_name((parscan_op)value);
}

const char *algorithm_name_of(int value)
{
    return parscan_algorithm_name((parscan_algorithm)value);
}

const char *backend_name_of(int value)
{
    return parscan_backend_name((parscan_backend)value);
}

const char *format_name_of(int value)
{
    return file_format_name((file_format)value);
}

int lookup(name_of *names, const char *name)
{
    for (int value = 0; value < LOOKUP_END; value++)
        if (names(value) != NULL && strcmp(names(value), name) == 0)
            return value;
    return -1;
}

void lookup_list(name_of *names, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (int value = 0; value < LOOKUP_END; value++)
        if (names(value) != NULL && used + strlen(names(value)) + 2 <= size)
            used += (size_t)snprintf(to + used, size - used, " %s", names(value));
}

void lookup_print(name_of *names, int column, int indent, int width)
{
    bool first = true;
    for (int value = 0; value < LOOKUP_END; value++) {
        if (names(value) == NULL)
            continue;
        const int length = (int)strlen(names(value));
        const bool fits = first || column + 1 + length <= width;
        if (!fits)
            printf("\n%*s", indent, "");
        column = (fits ? column + !first : indent) + length;
        printf("%s%s", fits && !first ? " " : "", names(value));
        first = false;
    }
}
