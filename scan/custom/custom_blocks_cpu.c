/*
 * The textbook's block algorithms with an operator of the caller's: the templates of scan/block/ and
 * scan/hierarchical/, whose elements are values that need not be there. Each combination is a call of the
 * caller's function; what is not there, in place of an identity, is not combined.
 */
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/custom/custom_arrays.h"
#include "scan/custom/custom_cpu.h"

typedef custom_value T;
typedef const parscan_operator *OPERATOR;
#define DO_BY_OPERATOR(op, function, ...) function((op), __VA_ARGS__)

static inline T combine(OPERATOR op, T earlier, T later)
{
    return custom_add(op, &earlier, &later);
}

static inline T identity(OPERATOR op)
{
    (void)op;
    return (T){.present = false};
}

/* The caller's arrays, of type CUSTOM, or sums. */
typedef struct custom_view {
    void *data;
    parscan_type type;
    size_t n;
    const custom_arrays *arrays; /* NULL: sums */
    bool is_out;
} VIEW;

static inline T load(const VIEW *view, size_t i)
{
    if (view->arrays == NULL)
        return ((const T *)view->data)[i];
    return view->is_out ? parscan_custom_load_stored(view->arrays, i)
                        : parscan_custom_load_one(view->arrays, i);
}

/* The first result of an exclusive scan of all without init is not there; it is stored at last. */
static inline void store(const VIEW *view, size_t i, T value)
{
    if (view->arrays == NULL)
        ((T *)view->data)[i] = value;
    else if (value.present)
        parscan_custom_store_one(view->arrays, i, value.bytes);
}

static unsigned workers_for(const parscan_context *context, size_t n, unsigned most)
{
    const unsigned pay = parscan_threads_for(context, n * sizeof(T));
    return pay < most ? pay : most;
}

/* What a map has stored cannot be added to, nor the first result of an exclusive scan, which is not
   there: such tiles are scanned once more. */
#define STORES_LOSE(l) \
    ((l)->out.arrays != NULL && ((l)->exclusive || (l)->out.arrays->op->store != NULL))
#define EACH_TILE(count, function, l)                                                         \
    parscan_team_for((l)->context, workers_for((l)->context, (l)->n, (l)->workers), count, 1, \
                     function, l)
#include "scan/hierarchical/hierarchical_cpu_template.h"

static size_t scratch_need(const void *state, unsigned threads)
{
    const parscan_scan_call *const call = state;
    const size_t sums = scan_levels_scratch(call->n, call->shape);
    return (sums + threads * scan_level_block(call->shape)) * sizeof(T);
}

parscan_status parscan_custom_blocks_cpu(const parscan_scan_call *call)
{
    const bool reduce = call->kind == PARSCAN_KIND_REDUCE;
    const custom_arrays arrays = parscan_custom_arrays_of(call);
    const VIEW in = {NULL, PARSCAN_CUSTOM, call->n, &arrays, false};
    const VIEW out = {call->out, PARSCAN_CUSTOM, call->n, &arrays, true};
    const custom_value init = custom_value_of(call->custom, call->init);
    const custom_value start = parscan_custom_start(call);
    level bottom = {
        .op = call->custom,
        .shape = call->shape,
        .in = in,
        .out = out,
        .n = call->n,
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .init = init.present ? &init : NULL,
        .context = call->context,
        .workers = workers_for(call->context, call->n, call->context->threads),
    };
    void *scratch;
    const parscan_status status =
        parscan_scratch_of_threads(call->context, &bottom.workers, scratch_need, call, &scratch);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    bottom.sums = scratch;
    bottom.blocks = bottom.sums + scan_levels_scratch(call->n, call->shape);
    if (reduce)
        bottom.out.data = NULL;
    scan_level(&bottom);
    const T through = bottom.sums[tiles_of(call->n, call->shape) - 1];
    if (call->carry != NULL)
        memcpy(call->carry, through.bytes, call->custom->size);
    if (reduce)
        parscan_custom_store_at(&arrays, 0, through.bytes);
    else if (bottom.exclusive && call->init == NULL)
        parscan_custom_store_one(&arrays, 0, start.bytes);
    return PARSCAN_OK;
}
