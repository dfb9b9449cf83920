#include "apps/cli/trace_scan.h"

#include <stdlib.h>

/* The names that the templates use (scan/cpu/element.h): elements that know who made them, and for the
   operator the record. */
typedef trace_element T;
typedef trace_record *OPERATOR;
#define combine(op, a, b) trace_combine(op, a, b)
#define DO_BY_OPERATOR(op, function, ...) (trace_block(op), function((op), __VA_ARGS__))
#define SHOW_LEVEL(op, what, array, n) trace_phase(op, what, array, n)
#undef SHOW
#define SHOW(op, array, n, what, value) trace_step(op, array, n, what, value)

static inline T identity(OPERATOR op)
{
    return (T){trace_value_identity(op->type, op->op), TRACE_IDENTITY};
}

typedef struct view {
    void *data;
    parscan_type type;
    size_t n;
    bool reverse;
} VIEW;

static inline T load(const VIEW *view, size_t i)
{
    return ((const T *)view->data)[i];
}

static inline void store(const VIEW *view, size_t i, T value)
{
    ((T *)view->data)[i] = value;
}

#include "scan/hierarchical/hierarchical_cpu_template.h"

/* The arrays of a scan, in one allocation. */
typedef struct workspace {
    T *in, *shifted, *out, *sums, *block;
} workspace;

static bool workspace_create(workspace *work, const trace_record *record)
{
    const size_t n = record->n, sums = scan_levels_scratch(n, record->shape);
    const size_t block = scan_level_block(record->shape);
    T *const all = calloc(3 * n + sums + block, sizeof(T));
    if (all == NULL)
        return false;
    *work = (workspace){all, all + n, all + 2 * n, all + 3 * n, all + 3 * n + sums};
    return true;
}

bool trace_scan(trace_record *record, const trace_value *values)
{
    workspace work;
    const size_t n = record->n, tile = trace_block_size(record);
    if (!workspace_create(&work, record))
        return false;
    for (size_t i = 0; i < n; i++)
        work.in[i] = (T){values[i], TRACE_INPUT(i)};
    const VIEW in = {.data = work.in, .type = record->type, .n = n};
    const VIEW out = {.data = work.out, .type = record->type, .n = n};
    for (size_t i = 0; i < n; i += tile)
        block_load(1, &in, i, (unsigned)(n - i < tile ? n - i : tile), record->exclusive,
                   identity(record), work.shifted + i);
    trace_record_begin(record, work.in, work.shifted);
    if (record->blocks) {
        level all = {
            .op = record,
            .shape = record->shape,
            .in = in,
            .out = out,
            .n = n,
            .exclusive = record->exclusive,
            .sums = work.sums,
            .blocks = work.block,
        };
        scan_level(&all);
    } else {
        trace_block(record);
        block_load(1, &in, 0, (unsigned)n, record->exclusive, identity(record), work.block);
        block_scan(record, record->shape, work.block, (unsigned)n);
    }
    trace_round(record);
    free(work.in);
    return !record->failed;
}
