#include "apps/distributed/comm_state.h"
#include "parscan/memory.h"

parscan_status parscan_comm_keep(parscan_comm *comm, unsigned piece, size_t size, void **memory)
{
    parscan_context *const context = comm->context;
    parscan_memory *const kept = &comm->kept[piece];
    *memory = kept->data;
    if (size <= kept->size)
        return PARSCAN_OK;
    size_t all = size;
    for (unsigned k = 0; k < COMM_KEPT; k++)
        all += k == piece ? 0 : comm->kept[k].size;
    if (context->scratch_limit != 0 && all > context->scratch_limit)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "the call needs %zu bytes: scratch_limit is %zu", all,
                            context->scratch_limit);
    const parscan_status status = parscan_free(context, kept->data);
    *kept = (parscan_memory){NULL, 0};
    *memory = NULL;
    if (status != PARSCAN_OK)
        return status;
    const parscan_status taken = parscan_malloc(context, &kept->data, size);
    kept->size = taken == PARSCAN_OK ? size : 0;
    *memory = kept->data;
    return taken;
}

void parscan_comm_release_kept(parscan_comm *comm)
{
    for (unsigned k = 0; k < COMM_KEPT; k++)
        parscan_free(comm->context, comm->kept[k].data);
}
