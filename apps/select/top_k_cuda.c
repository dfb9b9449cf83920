/*
 * The host side of top-k on CUDA. Which launches a call takes stands in its plan (top_k_plan.h); what depends on the
 * elements is decided on the device.
 */
#include "apps/select/top_k_cuda.h"

#include "apps/radix/radix_cuda.h"
#include "apps/select/select_cuda.h"
#include "scan/context/check.h"

/* The scratch of a call: places and ranks are those of candidates, or of all elements. */
typedef struct top_k_run {
    const select_call *call;
    top_k_cuda_call on_device;
    size_t part; /* bytes of a rank, of a place */
    void *offsets;
    sort_state *plans;          /* two */
    void *ranks[2], *places[2]; /* of a sort */
    void *keys[2];              /* of a sort of the elements themselves */
} top_k_run;

/* The length of rows, or 0. */
static size_t row_of(const select_call *call)
{
    return call->segments != NULL && call->segments->kind == PARSCAN_SEGMENTS_ROWS &&
                   call->n_at == NULL
               ? call->segments->count
               : 0;
}

static top_k_plan plan_of(const select_call *call)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const top_k_facts facts = {.n = call->n,
                               .k = call->k,
                               .size = parscan_type_size(call->type),
                               .has_segments = call->segments != NULL,
                               .row = row_of(call),
                               .wanted = call->values != NULL || call->indices != NULL};
    const top_k_plan plan = parscan_top_k_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_top_k_plans, plan.variant, "%zu of %zu elements of %zu bytes",
                           facts.k, facts.n, facts.size);
    return plan;
}

static parscan_status launch(const top_k_run *run, top_k_step step)
{
    return PARSCAN_CUDA_QUEUE(
        run->call->context, SELECT_LAUNCH(parscan_top_k_launch, run->call)(&run->on_device, step));
}

static parscan_status launch_all(const top_k_run *run, const top_k_step *steps, unsigned count)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < count && status == PARSCAN_OK; k++)
        status = launch(run, steps[k]);
    return status;
}

/* ---- scratch ---- */

static bool has_offsets(const top_k_run *run)
{
    const top_k_plan *const plan = &run->on_device.plan;
    return run->call->segments != NULL && plan->apart == 0 &&
           !parscan_top_k_takes_rows(plan->variant);
}

/* The status words that the launches need. */
static size_t chain_words(const top_k_run *run)
{
    const top_k_plan *const plan = &run->on_device.plan;
    const size_t size = parscan_type_size(run->call->type);
    const size_t tiles = run->on_device.n * size / TOP_K_LIST_TILE_BYTES + 2;
    if (plan->variant == TOP_K_BLOCKS)
        return TOP_K_BLOCK_WORDS(*plan, run->on_device.k);
    if (plan->variant == TOP_K_MANY && tiles > TOP_K_WORDS)
        return tiles;
    return plan->variant == TOP_K_MANY || plan->variant == TOP_K_FEW ? TOP_K_WORDS : 0;
}

/* Variants that sort all elements have no candidates. */
static parscan_status take_scratch(top_k_run *run)
{
    const select_call *const call = run->call;
    const top_k_plan *const plan = &run->on_device.plan;
    const top_k_variant variant = plan->variant;
    const bool samples = variant == TOP_K_FEW || variant == TOP_K_MANY;
    const bool sorts_all = variant == TOP_K_SORTED || variant == TOP_K_SEGMENTS_SORTED;
    const size_t listed = samples ? plan->room : 0, many = variant == TOP_K_MANY ? listed : 0;
    const size_t all = sorts_all ? run->on_device.n : 0;
    const size_t divided = variant == TOP_K_SEGMENTS_SORTED ? call->n * sizeof(uint32_t) : 0;
    const size_t key_bytes = all * parscan_type_size(call->type);
    const size_t keys = key_bytes > divided ? key_bytes : divided;
    const scratch_piece pieces[] = {
        {has_offsets(run) ? parscan_select_offsets_bytes(call) : 0, &run->offsets},
        {many > 0 || sorts_all ? 2 * sizeof(sort_state) : 0, (void **)&run->plans},
        {samples ? sizeof(top_k_state) : 0, (void **)&run->on_device.state},
        {plan->samples * 2 * run->part, &run->on_device.sampled},
        {listed * run->part, &run->on_device.ranks},
        {listed * run->part, &run->on_device.places},
        {many * run->part, &run->ranks[0]},
        {many * run->part, &run->ranks[1]},
        {(many + all) * run->part, &run->places[0]},
        {(many + all) * run->part, &run->places[1]},
        {keys, &run->keys[0]},
        {keys, &run->keys[1]},
        {divided, (void **)&run->on_device.segment_of},
    };
    const unsigned count = sizeof pieces / sizeof *pieces;
    size_t bytes = 0;
    for (unsigned k = 0; k < count; k++)
        bytes += pieces[k].size;
    const parscan_status status =
        bytes == 0 ? PARSCAN_OK : parscan_sort_take_scratch(call->context, pieces, count);
    const size_t words = chain_words(run);
    return status == PARSCAN_OK && words > 0
               ? parscan_cuda_chain_memory(call->context, words, &run->on_device.chain)
               : status;
}

