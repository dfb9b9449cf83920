/*
 * The hierarchical scan of elements of the caller's on CUDA, as hierarchical_cuda.c, and the sequential scan.
 */
#include <string.h>

#include "scan/runtime/custom_run.h"

#define MOST_GRID ((size_t)1 << 30)

custom_call parscan_custom_fields(const custom_run *run)
{
    const parscan_scan_call *const call = run->call;
    custom_call fields = {.init_at = call->init_at,
                          .in = run->in,
                          .out = run->out,
                          .n = call->n,
                          .length_at = call->n_at,
                          .has_init = parscan_has_init(call),
                          .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
                          .reverse = call->reverse};
    if (call->n_at != NULL)
        fields.deferred = parscan_cuda_deferred(call->context);
    if (call->init != NULL)
        memcpy(fields.init, call->init, run->text->size);
    return fields;
}

custom_program parscan_custom_blocks_program(const parscan_scan_call *call)
{
    const bool is_sequential = call->shape.algorithm == PARSCAN_SEQUENTIAL;
    return (custom_program){.kind = is_sequential ? CUSTOM_SEQUENTIAL : CUSTOM_BLOCKS,
                            .architecture = parscan_custom_architecture(call->context),
                            .algorithm = is_sequential ? PARSCAN_AUTO : call->shape.algorithm};
}

parscan_status parscan_custom_run_sequential(const custom_run *run)
{
    const custom_program program = parscan_custom_blocks_program(run->call);
    const custom_call fields = parscan_custom_fields(run);
    const custom_use *use;
    const parscan_status status = parscan_custom_use(run->call->context, run->code, &program, &use);
    if (status != PARSCAN_OK || use == NULL)
        return status;
    const custom_launch launch = {
        .kernel = use->kernels[CUSTOM_MAIN], .blocks = 1, .threads = 1, .params = &fields};
    return parscan_custom_launch(run->call->context, &launch);
}

/* A level of the hierarchical scan, of `elements` elements; `sums` has room for those of all levels from
   here on. */
typedef struct custom_height {
    const custom_use *use;
    parscan_block_shape shape;
    size_t combined, elements;
    bool lowest;
} custom_height;

static size_t tiles_of(size_t n, parscan_block_shape shape)
{
    const size_t tile = (size_t)shape.threads * shape.items;
    return n / tile + (n % tile != 0);
}

/* The sums of all levels, in elements. */
static size_t sums_of(size_t n, parscan_block_shape shape)
{
    size_t all = 0;
    for (size_t tiles = tiles_of(n, shape); tiles > 1; tiles = tiles_of(tiles, shape))
        all += tiles;
    return all;
}

static parscan_status launch_level(parscan_context *context, const custom_height *height,
                                   const custom_level *level, bool reduces)
{
    static const custom_kernel kernels[2][2] = {{CUSTOM_SCAN_SUMS, CUSTOM_REDUCE_SUMS},
                                                {CUSTOM_MAIN, CUSTOM_REDUCE_TILES}};
    const size_t tiles = tiles_of(height->elements, height->shape);
    const custom_launch launch = {
        .kernel = height->use->kernels[kernels[height->lowest][reduces]],
        .blocks = tiles < MOST_GRID ? tiles : MOST_GRID,
        .threads = reduces ? CUSTOM_TILES_THREADS : height->shape.threads,
        .shared_bytes = reduces ? 0 : block_shared_size(height->shape) * height->combined,
        .params = level,
    };
    return parscan_custom_launch(context, &launch);
}

/* As scan_level() of hierarchical_cuda.c. */
static parscan_status run_level(parscan_context *context, custom_height height, custom_level *level)
{
    const size_t tiles = tiles_of(height.elements, height.shape);
    if (tiles == 1) {
        level->sums = NULL;
        return launch_level(context, &height, level, false);
    }
    parscan_status status = launch_level(context, &height, level, true);
    if (status != PARSCAN_OK)
        return status;
    custom_level above = *level;
    above.call.in = above.call.out = level->sums;
    above.call.exclusive = 1;
    above.call.reverse = 0;
    above.starts = 1;
    above.span = level->span * height.shape.threads * height.shape.items;
    above.sums = (char *)level->sums + tiles * height.combined;
    custom_height higher = height;
    higher.elements = tiles;
    higher.lowest = false;
    status = run_level(context, higher, &above);
    return status == PARSCAN_OK ? launch_level(context, &height, level, false) : status;
}

parscan_status parscan_custom_run_blocks(const custom_run *run)
{
    parscan_context *const context = run->call->context;
    const parscan_block_shape shape = run->call->shape;
    const custom_program program = parscan_custom_blocks_program(run->call);
    const size_t combined = parscan_custom_combined_size(run->text);
    custom_height height = {
        .shape = shape, .combined = combined, .elements = run->call->n, .lowest = true};
    custom_level level = {.call = parscan_custom_fields(run),
                          .span = 1,
                          .threads = shape.threads,
                          .items = shape.items,
                          .starts = parscan_has_init(run->call)};
    if (block_shared_size(shape) * combined > context->cuda->plan_device.shared_bytes)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "items_per_thread = %u: without identity an element takes %zu bytes, "
                            "and a block of the device has %zu",
                            shape.items, combined, context->cuda->plan_device.shared_bytes);
    parscan_status status = parscan_custom_use(context, run->code, &program, &height.use);
    if (status == PARSCAN_OK)
        status =
            parscan_cuda_scratch(context, sums_of(run->call->n, shape) * combined, &level.sums);
    if (status != PARSCAN_OK || height.use == NULL)
        return status;
    return run_level(context, height, &level);
}
