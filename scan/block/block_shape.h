/*
 * The shape of a block: its algorithm, its number of threads, and the number of elements of each
 * thread.
 */
#ifndef PARSCAN_SCAN_BLOCK_SHAPE_H
#define PARSCAN_SCAN_BLOCK_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/types.h"
#include "scan/block/block.h"

typedef struct parscan_block_shape {
    parscan_algorithm algorithm; /* any; only a block algorithm has threads and items */
    unsigned threads, items;     /* a tile has threads * items elements */
} parscan_block_shape;

/* The largest memory of a block, in bytes. Every GPU gives a block this much shared memory, so the
   same shapes run on both engines. */
#define BLOCK_MAX_BYTES 49152u

/* The elements of shared memory that block_scan() uses: the tile and what lies after it. */
SHAPE_FUNCTION size_t block_shared_size(parscan_block_shape shape)
{
    const unsigned tile = PADDED_SIZE(shape.threads * shape.items);
    switch (shape.algorithm) {
    case PARSCAN_KOGGE_STONE:
        return tile + tile;
    case PARSCAN_THREE_PHASE:
        return tile + 2 * PADDED_SIZE(shape.threads);
    case PARSCAN_WARP_PADDED:
        return tile + 3 * WARP_SIZE / 2;
    default:
        return tile;
    }
}

/* X(ctx, NAME, threads, items): the default shapes of the CUDA engine. They are compile-time
   constants in its kernels (hierarchical_kernels.cuh). */
/* clang-format off */
#define CUDA_SHAPES(X, ctx)          \
    X(ctx, KOGGE_STONE, 256,  1)     \
    X(ctx, BRENT_KUNG,  256,  2)     \
    X(ctx, THREE_PHASE, 256, 16)     \
    X(ctx, WARP,         32,  1)     \
    X(ctx, WARP_PADDED,  32,  1)
/* clang-format on */

/* If a shape has neither threads nor items, gives it those of CUDA_SHAPES. */
void parscan_block_shape_for_cuda(parscan_block_shape *shape);

/* Replaces threads and items that are 0 by defaults for elements of element_size bytes, and checks
   the shape. Returns NULL if it is right. Otherwise returns what is wrong, as text for "NAME =
   VALUE: ..."; NAME is block_threads if *threads_wrong, else items_per_thread. */
const char *parscan_block_shape_complete(parscan_block_shape *shape, size_t element_size,
                                         bool *threads_wrong);

#endif
