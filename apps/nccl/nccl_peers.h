/*
 * Exchanges between ranks of one host, whose devices can read each other's memory: no kernel takes part. Each rank
 * shows the others on the board (nccl_board.h) what it sends, and each takes its part of it: device memory by the
 * copy engines, host memory by memcpy(). So no exchange waits for multiprocessors, or keeps them from a sort.
 *
 * Threads of one process read each other's arrays where they are, and an exchange ends when all have done so. If
 * ranks are in several processes, what is sent is copied first: host memory to the board, step by step, and device
 * memory to buffers of the comm's own (nccl_buffers.c), which the others have opened. Then a rank waits only for what it gets.
 * Threads do the latter with device memory that the others may not read.
 *
 * A posting goes through these, in nccl_peers.c:
 *
 *     begun      it shows what is sent
 *     answered   only if a rank asks, since it has made a buffer or could not: whether this one can go on.
 *                If not all can, the exchange is NCCL's
 *     taken      this rank has what it gets, or copies it on its stream
 *     ended      it has waited for that. When all are so far, posting and buffer may be used again
 */
#ifndef PARSCAN_APPS_NCCL_NCCL_PEERS_H
#define PARSCAN_APPS_NCCL_NCCL_PEERS_H

#include "apps/nccl/nccl_board.h"

/* An exchange of this rank. */
typedef struct nccl_request {
    size_t number;
    parscan_comm_memory memory;
    bool gathers; /* what is sent to each rank is the same */
    bool lends;   /* kernels of all ranks read what the others show; nothing is sent */
    const char *send;
    char *receive;
    size_t *send_counts, *send_places, *receive_counts, *receive_places;
    nccl_exchange *by_nccl; /* or NULL */
} nccl_request;

/* One of this rank's exports. */
typedef struct nccl_buffer {
    char *memory;
    size_t room, number; /* of the last exchange that had it */
    bool used;           /* by any exchange */
    bool open;           /* that exchange has not ended here */
} nccl_buffer;

/* Memory that was too small, and may still be open elsewhere. */
typedef struct nccl_outgrown {
    char *memory;
    size_t generation;
    int buffer;
} nccl_outgrown;

/* What this rank has opened of another process. */
typedef struct nccl_import {
    bool same_process; /* nothing: it reads the pointers themselves */
    cudaEvent_t ready[NCCL_POSTINGS];
    char *memory[NCCL_BUFFERS];
} nccl_import;

struct nccl_peers {
    nccl_board board;
    bool lends;       /* all ranks are threads of one process */
    size_t exchanges; /* that have begun */
    nccl_slot *own, **slots;
    nccl_import *imports;
    size_t *numbers; /* those of all requests */
    nccl_request requests[NCCL_POSTINGS];
    nccl_buffer buffers[NCCL_BUFFERS];
    int buffer_count;
    nccl_outgrown *outgrown;
    int outgrown_count;
};

/* Whether there was no error; if there was, CUDA forgets it, so that the caller does not find it. */
bool parscan_peers_succeeded(cudaError_t error);

/* ---- nccl_meeting.c ---- */

/* The ranks tell each other who they are, by NCCL. Sets transport->peers if all agree that they can exchange so.
   Enables access to the memory of other devices. Errors: DEVICE, of NCCL. */
parscan_status parscan_peers_meet(nccl_transport *transport);

/* Waits for others that still use memory of this rank for LEAVE_SECONDS at most, unless the transport has failed
   or all are threads. */
void parscan_peers_leave(nccl_transport *transport);

/* ---- nccl_buffers.c ---- */

/* Gives the request a buffer of at least so many bytes that no rank reads any more, or -1 if there is no memory.
   *asks: others have to open it first, or there is none. Errors: DEVICE, a rank is lost. */
parscan_status parscan_buffers_lease(nccl_transport *transport, size_t number, size_t bytes,
                                     int *buffer, bool *asks);

/* Gives a buffer memory and shows it. False: there is none. */
bool parscan_buffers_grow(nccl_transport *transport, int buffer, size_t bytes);

/* A buffer that others could not open. */
void parscan_buffers_drop(struct nccl_peers *peers, int buffer);

/* Opens a buffer of rank r, unless it is. */
bool parscan_buffers_open(struct nccl_peers *peers, int rank, int r, int buffer);
void parscan_buffers_close(struct nccl_peers *peers, int rank, int r, int buffer);

/* Frees outgrown memory that nobody has open. The streams of the transport have nothing to do. */
void parscan_buffers_collect(nccl_transport *transport);
bool parscan_buffers_idle(const nccl_transport *transport);

/* ---- nccl_peers.c ---- */

typedef enum nccl_progress { BEGUN, ANSWERED, TAKEN, ENDED } nccl_progress;

/* Waits until all other ranks are so far with an exchange. */
parscan_status parscan_peers_wait_for_all(nccl_transport *transport, nccl_progress what,
                                          size_t number);

/* Begins an exchange: its request, and a posting that shows nothing yet. */
parscan_status parscan_peers_claim(nccl_transport *transport, parscan_comm_memory memory,
                                   nccl_request **request);

/* Whether a device with peer access may read the memory: that of cudaMalloc(), which is also what legacy
   handles between processes take. Memory of pools and of virtual addresses has rights of its own. */
bool parscan_peers_can_read(const void *memory);

/* Waits until a counter of rank r has come so far. Errors: DEVICE, r is lost, late or gone. */
parscan_status parscan_peers_wait_for(nccl_transport *transport, int r,
                                      const atomic_size_t *counter, size_t least);
void parscan_peers_tell(atomic_size_t *counter, size_t value);
nccl_posting *parscan_peers_posting(const struct nccl_peers *peers, int r, size_t number);

/* Whether all other ranks have ended an exchange. */
bool parscan_peers_all_ended(const nccl_transport *transport, size_t number);

/* As those of parscan_comm_functions. gathers: all_gather, as an all_to_all. */
parscan_status parscan_peers_begin(nccl_transport *transport, const void *send,
                                   const size_t *send_counts, const size_t *send_displacements,
                                   void *receive, const size_t *receive_counts,
                                   const size_t *receive_displacements, parscan_comm_memory memory,
                                   bool gathers, void *stream, void **request);
parscan_status parscan_peers_wait(nccl_transport *transport, void *request, double seconds);

/* ---- nccl_lend.c ---- */

/* parscan_comm_functions' lend, and its end. */
parscan_status parscan_peers_lend(nccl_transport *transport, const void *memory, const void **lent,
                                  void *stream, void **request);
parscan_status parscan_peers_give_back(nccl_transport *transport, const nccl_request *request);

/* ---- nccl_host.c ---- */

/* Host memory: shows the first step; and the others, while it reads those of the others. */
void parscan_peers_show_host(nccl_transport *transport, const nccl_request *request);
parscan_status parscan_peers_take_host(nccl_transport *transport, const nccl_request *request);

#endif
