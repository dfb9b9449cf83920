/*
 * The host side of joins on CUDA, in three steps that exist elsewhere:
 *
 *     match    a search for bounds finds, for each element of left, where its equal elements begin in
 *              right and how many pairs it has (apps/search)
 *     sum      a scan of these numbers gives the places of the pairs, and their total
 *     expand   the pairs are shared evenly: an expansion whose ranks begin at those bounds (apps/allocate)
 *
 * The host waits for the total only if an array of the call is in host memory.
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/allocate_cuda.h"
#include "apps/allocate/expand_plan.h"
#include "apps/join/pair_cuda.h"
#include "apps/search/bounds_cuda.h"
#include "scan/cuda/driver.h"

enum { LEFT, RIGHT, LEFT_OUT, RIGHT_OUT, TOTAL, ARRAYS };
enum { ALIGNMENT = 256 };

typedef struct join_run {
    join_call call;
    uint64_t *total;
    parscan_cuda_array *arrays; /* the driver's */
    bounds_plan bounds;
    expand_plan expand;
    bool wide;  /* numbers of elements of right have 8 bytes, else 4 */
    bool waits; /* the host reads the total before pairs are written */
    parscan_chain_memory chain;
    /* In scratch. */
    uint64_t *state;
    void *offsets, *begins, *counts, *tree;
} join_run;

/* ---- before the pairs are written ---- */

static bool has_pairs(const join_call *call)
{
    return call->left_out != NULL || call->right_out != NULL;
}

static void plan_join(join_run *run)
{
    const join_call *const call = &run->call;
    const parscan_cuda *const cuda = call->context->cuda;
    const bounds_facts bounds = {.count = call->right.n,
                                 .n = call->left.n,
                                 .key_size = call->size,
                                 .sorted = (uintptr_t)run->arrays[RIGHT].device,
                                 .ranges = true};
    const expand_facts expand = {
        .capacity = call->capacity, .slots = has_pairs(call), .on_host = run->waits};
    run->bounds = parscan_bounds_plan(&cuda->plan_device, &bounds);
    run->expand = parscan_expand_plan(&cuda->plan_device, &expand);
    run->wide = call->right.n > UINT32_MAX;
    if (!cuda->prints_plans)
        return;
    parscan_plan_print(&parscan_bounds_plans, run->bounds.variant,
                       "a join: %zu needles in %zu keys, %u levels", call->left.n, call->right.n,
                       run->bounds.levels);
    parscan_plan_print(&parscan_expand_plans, run->expand.variant, "a join: %zu items, %s offsets",
                       call->left.n, run->expand.wide ? "u64" : "u32");
}

/* A place of so many bytes behind *bytes. */
static size_t place_after(size_t *bytes, size_t size)
{
    const size_t place = *bytes;
    *bytes += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return place;
}

static parscan_status take_memory(join_run *run)
{
    const join_call *const call = &run->call;
    const size_t n = call->left.n, number = run->wide ? 8 : 4, offset = run->expand.wide ? 8 : 4;
    size_t bytes = 0;
    const size_t state = place_after(&bytes, UNITS_ROOM * sizeof *run->state);
    const size_t tree = place_after(&bytes, run->bounds.scratch_bytes);
    const size_t counts = place_after(&bytes, n * number);
    const size_t begins = place_after(&bytes, call->right_out != NULL ? n * number : 0);
    const size_t offsets = place_after(&bytes, has_pairs(call) ? (n + 1) * offset : 0);
    void *scratch = NULL;
    parscan_status status =
        parscan_cuda_chain_memory(call->context, parscan_units_chain_words(n), &run->chain);
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(call->context, bytes, &scratch);
    if (status != PARSCAN_OK)
        return status;
    char *const at = scratch;
    run->state = (uint64_t *)scratch + state / sizeof *run->state;
    run->tree = at + tree;
    run->counts = at + counts;
    run->begins = call->right_out != NULL ? at + begins : NULL;
    run->offsets = has_pairs(call) ? at + offsets : NULL;
    return PARSCAN_OK;
}

static bounds_count counted_by(parscan_join_kind kind)
{
    switch (kind) {
    case PARSCAN_JOIN_LEFT:
        return BOUNDS_COUNT_LEFT;
    case PARSCAN_JOIN_SEMI:
        return BOUNDS_COUNT_ANY;
    case PARSCAN_JOIN_ANTI:
        return BOUNDS_COUNT_MISSING;
    default:
        return BOUNDS_COUNT_EQUAL;
    }
}

