/*
 * The host side of the hierarchical scan on CUDA. For each level it reduces the tiles, scans their
 * sums, which are the next level, and then scans the tiles. The sums of all levels lie one after
 * another in the call's scratch.
 */
#include "scan/scan_cuda.h"

static size_t tile_of(parscan_block_shape shape)
{
    return (size_t)shape.threads * shape.items;
}

static size_t tiles_of(size_t n, parscan_block_shape shape)
{
    const size_t tile = tile_of(shape);
    return n / tile + (n % tile != 0);
}

size_t parscan_hierarchical_cuda_scratch(const parscan_cuda_call *call)
{
    const parscan_block_shape shape = call->plan.shape;
    size_t all = 0;
    for (size_t tiles = tiles_of(call->call->n, shape); tiles > 1; tiles = tiles_of(tiles, shape))
        all += tiles;
    return all * parscan_type_size(parscan_sum_type(call->call));
}

static cudaError_t scan_level(const parscan_cuda_scan_engine *engine,
                              const parscan_cuda_scan_engine *of_sums,
                              const parscan_cuda_call *call, parscan_cuda_level *level)
{
    const parscan_type type = parscan_sum_type(call->call);
    if (level->tiles == 1) {
        level->sums = NULL;
        return engine->scan_tiles(call, level);
    }
    cudaError_t error = engine->reduce_tiles(call, level);
    if (error != cudaSuccess)
        return error;
    parscan_cuda_level above = {
        .in = level->sums,
        .out = level->sums,
        .in_type = type,
        .tiles = tiles_of(level->tiles, call->plan.shape),
        .span = level->tile_span,
        .tile_span = level->tile_span * tile_of(call->plan.shape),
        .exclusive = true,
        .starts = true,
        .sums = (char *)level->sums + level->tiles * parscan_type_size(type),
    };
    error = scan_level(of_sums, of_sums, call, &above);
    return error == cudaSuccess ? engine->scan_tiles(call, level) : error;
}

cudaError_t parscan_hierarchical_cuda(const parscan_cuda_scan_engine *engine,
                                      const parscan_cuda_scan_engine *of_sums,
                                      const parscan_cuda_call *call)
{
    const parscan_scan_call *const scan = call->call;
    parscan_cuda_level lowest = {
        .in = (void *)call->in,
        .out = call->out,
        .in_type = scan->in_type,
        .tiles = tiles_of(scan->n, call->plan.shape),
        .span = 1,
        .tile_span = tile_of(call->plan.shape),
        .exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE,
        .reverse = scan->reverse,
        .starts = parscan_has_init(scan),
        .sums = call->scratch,
    };
    return scan_level(engine, of_sums, call, &lowest);
}
