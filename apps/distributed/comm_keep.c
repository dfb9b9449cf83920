#include "apps/distributed/comm_state.h"
#include "parscan/memory.h"

/* Frees the pieces that this call has not taken. *freed: the bytes. */
static parscan_status release_unused(parscan_comm *comm, size_t *freed)
{
    parscan_status status = PARSCAN_OK;
    *freed = 0;
    for (unsigned k = 0; k < COMM_KEPT && status == PARSCAN_OK; k++)
        if (!comm->taken[k] && comm->kept[k].data != NULL) {
            *freed += comm->kept[k].size;
            status = parscan_free(comm->context, comm->kept[k].data);
            comm->kept[k] = (parscan_memory){NULL, 0};
        }
    return status;
}

static size_t kept_bytes(const parscan_comm *comm)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < COMM_KEPT; k++)
        bytes += comm->kept[k].size;
    return bytes;
}

size_t parscan_comm_taken(const parscan_comm *comm)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < COMM_KEPT; k++)
        bytes += comm->taken[k] ? comm->kept[k].size : 0;
    return bytes;
}

/* piece: empty. */
static parscan_status take_piece(parscan_comm *comm, parscan_memory *piece, size_t size)
{
    parscan_context *const context = comm->context;
    const size_t limit = context->scratch_limit;
    parscan_status status = PARSCAN_OK;
    size_t freed = 0;
    if (limit != 0 && kept_bytes(comm) + size > limit)
        status = release_unused(comm, &freed);
    if (status == PARSCAN_OK && limit != 0 && kept_bytes(comm) + size > limit)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "the call needs %zu bytes: scratch_limit is %zu",
                            kept_bytes(comm) + size, limit);
    if (status == PARSCAN_OK)
        status = parscan_malloc_shared(context, &piece->data, size);
    if (status == PARSCAN_ERROR_OUT_OF_MEMORY && release_unused(comm, &freed) == PARSCAN_OK &&
        freed > 0)
        status = parscan_malloc_shared(context, &piece->data, size);
    piece->size = status == PARSCAN_OK ? size : 0;
    return status;
}

parscan_status parscan_comm_keep(parscan_comm *comm, unsigned piece, size_t size, void **memory)
{
    parscan_memory *const kept = &comm->kept[piece];
    parscan_status status = PARSCAN_OK;
    comm->taken[piece] = true;
    if (size > kept->size) {
        status = parscan_free(comm->context, kept->data);
        *kept = (parscan_memory){NULL, 0};
        if (status == PARSCAN_OK)
            status = take_piece(comm, kept, size);
    }
    *memory = kept->data;
    return status;
}

void parscan_comm_release_kept(parscan_comm *comm)
{
    for (unsigned k = 0; k < COMM_KEPT; k++)
        parscan_free(comm->context, comm->kept[k].data);
}