/* ---- sorts ---- */

/* The bits that numbers below `end` have. */
static uint64_t bits_below(uint64_t end)
{
    uint64_t bits = end > 1 ? end - 1 : 1;
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits |= bits >> shift;
    return bits;
}

/* Sorts the candidates, which are in the order of their places, by their ranks. The sort is stable. */
static parscan_status sort_candidates(top_k_run *run)
{
    const select_call *const call = run->call;
    top_k_cuda_call *const on_device = &run->on_device;
    parscan_sort_cuda_call by_rank = {
        .context = call->context,
        .plan = &run->plans[0],
        .keys = {on_device->ranks, run->ranks[0], run->ranks[1]},
        .values = {on_device->places, run->places[0], run->places[1]},
        .n = on_device->plan.room,
        .count = &on_device->state->count,
        .value_size = run->part,
        .drops_keys = true,
    };
    parscan_sort_choose_digits(&by_rank, UINT64_MAX >> (64 - 8 * parscan_type_size(call->type)),
                               false);
    on_device->sorted = run->places[0];
    return parscan_sort_launches(run->part == sizeof(uint32_t) ? KEY_U32 : KEY_U64, &by_rank);
}

/* Sorts all elements' places by the elements. */
static parscan_status sort_all(top_k_run *run)
{
    const select_call *const call = run->call;
    const unsigned bits = 8 * (unsigned)parscan_type_size(call->type);
    const key_order order = parscan_key_order(call->type, !call->smallest, 0, bits);
    parscan_sort_cuda_call sort = {
        .context = call->context,
        .plan = &run->plans[0],
        .keys = {(void *)run->on_device.in, run->keys[0], run->keys[1]},
        .values = {NULL, run->places[0], run->places[1]},
        .n = run->on_device.n,
        .n_at = call->n_at,
        .value_size = run->part,
        .flip = order.flip,
        .whole_keys = true,
        .indices = true,
        .drops_keys = true,
    };
    parscan_sort_choose_digits(&sort, order.keep, false);
    run->on_device.sorted = run->places[0];
    return parscan_sort_launches(parscan_type_traits_of(call->type).key, &sort);
}

/* Sorts them by their segments then. */
static parscan_status sort_by_segment(top_k_run *run)
{
    const select_call *const call = run->call;
    uint32_t *const segment_of = run->on_device.segment_of;
    parscan_sort_cuda_call sort = {
        .context = call->context,
        .plan = &run->plans[1],
        .keys = {segment_of, segment_of, run->keys[0]},
        .values = {run->places[0], run->places[0], run->places[1]},
        .n = run->on_device.n,
        .n_at = call->n_at,
        .value_size = run->part,
        .drops_keys = true,
    };
    parscan_sort_choose_digits(&sort, bits_below(run->on_device.offsets.count), true);
    const parscan_status status = launch(run, TOP_K_DIVIDE);
    return status == PARSCAN_OK ? parscan_sort_launches(KEY_U32, &sort) : status;
}

/* ---- the operation ---- */

static parscan_status launch_variant(top_k_run *run)
{
    static const top_k_step few[] = {TOP_K_SAMPLE, TOP_K_FILTER, TOP_K_FINISH};
    static const top_k_step both[] = {TOP_K_WARPS, TOP_K_CHOOSE};
    static const top_k_step many[] = {TOP_K_SAMPLE, TOP_K_LIST, TOP_K_REPAIR};
    parscan_status status = PARSCAN_OK;
    switch (run->on_device.plan.variant) {
    case TOP_K_ONE_BLOCK:
    case TOP_K_SEGMENT_BLOCKS:
        return launch(run, TOP_K_CHOOSE);
    case TOP_K_BLOCKS:
        return launch(run, TOP_K_WHOLE);
    case TOP_K_ROW_THREADS:
    case TOP_K_ROW_WARPS:
    case TOP_K_ROW_BLOCKS:
        return launch(run, TOP_K_ROWS);
    case TOP_K_SEGMENT_BOTH:
        return launch_all(run, both, 2);
    case TOP_K_FEW:
        return launch_all(run, few, 3);
    case TOP_K_MANY:
        status = launch_all(run, many, 3);
        if (status == PARSCAN_OK)
            status = sort_candidates(run);
        break;
    case TOP_K_SEGMENTS_SORTED:
        status = sort_all(run);
        if (status == PARSCAN_OK)
            status = sort_by_segment(run);
        break;
    case TOP_K_SORTED:
        status = sort_all(run);
        break;
    default:
        break;
    }
    return status == PARSCAN_OK ? launch(run, TOP_K_WRITE) : status;
}

