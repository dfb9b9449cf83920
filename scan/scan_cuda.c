/* The host side of a scan on CUDA: stages arrays, prepares scratch and launches the kernels. */
#include "scan/scan_cuda.h"

#include <string.h>

#include "scan/axis/axis_cuda.h"
#include "scan/context/call_scalars.h"
#include "scan/cuda/driver.h"
#include "scan/reproducible/tree_carry.h"
#include "scan/runtime/custom_scan_cuda.h"

/* The largest number of status words that the aggregate of a tile takes. */
#define MOST_TILE_WORDS 2u

/* The largest number of blocks of a reduction. Each block publishes one aggregate. */
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
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return &engine_##name;
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

/* Whether a reduction of floats of 16 bits gives a float. Any operator's may, as the ranks of a
   distributed scan exchange them; it is that of their own type, before it is rounded. */
static bool is_left_unrounded(const parscan_scan_call *call)
{
    return call->kind == PARSCAN_KIND_REDUCE && call->in_type != call->out_type &&
           parscan_compute_type(call->in_type) == call->out_type;
}

/* Gets the device memory that the call's variant needs. */
static parscan_status make_room_for_scan(parscan_cuda_call *on_device)
{
    const parscan_scan_call *const call = on_device->call;
    parscan_context *const context = call->context;
    switch (on_device->plan.variant) {
    case SCAN_SEQUENTIAL:
        return PARSCAN_OK;
    case SCAN_BATCHES:
    case SCAN_TILES:
        return parscan_cuda_scratch(context, parscan_hierarchical_cuda_scratch(on_device),
                                    &on_device->scratch);
    default:
        break;
    }
    /* Two more than the whole tiles: one may start before the array, and one may end after it. */
    const size_t tile =
        on_device->plan.variant == SCAN_FEW ? PARSCAN_FEW_TILE_BYTES : PARSCAN_LEAST_TILE_BYTES;
    const size_t tiles = call->n / (tile / parscan_type_size(call->out_type)) + 2 +
                         (call->kind == PARSCAN_KIND_REDUCE ? MOST_BLOCKS : 0);
    const parscan_status status =
        parscan_cuda_chain_memory(context, MOST_TILE_WORDS * tiles, &on_device->chain);
    return status == PARSCAN_OK && is_left_unrounded(call)
               ? parscan_cuda_scratch(context, sizeof(double), &on_device->scratch)
               : status;
}

/* The rounded result of one that is left unrounded goes to scratch. */
static cudaError_t launch_reduction(const parscan_cuda_call *on_device)
{
    const parscan_scan_call *const call = on_device->call;
    if (!is_left_unrounded(call))
        return engine_of(call->out_type)->reduce(on_device);
    parscan_cuda_call unrounded = *on_device;
    unrounded.unrounded = on_device->out;
    unrounded.out = on_device->scratch;
    return engine_of(call->in_type)->reduce(&unrounded);
}

static cudaError_t launch_variant(const parscan_cuda_call *on_device)
{
    const parscan_cuda_scan_engine *const engine = engine_of(on_device->call->out_type);
    switch (on_device->plan.variant) {
    case SCAN_FEW:
    case SCAN_SINGLE_PASS:
    case SCAN_UNSPECIALISED:
        return engine->single_pass(on_device);
    case SCAN_BATCHES:
    case SCAN_TILES:
        return parscan_hierarchical_cuda(engine, engine_of(parscan_sum_type(on_device->call)),
                                         on_device);
    case SCAN_SEQUENTIAL:
        return engine->sequential(on_device);
    case SCAN_TREE_VECTORS:
    case SCAN_TREE_ELEMENTS:
        return engine->reproducible(on_device);
    case REDUCE_FEW:
    case REDUCE_BLOCKS:
        return launch_reduction(on_device);
    case SCAN_VARIANTS:
        break;
    }
    return cudaErrorInvalidValue;
}

/* Integers, minima and maxima do not depend on the grouping. */
static bool has_tree(const parscan_scan_call *call)
{
    return parscan_scan_has_tree(call) && parscan_op_rounds(call->op);
}

