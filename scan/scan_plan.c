#include "scan/scan_plan.h"

enum { FEW_BYTES, REDUCE_FEW_BYTES, SHARED_BY_BLOCK, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    [FEW_BYTES] = {"few_bytes", 1 << 20, PARSCAN_PER_MULTIPROCESSOR, "bytes of output", "H200",
                   "scan-cuda.md"},
    /* Small blocks; beyond, large ones all have work, too. */
    [REDUCE_FEW_BYTES] = {"reduce_few_bytes", 1 << 23, PARSCAN_ABSOLUTE, "bytes of input", "H200",
                          "scan-cuda.md"},
    /* From there on all threads of a block share the reduction of a tile. */
    [SHARED_BY_BLOCK] = {"shared_by_block", 16384, PARSCAN_ABSOLUTE, "bytes of a tile", "H200",
                         "hierarchical-cuda.md"},
};

static const parscan_plan_variant variants[SCAN_VARIANTS] = {
    [SCAN_FEW] = {"few", "up to few_bytes: one pass, a vector a thread, in registers"},
    [SCAN_SINGLE_PASS] = {"single_pass", "one pass over tiles, warps with roles"},
    [SCAN_UNSPECIALISED] = {"unspecialised", "one pass, below compute capability 9.0, from 12.0"},
    [SCAN_BATCHES] = {"batches", "hierarchical, usual shape: a batch of tiles a block"},
    [SCAN_TILES] = {"tiles", "hierarchical, any other shape: a tile a block"},
    [SCAN_SEQUENTIAL] = {"sequential", "by name: one thread"},
    [SCAN_TREE_VECTORS] = {"tree_vectors", "reproducible floats, aligned and forward"},
    [SCAN_TREE_ELEMENTS] = {"tree_elements", "reproducible floats, all others"},
    [REDUCE_FEW] = {"reduce_few", "a reduction of few bytes: small blocks"},
    [REDUCE_BLOCKS] = {"reduce_blocks", "a reduction; the last block joins"},
};

const parscan_plan_table parscan_scan_plans = {"scan", variants, SCAN_VARIANTS, limits, LIMITS};

/* Whether the kernels have the shape as a constant. */
static bool is_usual(parscan_block_shape shape)
{
    switch (shape.algorithm) {
#define X(ctx, NAME, usual_threads, usual_items) \
    case PARSCAN_##NAME:                         \
        return shape.threads == (usual_threads) && shape.items == (usual_items);
        CUDA_SHAPES(X, )
#undef X
    default:
        return false;
    }
}

static scan_variant plan_hierarchical(parscan_block_shape shape)
{
    return is_usual(shape) ? SCAN_BATCHES : SCAN_TILES;
}

/* Of many small tiles the look-back takes longer than the steps between warps with roles do. */
static scan_variant plan_pass(const parscan_plan_device *device, const scan_facts *call)
{
    if (call->shape.algorithm == PARSCAN_AUTO &&
        parscan_plan_is_few(parscan_plan_limit_of(device, limits, FEW_BYTES), call->few_blocks,
                            call->n, call->out_size))
        return SCAN_FEW;
    return PARSCAN_WARP_SPECIALISED(device->architecture) ? SCAN_SINGLE_PASS : SCAN_UNSPECIALISED;
}

static scan_variant plan_reduction(const parscan_plan_device *device, const scan_facts *call)
{
    return call->n * call->in_size <= parscan_plan_limit_of(device, limits, REDUCE_FEW_BYTES)
               ? REDUCE_FEW
               : REDUCE_BLOCKS;
}

scan_plan parscan_scan_plan(const parscan_plan_device *device, const scan_facts *call)
{
    scan_plan plan = {.shape = call->shape};
    if (call->has_tree) {
        plan.variant = call->vectors ? SCAN_TREE_VECTORS : SCAN_TREE_ELEMENTS;
        return plan;
    }
    if (call->kind == PARSCAN_KIND_REDUCE) {
        plan.variant = plan_reduction(device, call);
        return plan;
    }
    switch (call->shape.algorithm) {
    case PARSCAN_AUTO:
    case PARSCAN_SINGLE_PASS:
        plan.variant = plan_pass(device, call);
        break;
    case PARSCAN_SEQUENTIAL:
        plan.variant = SCAN_SEQUENTIAL;
        break;
    default:
        plan.variant = plan_hierarchical(call->shape);
        break;
    }
    return plan;
}

/* Four 16-byte pieces for each thread keep enough loads in flight, but at least four threads should
   read side by side. If a warp would have many pieces, all threads of a block share the tile. */
unsigned parscan_scan_sharing(const parscan_plan_device *device, size_t tile_bytes)
{
    const unsigned of_warp = 5;
    const size_t pieces = tile_bytes / 16;
    unsigned sharing = 0;
    if (tile_bytes >= parscan_plan_limit_of(device, limits, SHARED_BY_BLOCK))
        return REDUCE_TILES_SHARING;
    while (sharing < of_warp && (size_t)(sharing < 2 ? 4 : 8) << sharing <= pieces)
        sharing++;
    return sharing;
}
