/* An array of elements in host memory. */
#ifndef PARSCAN_CLI_ARRAY_H
#define PARSCAN_CLI_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/types.h"

/* Start with (array){.type = ...}. */
typedef struct array {
    parscan_type type;
    size_t n;
    void *data;
    size_t capacity; /* elements that data has room for */
} array;

/* Makes room for at least capacity elements; n does not change. False: memory ran out. Room grows
   in large steps: pages that are never written take no memory. */
bool array_reserve(array *elements, size_t capacity);

/* Converts integers to a type that holds all their values. False: memory ran out. */
bool array_widen(array *elements, parscan_type type);

/* Where element n will be. */
void *array_end(const array *elements);

/* Frees the elements. The array is then empty. */
void array_release(array *elements);

#endif
