/* The host side of a scan on CUDA: stages arrays, prepares scratch and launches the kernels. */
#include "scan/scan_cuda.h"

#include <string.h>

#include "scan/cuda/cuda_arrays.h"
#include "scan/cuda/cuda_chunks.h"
#include "scan/reproducible/tree_carry.h"

/* The largest number of status words that the aggregate of a tile takes. */
#define MOST_TILE_WORDS 2u

/* The largest number of blocks of a reduction. Each block publishes one aggregate. */
#define MOST_BLOCKS ((size_t)8192)

/* A scan whose output has at most this many bytes is done by one block. */
#define ONE_BLOCK_BYTES ((size_t)16384)

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

static parscan_type without_sign(parscan_type type)
{
    switch (type) {
#define X(ctx, SIGNED, UNSIGNED) \
    case PARSCAN_##SIGNED:       \
        return PARSCAN_##UNSIGNED;
        PARSCAN_SIGNED_TYPES(X, )
#undef X
    default:
        return type;
    }
}

parscan_scan_call parscan_cuda_signless(const parscan_scan_call *call)
{
    parscan_scan_call signless = *call;
    switch (call->op) {
#define X(ctx, NAME) case PARSCAN_##NAME:
        PARSCAN_SIGNLESS_OPS(X, )
#undef X
        signless.out_type = without_sign(call->out_type);
        if (call->in_type == call->out_type)
            signless.in_type = signless.out_type;
        break;
    default:
        break;
    }
    return signless;
}

/* For a short array, one block was 1 us faster than the chain of tiles when that needed a cooperative
   launch. */
static void choose_algorithm(parscan_scan_call *call)
{
    const size_t size = parscan_type_size(call->out_type);
    parscan_block_shape block = {.algorithm = PARSCAN_THREE_PHASE};
    bool threads_wrong;
    if (call->shape.algorithm != PARSCAN_AUTO || call->reproducible)
        return;
    parscan_block_shape_for_cuda(&block);
    parscan_block_shape_complete(&block, size, &threads_wrong);
    if (call->n <= (size_t)block.threads * block.items && call->n * size <= ONE_BLOCK_BYTES)
        call->shape = block;
}

/* Gets the device memory that the call's algorithm needs. */
static parscan_status make_room(const parscan_scan_call *call, bool hierarchical,
                                parscan_cuda_call *on_device)
{
    parscan_context *const context = call->context;
    if (hierarchical)
        return parscan_cuda_scratch(context, parscan_hierarchical_cuda_scratch(call),
                                    &on_device->scratch);
    /* Two more than the whole tiles: one may begin before the array, and one may end behind it. */
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
    const parscan_status status = make_room(call, hierarchical, on_device);
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

static parscan_status run(const parscan_scan_call *call);

/* A call whose arrays go through the device in chunks: what comes before the next chunk. */
typedef struct scan_chunks {
    parscan_scan_call next; /* the call of the next chunk, but for its arrays */
    unsigned out;           /* the flow of the output */
    unsigned char carry[sizeof(double)], sum[sizeof(double)];
} scan_chunks;

static parscan_status run_chunk(void *work, parscan_cuda_chunk *chunk)
{
    scan_chunks *const all = work;
    parscan_scan_call call = all->next;
    call.in = chunk->device[0];
    call.out = call.kind == PARSCAN_KIND_REDUCE ? all->sum : chunk->device[all->out];
    call.n = chunk->n;
    call.carry = all->carry;
    all->next.init = all->carry;
    return run(&call);
}

/* A reproducible sum of floats: the CPU evaluates its tree. */
static parscan_status run_tree(const parscan_scan_call *call)
{
    parscan_scan_call whole = *call;
    const parscan_allocator *const allocator = &call->context->allocator;
    whole.tree = parscan_host_allocate(allocator, sizeof *whole.tree);
    if (whole.tree == NULL)
        return parscan_fail(call->context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes",
                            sizeof *whole.tree);
    memset(whole.tree, 0, sizeof *whole.tree);
    const parscan_status status = parscan_cuda_scan_tree(&whole);
    parscan_host_release(allocator, whole.tree);
    return status;
}

static parscan_status run_in_chunks(const parscan_scan_call *call, size_t room)
{
    parscan_context *const context = call->context;
    const size_t in_size = parscan_type_size(call->in_type);
    const size_t out_size = parscan_type_size(call->out_type);
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    const bool shared = in_size == out_size && !reduces; /* a chunk is scanned in place */
    const parscan_cuda_flow flows[] = {
        {.name = "in", .from = call->in, .to = shared ? call->out : NULL, .size = in_size},
        {.name = "out", .to = call->out, .size = out_size},
    };
    const unsigned count = shared || reduces ? 1 : 2;
    scan_chunks work = {.next = *call, .out = count - 1};
    if (parscan_scan_has_tree(call))
        return run_tree(call);
    const parscan_cuda_chunks chunks = {
        .context = context,
        .flows = flows,
        .count = count,
        .n = call->n,
        .most = parscan_cuda_chunk_length(flows, count, room, 0),
        .reverse = call->reverse,
        .run = run_chunk,
        .work = &work,
    };
    const parscan_status status = parscan_cuda_run_chunks(&chunks);
    if (status != PARSCAN_OK)
        return status;
    if (call->carry != NULL)
        memcpy(call->carry, work.carry, out_size);
    return reduces ? parscan_cuda_copy(context, call->out, work.sum, out_size) : PARSCAN_OK;
}

static parscan_status run(const parscan_scan_call *call)
{
    static const char *const names[] = {"parscan_inclusive_scan", "parscan_exclusive_scan",
                                        "parscan_reduce"};
    parscan_context *const context = call->context;
    const size_t in_size = parscan_type_size(call->in_type);
    const size_t out_size = parscan_type_size(call->out_type);
    const size_t out_n = call->kind == PARSCAN_KIND_REDUCE ? 1 : call->n;
    parscan_cuda_array arrays[] = {
        {.name = "in",
         .given = call->in,
         .bytes = call->n * in_size,
         .alignment = in_size,
         .access = PARSCAN_READ},
        {.name = "out",
         .given = call->out,
         .bytes = out_n * out_size,
         .alignment = out_size,
         .access = PARSCAN_WRITE},
    };
    parscan_cuda_carry carry;
    size_t room = 0;
    parscan_status status = parscan_cuda_begin(context, names[call->kind]);
    if (status == PARSCAN_OK && call->tree != NULL)
        return parscan_cuda_end(context, parscan_cuda_scan_tree(call));
    if (status == PARSCAN_OK)
        status = parscan_cuda_find_room(context, arrays, 2, 0, &room);
    if (status == PARSCAN_OK && room > 0)
        return parscan_cuda_end(context, run_in_chunks(call, room));
    if (status == PARSCAN_OK)
        status = parscan_cuda_place_found(context, arrays, 2);
    if (status == PARSCAN_OK)
        status = parscan_cuda_begin_carry(call, arrays[0].device, &carry);
    if (status == PARSCAN_OK) {
        parscan_scan_call chosen = parscan_cuda_signless(call);
        choose_algorithm(&chosen);
        parscan_cuda_call on_device = {.in = arrays[0].device, .out = arrays[1].device};
        status = launch(&chosen, &on_device);
    }
    if (status == PARSCAN_OK)
        status = parscan_cuda_end_carry(call, arrays[1].device, &carry);
    if (status == PARSCAN_OK)
        status = parscan_cuda_return(context, arrays, 2);
    return parscan_cuda_end(context, status);
}

const parscan_scan_engine parscan_scan_cuda = {run, parscan_block_shape_for_cuda};
