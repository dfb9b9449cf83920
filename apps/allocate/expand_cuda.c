/*
 * The host side of an expansion, or of run lengths decoded, on CUDA: it computes the offsets of all items in scratch,
 * then fills the slots in shares of equal work (slots_kernels.cuh). The host waits for the total only if
 * an array of the call is in host memory.
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/allocate_cuda.h"
#include "apps/allocate/expand_plan.h"
#include "scan/cuda/driver.h"

enum { SIZES, VALUES, OWNER, RANK, TOTAL, ARRAYS };

typedef struct expand_pass {
    expand_call call;
    uint64_t *total;
    parscan_cuda_array *arrays; /* the driver's */
    uint64_t *state;            /* in scratch */
    void *offsets;              /* in scratch */
    expand_plan plan;           /* offsets that are not wide hold every total that is no error */
    bool limited;               /* a rank may not fit its type */
    bool waits;                 /* the host reads the total before slots are written */
} expand_pass;

/* The bytes of a slot of owner, or of rank. */
static size_t slot_size(const expand_call *call)
{
    return call->values != NULL ? call->value_size : parscan_type_size(call->index_type);
}

static bool has_slots(const expand_call *call)
{
    return call->owner != NULL || call->rank != NULL;
}

/* Sums the sizes. If slots are written as well, that kernel stores the error. */
static parscan_status sum_sizes(expand_pass *pass)
{
    const expand_call *const call = &pass->call;
    parscan_context *const context = call->context;
    const bool slots = pass->plan.variant != EXPAND_TOTAL;
    const size_t offset_size = pass->plan.wide ? sizeof(uint64_t) : sizeof(uint32_t);
    parscan_chain_memory chain;
    void *scratch = NULL;
    parscan_status status =
        parscan_cuda_chain_memory(context, parscan_units_chain_words(call->n), &chain);
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(
            context, UNITS_ROOM * sizeof(uint64_t) + (slots ? (call->n + 1) * offset_size : 0),
            &scratch);
    if (status != PARSCAN_OK)
        return status;
    pass->state = scratch;
    pass->offsets = slots ? pass->state + UNITS_ROOM : NULL;
    if (pass->limited)
        status = PARSCAN_CUDA_QUEUE(context,
                                    cudaMemsetAsync(pass->state + UNITS_LARGE, 0,
                                                    sizeof *pass->state, context->cuda->stream));
    const allocate_sum_params units = {
        .size_type = call->size_type,
        .offset_type = pass->plan.wide ? PARSCAN_U64 : PARSCAN_U32,
        .sizes = pass->arrays[SIZES].device,
        .offsets = pass->offsets,
        .n = call->n,
        .n_at = call->n_at,
        .most = UINT64_MAX,
        .capacity = call->capacity,
        .largest = pass->limited ? parscan_most_rank(call) + 1 : UINT64_MAX,
        .ends = slots,
        .state = pass->state,
        .total = pass->arrays[TOTAL].staged ? NULL : pass->arrays[TOTAL].device,
        .deferred = slots || pass->waits ? (parscan_deferred){0} : parscan_cuda_deferred(context),
    };
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(context, parscan_units_launch(context, &chain, &units))
               : status;
}

/* In a context that measures: as many slots as there is room for. */
static parscan_status assume_most(const expand_pass *pass, uint64_t found[UNITS_STATE])
{
    const expand_call *const call = &pass->call;
    const bool on_host = pass->plan.variant == EXPAND_AFTER_TOTAL;
    found[UNITS_TOTAL] = call->capacity;
    if (on_host && call->capacity > SIZE_MAX / 2 / slot_size(call))
        return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                            "measure_host: capacity = %llu is more than memory has",
                            (unsigned long long)call->capacity);
    return PARSCAN_OK;
}

/* Reads the total and the status, and reports errors. */
static parscan_status learn_total(expand_pass *pass, uint64_t found[UNITS_STATE])
{
    parscan_context *const context = pass->call.context;
    const parscan_status status =
        parscan_cuda_unstage(context, found, pass->state, UNITS_STATE * sizeof *found);
    if (context->measures)
        return assume_most(pass, found);
    if (status != PARSCAN_OK)
        return status;
    if (pass->arrays[TOTAL].staged)
        *pass->total = found[UNITS_TOTAL];
    pass->arrays[TOTAL].bytes = 0;
    if (pass->limited && found[UNITS_LARGE] != 0 && found[UNITS_STATUS] != PARSCAN_ERROR_OVERFLOW)
        return parscan_fail_ranks(&pass->call);
    return parscan_fail_total(context, (parscan_status)found[UNITS_STATUS], pass->call.index_type,
                              found[UNITS_TOTAL], pass->call.capacity);
}

