/* Memory that kernels of all ranks read where it is: an exchange in which nothing is copied (nccl_peers.h). */
#include "apps/nccl/nccl_peers.h"

/* Whether all ranks show memory that the others can read, and where: lent[r]. */
static bool all_lend(const nccl_transport *transport, size_t number, const void **lent)
{
    bool all = true;
    for (int r = 0; r < transport->size; r++) {
        lent[r] = parscan_peers_posting(transport->peers, r, number)->lent;
        all = all && lent[r] != NULL;
    }
    for (int r = 0; r < transport->size && !all; r++)
        lent[r] = NULL;
    return all;
}

/* What comes on the stream waits for the work of the other ranks. */
static parscan_status follow_all(nccl_transport *transport, size_t number, cudaStream_t stream)
{
    const struct nccl_peers *const peers = transport->peers;
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < transport->size && error == cudaSuccess; r++)
        if (r != transport->rank)
            error = cudaStreamWaitEvent(stream, peers->slots[r]->ready[number % NCCL_POSTINGS], 0);
    return parscan_nccl_check_cuda(transport, error, "the order of streams");
}

/* It is read no more by this rank. */
static void end(nccl_transport *transport, size_t number)
{
    nccl_posting *const own = parscan_peers_posting(transport->peers, transport->rank, number);
    parscan_peers_tell(&own->taken, number + 1);
    parscan_peers_tell(&own->ended, number + 1);
}

parscan_status parscan_peers_lend(nccl_transport *transport, const void *memory, const void **lent,
                                  void *stream, void **request)
{
    struct nccl_peers *const peers = transport->peers;
    nccl_request *own = NULL;
    parscan_status status = parscan_peers_claim(transport, PARSCAN_COMM_DEVICE, &own);
    if (status != PARSCAN_OK)
        return status;
    const size_t number = own->number;
    nccl_posting *const posting = parscan_peers_posting(peers, transport->rank, number);
    own->lends = true;
    if (peers->lends && memory != NULL && parscan_peers_can_read(memory))
        posting->lent = memory;
    status = parscan_nccl_check_cuda(
        transport, cudaEventRecord(peers->own->ready[number % NCCL_POSTINGS], stream),
        "the order of streams");
    if (status != PARSCAN_OK)
        return status;
    parscan_peers_tell(&posting->begun, number + 1);
    status = parscan_peers_wait_for_all(transport, BEGUN, number);
    if (status != PARSCAN_OK)
        return status;
    *request = own;
    if (all_lend(transport, number, lent))
        return follow_all(transport, number, stream);
    *request = NULL;
    end(transport, number);
    return PARSCAN_OK;
}

parscan_status parscan_peers_give_back(nccl_transport *transport, const nccl_request *request)
{
    end(transport, request->number);
    return parscan_peers_wait_for_all(transport, TAKEN, request->number);
}
