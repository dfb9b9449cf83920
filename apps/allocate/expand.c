#include "apps/allocate/allocate_call.h"
#include "parscan/allocate.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

uint64_t parscan_most_rank(const expand_call *call)
{
    return parscan_most_index(call->given_type);
}

bool parscan_ranks_may_overflow(const expand_call *call)
{
    return call->rank != NULL && parscan_type_size(call->index_type) == sizeof(uint32_t) &&
           parscan_type_size(call->size_type) >= sizeof(uint32_t) &&
           (call->size_type == PARSCAN_U64 || parscan_most_rank(call) < UINT32_MAX);
}

parscan_status parscan_fail_ranks(const expand_call *call)
{
    return parscan_fail(call->context, PARSCAN_ERROR_OVERFLOW,
                        "sizes: a size exceeds 2^%d, so its ranks do not fit index_type = %s",
                        parscan_most_rank(call) < UINT32_MAX ? 31 : 32,
                        parscan_type_name(call->given_type));
}

static parscan_status check_expand_arguments(parscan_context *context, parscan_type size_type,
                                             const void *sizes, size_t n, parscan_type index_type,
                                             const void *owner, const void *rank, uint64_t capacity,
                                             const uint64_t *total)
{
    parscan_status status = parscan_check_unsigned(context, "size_type", size_type);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "index_type", index_type);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "sizes", sizes, n, parscan_type_size(size_type));
    if (status != PARSCAN_OK)
        return status;
    if (total == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "total is NULL");
    if (owner != NULL && n > 0 && n - 1 > parscan_most_index(index_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: the owners do not fit index_type = %s", n,
                            parscan_type_name(index_type));
    /* A capacity beyond any memory says that the caller has not counted the room. */
    const size_t index_size = parscan_type_size(index_type);
    const size_t room = capacity <= SIZE_MAX / 2 / index_size ? (size_t)capacity * index_size : 1;
    const parscan_extent arrays[] = {{"owner", owner, room},
                                     {"rank", rank, room},
                                     {"sizes", sizes, n * parscan_type_size(size_type)}};
    return parscan_check_all_apart(context, arrays, 2, 3);
}

parscan_status parscan_expand(parscan_context *context, parscan_type size_type, const void *sizes,
                              size_t n, parscan_type index_type, void *owner, void *rank,
                              uint64_t capacity, uint64_t *total)
{
    static parscan_status (*const engines[])(const expand_call *call, uint64_t *total) =
        PARSCAN_ENGINES(parscan_expand_cpu, parscan_expand_cuda);
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = check_expand_arguments(context, size_type, sizes, n, index_type, owner, rank,
                                        capacity, total);
    if (status != PARSCAN_OK)
        return status;
    const expand_call call = {
        .context = context,
        .size_type = size_type,
        .index_type = parscan_unsigned_index(index_type),
        .given_type = index_type,
        .sizes = sizes,
        .n = parscan_length(&lengths, LENGTH_N, n),
        .n_at = parscan_length_at(&lengths, LENGTH_N),
        .owner = owner,
        .rank = rank,
        .capacity = capacity,
    };
    return parscan_end_lengths(context, &lengths, engines[context->backend](&call, total));
}
