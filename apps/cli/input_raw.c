#include "apps/cli/input_formats.h"

bool input_elements(byte_source *source, size_t most, source_reader *read, array *elements,
                    size_t *loose, failure *why)
{
    const size_t size = parscan_type_size(elements->type);
    size_t got, rest = 0;
    *loose = 0;
    if (!array_reserve(elements, elements->n + most))
        return fail_out_of_memory(why);
    char *const to = array_end(elements);
    if (!read(source, to, most * size, &got, why))
        return false;
    /* The rest of the last element. */
    if (got % size != 0 && !source_read(source, to + got, size - got % size, &rest, why))
        return false;
    elements->n += (got + rest) / size;
    *loose = (got + rest) % size;
    return true;
}

bool input_raw(byte_source *source, size_t before, size_t most, source_reader *read,
               array *elements, failure *why)
{
    size_t loose;
    const size_t held = elements->n;
    if (!input_elements(source, most, read, elements, &loose, why))
        return false;
    if (loose == 0)
        return true;
    const size_t size = parscan_type_size(elements->type);
    return fail(why, "%zu bytes are not a whole number of %s elements of %zu bytes",
                (before + elements->n - held) * size + loose, parscan_type_name(elements->type),
                size);
}
