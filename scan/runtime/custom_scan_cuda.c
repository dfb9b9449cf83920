/*
 * Scans and reductions of elements of the caller's on CUDA: chooses the program, compiles it at first use, and
 * launches its kernels, which know the element's type. Here it has a size alone.
 */
#include "scan/runtime/custom_scan_cuda.h"

#include <string.h>

#include "scan/context/check.h"
#include "scan/cuda/driver.h"
#include "scan/custom/custom_check.h"
#include "scan/custom/operator_state.h"
#include "scan/runtime/custom_run.h"

/* A reduction of fewer bytes is one block's, as parscan_scan_plan() has it for the library's operators. */
#define ONE_BLOCK_BYTES ((size_t)65536)

/* Elements for which a reduction takes one more block. */
#define REDUCE_EACH ((size_t)CUSTOM_REDUCE_THREADS * 4)

enum { IN, OUT, ARRAYS };

static custom_run run_of(const parscan_scan_call *call, const void *in, void *out)
{
    custom_code *const code = call->custom->code;
    return (custom_run){call, code, parscan_custom_code_text(code), in, out};
}

/* Status words for so many tiles or blocks. */
static parscan_status take_chain(const custom_run *run, size_t tiles, custom_chain *chain)
{
    const size_t words = (parscan_custom_combined_size(run->text) + 3) / 4;
    parscan_chain_memory memory;
    const parscan_status status =
        parscan_cuda_chain_memory(run->call->context, words * tiles, &memory);
    if (status == PARSCAN_OK)
        *chain = (custom_chain){memory.control, memory.status, memory.words};
    return status;
}

void parscan_custom_place_tiles(const custom_run *run, custom_program *program, custom_pass *pass)
{
    const size_t size = run->text->size;
    program->vectors = parscan_custom_has_vectors(run->text, run->out);
    pass->head_padding =
        program->vectors && 128 % size == 0 ? (uint32_t)((uintptr_t)run->out % 128 / size) : 0;
    if (run->text->load == NULL)
        pass->misalignment = (uint32_t)(((uintptr_t)run->in - pass->head_padding * size) % 128);
    program->aligned = !program->vectors || pass->misalignment % 16 == 0;
}

static custom_program scan_program(const parscan_scan_call *call)
{
    return (custom_program){.kind = CUSTOM_SCAN,
                            .architecture = parscan_custom_architecture(call->context),
                            .reverse = call->reverse};
}

static parscan_status run_pass(const custom_run *run)
{
    parscan_context *const context = run->call->context;
    custom_program program = scan_program(run->call);
    custom_pass pass = {.call = parscan_custom_fields(run)};
    const custom_use *use;
    parscan_custom_place_tiles(run, &program, &pass);
    const custom_pass_shape shape = parscan_custom_shape_of(run->text, &program);
    const size_t positions = pass.head_padding + run->call->n;
    const size_t tiles = positions / shape.tile + (positions % shape.tile != 0);
    parscan_status status = parscan_custom_use(context, run->code, &program, &use);
    if (status == PARSCAN_OK)
        status = take_chain(run, tiles, &pass.chain);
    if (status != PARSCAN_OK || use == NULL)
        return status;
    const custom_launch launch = {.kernel = use->kernels[CUSTOM_MAIN],
                                  .blocks = tiles,
                                  .threads = shape.threads,
                                  .shared_bytes = shape.shared_bytes,
                                  .chained = true,
                                  .params = &pass};
    return parscan_custom_launch(context, &launch);
}

static custom_program reduce_program(const parscan_scan_call *call)
{
    return (custom_program){.kind = CUSTOM_REDUCE,
                            .architecture = parscan_custom_architecture(call->context)};
}

static parscan_status run_reduction(const custom_run *run)
{
    enum { MOST_BLOCKS = 8192 }; /* of any device at once */
    parscan_context *const context = run->call->context;
    const custom_program program = reduce_program(run->call);
    const size_t n = run->call->n, size = run->text->size;
    const bool is_short = n < ONE_BLOCK_BYTES && n * size <= ONE_BLOCK_BYTES;
    const size_t useful = is_short ? 1 : n / REDUCE_EACH + 1;
    custom_pass pass = {.call = parscan_custom_fields(run)};
    const custom_use *use;
    parscan_status status = parscan_custom_use(context, run->code, &program, &use);
    if (status == PARSCAN_OK)
        status = take_chain(run, MOST_BLOCKS, &pass.chain);
    if (status != PARSCAN_OK || use == NULL)
        return status;
    const custom_launch launch = {.kernel = use->kernels[CUSTOM_MAIN],
                                  .blocks = useful < MOST_BLOCKS ? useful : MOST_BLOCKS,
                                  .threads = CUSTOM_REDUCE_THREADS,
                                  .chained = true,
                                  .in_order = true,
                                  .params = &pass};
    return parscan_custom_launch(context, &launch);
}

