#include "scan/runtime/custom_sort_cuda.h"

#include "scan/runtime/custom_run.h"

static custom_program sort_program(const parscan_context *context)
{
    return (custom_program){.kind = CUSTOM_SORT,
                            .architecture = parscan_custom_architecture(context)};
}

/* Sorts tiles, or merges runs. */
static parscan_status launch_step(parscan_context *context, const void *kernel,
                                  const custom_sort *step, size_t tile)
{
    const custom_launch launch = {.kernel = kernel,
                                  .blocks = (step->call.n - 1) / tile + 1,
                                  .threads = CUSTOM_SORT_THREADS,
                                  .chained = true,
                                  .in_order = true,
                                  .params = step};
    return parscan_custom_launch(context, &launch);
}

/* The number of merges tells which of the two arrays tiles are sorted to, so that the last one writes `out`. */
parscan_status parscan_custom_sort_cuda(parscan_context *context, const parscan_operator *less,
                                        const custom_sort_arrays *arrays)
{
    const parscan_scan_call call = {
        .context = context, .custom = less, .n = arrays->n, .n_at = arrays->n_at};
    custom_run run = {&call, less->code, parscan_custom_code_text(less->code), arrays->in,
                      arrays->out};
    const size_t tile = (size_t)CUSTOM_SORT_THREADS * CUSTOM_SORT_ITEMS(less->size);
    const custom_program program = sort_program(context);
    const custom_use *use;
    parscan_status status = parscan_custom_use(context, run.code, &program, &use);
    if (status != PARSCAN_OK || use == NULL || arrays->n == 0)
        return status;
    void *other = arrays->scratch;
    for (size_t merged = tile; merged < arrays->n; merged *= 2) {
        void *const next = run.out;
        run.out = other;
        other = next;
    }
    custom_sort step = {.call = parscan_custom_fields(&run)};
    status = launch_step(context, use->kernels[CUSTOM_MAIN], &step, tile);
    for (step.run = 1; step.run * tile < arrays->n && status == PARSCAN_OK; step.run *= 2) {
        void *const from = step.call.out;
        step.call.out = other;
        step.call.in = other = from;
        status = launch_step(context, use->kernels[CUSTOM_MERGE_RUNS], &step, tile);
    }
    return status;
}

parscan_status parscan_custom_prepare_sort_cuda(parscan_context *context,
                                                const parscan_operator *less)
{
    const custom_program program = sort_program(context);
    const custom_use *use;
    parscan_status status = parscan_cuda_begin(context, "parscan_operator_prepare");
    if (status == PARSCAN_OK)
        status = parscan_custom_use(context, less->code, &program, &use);
    return parscan_cuda_end(context, status);
}
