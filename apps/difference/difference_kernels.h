/*
 * The differences of one tile in SIMD vectors. Compiled once for each element type and SIMD set; those of
 * F32 take floats of 16 bits too.
 */
#ifndef PARSCAN_APPS_DIFFERENCE_KERNELS_H
#define PARSCAN_APPS_DIFFERENCE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/types.h"
#include "scan/cpu/isa.h"
#include "scan/tables.h"

typedef struct difference_tile {
    parscan_type type;
    parscan_op op;
    const void *in; /* of any alignment, like out */
    void *out;      /* may equal in */
    size_t n;
    const void *neighbour; /* the element before in[0], in reverse after in[n - 1] */
    bool reverse;
    bool stream; /* store past the caches; out must be aligned to its elements */
} difference_tile;

typedef void difference_kernel(const difference_tile *tile);

/* The kernel of a type in which the processor computes: parscan_difference_kernel_u8() and so on. */
#define X(ctx, NAME, number, name, ...) \
    difference_kernel *parscan_difference_kernel_##name(parscan_isa isa);
PARSCAN_ARITHMETIC_TYPES(X, )
#undef X

#endif
