/* The kernels of set operations, compiled once for each class of keys. */
#ifndef PARSCAN_APPS_JOIN_SET_KERNELS_H
#define PARSCAN_APPS_JOIN_SET_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "apps/join/join_call.h"
#include "apps/merge/key_order.h"

/* How many elements of a and of b. */
typedef struct set_cut {
    size_t a, b;
} set_cut;

/* A part of both arrays, and of the result. */
typedef struct set_part {
    const char *a, *b;
    size_t n, n2;
    char *out;    /* NULL: elements are only counted */
    size_t room;  /* no more elements are written */
    size_t count; /* of the result */
} set_part;

enum { SET_PARTS = 4 }; /* parts that proceed side by side */

typedef struct set_kernels {
    /* The first elements of both in the order of a set operation, `size` or one more: of a key that both
       have, the first of a goes with the first of b, and so on, and no such pair is cut. size is at most
       n + n2. The cut is within the arrays, in whatever order elements are. */
    set_cut (*cut)(const key_order *order, const char *a, size_t n, const char *b, size_t n2,
                   size_t size);
    /* Counts or writes the results of SET_PARTS parts, and sets their counts. */
    void (*run[SET_OPERATIONS])(const key_order *order, set_part *parts);
} set_kernels;

#define SET_KERNELS_OF(name) parscan_set_kernels_##name
#define X(ctx, NAME, bits, name, ...) extern const set_kernels SET_KERNELS_OF(name);
PARSCAN_KEY_CLASSES(X, )
#undef X

#endif