static parscan_status match(const join_run *run)
{
    const join_call *const call = &run->call;
    parscan_context *const context = call->context;
    const bounds_params bounds = {
        .sorted = run->arrays[RIGHT].device,
        .values = run->arrays[LEFT].device,
        .out = run->begins,
        .count = call->right.n,
        .n = call->left.n,
        .count_at = call->right.n_at,
        .n_at = call->left.n_at,
        .order = parscan_key_order(call->type, false, 0, 8 * (unsigned)call->size),
        .wide = run->wide,
        .tree = run->tree,
        .counted = counted_by(call->kind),
        .counts = run->counts,
        .plan = run->bounds,
    };
    const key_class key = parscan_type_traits_of(call->type).key;
    return PARSCAN_CUDA_QUEUE(context, parscan_bounds_launch(context, key, &bounds));
}

/* If pairs are written as well, that kernel leaves the error. */
static parscan_status sum_pairs(const join_run *run)
{
    const join_call *const call = &run->call;
    parscan_context *const context = call->context;
    allocate_sum_params units = {
        .size_type = run->wide ? PARSCAN_U64 : PARSCAN_U32,
        .offset_type = run->expand.wide ? PARSCAN_U64 : PARSCAN_U32,
        .sizes = run->counts,
        .offsets = run->offsets,
        .n = call->left.n,
        .n_at = call->left.n_at,
        .most = UINT64_MAX,
        .capacity = call->capacity,
        .largest = UINT64_MAX,
        .ends = has_pairs(call),
        .state = run->state,
        .total = run->arrays[TOTAL].staged ? NULL : run->arrays[TOTAL].device,
        .deferred =
            has_pairs(call) || run->waits ? (parscan_deferred){0} : parscan_cuda_deferred(context),
    };
    units.deferred.of_lengths = call->of_lengths;
    return PARSCAN_CUDA_QUEUE(context, parscan_units_launch(context, &run->chain, &units));
}

/* Reads the total and the status, and reports errors. In a context that measures it is the most. */
static parscan_status learn_total(join_run *run, uint64_t *pairs)
{
    const join_call *const call = &run->call;
    parscan_context *const context = call->context;
    uint64_t found[UNITS_STATE] = {PARSCAN_OK};
    const parscan_status status = parscan_cuda_unstage(context, found, run->state, sizeof found);
    *pairs = context->measures ? call->capacity : found[UNITS_TOTAL];
    if (context->measures && has_pairs(call) && *pairs > SIZE_MAX / 2 / sizeof(uint64_t))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "measure_host: capacity = %llu is more than memory has",
                            (unsigned long long)*pairs);
    if (status != PARSCAN_OK || context->measures)
        return status;
    if (run->arrays[TOTAL].staged)
        *run->total = *pairs;
    run->arrays[TOTAL].bytes = 0;
    if (found[UNITS_STATUS] == PARSCAN_ERROR_CAPACITY)
        return parscan_fail_pairs(call, *pairs);
    return parscan_fail_total(context, (parscan_status)found[UNITS_STATUS], call->index_type,
                              *pairs, call->capacity);
}

/* ---- the pairs ---- */

/* Makes copies of the outputs as long as there are pairs. */
static parscan_status place_pairs(join_run *run, uint64_t pairs)
{
    const size_t index_size = parscan_type_size(run->call.index_type);
    run->arrays[LEFT].given = run->arrays[LEFT].device;
    run->arrays[RIGHT].given = run->arrays[RIGHT].device;
    run->arrays[LEFT_OUT].bytes = run->call.left_out != NULL ? pairs * index_size : 0;
    run->arrays[RIGHT_OUT].bytes = run->call.right_out != NULL ? pairs * index_size : 0;
    return parscan_cuda_place(run->call.context, run->arrays, TOTAL);
}

