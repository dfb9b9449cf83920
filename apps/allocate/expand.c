#include <inttypes.h>

#include "apps/allocate/allocate_call.h"
#include "apps/allocate/expand_cpu.h"
#include "parscan/allocate.h"
#include "scan/context/check.h"
#include "scan/context/context.h"

static parscan_status check_arguments(parscan_context *context, parscan_type size_type,
                                      const void *sizes, size_t n, parscan_type index_type,
                                      const void *owner, const void *rank, const uint64_t *total)
{
    parscan_status status = parscan_check_size_type(context, "size_type", size_type);
    if (status == PARSCAN_OK)
        status = parscan_check_offset_type(context, "index_type", index_type);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "sizes", sizes, n, parscan_type_size(size_type));
    if (status != PARSCAN_OK)
        return status;
    if (total == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "total is NULL");
    if (index_type == PARSCAN_U32 && owner != NULL && n > 0 && n - 1 > UINT32_MAX)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: an owner is beyond index_type = u32", n);
    if (n > 0 && (sizes == owner || sizes == rank))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s = sizes: they may not overlap", sizes == owner ? "owner" : "rank");
    if (owner != NULL && owner == rank)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "owner = rank: they may not overlap");
    return PARSCAN_OK;
}

/* Whether a size is beyond what ranks of 32 bits can count. Only a chunk that is can hold one. */
static bool rank_beyond_u32(const shares *shared)
{
    const uint64_t most = (uint64_t)1 << 32;
    for (size_t chunk = 0; chunk < shared->chunks; chunk++) {
        if (shared->chunk_slots[chunk + 1] - shared->chunk_slots[chunk] <= most)
            continue;
        const size_t end = (chunk + 1) * SHARES_CHUNK;
        for (size_t i = chunk * SHARES_CHUNK; i < end && i < shared->n; i++)
            if (size_at(PARSCAN_U64, shared->sizes, i) > most)
                return true;
    }
    return false;
}

static expand_function *engine_of(parscan_type index_type, parscan_isa isa)
{
    const bool u32 = index_type == PARSCAN_U32;
#define EXPAND_U32(set) parscan_expand_cpu_u32_##set
#define EXPAND_U64(set) parscan_expand_cpu_u64_##set
    return u32 ? PARSCAN_OF_ISA(isa, EXPAND_U32) : PARSCAN_OF_ISA(isa, EXPAND_U64);
}

parscan_status parscan_expand(parscan_context *context, parscan_type size_type, const void *sizes,
                              size_t n, parscan_type index_type, void *owner, void *rank,
                              uint64_t capacity, uint64_t *total)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_status status =
        check_arguments(context, size_type, sizes, n, index_type, owner, rank, total);
    if (status != PARSCAN_OK)
        return status;
    const expand_call call = {context, size_type, index_type, sizes, n, owner, rank, capacity};
    if (context->cuda != NULL)
        return parscan_expand_cuda(&call, total);
    if (n == 0) {
        *total = 0;
        return PARSCAN_OK;
    }
    shares shared;
    status = parscan_shares_begin(context, size_type, sizes, n, 1, &shared);
    if (status != PARSCAN_OK) {
        if (status == PARSCAN_ERROR_OVERFLOW)
            *total = UINT64_MAX;
        return status;
    }
    *total = shared.total;
    if (index_type == PARSCAN_U32 && rank != NULL && size_type == PARSCAN_U64 &&
        rank_beyond_u32(&shared))
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "a size is beyond 2^32: its ranks are beyond index_type = u32");
    if (shared.total > capacity)
        return parscan_fail(context, PARSCAN_ERROR_CAPACITY,
                            "capacity = %" PRIu64 ": the total is %" PRIu64, capacity,
                            shared.total);
    if (shared.total == 0 || (owner == NULL && rank == NULL))
        return PARSCAN_OK;
    engine_of(index_type, context->isa)(context, &shared, owner, rank);
    return PARSCAN_OK;
}
