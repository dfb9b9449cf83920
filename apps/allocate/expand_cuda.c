/*
 * The host side of an expansion on CUDA: it computes the offsets of all items in scratch, then
 * fills the slots in shares of equal work (slots_kernels.cuh). The host waits for the total only if
 * an array of the call is in host memory.
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/allocate_cuda.h"
#include "scan/cuda/cuda_arrays.h"

enum { SIZES, OWNER, RANK, TOTAL, ARRAYS };

typedef struct expand_pass {
    const expand_call *call;
    parscan_cuda_array arrays[ARRAYS];
    uint64_t *state; /* in scratch */
    void *offsets;   /* in scratch */
    bool wide;       /* offsets are u64, else u32, which holds every total that is no error */
    bool limited;    /* a rank may not fit its type */
    bool waits;      /* the host reads the total before slots are written */
} expand_pass;

static parscan_status check(parscan_context *context, cudaError_t error)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

static bool has_slots(const expand_call *call)
{
    return call->owner != NULL || call->rank != NULL;
}

/* Sums the sizes. If slots are written as well, that kernel stores the error. */
static parscan_status sum_sizes(expand_pass *pass)
{
    const expand_call *const call = pass->call;
    parscan_context *const context = call->context;
    const bool slots = has_slots(call);
    const size_t offset_size = pass->wide ? sizeof(uint64_t) : sizeof(uint32_t);
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
        status = check(context, cudaMemsetAsync(pass->state + UNITS_LARGE, 0, sizeof *pass->state,
                                                context->cuda->stream));
    const allocate_sum_params units = {
        .size_type = call->size_type,
        .offset_type = pass->wide ? PARSCAN_U64 : PARSCAN_U32,
        .sizes = pass->arrays[SIZES].device,
        .offsets = pass->offsets,
        .n = call->n,
        .most = UINT64_MAX,
        .capacity = call->capacity,
        .largest = pass->limited ? (uint64_t)1 << 32 : UINT64_MAX,
        .ends = slots,
        .state = pass->state,
        .total = pass->arrays[TOTAL].staged ? NULL : pass->arrays[TOTAL].device,
        .deferred = slots || pass->waits ? NULL : parscan_cuda_deferred(context),
    };
    return status == PARSCAN_OK ? check(context, parscan_units_launch(context, &chain, &units))
                                : status;
}

/* Reads the total and the status, and reports errors. */
static parscan_status learn_total(expand_pass *pass, uint64_t found[UNITS_STATE], uint64_t *total)
{
    parscan_context *const context = pass->call->context;
    const parscan_status status =
        parscan_cuda_unstage(context, found, pass->state, UNITS_STATE * sizeof *found);
    if (status != PARSCAN_OK)
        return status;
    if (pass->arrays[TOTAL].staged)
        *total = found[UNITS_TOTAL];
    pass->arrays[TOTAL].bytes = 0;
    if (pass->limited && found[UNITS_LARGE] != 0 && found[UNITS_STATUS] != PARSCAN_ERROR_OVERFLOW)
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "sizes: a size exceeds 2^32, so its ranks do not fit index_type = u32");
    return parscan_fail_total(context, (parscan_status)found[UNITS_STATUS], found[UNITS_TOTAL],
                              pass->call->capacity);
}

static uint64_t add_or_most(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static parscan_status write_slots(expand_pass *pass, uint64_t most)
{
    const expand_call *const call = pass->call;
    parscan_context *const context = call->context;
    const slots_params slots = {
        .offsets = pass->offsets,
        .wide = pass->wide,
        .n = call->n,
        .state = pass->state,
        .deferred = pass->waits ? NULL : parscan_cuda_deferred(context),
        .most_work = add_or_most(most, call->n),
        .index_type = call->index_type,
        .owner = pass->arrays[OWNER].device,
        .rank = pass->arrays[RANK].device,
        .limited = pass->limited,
    };
    return check(context, parscan_expand_launch(context->cuda, &slots));
}

/* Fills owner and rank, and copies as many entries to the host as there are slots. */
static parscan_status place_slots(expand_pass *pass, uint64_t slots)
{
    pass->arrays[SIZES].given = pass->arrays[SIZES].device;
    pass->arrays[OWNER].bytes = pass->arrays[RANK].bytes =
        slots * parscan_type_size(pass->call->index_type);
    return parscan_cuda_place(pass->call->context, pass->arrays, TOTAL);
}

static parscan_status expand(expand_pass *pass, uint64_t *total)
{
    const expand_call *const call = pass->call;
    uint64_t found[UNITS_STATE] = {PARSCAN_OK, call->capacity, 0};
    parscan_status status = sum_sizes(pass);
    if (status == PARSCAN_OK && pass->waits)
        status = learn_total(pass, found, total);
    if (status != PARSCAN_OK || !has_slots(call) || (pass->waits && found[UNITS_TOTAL] == 0))
        return status;
    if (pass->waits)
        status = place_slots(pass, found[UNITS_TOTAL]);
    if (status == PARSCAN_OK)
        status = write_slots(pass, found[UNITS_TOTAL]);
    if (status == PARSCAN_OK && pass->waits)
        status = parscan_cuda_return(call->context, pass->arrays, ARRAYS);
    return status;
}

/* Places sizes and total, and finds out where owner and rank are. */
static parscan_status place(expand_pass *pass)
{
    parscan_context *const context = pass->call->context;
    parscan_status status = parscan_cuda_place(context, pass->arrays, ARRAYS);
    pass->waits = pass->arrays[TOTAL].staged;
    for (int k = OWNER; k <= RANK && status == PARSCAN_OK; k++) {
        bool on_device = true;
        if (pass->arrays[k].given != NULL)
            status = parscan_cuda_on_device(context, pass->arrays[k].name, pass->arrays[k].given,
                                            &on_device);
        pass->waits = pass->waits || !on_device;
    }
    return status;
}

parscan_status parscan_expand_cuda(const expand_call *call, uint64_t *total)
{
    parscan_context *const context = call->context;
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t index_bytes = parscan_type_size(call->index_type);
    expand_pass pass = {
        .call = call,
        .arrays = {{"sizes", call->sizes, call->n * size_bytes, size_bytes, PARSCAN_READ, NULL, 0},
                   {"owner", call->owner, 0, index_bytes, PARSCAN_WRITE, NULL, 0},
                   {"rank", call->rank, 0, index_bytes, PARSCAN_WRITE, NULL, 0},
                   {"total", total, sizeof *total, sizeof *total, PARSCAN_WRITE, NULL, 0}},
        .wide = call->capacity > UINT32_MAX,
        .limited =
            call->index_type == PARSCAN_U32 && call->rank != NULL && call->size_type == PARSCAN_U64,
    };
    parscan_status status = parscan_cuda_begin(context, "parscan_expand");
    if (status == PARSCAN_OK)
        status = place(&pass);
    if (status == PARSCAN_OK && call->n > 0)
        status = expand(&pass, total);
    else if (status == PARSCAN_OK)
        status = check(context, cudaMemsetAsync(pass.arrays[TOTAL].device, 0, sizeof *total,
                                                context->cuda->stream));
    if (status == PARSCAN_OK && call->n == 0)
        status = parscan_cuda_return(context, pass.arrays, ARRAYS);
    return parscan_cuda_end(context, status);
}
