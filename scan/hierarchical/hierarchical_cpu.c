/* The hierarchical scan for one element type. Compiled once for each type (scan/cpu/element.h). */
#include "scan/call_element.h"
#include "scan/scan_element_cpu.h"

#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

/* The threads that pay for n elements, of those that have a block. */
static unsigned workers_for(const parscan_context *context, size_t n, unsigned most)
{
    const unsigned pay = parscan_threads_for(context, n * sizeof(T));
    return pay < most ? pay : most;
}

/* A thread takes so many tiles at once that they have about as many bytes as a tile of the other
   passes. */
#define EACH_TILE(count, function, l)                                                      \
    parscan_team_for((l)->context, workers_for((l)->context, (l)->n, (l)->workers), count, \
                     TILE_BYTES / sizeof(T) / tile_elements((l)->shape) + 1, function, l)
#define STORES_LOSE(l) \
    (PARSCAN_ELEMENT_TYPE == PARSCAN_F32 && parscan_compute_type((l)->out.type) != (l)->out.type)
#include "scan/hierarchical/hierarchical_cpu_template.h"

static size_t hierarchical_scratch_need(const void *state, unsigned threads)
{
    const parscan_scan_call *const call = state;
    const size_t sums = scan_levels_scratch(call->n, call->shape);
    return (sums + threads * scan_level_block(call->shape)) * sizeof(T);
}

parscan_status NAMED(parscan_hierarchical_cpu)(const parscan_scan_call *call)
{
    const bool reduce = call->kind == PARSCAN_KIND_REDUCE;
    T init;
    level bottom = {
        .op = call->op,
        .shape = call->shape,
        .in = input_of(call),
        .out = output_of(call),
        .n = call->n,
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .init = init_of(call, &init),
        .context = call->context,
    };
    if (call->n == 0 && call->context->measures)
        return PARSCAN_OK;
    if (call->n == 0) {
        store_result(call, start_value(call->op, bottom.init));
        store_carry(call, start_value(call->op, bottom.init));
        return PARSCAN_OK;
    }
    void *scratch;
    bottom.workers = workers_for(call->context, call->n, call->context->threads);
    const parscan_status status = parscan_scratch_of_threads(
        call->context, &bottom.workers, hierarchical_scratch_need, call, &scratch);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    bottom.sums = scratch;
    bottom.blocks = bottom.sums + scan_levels_scratch(call->n, call->shape);
    if (reduce)
        bottom.out.data = NULL;
    const bool exact_first = !reduce && (bottom.exclusive || bottom.init == NULL);
    first_element first = {{0}};
    if (exact_first)
        first =
            first_of(&bottom.in, &bottom.out, bottom.exclusive, start_value(call->op, bottom.init));
    scan_level(&bottom);
    const T through = bottom.sums[tiles_of(call->n, call->shape) - 1];
    store_carry(call, through);
    if (reduce)
        store_result(call, through);
    else if (exact_first)
        store_first(&bottom.out, &first);
    return PARSCAN_OK;
}
