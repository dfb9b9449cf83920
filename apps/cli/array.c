#include "apps/cli/array.h"

#include <stdint.h>
#include <stdlib.h>

bool array_reserve(array *elements, size_t capacity)
{
    if (capacity <= elements->capacity)
        return true;
    const size_t size = parscan_type_size(elements->type);
    const size_t most = PTRDIFF_MAX / size;
    if (capacity > most)
        return false;
    /* Half as much again: realloc() moves pages of a large array, not bytes. */
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
