/* Expansion on the CPU: the work is cut once into shares of equal work (load_balance.h), and the
   kernel of the index type fills each share (expand_kernels.c). */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/expand_kernels.h"
#include "scan/cpu/isa.h"

/* Whether a size is above `most`, so that its ranks do not fit. Only a chunk whose sum is so large can
   hold such a size. */
static bool has_size_above(const load_balance *shared, parscan_type size_type, uint64_t most)
{
    for (size_t chunk = 0; chunk < shared->chunks; chunk++) {
        if (shared->chunk_slots[chunk + 1] - shared->chunk_slots[chunk] <= most)
            continue;
        const size_t end = (chunk + 1) * BALANCE_CHUNK;
        for (size_t i = chunk * BALANCE_CHUNK; i < end && i < shared->n; i++)
            if (size_at(size_type, shared->sizes, i) > most)
                return true;
    }
    return false;
}

static expand_function *kernel_of(parscan_type index_type, parscan_isa isa)
{
    if (index_type == PARSCAN_U32)
        return PARSCAN_BY_ISA(isa, parscan_expand_u32_portable, parscan_expand_u32_avx2,
                              parscan_expand_u32_avx512);
    return PARSCAN_BY_ISA(isa, parscan_expand_u64_portable, parscan_expand_u64_avx2,
                          parscan_expand_u64_avx512);
}

parscan_status parscan_begin_slots(parscan_context *context, parscan_type size_type,
                                   const void *sizes, size_t n, uint64_t capacity,
                                   load_balance *shared, uint64_t *total)
{
    if (n == 0) {
        *total = 0;
        return PARSCAN_OK;
    }
    const parscan_status status =
        parscan_load_balance_begin(context, size_type, sizes, n, 1, shared);
    if (status == PARSCAN_ERROR_OVERFLOW)
        *total = UINT64_MAX;
    if (status == PARSCAN_OK)
        *total = context->measures ? capacity : shared->total;
    return status;
}

parscan_status parscan_expand_cpu(const expand_call *call, uint64_t *total)
{
    parscan_context *const context = call->context;
    load_balance shared;
    const parscan_status status = parscan_begin_slots(context, call->size_type, call->sizes,
                                                      call->n, call->capacity, &shared, total);
    if (status != PARSCAN_OK || call->n == 0 || context->measures)
        return status;
    if (parscan_ranks_may_overflow(call) &&
        has_size_above(&shared, call->size_type, parscan_most_rank(call) + 1))
        return parscan_fail_ranks(call);
    if (shared.total > call->capacity)
        return parscan_fail_total(context, PARSCAN_ERROR_CAPACITY, call->index_type, shared.total,
                                  call->capacity);
    if (shared.total == 0 || (call->owner == NULL && call->rank == NULL))
        return PARSCAN_OK;
    kernel_of(call->index_type, context->isa)(context, &shared, NULL, call->owner, call->rank);
    return PARSCAN_OK;
}
