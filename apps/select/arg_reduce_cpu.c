/*
 * The CPU engine of reductions to an index. An array is cut into ranges, whose extremes' indices are then compared
 * in the order of the ranges. Segments are divided among the threads (select_segments.h).
 */
#include "apps/select/arg_reduce_kernels.h"
#include "apps/select/select_call.h"
#include "apps/select/select_segments.h"
#include "apps/select/top_k_kernels.h"
#include "scan/context/float_mode.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

/* An array is cut in so many ranges for each thread, so that a late thread holds up little. */
enum {
    RANGES_A_THREAD = 4,
    SHORT_BYTES = 16 << 10 /* of a segment, which is looked at twice in the first-level cache */
};

typedef struct arg_pass {
    const select_call *call;
    const arg_kernels *kernels;
    const top_kernels *shorts; /* NULL: the type has no class of keys */
    key_order order;
    size_t size; /* of an element */
    unsigned threads;
    size_t *found;                  /* the index that each range has found */
    size_t begin, n, range, ranges; /* the elements that are cut in ranges */
} arg_pass;

static const arg_kernels *kernels_of(parscan_type type)
{
    switch ((int)parscan_compute_type(type)) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return &parscan_arg_kernels_##name;
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    }
    return NULL;
}

static const char *element_at(const arg_pass *pass, size_t i)
{
    return (const char *)pass->call->in + i * pass->size;
}

static size_t find_in(const arg_pass *pass, size_t begin, size_t n)
{
    const select_call *const call = pass->call;
    if (pass->shorts != NULL && n * pass->size <= SHORT_BYTES)
        return pass->shorts->first(&pass->order, call->op == PARSCAN_MIN, element_at(pass, begin),
                                   n);
    return pass->kernels->find(call->context->isa, call->op, call->type, element_at(pass, begin),
                               n);
}

/* Stores the result of segment `at`, whose extreme is element begin + index. */
static void put(const arg_pass *pass, size_t at, size_t begin, size_t index)
{
    const select_call *const call = pass->call;
    store_index(call->index_type, call->indices, at, index);
    if (call->values != NULL)
        memcpy((char *)call->values + at * pass->size, element_at(pass, begin + index), pass->size);
}

static void put_nothing(const arg_pass *pass, size_t at)
{
    const select_call *const call = pass->call;
    store_index(call->index_type, call->indices, at, 0);
    if (call->values != NULL)
        pass->kernels->store_identity(call->op, call->type, (char *)call->values + at * pass->size);
}

static void find_in_range(void *state, size_t range, unsigned worker)
{
    const arg_pass *const pass = state;
    const size_t begin = range * pass->range;
    const size_t end = range + 1 == pass->ranges ? pass->n : begin + pass->range;
    (void)worker;
    pass->found[range] = begin + find_in(pass, pass->begin + begin, end - begin);
}

/* The index of the extreme of n > 0 elements, found by all threads of the pass. */
static size_t find_together(arg_pass *pass, size_t begin, size_t n)
{
    const unsigned pays = parscan_threads_for(pass->call->context, n * pass->size);
    const unsigned threads = pays < pass->threads ? pays : pass->threads;
    if (threads == 1)
        return find_in(pass, begin, n);
    pass->begin = begin;
    pass->n = n;
    pass->ranges = threads * RANGES_A_THREAD;
    pass->range = n / pass->ranges;
    parscan_team_for(pass->call->context, threads, pass->ranges, 1, find_in_range, pass);
    size_t best = pass->found[0];
    for (size_t r = 1; r < pass->ranges; r++)
        if (pass->kernels->wins(pass->call->op, pass->call->type, element_at(pass, begin + best),
                                element_at(pass, begin + pass->found[r])))
            best = pass->found[r];
    return best;
}

static void take_short(void *state, one_segment s, unsigned worker)
{
    const arg_pass *const pass = state;
    (void)worker;
    if (s.begin == s.end)
        put_nothing(pass, s.segment);
    else
        put(pass, s.segment, s.begin, find_in(pass, s.begin, s.end - s.begin));
}

static void take_long(void *state, one_segment s, unsigned worker)
{
    arg_pass *const pass = state;
    (void)worker;
    put(pass, s.segment, s.begin, find_together(pass, s.begin, s.end - s.begin));
}

static size_t scratch_need(const void *state, unsigned threads)
{
    const select_call *const call = state;
    const size_t found = threads * RANGES_A_THREAD * sizeof(size_t);
    return call->segments == NULL
               ? found
               : found +
                     parscan_divide_segments(call->context, call->segments, call->n, threads).bytes;
}

static parscan_status run(const select_call *call)
{
    parscan_context *const context = call->context;
    arg_pass pass = {
        .call = call, .kernels = kernels_of(call->type), .size = parscan_type_size(call->type)};
    pass.shorts = parscan_top_kernels_of(context->isa, parscan_type_traits_of(call->type).key);
    if (pass.shorts != NULL)
        pass.order =
            parscan_key_order(call->type, call->op == PARSCAN_MAX, 0, 8 * (unsigned)pass.size);
    const size_t segments =
        call->segments == NULL ? 1 : parscan_most_segments(call->segments, call->n);
    const size_t bytes = call->n * pass.size;
    pass.threads = parscan_threads_for(context, bytes > segments ? bytes : segments);
    void *scratch;
    parscan_status status =
        parscan_scratch_of_threads(context, &pass.threads, scratch_need, call, &scratch);
    if (status == PARSCAN_OK && context->measures && call->count != NULL)
        *call->count = segments;
    if (status != PARSCAN_OK || context->measures)
        return status;
    pass.found = scratch;
    if (call->segments != NULL) {
        const segment_division division =
            parscan_divide_segments(context, call->segments, call->n, pass.threads);
        return parscan_each_segment(&division, pass.found + pass.threads * RANGES_A_THREAD,
                                    pass.threads, take_short, take_long, &pass, call->count);
    }
    if (call->n == 0)
        put_nothing(&pass, 0);
    else
        put(&pass, 0, 0, find_together(&pass, 0, call->n));
    if (call->count != NULL)
        *call->count = 1;
    return PARSCAN_OK;
}

/* Elements are compared as they are, whatever the caller's mode: subnormal numbers are kept. */
parscan_status parscan_arg_reduce_cpu(const select_call *call)
{
    if (!parscan_is_float(call->type))
        return run(call);
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    const parscan_status status = run(call);
    parscan_float_end(before);
    return status;
}
