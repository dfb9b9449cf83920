/* Reproducible scans and reductions of elements of the caller's on CUDA: the launches of custom_tree.cuh. */
#include "scan/custom/operator_state.h"
#include "scan/reproducible/tree_carry.h"
#include "scan/runtime/custom_run.h"

custom_program parscan_custom_tree_program(const parscan_scan_call *call)
{
    return (custom_program){.kind = CUSTOM_TREE,
                            .architecture = parscan_custom_architecture(call->context)};
}

static parscan_status launch_tree(parscan_context *context, const void *kernel, size_t blocks,
                                  const custom_tree *tree)
{
    const custom_launch launch = {.kernel = kernel,
                                  .blocks = blocks,
                                  .threads = CUSTOM_TREE_THREADS,
                                  .chained = true,
                                  .in_order = true,
                                  .params = tree};
    return parscan_custom_launch(context, &launch);
}

/* The nodes, and the zeros. */
static parscan_status take_room(const custom_run *run, custom_tree *tree)
{
    parscan_context *const context = run->call->context;
    const size_t nodes = (2 * tree->tiles * run->text->size + 63) / 64 * 64;
    const size_t zeros = tree->tiles * sizeof *tree->halves;
    const parscan_status status = parscan_cuda_scratch(context, nodes + zeros, &tree->nodes);
    if (status != PARSCAN_OK)
        return status;
    tree->halves = (uint32_t *)(void *)((char *)tree->nodes + nodes);
    return PARSCAN_CUDA_QUEUE(context,
                              cudaMemsetAsync(tree->halves, 0, zeros, context->cuda->stream));
}

parscan_status parscan_custom_run_tree(const custom_run *run)
{
    const parscan_scan_call *const call = run->call;
    const custom_program program = parscan_custom_tree_program(call);
    custom_tree tree = {.call = parscan_custom_fields(run), .tiles = call->n / TREE_TILE + 1};
    const custom_use *use;
    parscan_status status = parscan_custom_use(call->context, run->code, &program, &use);
    if (status == PARSCAN_OK)
        status = take_room(run, &tree);
    if (status != PARSCAN_OK || use == NULL)
        return status;
    status = launch_tree(call->context, use->kernels[CUSTOM_MAIN], tree.tiles, &tree);
    if (status != PARSCAN_OK)
        return status;
    return call->kind == PARSCAN_KIND_REDUCE
               ? launch_tree(call->context, use->kernels[CUSTOM_TREE_RESULT], 1, &tree)
               : launch_tree(call->context, use->kernels[CUSTOM_TREE_SCAN], tree.tiles, &tree);
}