static bool takes_vectors(const parscan_cuda_call *on_device)
{
    const parscan_scan_call *const call = on_device->call;
    const size_t vector = 16 / parscan_type_size(call->out_type);
    return !call->reverse &&
           (uintptr_t)on_device->in % (vector * parscan_type_size(call->in_type)) == 0 &&
           (call->kind == PARSCAN_KIND_REDUCE || (uintptr_t)on_device->out % 16 == 0);
}

static void plan_scan(parscan_cuda_call *on_device)
{
    const parscan_scan_call *const call = on_device->call;
    const parscan_cuda *const cuda = call->context->cuda;
    const scan_facts facts = {
        .kind = call->kind,
        .shape = call->shape,
        .n = call->n,
        .length_on_device = call->n_at != NULL,
        .init_on_device = call->init_at != NULL,
        .in_size = parscan_type_size(call->in_type),
        .out_size = parscan_type_size(call->out_type),
        .few_blocks = parscan_cuda_few_blocks(cuda),
        .reproducible = call->reproducible,
        .has_tree = has_tree(call),
        .vectors = takes_vectors(on_device),
    };
    on_device->plan = parscan_scan_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_scan_plans, on_device->plan.variant, "%zu elements, %s to %s",
                           call->n, parscan_type_name(call->in_type),
                           parscan_type_name(call->out_type));
}

parscan_status parscan_scan_launch(parscan_cuda_call *on_device)
{
    parscan_context *const context = on_device->call->context;
    plan_scan(on_device);
    const parscan_status status = make_room_for_scan(on_device);
    if (status != PARSCAN_OK)
        return status;
    return PARSCAN_CUDA_QUEUE(context, launch_variant(on_device));
}

enum { IN, OUT, ARRAYS };

static unsigned describe_scan(const void *given, parscan_cuda_array *arrays)
{
    const parscan_scan_call *const call = given;
    const size_t in_size = parscan_type_size(call->in_type);
    const size_t out_size = parscan_type_size(call->out_type);
    arrays[IN] = parscan_cuda_input("in", call->in, call->n, in_size);
    arrays[OUT] = call->kind == PARSCAN_KIND_REDUCE
                      ? parscan_cuda_result("out", call->out, 1, out_size)
                      : parscan_cuda_output("out", call->out, call->n, out_size);
    arrays[OUT].shares = IN + 1; /* a chunk is scanned in place */
    return ARRAYS;
}

