/* The global array cut anew: each rank's new piece overlaps old pieces of some ranks. */
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "parscan/distributed.h"
#include "scan/context/check.h"

typedef struct lengths {
    uint64_t in, out;
} lengths;

/* How many elements [a, a + m) and [b, b + n) have in common; *begin: where, from a. */
static uint64_t overlap(uint64_t a, uint64_t m, uint64_t b, uint64_t n, uint64_t *begin)
{
    const uint64_t low = a > b ? a : b, high = a + m < b + n ? a + m : b + n;
    *begin = low < high ? low - a : 0;
    return low < high ? high - low : 0;
}

/* Fills four arrays of `size` numbers: for sends and for receives, the starts and the counts. Fails on
   all ranks if the sums of the lengths differ. */
static parscan_status find_routes(const parscan_comm *comm, const lengths *all, uint64_t *routes)
{
    const size_t size = comm->size;
    uint64_t in = 0, out = 0, my_in = 0, my_out = 0;
    for (unsigned rank = 0; rank < size; rank++) {
        my_in = rank == comm->rank ? in : my_in;
        my_out = rank == comm->rank ? out : my_out;
        in += all[rank].in;
        out += all[rank].out;
    }
    if (in != out)
        return parscan_fail(
            comm->context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "the sum of all n_in = %llu, that of all n_out = %llu: they must be equal",
            (unsigned long long)in, (unsigned long long)out);
    in = out = 0;
    const lengths *const me = &all[comm->rank];
    for (unsigned rank = 0; rank < size; rank++) {
        const lengths *const other = &all[rank];
        routes[size + rank] = overlap(my_in, me->in, out, other->out, &routes[rank]);
        routes[3 * size + rank] = overlap(my_out, me->out, in, other->in, &routes[2 * size + rank]);
        in += other->in;
        out += other->out;
    }
    return PARSCAN_OK;
}

static parscan_status check_dist_rebalance(parscan_context *context, size_t element_size,
                                           const void *in, size_t n_in, const void *out,
                                           size_t n_out)
{
    if (element_size == 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "element_size = 0: it must be at least 1");
    parscan_status status =
        parscan_check_counted_array(context, "in", in, "n_in", n_in, element_size);
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(context, "out", out, "n_out", n_out, element_size);
    return status == PARSCAN_OK
               ? parscan_check_apart(context, (parscan_extent){"out", out, n_out * element_size},
                                     (parscan_extent){"in", in, n_in * element_size})
               : status;
}

static parscan_status run_dist_rebalance(parscan_comm *comm, parscan_status status,
                                         size_t element_size, const void *in, size_t n_in,
                                         void *out, size_t n_out)
{
    const size_t size = comm->size;
    const lengths mine = {n_in, n_out};
    void *all = NULL, *memory = NULL;
    exchange under_way;
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, size * sizeof mine, &all);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, 4 * size * sizeof(uint64_t), &memory);
    parscan_comm_note(comm, &element_size, sizeof element_size);
    status = parscan_comm_gather(comm, status, &mine, sizeof mine, all);
    if (status != PARSCAN_OK)
        return status;
    uint64_t *const routes = memory;
    status = find_routes(comm, all, routes);
    if (status != PARSCAN_OK)
        return parscan_agree(comm, status);
    status = parscan_exchange_begin(comm, &under_way, element_size, in, routes, routes + size, out,
                                    routes + 2 * size, routes + 3 * size);
    if (status == PARSCAN_OK)
        status = parscan_exchange_end(comm, &under_way);
    return parscan_comm_finish(comm, status);
}

parscan_status parscan_dist_rebalance(parscan_comm *comm, size_t element_size, const void *in,
                                      size_t n_in, void *out, size_t n_out)
{
    parscan_status status = parscan_comm_begin(comm, "parscan_dist_rebalance");
    if (status != PARSCAN_OK)
        return status;
    status = check_dist_rebalance(comm->context, element_size, in, n_in, out, n_out);
    status = run_dist_rebalance(comm, status, element_size, in, n_in, out, n_out);
    parscan_comm_end(comm);
    return status;
}
