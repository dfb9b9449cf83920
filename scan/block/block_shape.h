/*
 * The shape of a block: which algorithm, how many threads, how many elements each.
 */
#ifndef PARSCAN_SCAN_BLOCK_SHAPE_H
#define PARSCAN_SCAN_BLOCK_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/types.h"
#include "scan/block/block.h"

typedef struct parscan_block_shape {
    parscan_algorithm algorithm; /* a block algorithm, or SEQUENTIAL */
    unsigned threads, items;     /* a tile has threads * items elements */
} parscan_block_shape;

/* What a block may hold, so that the same shapes run on both engines: every GPU gives a block this
   much shared memory. */
#define BLOCK_MAX_BYTES 49152u

/* The elements of shared memory that block_scan() works in: the tile and what lies beyond it. */
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

/* X(ctx, NAME, threads, items): the shapes that the CUDA engine takes where the caller has no wish. Its
   kernels know them when they are compiled (hierarchical_kernels.cuh). */
/* clang-format off */
#define CUDA_SHAPES(X, ctx)          \
    X(ctx, KOGGE_STONE, 256,  1)     \
    X(ctx, BRENT_KUNG,  256,  2)     \
    X(ctx, THREE_PHASE, 256, 16)     \
    X(ctx, WARP,         32,  1)     \
    X(ctx, WARP_PADDED,  32,  1)
/* clang-format on */

/* Gives a shape without threads and items those of CUDA_SHAPES. */
void parscan_block_shape_for_cuda(parscan_block_shape *shape);

/* Fills the fields left 0 of a shape with defaults for elements of element_size bytes and checks
   it. NULL: fine; else what is wrong, as text for "NAME = VALUE: ...", and *threads_wrong tells
   whether NAME is block_threads or items_per_thread. */
const char *parscan_block_shape_complete(parscan_block_shape *shape, size_t element_size,
                                         bool *threads_wrong);

#endif
