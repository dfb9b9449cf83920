/* The CUDA engine's host side of a scan: host arrays staged, scratch made ready, launches. */
#include "scan/scan_cuda.h"

#include "scan/context/cuda_context.h"

/* The words that a tile's aggregate takes at most. */
#define MOST_TILE_WORDS 2u

/* Blocks of a reduction, of which each has an aggregate. */
#define MOST_BLOCKS ((size_t)8192)

static const parscan_cuda_scan_engine *engine_of(parscan_type type)
{
#define X(ctx, NAME, number, name, ...)                                     \
    static const parscan_cuda_scan_engine engine_##name = {                 \
        parscan_single_pass_cuda_##name,  parscan_reduce_cuda_##name,       \
        parscan_sequential_cuda_##name,   parscan_reproducible_cuda_##name, \
        parscan_reduce_tiles_cuda_##name, parscan_scan_tiles_cuda_##name,   \
    };
    PARSCAN_TYPES(X, )
#undef X
    switch (type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return &engine_##name;
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

/* The arrays of a call as the device has them. */
static parscan_status place_arrays(const parscan_scan_call *call, parscan_cuda_call *on_device,
                                   bool *out_is_device)
{
    parscan_context *const context = call->context;
    const size_t in_bytes = call->n * parscan_type_size(call->in_type);
    const size_t out_bytes =
        (call->kind == PARSCAN_KIND_REDUCE ? 1 : call->n) * parscan_type_size(call->out_type);
    bool in_is_device = true;
    parscan_status status = parscan_cuda_on_device(context, "out", call->out, out_is_device);
    if (status == PARSCAN_OK && call->n > 0)
        status = parscan_cuda_on_device(context, "in", call->in, &in_is_device);
    if (status != PARSCAN_OK)
        return status;
    void *in = (void *)call->in, *out = call->out;
    if (!in_is_device)
        status = parscan_cuda_stage(context, 0, call->in, in_bytes, &in);
    if (status == PARSCAN_OK && !*out_is_device && call->out == call->in)
        out = in;
    else if (status == PARSCAN_OK && !*out_is_device)
        status = parscan_cuda_stage(context, 1, NULL, out_bytes, &out);
    on_device->in = in;
    on_device->out = out;
    return status;
}

static parscan_status check_alignment(parscan_context *context, const char *name,
                                      const void *pointer, parscan_type type)
{
    if ((uintptr_t)pointer % parscan_type_size(type) == 0)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %p: device memory of %s is a multiple of %zu", name, pointer,
                        parscan_type_name(type), parscan_type_size(type));
}

/* Scratch for what the call's algorithm keeps on the device. */
static parscan_status make_room(const parscan_scan_call *call, bool hierarchical,
                                parscan_cuda_call *on_device)
{
    parscan_context *const context = call->context;
    if (hierarchical)
        return parscan_cuda_scratch(context, parscan_hierarchical_cuda_scratch(call),
                                    &on_device->scratch);
    /* A tile that begins before the array, and one that is not whole; a reduction's blocks. */
    const size_t tiles = call->n / (PARSCAN_LEAST_TILE_BYTES / parscan_type_size(call->out_type)) +
                         2 + (call->kind == PARSCAN_KIND_REDUCE ? MOST_BLOCKS : 0);
    return parscan_cuda_chain_memory(context, MOST_TILE_WORDS * tiles, &on_device->chain);
}

static parscan_status launch(const parscan_scan_call *call, parscan_cuda_call *on_device)
{
    parscan_context *const context = call->context;
    const parscan_cuda *const cuda = context->cuda;
    const parscan_cuda_scan_engine *const engine = engine_of(call->out_type);
    const parscan_algorithm algorithm = call->shape.algorithm;
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    const bool hierarchical = !reduces && algorithm != PARSCAN_AUTO &&
                              algorithm != PARSCAN_SINGLE_PASS && algorithm != PARSCAN_SEQUENTIAL;
    on_device->call = call;
    on_device->stream = cuda->stream;
    parscan_status status = check_alignment(context, "in", on_device->in, call->in_type);
    if (status == PARSCAN_OK)
        status = check_alignment(context, "out", on_device->out, call->out_type);
    if (status == PARSCAN_OK)
        status = make_room(call, hierarchical, on_device);
    if (status != PARSCAN_OK)
        return status;
    cudaError_t error;
    if (call->reproducible)
        error = engine->reproducible(on_device);
    else if (reduces)
        error = engine->reduce(on_device);
    else if (hierarchical)
        error = parscan_hierarchical_cuda(engine, on_device);
    else if (algorithm == PARSCAN_SEQUENTIAL)
        error = engine->sequential(on_device);
    else
        error = engine->single_pass(on_device);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

parscan_status parscan_cuda_scan(const parscan_scan_call *call)
{
    static const char *const names[] = {"parscan_inclusive_scan", "parscan_exclusive_scan",
                                        "parscan_reduce"};
    parscan_context *const context = call->context;
    parscan_cuda_call on_device = {0};
    bool out_is_device = true;
    parscan_status status = parscan_cuda_begin(context, names[call->kind]);
    if (status == PARSCAN_OK)
        status = place_arrays(call, &on_device, &out_is_device);
    if (status == PARSCAN_OK)
        status = launch(call, &on_device);
    if (status == PARSCAN_OK && !out_is_device)
        status = parscan_cuda_unstage(context, call->out, on_device.out,
                                      (call->kind == PARSCAN_KIND_REDUCE ? 1 : call->n) *
                                          parscan_type_size(call->out_type));
    return parscan_cuda_end(context, status);
}
