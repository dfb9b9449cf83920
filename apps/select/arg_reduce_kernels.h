/* What of a reduction to an index is compiled once for each element type in which the processor computes. */
#ifndef PARSCAN_APPS_SELECT_ARG_REDUCE_KERNELS_H
#define PARSCAN_APPS_SELECT_ARG_REDUCE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/types.h"
#include "scan/cpu/isa.h"
#include "scan/tables.h"

typedef struct arg_kernels {
    /* The index of the first of n > 0 elements, of `type`, that is their extreme. */
    size_t (*find)(parscan_isa isa, parscan_op op, parscan_type type, const void *in, size_t n);
    /* Whether the element at b wins over the one at a, which comes before it. */
    bool (*wins)(parscan_op op, parscan_type type, const void *a, const void *b);
    /* Stores the extreme of no elements. */
    void (*store_identity)(parscan_op op, parscan_type type, void *to);
} arg_kernels;

#define X(ctx, NAME, number, name, ...) extern const arg_kernels parscan_arg_kernels_##name;
PARSCAN_ARITHMETIC_TYPES(X, )
#undef X

#endif
