/* Chooses the algorithm of a call with an operator of the caller's, and has the sequential one. */
#include "scan/custom/custom_cpu.h"

#include "scan/context/float_mode.h"
#include "scan/custom/custom_arrays.h"

parscan_status parscan_custom_sequential_cpu(const parscan_scan_call *call)
{
    const custom_arrays arrays = parscan_custom_arrays_of(call);
    const bool exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE;
    custom_value before = custom_value_of(arrays.op, call->init);
    const custom_value start = parscan_custom_start(call);
    for (size_t i = 0; i < call->n; i++) {
        const custom_value x = parscan_custom_load_one(&arrays, i);
        const custom_value through = custom_add(arrays.op, &before, &x);
        if (call->kind != PARSCAN_KIND_REDUCE) {
            const custom_value *const first = i == 0 ? &start : &before;
            parscan_custom_store_one(&arrays, i, exclusive ? first->bytes : through.bytes);
        }
        before = through;
    }
    if (call->kind == PARSCAN_KIND_REDUCE)
        parscan_custom_store_at(&arrays, 0, before.bytes);
    if (call->carry != NULL)
        memcpy(call->carry, before.bytes, arrays.op->size);
    return PARSCAN_OK;
}

/* A reduction of nothing. */
static parscan_status store_start(const parscan_scan_call *call)
{
    const custom_arrays arrays = parscan_custom_arrays_of(call);
    const custom_value start = parscan_custom_start(call);
    parscan_custom_store_at(&arrays, 0, start.bytes);
    if (call->carry != NULL)
        memcpy(call->carry, start.bytes, arrays.op->size);
    return PARSCAN_OK;
}

static parscan_status run_algorithm(const parscan_scan_call *call)
{
    if (call->n == 0)
        return call->context->measures ? PARSCAN_OK : store_start(call);
    if (call->reproducible)
        return parscan_custom_tree_cpu(call);
    switch (call->shape.algorithm) {
    case PARSCAN_SEQUENTIAL:
        return call->context->measures ? PARSCAN_OK : parscan_custom_sequential_cpu(call);
    case PARSCAN_AUTO:
    case PARSCAN_SINGLE_PASS:
        return parscan_custom_single_pass_cpu(call);
    default:
        return parscan_custom_blocks_cpu(call);
    }
}

parscan_status parscan_custom_cpu(const parscan_scan_call *call)
{
    const parscan_float_state before =
        parscan_float_begin(call->reproducible ? FLOAT_DEFAULT : FLOAT_CALLERS);
    const parscan_status status = run_algorithm(call);
    parscan_float_end(before);
    return status;
}
