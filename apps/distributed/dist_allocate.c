/* Allocation over a distributed array: the local total, and a local allocation from where the ranks
   before end. */
#include <string.h>

#include "apps/allocate/allocate_call.h"
#include "apps/distributed/comm_state.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"
#include "scan/context/check.h"

/* The sum of this rank's sizes; UINT64_MAX if it does not fit. */
static parscan_status sum_sizes(const allocate_call *asked, uint64_t *total)
{
    allocate_call call = *asked;
    call.offsets = NULL;
    call.close = false;
    call.offset_type = PARSCAN_U64;
    *total = 0;
    if (call.n == 0)
        return PARSCAN_OK;
    const parscan_status status = parscan_run_allocate(&call, UINT64_MAX, total);
    /* The ranks learn of it by the total. */
    return status == PARSCAN_ERROR_OVERFLOW ? PARSCAN_OK : status;
}

/* a + b, or UINT64_MAX. */
static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The offsets of this rank, from call->start on. */
static parscan_status write_offsets(const allocate_call *call)
{
    uint64_t through;
    const uint32_t narrow = (uint32_t)call->start;
    if (call->n > 0)
        return parscan_run_allocate(call, UINT64_MAX, &through);
    if (!call->close)
        return PARSCAN_OK;
    return parscan_type_size(call->offset_type) == sizeof narrow
               ? parscan_copy(call->context, call->offsets, &narrow, sizeof narrow)
               : parscan_copy(call->context, call->offsets, &call->start, sizeof call->start);
}

static parscan_status run_dist_allocate(parscan_comm *comm, parscan_status status,
                                        allocate_call *call, uint64_t capacity, uint64_t *total)
{
    void *memory = NULL;
    uint64_t mine = 0;
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, comm->size * sizeof mine, &memory);
    if (status == PARSCAN_OK)
        status = sum_sizes(call, &mine);
    status = parscan_comm_gather(comm, status, &mine, sizeof mine, memory);
    if (status != PARSCAN_OK)
        return status;
    const uint64_t *const all = memory;
    *total = 0;
    for (unsigned rank = 0; rank < comm->size; rank++) {
        if (rank == comm->rank)
            call->start = *total;
        *total = add(*total, all[rank]);
    }
    parscan_status fits = PARSCAN_OK;
    if (*total == UINT64_MAX || *total > parscan_most_index(call->offset_type))
        fits = PARSCAN_ERROR_OVERFLOW;
    else if (*total > capacity)
        fits = PARSCAN_ERROR_CAPACITY;
    if (fits != PARSCAN_ERROR_OVERFLOW && call->offsets != NULL)
        status = write_offsets(call);
    if (status == PARSCAN_OK)
        status = parscan_fail_total(comm->context, fits, call->offset_type, *total, capacity);
    return parscan_comm_finish(comm, status);
}

parscan_status parscan_dist_allocate(parscan_comm *comm, parscan_type size_type, const void *sizes,
                                     size_t n, parscan_type offset_type, void *offsets,
                                     uint64_t *total, const parscan_allocate_options *given)
{
    parscan_allocate_options options;
    parscan_status status = parscan_comm_begin(comm, "parscan_dist_allocate");
    if (status != PARSCAN_OK)
        return status;
    status = parscan_check_allocate_options(comm->context, given, &options);
    allocate_call call = {
        .context = comm->context,
        .size_type = size_type,
        .offset_type = offset_type,
        .sizes = sizes,
        .offsets = offsets,
        .n = n,
        .alignment = options.alignment != 0 ? options.alignment : 1,
        .close = options.close != 0,
    };
    if (status == PARSCAN_OK)
        status = parscan_check_allocate_arrays(&call, total);
    const uint64_t numbers[] = {(uint64_t)size_type, (uint64_t)offset_type, call.alignment,
                                options.capacity, call.close};
    parscan_comm_note(comm, numbers, sizeof numbers);
    status = run_dist_allocate(comm, status, &call,
                               options.capacity != 0 ? options.capacity : UINT64_MAX, total);
    parscan_comm_end(comm);
    return status;
}
