/* Exchanges of arrays, and the sum of counts (comm_state.h). */
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "parscan/memory.h"
#include "scan/context/engine.h"

/* ---- arrays ---- */

parscan_status parscan_exchange_to_all(parscan_comm *comm, exchange *under_way, const void *send,
                                       void *receive, const exchange_part *part,
                                       parscan_comm_memory memory, void *stream)
{
    size_t *const numbers = comm->counts;
    const size_t size = comm->size;
    for (size_t r = 0; r < size; r++) {
        numbers[r] = (size_t)part->send_counts[r] * part->element_size;
        numbers[size + r] = (size_t)part->send_begin[r] * part->element_size;
        numbers[2 * size + r] = (size_t)part->receive_counts[r] * part->element_size;
        numbers[3 * size + r] = (size_t)part->receive_begin[r] * part->element_size;
    }
    const parscan_status status = comm->functions.all_to_all(
        comm->user, send, numbers, numbers + size, receive, numbers + 2 * size, numbers + 3 * size,
        memory, stream, &under_way->request);
    under_way->open = status == PARSCAN_OK;
    return parscan_comm_broke(comm, status, "an exchange");
}

parscan_status parscan_exchange_wait(parscan_comm *comm, exchange *under_way)
{
    if (!under_way->open)
        return PARSCAN_OK;
    under_way->open = false;
    const parscan_status status =
        comm->functions.wait(comm->user, under_way->request, comm->timeout);
    return parscan_comm_broke(comm, status, "an exchange");
}

static parscan_status begin_cpu(parscan_comm *comm, exchange *under_way, const void *send,
                                void *receive, const exchange_part *part)
{
    return parscan_exchange_to_all(comm, under_way, send, receive, part, PARSCAN_COMM_HOST, NULL);
}

static const parscan_stage_engine *engine_of(const parscan_comm *comm)
{
    static const parscan_stage_engine cpu = {.begin = begin_cpu, .end = parscan_exchange_wait};
    static const parscan_stage_engine *const engines[] = PARSCAN_ENGINES(&cpu, &parscan_stage_cuda);
    return engines[comm->context->backend];
}

parscan_status parscan_exchange_begin(parscan_comm *comm, exchange *under_way, size_t element_size,
                                      const void *send, const uint64_t *send_begin,
                                      const uint64_t *send_counts, void *receive,
                                      const uint64_t *receive_begin, const uint64_t *receive_counts)
{
    const exchange_part part = {element_size, send_begin, send_counts, receive_begin,
                                receive_counts};
    memset(under_way, 0, sizeof *under_way);
    if (comm->broken)
        return PARSCAN_ERROR_DEVICE;
    if (comm->size > 1)
        return engine_of(comm)->begin(comm, under_way, send, receive, &part);
    if (send_counts[0] == 0) /* the arrays may be NULL */
        return PARSCAN_OK;
    const parscan_status status = parscan_copy(
        comm->context, (char *)receive + receive_begin[0] * element_size,
        (const char *)send + send_begin[0] * element_size, (size_t)send_counts[0] * element_size);
    return parscan_comm_broke(comm, status, "a copy");
}

parscan_status parscan_exchange_end(parscan_comm *comm, exchange *under_way)
{
    if (comm->broken)
        return PARSCAN_ERROR_DEVICE;
    return comm->size > 1 ? engine_of(comm)->end(comm, under_way) : PARSCAN_OK;
}

parscan_status parscan_lend(parscan_comm *comm, exchange *under_way, const void *memory,
                            const void **lent)
{
    const parscan_stage_engine *const engine = engine_of(comm);
    memset(under_way, 0, sizeof *under_way);
    memset(lent, 0, comm->size * sizeof *lent);
    if (comm->broken)
        return PARSCAN_ERROR_DEVICE;
    return engine->lend != NULL ? engine->lend(comm, under_way, memory, lent) : PARSCAN_OK;
}

