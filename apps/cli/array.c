#include "apps/cli/array.h"

#include <stdint.h>
#include <stdlib.h>

#include "apps/cli/element_traits.h"
#include "apps/cli/integer_bits.h"

bool array_reserve(array *elements, size_t capacity)
{
    if (capacity <= elements->capacity)
        return true;
    const size_t size = parscan_type_size(elements->type);
    const size_t most = PTRDIFF_MAX / size;
    if (capacity > most)
        return false;
    /* Grows by half: for a large array realloc() moves pages, not bytes. */
    const size_t step = elements->capacity / 2;
    const size_t roomy = elements->capacity < most - step ? elements->capacity + step : most;
    size_t taken = roomy > capacity ? roomy : capacity;
    void *data = realloc(elements->data, taken * size);
    if (data == NULL) {
        taken = capacity;
        data = realloc(elements->data, taken * size);
    }
    if (data == NULL)
        return false;
    elements->data = data;
    elements->capacity = taken;
    return true;
}

/* Goes from the last element to the first, so that none is overwritten before it is read. */
bool array_widen(array *elements, parscan_type type)
{
    const element_traits *const from = element_traits_of(elements->type);
    const size_t size = parscan_type_size(type);
    if (elements->n > PTRDIFF_MAX / size)
        return false;
    char *const data = realloc(elements->data, elements->n * size);
    if (data == NULL && elements->n > 0)
        return false;
    *elements = (array){.type = type, .n = elements->n, .data = data, .capacity = elements->n};
    const bool is_signed = parscan_type_traits_of(from->type).is_signed;
    for (size_t i = elements->n; i-- > 0;) {
        const void *const at = data + i * from->size;
        store_integer(is_signed ? load_signed(at, from->size) : load_unsigned(at, from->size), size,
                      data + i * size);
    }
    return true;
}

void *array_end(const array *elements)
{
    return elements->data == NULL
               ? NULL
               : (char *)elements->data + elements->n * parscan_type_size(elements->type);
}

void array_release(array *elements)
{
    free(elements->data);
    elements->data = NULL;
    elements->n = elements->capacity = 0;
}