static parscan_status run_program(const custom_run *run)
{
    if (run->call->reproducible)
        return parscan_custom_run_tree(run);
    if (run->call->kind == PARSCAN_KIND_REDUCE)
        return run_reduction(run);
    switch (run->call->shape.algorithm) {
    case PARSCAN_AUTO:
    case PARSCAN_SINGLE_PASS:
        return run_pass(run);
    case PARSCAN_SEQUENTIAL:
        return parscan_custom_run_sequential(run);
    default:
        return parscan_custom_run_blocks(run);
    }
}

/* What comes before the next chunk: init and all elements of this one, combined. It is found before the
   scan, which may overwrite them, by a reduction of its own. */
static parscan_status find_carry(const custom_run *run)
{
    parscan_scan_call sum = *run->call;
    void *result;
    sum.kind = PARSCAN_KIND_REDUCE;
    parscan_status status = parscan_cuda_refuse_in_capture(sum.context, "a carry");
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(sum.context, CUSTOM_MOST_BYTES, &result);
    if (status != PARSCAN_OK)
        return status;
    custom_run reduction = *run;
    reduction.call = &sum;
    reduction.out = result;
    status = run_reduction(&reduction);
    return status == PARSCAN_OK
               ? parscan_cuda_unstage(sum.context, run->call->carry, result, run->text->size)
               : status;
}

static parscan_status launch_custom(void *given, parscan_cuda_array *arrays)
{
    const parscan_scan_call *const call = given;
    const custom_run run = run_of(call, arrays[IN].device, arrays[OUT].device);
    if (call->n == 0 && call->kind != PARSCAN_KIND_REDUCE)
        return PARSCAN_OK;
    if (call->carry == NULL)
        return run_program(&run);
    unsigned char carry[CUSTOM_MOST_BYTES];
    parscan_scan_call found = *call; /* init may be the carry's memory */
    found.carry = carry;
    custom_run with_carry = run;
    with_carry.call = &found;
    parscan_status status = find_carry(&with_carry);
    if (status == PARSCAN_OK)
        status = run_program(&run);
    if (status == PARSCAN_OK)
        memcpy(call->carry, carry, run.text->size);
    return status;
}

static unsigned describe_custom(const void *given, parscan_cuda_array *arrays)
{
    const parscan_scan_call *const call = given;
    const parscan_operator *const op = call->custom;
    const size_t in_size = parscan_in_size(call), out_size = parscan_out_size(call);
    arrays[IN] = parscan_cuda_input("in", call->in, call->n, in_size);
    arrays[IN].alignment = op->loads ? 1 : op->alignment;
    arrays[OUT] = call->kind == PARSCAN_KIND_REDUCE
                      ? parscan_cuda_result("out", call->out, 1, out_size)
                      : parscan_cuda_output("out", call->out, call->n, out_size);
    arrays[OUT].alignment = op->stores ? 1 : op->alignment;
    arrays[OUT].shares = IN + 1; /* a chunk is scanned in place */
    return ARRAYS;
}