/* Moves on to the next row. */
static void next_row(top_k_cuda_call *on_device, size_t size)
{
    const size_t k = on_device->k,
                 index_size = on_device->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    on_device->in = (const char *)on_device->in + on_device->n * size;
    if (on_device->values != NULL)
        on_device->values = (char *)on_device->values + k * size;
    if (on_device->indices != NULL)
        on_device->indices = (char *)on_device->indices + k * index_size;
    if (on_device->counts != NULL)
        on_device->counts++;
}

static parscan_status launch_rows(top_k_run *run)
{
    parscan_status status = PARSCAN_OK;
    for (size_t r = 0; r < run->on_device.plan.apart && status == PARSCAN_OK; r++) {
        status = launch_variant(run);
        next_row(&run->on_device, parscan_type_size(run->call->type));
    }
    return status;
}

static parscan_status launch_top_k(void *given, parscan_cuda_array *arrays)
{
    const select_call *const call = given;
    top_k_run run = {
        .call = call,
        .on_device =
            {
                .context = call->context,
                .in = arrays[SELECT_IN].device,
                .n = call->n,
                .k = call->k,
                .row = row_of(call),
                .n_at = call->n_at,
                .order = select_order_of(call->type, !call->smallest, false),
                .values = arrays[SELECT_VALUES].device,
                .indices = arrays[SELECT_INDICES].device,
                .wide = call->indices != NULL &&
                        parscan_type_size(call->index_type) == sizeof(uint64_t),
                .counts = arrays[SELECT_COUNTS].device,
                .count = arrays[SELECT_COUNT].device,
                .segments = 1,
                .plan = plan_of(call),
            },
    };
    top_k_cuda_call *const on_device = &run.on_device;
    if (parscan_selects_nothing(call))
        return parscan_select_nothing(call, arrays);
    run.part = on_device->plan.wide ? sizeof(uint64_t) : sizeof(uint32_t);
    if (on_device->plan.apart > 0) {
        on_device->segments = on_device->plan.apart;
        on_device->n = row_of(call);
    }
    parscan_status status = take_scratch(&run);
    if (status == PARSCAN_OK && has_offsets(&run)) {
        status = parscan_select_offsets(call, arrays, run.offsets, &on_device->offsets);
        on_device->count = on_device->offsets.number;
    }
    if (status != PARSCAN_OK)
        return status;
    return on_device->plan.apart > 0 ? launch_rows(&run) : launch_variant(&run);
}

static parscan_status check_top_k(const void *given, const parscan_cuda_array *arrays)
{
    const select_call *const call = given;
    if (call->segments != NULL && parscan_by_offsets(call->segments) &&
        parscan_segment_count(call->segments, call->n) > UINT32_MAX)
        return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                            "segments->count: not more than 2^32 - 1 segments on CUDA");
    return parscan_check_selection_cuda(given, arrays);
}

/* By flags or keys with results in host memory, their number must be known before: slots that are not written keep
   what they have. */
static parscan_status count_segments(select_call *call)
{
    parscan_context *const context = call->context;
    const void *const outputs[] = {call->values, call->indices, call->counts};
    static const char *const names[] = {"values_out", "indices_out", "counts"};
    bool on_device = true;
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < 3 && on_device && status == PARSCAN_OK; k++)
        if (outputs[k] != NULL)
            status = parscan_cuda_on_device(context, names[k], outputs[k], &on_device);
    if (status != PARSCAN_OK || on_device)
        return status;
    uint64_t count = 0;
    if (call->n_at != NULL)
        status = parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = call->n_at));
    if (status == PARSCAN_OK)
        status = parscan_arg_reduce(
            context, call->type, call->in, call->n, PARSCAN_MIN, NULL, (parscan_type)0, NULL,
            &PARSCAN_ARG_REDUCE_OPTIONS(.segments = call->segments, .count = &count));
    call->found_segments = (size_t)count;
    call->has_found = true;
    return status;
}

parscan_status parscan_top_k_cuda(const select_call *given)
{
    static const parscan_cuda_operation operation = SELECT_OPERATION(check_top_k, launch_top_k);
    select_copy copy;
    parscan_copy_selection(given, &copy);
    parscan_status status = PARSCAN_OK;
    if (given->segments != NULL && !parscan_by_offsets(given->segments))
        status = count_segments(&copy.call);
    return status == PARSCAN_OK
               ? parscan_cuda_run(given->context, "parscan_top_k", &operation, &copy.call)
               : status;
}