static unsigned lengths_of_scan(void *given, parscan_cuda_length *lengths)
{
    parscan_scan_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

/* There is no carry of it. */
static bool reads_length(const void *given)
{
    const parscan_scan_call *const call = given;
    return call->carry == NULL;
}

/* Whether the output has the carry only rounded. */
static bool is_carry_rounded(const parscan_scan_call *call)
{
    return call->carry != NULL && parscan_sum_type(call) != call->out_type;
}

/* Stores the carry of a call whose output has it only rounded: a reduction of its own, before the
   launch, since the input may be overwritten. */
static parscan_status sum_unrounded(const parscan_scan_call *call, const void *in, float *through)
{
    parscan_context *const context = call->context;
    parscan_scan_call sum = *call;
    void *results;
    sum.kind = PARSCAN_KIND_REDUCE;
    parscan_status status = parscan_cuda_refuse_in_capture(context, "a carry");
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(context, 2 * sizeof *through, &results);
    if (status != PARSCAN_OK)
        return status;
    parscan_cuda_call on_device = {.call = &sum,
                                   .in = in,
                                   .out = (float *)results + 1,
                                   .stream = context->cuda->stream,
                                   .unrounded = results};
    status = parscan_scan_launch(&on_device);
    return status == PARSCAN_OK ? parscan_cuda_unstage(context, through, results, sizeof *through)
                                : status;
}

static parscan_status launch_scan(void *given, parscan_cuda_array *arrays)
{
    const parscan_scan_call *const call = given;
    parscan_cuda_carry carry;
    float through = 0;
    if (call->n == 0 && call->kind != PARSCAN_KIND_REDUCE)
        return PARSCAN_OK;
    parscan_status status = is_carry_rounded(call)
                                ? sum_unrounded(call, arrays[IN].device, &through)
                                : parscan_cuda_begin_carry(call, arrays[IN].device, &carry);
    if (status != PARSCAN_OK)
        return status;
    const parscan_scan_call signless = parscan_scan_signless(call);
    parscan_cuda_call on_device = {.call = &signless,
                                   .in = arrays[IN].device,
                                   .out = arrays[OUT].device,
                                   .stream = call->context->cuda->stream};
    status = parscan_scan_launch(&on_device);
    if (status != PARSCAN_OK)
        return status;
    if (!is_carry_rounded(call))
        return parscan_cuda_end_carry(call, arrays[OUT].device, &carry);
    memcpy(call->carry, &through, sizeof through);
    return PARSCAN_OK;
}

/* A call whose arrays go through the device in chunks: what comes before the next chunk. */
typedef struct scan_chunks {
    const parscan_cuda_operation *operation;
    parscan_scan_call next; /* the call of the next chunk, but for its arrays */
    unsigned char carry[sizeof(double)], sum[sizeof(double)];
} scan_chunks;

static parscan_status scan_chunk(void *work, parscan_cuda_chunk *chunk)
{
    scan_chunks *const all = work;
    parscan_scan_call call = all->next;
    call.in = chunk->device[IN];
    call.out = call.kind == PARSCAN_KIND_REDUCE ? all->sum : chunk->device[OUT];
    call.n = chunk->n;
    call.carry = all->carry;
    all->next.init = all->carry;
    all->next.carried = true;
    return parscan_cuda_run(call.context, "a chunk", all->operation, &call);
}

/* A reproducible sum of floats: the CPU evaluates its tree. */
static parscan_status sum_tree(const parscan_scan_call *call)
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

static parscan_status scan_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    const parscan_scan_call *const call = given;
    const size_t out_size = parscan_type_size(call->out_type);
    scan_chunks work = {.operation = passage->operation, .next = *call};
    parscan_status status = parscan_fetch_init(&work.next);
    if (status != PARSCAN_OK)
        return status;
    if (parscan_scan_has_tree(call))
        return sum_tree(&work.next);
    const parscan_cuda_chunks how = {
        .n = call->n, .reverse = call->reverse, .run = scan_chunk, .work = &work};
    status = parscan_cuda_pass_in_chunks(passage, how);
    if (status != PARSCAN_OK)
        return status;
    if (call->carry != NULL)
        memcpy(call->carry, work.carry, parscan_type_size(parscan_sum_type(call)));
    return call->kind == PARSCAN_KIND_REDUCE
               ? parscan_cuda_copy(call->context, call->out, work.sum, out_size)
               : PARSCAN_OK;
}

/* From a tree no kernel can start: the CPU evaluates it, wherever the arrays are. */
static unsigned describe_nothing(const void *call, parscan_cuda_array *arrays)
{
    (void)call;
    (void)arrays;
    return 0;
}

static parscan_status launch_tree(void *call, parscan_cuda_array *arrays)
{
    (void)arrays;
    return parscan_cuda_scan_tree(call);
}

static parscan_status run_scan(const parscan_scan_call *given)
{
    parscan_scan_call call = *given;
    static const char *const names[] = {"parscan_inclusive_scan", "parscan_exclusive_scan",
                                        "parscan_reduce"};
    static const parscan_cuda_operation scan = {.describe = describe_scan,
                                                .lengths = lengths_of_scan,
                                                .reads_lengths = reads_length,
                                                .in_chunks = scan_in_chunks,
                                                .launch = launch_scan};
    static const parscan_cuda_operation tree = {.describe = describe_nothing,
                                                .launch = launch_tree};
    if (call.custom != NULL)
        return parscan_custom_scan_cuda(&call);
    if (call.axis != NULL)
        return parscan_axis_cuda(&call, names[call.kind]);
    const parscan_status status = reads_length(&call) ? PARSCAN_OK : parscan_fetch_init(&call);
    if (status != PARSCAN_OK)
        return status;
    return parscan_cuda_run(call.context, names[call.kind], call.tree != NULL ? &tree : &scan,
                            &call);
}

const parscan_scan_engine parscan_scan_cuda = {run_scan, parscan_block_shape_for_cuda};