static unsigned lengths_of_custom(void *given, parscan_cuda_length *lengths)
{
    parscan_scan_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

/* There is no carry of it; and if it is 0, there must be a result. */
static bool reads_length(const void *given)
{
    const parscan_scan_call *const call = given;
    return call->carry == NULL && (call->kind != PARSCAN_KIND_REDUCE ||
                                   call->custom->has_identity || parscan_has_init(call));
}

/* Once the host has read the length. */
static parscan_status check_start(const void *given, const parscan_cuda_array *arrays)
{
    (void)arrays;
    const parscan_scan_call *const call = given;
    return call->n_at == NULL ? parscan_check_custom_start(call) : PARSCAN_OK;
}

/* A map knows elements by their places in the whole array, and so does the tree. */
static bool can_pass(const void *given, const parscan_cuda_passage *passage)
{
    const parscan_scan_call *const call = given;
    (void)passage;
    return !call->custom->loads && !call->custom->stores && !call->reproducible;
}

typedef struct custom_chunks {
    const parscan_cuda_operation *operation;
    parscan_scan_call next; /* the call of the next chunk, but for its arrays */
    unsigned char carry[CUSTOM_MOST_BYTES], sum[CUSTOM_MOST_BYTES];
} custom_chunks;

static parscan_status run_chunk(void *work, parscan_cuda_chunk *chunk)
{
    custom_chunks *const all = work;
    parscan_scan_call call = all->next;
    call.in = chunk->device[IN];
    call.n = chunk->n;
    if (call.kind == PARSCAN_KIND_REDUCE)
        call.out = all->sum;
    else {
        call.out = chunk->device[OUT];
        call.carry = all->carry;
    }
    all->next.init = call.kind == PARSCAN_KIND_REDUCE ? all->sum : all->carry;
    return parscan_cuda_run(call.context, "a chunk", all->operation, &call);
}

static parscan_status custom_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    const parscan_scan_call *const call = given;
    custom_chunks work = {.operation = passage->operation, .next = *call};
    work.next.carry = NULL;
    parscan_status status = parscan_fetch_init(&work.next);
    if (status != PARSCAN_OK)
        return status;
    const parscan_cuda_chunks how = {
        .n = call->n, .reverse = call->reverse, .run = run_chunk, .work = &work};
    status = parscan_cuda_pass_in_chunks(passage, how);
    if (status != PARSCAN_OK)
        return status;
    const void *const through = call->kind == PARSCAN_KIND_REDUCE ? work.sum : work.carry;
    if (call->carry != NULL)
        memcpy(call->carry, through, call->custom->size);
    return call->kind == PARSCAN_KIND_REDUCE
               ? parscan_cuda_copy(call->context, call->out, through, call->custom->size)
               : PARSCAN_OK;
}

parscan_status parscan_custom_check_cuda(const parscan_scan_call *call)
{
    const parscan_operator *const op = call->custom;
    bool on_device = true;
    if (op->code == NULL)
        return parscan_fail(
            call->context, PARSCAN_ERROR_UNSUPPORTED,
            "custom: the operator has no cuda_source, or a map without cuda_load or "
            "cuda_store, so it has nothing for CUDA");
    if (!op->loads || call->in == NULL || call->context->measures)
        return PARSCAN_OK;
    const parscan_status status = parscan_cuda_on_device(call->context, "in", call->in, &on_device);
    if (status != PARSCAN_OK || on_device)
        return status;
    return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                        "in: host memory with a map (load), which reads it on the device");
}

parscan_status parscan_custom_scan_cuda(const parscan_scan_call *given)
{
    static const char *const names[] = {"parscan_inclusive_scan", "parscan_exclusive_scan",
                                        "parscan_reduce"};
    static const parscan_cuda_operation operation = {.describe = describe_custom,
                                                     .lengths = lengths_of_custom,
                                                     .reads_lengths = reads_length,
                                                     .check = check_start,
                                                     .can_pass = can_pass,
                                                     .in_chunks = custom_in_chunks,
                                                     .launch = launch_custom};
    parscan_scan_call call = *given;
    parscan_status status = parscan_custom_check_cuda(&call);
    if (status == PARSCAN_OK && !reads_length(&call))
        status = parscan_fetch_init(&call);
    return status == PARSCAN_OK
               ? parscan_cuda_run(call.context, names[call.kind], &operation, &call)
               : status;
}

/* Compiles the program of a call, on arrays that are aligned. */
static parscan_status prepare_program(const parscan_scan_call *call)
{
    custom_code *const code = call->custom->code;
    const custom_use *use;
    custom_program program;
    if (call->reproducible) {
        program = parscan_custom_tree_program(call);
    } else if (call->kind == PARSCAN_KIND_REDUCE) {
        program = reduce_program(call);
    } else if (call->shape.algorithm == PARSCAN_AUTO ||
               call->shape.algorithm == PARSCAN_SINGLE_PASS) {
        program = scan_program(call);
        program.vectors = parscan_custom_has_vectors(parscan_custom_code_text(code), NULL);
        program.aligned = true;
    } else {
        program = parscan_custom_blocks_program(call);
    }
    return parscan_custom_use(call->context, code, &program, &use);
}

parscan_status parscan_custom_prepare_cuda(const parscan_scan_call *call)
{
    parscan_scan_call none = *call;
    none.in = NULL;
    parscan_status status = parscan_custom_check_cuda(&none);
    if (status != PARSCAN_OK)
        return status;
    status = parscan_cuda_begin(call->context, "parscan_operator_prepare");
    if (status == PARSCAN_OK)
        status = prepare_program(call);
    return parscan_cuda_end(call->context, status);
}