static uint64_t add_or_most(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static parscan_status write_slots(expand_pass *pass, uint64_t most)
{
    const expand_call *const call = &pass->call;
    parscan_context *const context = call->context;
    const slots_params slots = {
        .offsets = pass->offsets,
        .wide = pass->plan.wide,
        .state = pass->state,
        .deferred = pass->waits ? (parscan_deferred){0} : parscan_cuda_deferred(context),
        .most_work = add_or_most(most, call->n),
        .index_type = call->index_type,
        .owner = pass->arrays[OWNER].device,
        .rank = pass->arrays[RANK].device,
        .limited = pass->limited,
        .values = pass->arrays[VALUES].device,
        .value_size = call->value_size,
    };
    return PARSCAN_CUDA_QUEUE(context, call->values != NULL
                                           ? parscan_decode_launch(context->cuda, &slots)
                                           : parscan_expand_launch(context->cuda, &slots));
}

/* Makes copies of owner and rank as long as there are slots. */
static parscan_status place_slots(expand_pass *pass, uint64_t slots)
{
    pass->arrays[SIZES].given = pass->arrays[SIZES].device;
    pass->arrays[VALUES].given = pass->arrays[VALUES].device;
    pass->arrays[OWNER].bytes = pass->arrays[RANK].bytes = slots * slot_size(&pass->call);
    return parscan_cuda_place(pass->call.context, pass->arrays, TOTAL);
}

static parscan_status sum_and_write_slots(expand_pass *pass)
{
    const expand_call *const call = &pass->call;
    uint64_t found[UNITS_STATE] = {PARSCAN_OK, call->capacity, 0};
    parscan_status status = sum_sizes(pass);
    if (status == PARSCAN_OK && pass->waits)
        status = learn_total(pass, found);
    if (status != PARSCAN_OK || pass->plan.variant == EXPAND_TOTAL ||
        (pass->waits && found[UNITS_TOTAL] == 0))
        return status;
    if (pass->plan.variant == EXPAND_AFTER_TOTAL)
        status = place_slots(pass, found[UNITS_TOTAL]);
    return status == PARSCAN_OK ? write_slots(pass, found[UNITS_TOTAL]) : status;
}

/* How long owner and rank are is not known before the sizes are summed. */
static unsigned describe_expand(const void *given, parscan_cuda_array *arrays)
{
    const expand_pass *const pass = given;
    const expand_call *const call = &pass->call;
    const size_t index_size = slot_size(call);
    const bool decodes = call->values != NULL;
    arrays[SIZES] = parscan_cuda_input(decodes ? "lengths" : "sizes", call->sizes, call->n,
                                       parscan_type_size(call->size_type));
    arrays[VALUES] = parscan_cuda_input("values", call->values, call->n, call->value_size);
    arrays[OWNER] = parscan_cuda_output(decodes ? "out" : "owner", call->owner, 0, index_size);
    arrays[RANK] = parscan_cuda_output("rank", call->rank, 0, index_size);
    arrays[TOTAL] = parscan_cuda_count("total", pass->total, call->capacity);
    if (decodes)
        arrays[VALUES].alignment = arrays[OWNER].alignment = 1;
    return ARRAYS;
}

static unsigned lengths_of_expand(void *given, parscan_cuda_length *lengths)
{
    expand_pass *const pass = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &pass->call.n, &pass->call.n_at};
    return 1;
}

/* Sets *on_device where owner and rank, as far as they are wanted, are there. */
static parscan_status find_slots(const expand_call *call, bool *on_device)
{
    bool rank_on_device = true;
    parscan_status status = PARSCAN_OK;
    *on_device = true;
    if (call->owner != NULL)
        status = parscan_cuda_on_device(call->context, call->values != NULL ? "out" : "owner",
                                        call->owner, on_device);
    if (status == PARSCAN_OK && call->rank != NULL)
        status = parscan_cuda_on_device(call->context, "rank", call->rank, &rank_on_device);
    *on_device = *on_device && rank_on_device;
    return status;
}

/* An error is found again by the launch. */
static bool reads_lengths(const void *given)
{
    bool on_device;
    const expand_pass *const pass = given;
    return pass->call.n_at != NULL && find_slots(&pass->call, &on_device) == PARSCAN_OK &&
           on_device;
}

static void plan_expand(expand_pass *pass)
{
    const expand_call *const call = &pass->call;
    const parscan_cuda *const cuda = call->context->cuda;
    const expand_facts facts = {
        .capacity = call->capacity, .slots = has_slots(call), .on_host = pass->waits};
    pass->plan = parscan_expand_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_expand_plans, pass->plan.variant, "%zu items, %s offsets",
                           call->n, pass->plan.wide ? "u64" : "u32");
}

static parscan_status launch_expand(void *given, parscan_cuda_array *arrays)
{
    expand_pass *const pass = given;
    parscan_context *const context = pass->call.context;
    bool on_device;
    const parscan_status status = find_slots(&pass->call, &on_device);
    pass->arrays = arrays;
    pass->waits = arrays[TOTAL].staged || !on_device;
    if (status != PARSCAN_OK)
        return status;
    if (pass->call.n > 0) {
        plan_expand(pass);
        return sum_and_write_slots(pass);
    }
    return PARSCAN_CUDA_QUEUE(context, cudaMemsetAsync(arrays[TOTAL].device, 0, sizeof *pass->total,
                                                       context->cuda->stream));
}

static parscan_status run_expand(const expand_call *call, const char *name, uint64_t *total)
{
    static const parscan_cuda_operation operation = {.describe = describe_expand,
                                                     .lengths = lengths_of_expand,
                                                     .reads_lengths = reads_lengths,
                                                     .launch = launch_expand};
    expand_pass pass = {
        .call = *call,
        .total = total,
        .limited = call->values == NULL && parscan_ranks_may_overflow(call),
    };
    return parscan_cuda_run(call->context, name, &operation, &pass);
}

parscan_status parscan_expand_cuda(const expand_call *call, uint64_t *total)
{
    return run_expand(call, "parscan_expand", total);
}

parscan_status parscan_decode_cuda(const decode_call *call, uint64_t *total)
{
    const expand_call slots = {
        .context = call->context,
        .size_type = call->size_type,
        .index_type = PARSCAN_U64,
        .given_type = PARSCAN_U64,
        .sizes = call->sizes,
        .n = call->n,
        .n_at = call->n_at,
        .owner = call->out,
        .capacity = call->capacity,
        .values = call->values,
        .value_size = call->value_size,
    };
    return run_expand(&slots, "parscan_run_length_decode", total);
}
