/*
 * Exchanges between ranks that are threads of one process: no kernel takes part. Each rank shows the others what
 * it sends, and each takes its part of it: device memory by the copy engines, over peer access; host memory by
 * memcpy(). So no exchange waits for multiprocessors, or keeps them from a sort.
 *
 * Each rank has a slot that all ranks see, with a ring of postings, one for each exchange under way. Exchange
 * number m has posting m % NCCL_POSTINGS of every slot. A rank writes its own slot alone:
 *
 *     begun    send, displacements and ready are those of this exchange. Device memory: the event `ready`
 *              comes when it is complete
 *     taken    this rank has what it gets. Device memory: the copies are on its stream, and the event
 *              `done` comes when they are done
 *     ended    this rank has waited for all of that, so the posting may be used again
 *
 * Each is the number of the exchange, plus one.
 */
#ifndef PARSCAN_APPS_NCCL_NCCL_PEERS_H
#define PARSCAN_APPS_NCCL_NCCL_PEERS_H

#include <stdatomic.h>

#include "apps/nccl/nccl_transport.h"

/* More than the exchanges that a comm has under way. */
enum { NCCL_POSTINGS = 16 };

typedef struct nccl_posting {
    atomic_size_t begun, taken, ended;
    const char *send;
    size_t *displacements; /* of each rank's part of `send` */
    cudaEvent_t ready, done;
    /* For the rank itself. */
    size_t number;
    parscan_comm_memory memory;
    char *receive;
    size_t *receive_counts, *receive_displacements;
    nccl_exchange
        *staged; /* what is shown in place of memory that other devices may not read; or NULL */
} nccl_posting;

typedef struct nccl_slot {
    atomic_uint users;
    atomic_bool left; /* its rank has gone */
    size_t *numbers;  /* those of all postings */
    nccl_posting postings[NCCL_POSTINGS];
} nccl_slot;

struct nccl_peers {
    nccl_slot *own;
    size_t exchanges; /* that have begun */
    nccl_slot *slots[];
};

/* What the ranks of a communicator tell each other before their first exchange. */
typedef struct nccl_record {
    uint64_t process[4]; /* the same for threads of one process, and for no others */
    int device;
    nccl_slot *slot; /* NULL: no memory for it */
} nccl_record;

/* The record of this rank, with a slot that is its own until all ranks have agreed. */
nccl_record parscan_peers_record(const nccl_transport *transport);
void parscan_peers_discard(nccl_slot *slot);

/* What exchanges with all ranks so, or NULL if this rank cannot. Enables peer access. */
struct nccl_peers *parscan_peers_make(const nccl_transport *transport, const nccl_record *records);

/* As those of parscan_comm_functions. */
parscan_status parscan_peers_begin(nccl_transport *transport, const void *send,
                                   const size_t *send_counts, const size_t *send_displacements,
                                   void *receive, const size_t *receive_counts,
                                   const size_t *receive_displacements, parscan_comm_memory memory,
                                   void *stream, void **request);
parscan_status parscan_peers_wait(nccl_transport *transport, void *request, double seconds);
void parscan_peers_leave(nccl_transport *transport);

#endif
