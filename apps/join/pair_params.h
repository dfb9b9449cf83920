#ifndef PARSCAN_APPS_JOIN_PAIR_PARAMS_H
#define PARSCAN_APPS_JOIN_PAIR_PARAMS_H

#include <stddef.h>
#include <stdint.h>

/* Two sorted arrays in device memory, and what is made of them. */
typedef struct pair_params {
    const void *a, *b;
    void *out; /* NULL: not wanted */
    size_t n, n2;
    const uint64_t *n_at,
        *n2_at;    /* the lengths in device memory, at most n and n2; NULL: they are these */
    uint64_t flip; /* of integers (apps/merge/key_order.h) */
} pair_params;

#endif
