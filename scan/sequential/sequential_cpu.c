/*
 * The sequential scan: one element after another. A baseline for the other algorithms. Floats are
 * grouped as in a plain loop. Compiled once for each element type (see scan/cpu/element.h).
 */
#include "scan/call_element.h"
#include "scan/scan_element_cpu.h"

#define LOOP static inline __attribute__((always_inline)) T

LOOP scan_type(const parscan_type type, const OPERATOR op, VIEW in, const VIEW out, size_t begin,
               const bool exclusive, T before)
{
    in.type = type;
    for (size_t i = begin; i < in.n; i++) {
        const T through = combine(op, before, load(&in, i));
        store(&out, i, exclusive ? before : through);
        before = through;
    }
    return before;
}

LOOP reduce_type(const parscan_type type, const OPERATOR op, VIEW in, size_t begin, T before)
{
    in.type = type;
    for (size_t i = begin; i < in.n; i++)
        before = combine(op, before, load(&in, i));
    return before;
}

/* Sums alone widen integers. */
LOOP scan_all(const OPERATOR op, const VIEW in, const VIEW out, size_t begin, const bool exclusive,
              T before)
{
    return op == PARSCAN_SUM ? BY_TYPE(in.type, scan_type, op, in, out, begin, exclusive, before)
                             : scan_type(in.type, op, in, out, begin, exclusive, before);
}

LOOP reduce_all(const OPERATOR op, const VIEW in, size_t begin, T before)
{
    return op == PARSCAN_SUM ? BY_TYPE(in.type, reduce_type, op, in, begin, before)
                             : reduce_type(in.type, op, in, begin, before);
}

parscan_status NAMED(parscan_sequential_cpu)(const parscan_scan_call *call)
{
    const VIEW in = input_of(call), out = output_of(call);
    T init;
    const T *const start = init_of(call, &init);
    const bool exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE;
    T before = start_value(call->op, start);
    size_t begin = 0;
    if (start == NULL && call->n > 0) {
        /* Without an init the first element is the first sum, with its exact bits. */
        const T first = load(&in, 0);
        if (call->kind != PARSCAN_KIND_REDUCE) {
            const first_element result = first_of(&in, &out, exclusive, before);
            store_first(&out, &result);
        }
        before = first;
        begin = 1;
    }
    if (call->kind != PARSCAN_KIND_REDUCE) {
        before = BY_OPERATOR(call->op, scan_all, in, out, begin, exclusive, before);
    } else {
        before = BY_OPERATOR(call->op, reduce_all, in, begin, before);
        store_result(call, before);
    }
    store_carry(call, before);
    return PARSCAN_OK;
}