parscan_status parscan_stage_check(parscan_comm *comm)
{
    return engine_of(comm)->check != NULL ? engine_of(comm)->check(comm) : PARSCAN_OK;
}

void parscan_stage_release(parscan_comm *comm)
{
    if (engine_of(comm)->release != NULL)
        engine_of(comm)->release(comm);
}

/* ---- sums ---- */

/* One exchange: all ranks gather all counts. */
static parscan_status sum_few(parscan_comm *comm, uint64_t *counts, size_t n)
{
    uint64_t *const all = (uint64_t *)(void *)comm->gathered;
    void *request = NULL;
    memcpy(comm->mine, counts, n * sizeof *counts);
    parscan_status status = comm->functions.all_gather(comm->user, comm->mine, n * sizeof *counts,
                                                       all, PARSCAN_COMM_HOST, NULL, &request);
    if (status == PARSCAN_OK)
        status = comm->functions.wait(comm->user, request, comm->timeout);
    if (status != PARSCAN_OK)
        return parscan_comm_broke(comm, status, "an exchange");
    memset(counts, 0, n * sizeof *counts);
    for (size_t k = 0; k < comm->size * n; k++)
        counts[k % n] += all[k];
    return PARSCAN_OK;
}

/* Two exchanges: each rank sums its share of the counts, and all ranks gather the shares.
   memory: size + 1 shares. */
static parscan_status sum_many(parscan_comm *comm, uint64_t *counts, size_t n, size_t share,
                               uint64_t *memory)
{
    const size_t size = comm->size, bytes = sizeof *counts;
    uint64_t *const all = memory + share;
    size_t *const send_counts = comm->counts, *const send_at = send_counts + size;
    size_t *const receive_counts = send_at + size, *const receive_at = receive_counts + size;
    const size_t mine = comm->rank * share < n ? comm->rank * share : n;
    const size_t length = n - mine < share ? n - mine : share;
    void *request = NULL;
    for (size_t r = 0; r < size; r++) {
        const size_t begin = r * share < n ? r * share : n;
        send_at[r] = begin * bytes;
        send_counts[r] = (n - begin < share ? n - begin : share) * bytes;
        receive_at[r] = r * share * bytes;
        receive_counts[r] = length * bytes;
    }
    parscan_status status =
        comm->functions.all_to_all(comm->user, counts, send_counts, send_at, all, receive_counts,
                                   receive_at, PARSCAN_COMM_HOST, NULL, &request);
    if (status == PARSCAN_OK)
        status = comm->functions.wait(comm->user, request, comm->timeout);
    memset(memory, 0, share * bytes);
    for (size_t r = 0; status == PARSCAN_OK && r < size; r++)
        for (size_t k = 0; k < length; k++)
            memory[k] += all[r * share + k];
    if (status == PARSCAN_OK)
        status = comm->functions.all_gather(comm->user, memory, share * bytes, all,
                                            PARSCAN_COMM_HOST, NULL, &request);
    if (status == PARSCAN_OK)
        status = comm->functions.wait(comm->user, request, comm->timeout);
    if (status == PARSCAN_OK)
        memcpy(counts, all, n * bytes);
    return parscan_comm_broke(comm, status, "an exchange");
}

parscan_status parscan_sum_counts(parscan_comm *comm, uint64_t *counts, size_t n)
{
    void *memory;
    if (comm->broken)
        return PARSCAN_ERROR_DEVICE;
    if (comm->size == 1 || n == 0)
        return PARSCAN_OK;
    if (n <= COMM_SLICE_BYTES / sizeof *counts && n <= COMM_FEW_COUNTS / comm->size)
        return sum_few(comm, counts, n);
    const size_t share = (n + comm->size - 1) / comm->size;
    parscan_status status =
        parscan_comm_room(comm, (comm->size + (size_t)1) * share * sizeof *counts, &memory);
    status = parscan_agree(comm, status);
    return status == PARSCAN_OK ? sum_many(comm, counts, n, share, memory) : status;
}
