#include "apps/allocate/load_balance.h"

#include <stdatomic.h>

#include "apps/allocate/allocate_kernels.h"
#include "parscan/allocate.h"
#include "scan/context/context_state.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

static size_sum sum_chunk(const load_balance *shared, const allocate_kernels *kernels, size_t chunk)
{
    const size_t begin = chunk * BALANCE_CHUNK, left = shared->n - begin;
    const allocate_tile tile = {
        .size_type = shared->size_type,
        .sizes = (const char *)shared->sizes + begin * parscan_type_size(shared->size_type),
        .n = left < BALANCE_CHUNK ? left : BALANCE_CHUNK,
    };
    return kernels->reduce(&tile);
}

typedef struct chunk_sums {
    load_balance *shared;
    const allocate_kernels *kernels;
    atomic_bool beyond; /* some sum does not fit 64 bits */
} chunk_sums;

static void sum_next_chunk(void *state, size_t chunk, unsigned worker)
{
    chunk_sums *const sums = state;
    (void)worker;
    const size_sum sum = sum_chunk(sums->shared, sums->kernels, chunk);
    sums->shared->chunk_slots[chunk] = sum.sum;
    if (sum.beyond)
        atomic_store(&sums->beyond, true);
}

parscan_status parscan_load_balance_begin(parscan_context *context, parscan_type size_type,
                                          const void *sizes, size_t n, unsigned item_cost,
                                          load_balance *shared)
{
    const size_t chunks = n / BALANCE_CHUNK + (n % BALANCE_CHUNK != 0);
    void *scratch;
    const parscan_status status =
        parscan_scratch(context, (chunks + 1) * sizeof(uint64_t), &scratch);
    if (status != PARSCAN_OK)
        return status;
    *shared = (load_balance){size_type, sizes, n, 0, scratch, chunks, item_cost};
    if (context->measures)
        return parscan_allocate(context, PARSCAN_U64, scratch, chunks, PARSCAN_U64, scratch,
                                &shared->total, NULL);
    const allocate_kernels *const kernels = parscan_allocate_kernels(PARSCAN_U64, context->isa);
    chunk_sums sums = {.shared = shared, .kernels = kernels};
    atomic_init(&sums.beyond, false);
    parscan_team_for(context, parscan_threads_for(context, n * parscan_type_size(size_type)),
                     chunks, 1, sum_next_chunk, &sums);
    if (atomic_load(&sums.beyond)) {
        shared->total = UINT64_MAX;
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW, "total does not fit 64 bits");
    }
    uint64_t *const slots = shared->chunk_slots;
    const parscan_status allocated = parscan_allocate(context, PARSCAN_U64, slots, chunks,
                                                      PARSCAN_U64, slots, &shared->total, NULL);
    slots[chunks] = shared->total;
    return allocated;
}

uint64_t parscan_load_balance_work(const load_balance *shared)
{
    return shared->total + (uint64_t)shared->n * shared->item_cost;
}

static size_t chunk_at(const load_balance *shared, uint64_t work)
{
    const uint64_t chunk_cost = (uint64_t)shared->item_cost * BALANCE_CHUNK;
    size_t first = 0, last = shared->chunks - 1;
    while (first < last) {
        const size_t middle = last - (last - first) / 2;
        if (shared->chunk_slots[middle] + middle * chunk_cost <= work)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

SIZE_FUNCTION balance_point walk(const parscan_type size_type, const load_balance *shared,
                                 size_t chunk, uint64_t work)
{
    balance_point at = {chunk * BALANCE_CHUNK, shared->chunk_slots[chunk], 0};
    work -= at.slot + (uint64_t)at.item * shared->item_cost;
    for (; at.item < shared->n; at.item++) {
        const uint64_t size = size_at(size_type, shared->sizes, at.item);
        if (work < size + shared->item_cost) {
            at.rank = work < size ? work : size;
            break;
        }
        work -= size + shared->item_cost;
        at.slot += size;
    }
    at.slot += at.rank;
    if (at.slot > shared->total) /* sizes have become more since they were summed */
        at.slot = shared->total;
    return at;
}

balance_point parscan_load_balance_at(const load_balance *shared, uint64_t work)
{
    balance_point at = {shared->n, shared->total, 0};
    if (shared->n > 0)
        WITH_SIZE_TYPE(shared->size_type, at = walk(SIZE, shared, chunk_at(shared, work), work))
    return at;
}
