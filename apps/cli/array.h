/* An array of elements in host memory, as the program reads, computes and writes it. */
#ifndef PARSCAN_CLI_ARRAY_H
#define PARSCAN_CLI_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/types.h"

/* Begin with (array){.type = ...}. */
typedef struct array {
    parscan_type type;
    size_t n;
    void *data;
    size_t capacity; /* elements that data has room for */
} array;

/* Makes room for at least capacity elements, n unchanged; false when there is no memory. Room grows
   in steps, but pages that nobody writes take no memory. */
bool array_reserve(array *elements, size_t capacity);

/* Turns integers into ones of a type that holds each value of theirs; false when there is no memory. */
bool array_widen(array *elements, parscan_type type);

/* Where element n will be. */
void *array_end(const array *elements);

/* Frees the elements; the array is empty then. */
void array_release(array *elements);

#endif
