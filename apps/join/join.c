#include <inttypes.h>

#include "apps/join/join_call.h"
#include "apps/merge/key_order.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

static parscan_status check_kind(const join_call *call)
{
    switch (call->kind) {
    case PARSCAN_JOIN_INNER:
    case PARSCAN_JOIN_LEFT:
        return PARSCAN_OK;
    case PARSCAN_JOIN_SEMI:
    case PARSCAN_JOIN_ANTI:
        if (call->right_out == NULL)
            return PARSCAN_OK;
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "right_out = %p: kind = %s gives indices of left alone",
                            call->right_out, call->kind == PARSCAN_JOIN_SEMI ? "SEMI" : "ANTI");
    }
    return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "kind = %d is not a parscan_join_kind", (int)call->kind);
}

/* Checks that index_type has the greatest index of an array. */
static parscan_status check_most(const join_call *call, const char *name, size_t n, uint64_t most)
{
    if (most <= parscan_most_index(call->index_type))
        return PARSCAN_OK;
    return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %zu: the indices do not fit index_type = %s", name, n,
                        parscan_type_name(call->index_type));
}

/* The length of right is an index too, where an element has no equal one. */
static parscan_status check_indices(const join_call *call)
{
    parscan_status status = parscan_check_index_type(call->context, "index_type", call->index_type);
    if (status == PARSCAN_OK && call->left_out != NULL && call->left.n > 0)
        status = check_most(call, "n", call->left.n, call->left.n - 1);
    if (status == PARSCAN_OK && call->right_out != NULL)
        status = check_most(call, "n2", call->right.n, call->right.n);
    return status;
}

static parscan_status check_places(const join_call *call)
{
    /* A capacity beyond any memory says that the caller has not counted the room: some for each of left. */
    const size_t index_size = parscan_type_size(call->index_type);
    const size_t room =
        index_size *
        (size_t)(call->capacity <= SIZE_MAX / 2 / index_size ? call->capacity : call->left.n);
    const parscan_extent arrays[] = {{"left_out", call->left_out, room},
                                     {"right_out", call->right_out, room},
                                     {"left", call->left.keys, call->left.n * call->size},
                                     {"right", call->right.keys, call->right.n * call->size}};
    return parscan_check_all_apart(call->context, arrays, 2, 4);
}

static parscan_status check_join(join_call *call, const uint64_t *total)
{
    parscan_context *const context = call->context;
    parscan_status status = check_kind(call);
    if (status == PARSCAN_OK)
        status = parscan_check_sorted_type(context, "type", call->type);
    if (status != PARSCAN_OK)
        return status;
    call->size = parscan_type_size(call->type);
    status = parscan_check_array(context, "left", call->left.keys, call->left.n, call->size);
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(context, "right", call->right.keys, "n2",
                                             call->right.n, call->size);
    if (status == PARSCAN_OK)
        status = check_indices(call);
    if (status == PARSCAN_OK && total == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "total is NULL");
    return status == PARSCAN_OK ? check_places(call) : status;
}

parscan_status parscan_fail_pairs(const join_call *call, uint64_t pairs)
{
    return parscan_fail(
        call->context, PARSCAN_ERROR_CAPACITY, "%s = %" PRIu64 ": total = %" PRIu64 " exceeds it",
        call->of_lengths ? "lengths->out_capacity" : "capacity", call->capacity, pairs);
}

parscan_status parscan_join(parscan_context *context, parscan_join_kind kind, parscan_type type,
                            const void *left, size_t n, const void *right, size_t n2,
                            parscan_type index_type, void *left_out, void *right_out,
                            uint64_t capacity, uint64_t *total)
{
    join_call call = {.context = context,
                      .kind = kind,
                      .type = type,
                      .index_type = index_type,
                      .left = {.keys = left, .n = n},
                      .right = {.keys = right, .n = n2},
                      .left_out = left_out,
                      .right_out = right_out,
                      .capacity = capacity};
    static parscan_status (*const engines[])(const join_call *call, uint64_t *total) =
        PARSCAN_ENGINES(parscan_join_cpu, parscan_join_cuda);
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context,
                                                 LENGTH_N | LENGTH_N2 | LENGTH_OUT_CAPACITY |
                                                     LENGTH_ON_DEVICE | LENGTH_CAPACITY_ON_CUDA,
                                                 &lengths);
    if (status == PARSCAN_OK)
        status = check_join(&call, total);
    if (status != PARSCAN_OK)
        return status;
    parscan_set_pair_lengths(&lengths, &call.left, &call.right);
    if (lengths.capacity < capacity) {
        call.capacity = lengths.capacity;
        call.of_lengths = true;
    }
    return parscan_end_lengths(context, &lengths, engines[context->backend](&call, total));
}
