#include "apps/cli/input_formats.h"

#include <stdint.h>

enum { CHUNK_BYTES = 8 * 1024 * 1024 };

/* The number of elements to read next. */
static size_t next_part(const array *elements, size_t most)
{
    const size_t left = most - elements->n;
    const size_t part = CHUNK_BYTES / parscan_type_size(elements->type);
    return left < part ? left : part;
}

bool input_elements(byte_source *source, size_t most, array *elements, size_t *loose, failure *why)
{
    const size_t size = parscan_type_size(elements->type);
    const size_t known = (size_t)(source_remaining(source) / size);
    if (!array_reserve(elements, known < most ? known : most))
        return fail_out_of_memory(why);
    *loose = 0;
    size_t want, got;
    while ((want = next_part(elements, most)) > 0) {
        if (!array_reserve(elements, elements->n + want))
            return fail_out_of_memory(why);
        if (!source_read(source, array_end(elements), want * size, &got, why))
            return false;
        elements->n += got / size;
        *loose = got % size;
        if (got < want * size)
            break;
    }
    return true;
}

bool input_raw(byte_source *source, array *elements, failure *why)
{
    size_t loose;
    if (!input_elements(source, SIZE_MAX, elements, &loose, why))
        return false;
    if (loose == 0)
        return true;
    const size_t size = parscan_type_size(elements->type);
    return fail(why, "%zu bytes are not a whole number of %s elements of %zu bytes",
                elements->n * size + loose, parscan_type_name(elements->type), size);
}