static parscan_status write_pairs(const join_run *run, uint64_t most)
{
    const join_call *const call = &run->call;
    parscan_context *const context = call->context;
    const uint64_t work = most + call->left.n;
    slots_params slots = {
        .offsets = run->offsets,
        .wide = run->expand.wide,
        .state = run->state,
        .deferred = run->waits ? (parscan_deferred){0} : parscan_cuda_deferred(context),
        .most_work = work < most ? UINT64_MAX : work,
        .index_type = parscan_type_size(call->index_type) == 8 ? PARSCAN_U64 : PARSCAN_U32,
        .owner = run->arrays[LEFT_OUT].device,
        .rank = run->arrays[RIGHT_OUT].device,
        .begins = run->begins,
        .wide_begins = run->wide,
    };
    slots.deferred.of_lengths = call->of_lengths;
    return PARSCAN_CUDA_QUEUE(context, parscan_expand_launch(context->cuda, &slots));
}

static parscan_status join_in_steps(join_run *run)
{
    uint64_t pairs = run->call.capacity;
    plan_join(run);
    parscan_status status = take_memory(run);
    if (status == PARSCAN_OK)
        status = match(run);
    if (status == PARSCAN_OK)
        status = sum_pairs(run);
    if (status == PARSCAN_OK && run->waits)
        status = learn_total(run, &pairs);
    if (status != PARSCAN_OK || !has_pairs(&run->call) || (run->waits && pairs == 0))
        return status;
    if (run->waits)
        status = place_pairs(run, pairs);
    return status == PARSCAN_OK ? write_pairs(run, pairs) : status;
}

/* ---- the operation ---- */

/* How long the outputs are is not known before the pairs are counted. */
static unsigned describe_join(const void *given, parscan_cuda_array *arrays)
{
    const join_run *const run = given;
    const join_call *const call = &run->call;
    const size_t index_size = parscan_type_size(call->index_type);
    arrays[LEFT] = parscan_cuda_input("left", call->left.keys, call->left.n, call->size);
    arrays[RIGHT] = parscan_cuda_input("right", call->right.keys, call->right.n, call->size);
    arrays[LEFT_OUT] = parscan_cuda_output("left_out", call->left_out, 0, index_size);
    arrays[RIGHT_OUT] = parscan_cuda_output("right_out", call->right_out, 0, index_size);
    arrays[TOTAL] = parscan_cuda_count("total", run->total, call->capacity);
    return ARRAYS;
}

static unsigned lengths_of_join(void *given, parscan_cuda_length *lengths)
{
    join_call *const call = &((join_run *)given)->call;
    return parscan_pair_lengths_cuda(&call->left, &call->right, lengths);
}

/* Sets *on_device where the outputs, as far as they are wanted, are there. */
static parscan_status find_outputs(const join_call *call, bool *on_device)
{
    bool right_on_device = true;
    parscan_status status = PARSCAN_OK;
    *on_device = true;
    if (call->left_out != NULL)
        status = parscan_cuda_on_device(call->context, "left_out", call->left_out, on_device);
    if (status == PARSCAN_OK && call->right_out != NULL)
        status =
            parscan_cuda_on_device(call->context, "right_out", call->right_out, &right_on_device);
    *on_device = *on_device && right_on_device;
    return status;
}

/* An error is found again by the launch. */
static bool reads_lengths(const void *given)
{
    bool on_device;
    return find_outputs(&((const join_run *)given)->call, &on_device) == PARSCAN_OK && on_device;
}

static parscan_status launch_join(void *given, parscan_cuda_array *arrays)
{
    join_run *const run = given;
    parscan_context *const context = run->call.context;
    bool on_device;
    const parscan_status status = find_outputs(&run->call, &on_device);
    run->arrays = arrays;
    run->waits = arrays[TOTAL].staged || !on_device;
    if (status != PARSCAN_OK)
        return status;
    if (run->call.left.n > 0)
        return join_in_steps(run);
    return PARSCAN_CUDA_QUEUE(context, cudaMemsetAsync(arrays[TOTAL].device, 0, sizeof *run->total,
                                                       context->cuda->stream));
}

parscan_status parscan_join_cuda(const join_call *call, uint64_t *total)
{
    static const parscan_cuda_operation operation = {.describe = describe_join,
                                                     .lengths = lengths_of_join,
                                                     .reads_lengths = reads_lengths,
                                                     .launch = launch_join};
    join_run run = {.call = *call, .total = total};
    return parscan_cuda_run(call->context, "parscan_join", &operation, &run);
}
