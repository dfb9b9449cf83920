#include "apps/allocate/allocate_call.h"
#include "parscan/allocate.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

static parscan_status check_expand_arguments(parscan_context *context, parscan_type size_type,
                                             const void *sizes, size_t n, parscan_type index_type,
                                             const void *owner, const void *rank, uint64_t capacity,
                                             const uint64_t *total)
{
    parscan_status status = parscan_check_unsigned(context, "size_type", size_type);
    if (status == PARSCAN_OK)
        status = parscan_check_u32_or_u64(context, "index_type", index_type);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "sizes", sizes, n, parscan_type_size(size_type));
    if (status != PARSCAN_OK)
        return status;
    if (total == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "total is NULL");
    if (index_type == PARSCAN_U32 && owner != NULL && n > 0 && n - 1 > UINT32_MAX)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: the owners do not fit index_type = u32", n);
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
    parscan_status status = parscan_take_lengths(context, LENGTH_N, &lengths);
    if (status == PARSCAN_OK)
        status = check_expand_arguments(context, size_type, sizes, n, index_type, owner, rank,
                                        capacity, total);
    if (status != PARSCAN_OK)
        return status;
    n = parscan_length(&lengths, LENGTH_N, n);
    const expand_call call = {context, size_type, index_type, sizes, n, owner, rank, capacity};
    return parscan_end_lengths(context, &lengths, engines[context->backend](&call, total));
}
