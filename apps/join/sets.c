#include <inttypes.h>

#include "apps/join/join_call.h"
#include "apps/merge/key_order.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

static parscan_status check_set(set_call *call, const uint64_t *count)
{
    parscan_context *const context = call->context;
    parscan_status status = parscan_check_sorted_type(context, "type", call->type);
    if (status != PARSCAN_OK)
        return status;
    call->size = parscan_type_size(call->type);
    status = parscan_check_array(context, "a", call->a.keys, call->a.n, call->size);
    if (status == PARSCAN_OK)
        status =
            parscan_check_counted_array(context, "b", call->b.keys, "n2", call->b.n, call->size);
    if (status != PARSCAN_OK)
        return status;
    if (count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    /* A capacity beyond any memory says that there is room for all. */
    const uint64_t all = (uint64_t)call->a.n + call->b.n;
    const size_t room =
        (size_t)(call->capacity <= SIZE_MAX / 2 / call->size ? call->capacity : all) * call->size;
    const parscan_extent arrays[] = {{"out", call->out, room},
                                     {"a", call->a.keys, call->a.n * call->size},
                                     {"b", call->b.keys, call->b.n * call->size}};
    return parscan_check_all_apart(context, arrays, 1, 3);
}

uint64_t parscan_most_of_set(const set_call *call)
{
    const size_t n = call->a.n, n2 = call->b.n;
    const uint64_t most = call->operation == SET_INTERSECTION ? (n < n2 ? n : n2)
                          : call->operation == SET_DIFFERENCE ? n
                                                              : n + n2;
    return call->out == NULL || most < call->capacity ? most : call->capacity;
}

parscan_status parscan_check_set_capacity(const set_call *call, uint64_t count)
{
    if (call->out == NULL || count <= call->capacity)
        return PARSCAN_OK;
    return parscan_fail(
        call->context, PARSCAN_ERROR_CAPACITY, "%s = %" PRIu64 ": count = %" PRIu64 " exceeds it",
        call->of_lengths ? "lengths->out_capacity" : "capacity", call->capacity, count);
}

static parscan_status run_set(set_call call, uint64_t *count)
{
    static parscan_status (*const engines[])(const set_call *call, uint64_t *count) =
        PARSCAN_ENGINES(parscan_set_cpu, parscan_set_cuda);
    parscan_context *const context = call.context;
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context,
                                                 LENGTH_N | LENGTH_N2 | LENGTH_OUT_CAPACITY |
                                                     LENGTH_ON_DEVICE | LENGTH_CAPACITY_ON_CUDA,
                                                 &lengths);
    if (status == PARSCAN_OK)
        status = check_set(&call, count);
    if (status != PARSCAN_OK)
        return status;
    parscan_set_pair_lengths(&lengths, &call.a, &call.b);
    if (lengths.capacity < call.capacity) {
        call.capacity = lengths.capacity;
        call.of_lengths = true;
    }
    return parscan_end_lengths(context, &lengths, engines[context->backend](&call, count));
}

#define SET_FUNCTION(function, set_operation)                                                     \
    parscan_status function(parscan_context *context, parscan_type type, const void *a, size_t n, \
                            const void *b, size_t n2, void *out, uint64_t capacity,               \
                            uint64_t *count)                                                      \
    {                                                                                             \
        return run_set((set_call){.context = context,                                             \
                                  .name = #function,                                              \
                                  .operation = (set_operation),                                   \
                                  .type = type,                                                   \
                                  .a = {.keys = a, .n = n},                                       \
                                  .b = {.keys = b, .n = n2},                                      \
                                  .out = out,                                                     \
                                  .capacity = capacity},                                          \
                       count);                                                                    \
    }
SET_FUNCTION(parscan_set_union, SET_UNION)
SET_FUNCTION(parscan_set_intersection, SET_INTERSECTION)
SET_FUNCTION(parscan_set_difference, SET_DIFFERENCE)
SET_FUNCTION(parscan_set_symmetric_difference, SET_SYMMETRIC_DIFFERENCE)
