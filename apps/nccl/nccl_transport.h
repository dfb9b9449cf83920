/*
 * parscan_comm_functions over NCCL. An exchange is a group of ncclSend() and ncclRecv() on the stream
 * of the transport; NCCL's counts are size_t, so messages need no parts. Before their first exchange the
 * ranks tell each other who they are, by NCCL too: those of one host exchange without it (nccl_peers.h).
 */
#ifndef PARSCAN_APPS_NCCL_NCCL_TRANSPORT_H
#define PARSCAN_APPS_NCCL_NCCL_TRANSPORT_H

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdbool.h>

#include "parscan/comm.h"

/* The bytes of a transport's pinned memory. */
enum { NCCL_PINNED = 256 * 1024 };

/* Bytes that go back to host memory at the end of an exchange. */
typedef struct nccl_copy {
    char *to;
    size_t from, bytes; /* from: in what it was staged in */
} nccl_copy;

typedef struct nccl_exchange {
    struct nccl_exchange *next;
    cudaEvent_t done;
    char *buffer; /* on the device, for host memory; kept */
    size_t room;
    char *staged;      /* what host memory goes through: buffer, or the transport's `pinned` */
    nccl_copy *copies; /* one for each rank */
    int count;
} nccl_exchange;

typedef struct nccl_transport {
    ncclComm_t nccl;
    int rank, size, device;
    cudaStream_t stream;      /* exchanges */
    cudaStream_t copy_stream; /* copies within a rank: they never wait for an exchange */
    cudaEvent_t ready;        /* the work on the context's stream when an exchange starts */
    /* Host memory through which a small exchange of host memory goes: NCCL's kernels read and write it,
       and nothing is copied on the device. One exchange at a time has it. */
    char *pinned;
    bool pinned_in_use;
    /* The limit of the last wait, for what NCCL does at first, and who has set it, for words. */
    double seconds;
    const char *limit;
    nccl_exchange *begun, *spare; /* those that wait has not ended, and those to be used again */
    bool met;                     /* the ranks know of each other */
    struct nccl_peers *peers;     /* NULL: exchanges are NCCL's */
    void **outgrown;              /* buffers that were too small: cudaFree() waits for kernels */
    int outgrown_count;
    bool failed; /* `words` tell of what */
    char words[512];
} nccl_transport;

/* Keeps the message of a failure. Returns DEVICE. */
__attribute__((format(printf, 2, 3))) parscan_status parscan_nccl_fail(nccl_transport *transport,
                                                                       const char *format, ...);

/* PARSCAN_OK if there was no error, or keeps the message of NCCL or CUDA. */
parscan_status parscan_nccl_check(nccl_transport *transport, ncclResult_t result,
                                  const char *function);
parscan_status parscan_nccl_check_cuda(nccl_transport *transport, cudaError_t error,
                                       const char *function);

/* A communicator that does not block may go on in the background: waits until all that it was given
   is on the stream. */
parscan_status parscan_nccl_settle(nccl_transport *transport, ncclResult_t result,
                                   const char *function);

/* Sets the limit of waits, which a caller has given. */
void parscan_nccl_limit(nccl_transport *transport, double seconds);

/* Waits a little for something that other ranks do. Errors: DEVICE, after the limit. */
typedef struct parscan_nccl_clock {
    double begin;
} parscan_nccl_clock;
parscan_nccl_clock parscan_nccl_clock_start(void);
parscan_status parscan_nccl_pause(nccl_transport *transport, const parscan_nccl_clock *clock);

/* The same without an error: false after so many seconds. */
bool parscan_nccl_pause_until(const parscan_nccl_clock *clock, double seconds);

/* Waits until the event has come. */
parscan_status parscan_nccl_wait_event(nccl_transport *transport, cudaEvent_t event,
                                       double seconds);

/* Makes the transport's device the current one, and the one before again. */
parscan_status parscan_nccl_enter(nccl_transport *transport, int *before);
void parscan_nccl_leave(const nccl_transport *transport, int before);

/* The streams of a transport whose nccl, rank, size and device are set. */
parscan_status parscan_nccl_open(nccl_transport *transport);

/* Exchanges over NCCL, as those of parscan_comm_functions; the transport's device is the current one. */
parscan_status parscan_nccl_all_to_all(nccl_transport *transport, const void *send,
                                       const size_t *send_counts, const size_t *send_displacements,
                                       void *receive, const size_t *receive_counts,
                                       const size_t *receive_displacements,
                                       parscan_comm_memory memory, void *stream,
                                       nccl_exchange **exchange);
parscan_status parscan_nccl_all_gather(nccl_transport *transport, const void *send, size_t bytes,
                                       void *receive, parscan_comm_memory memory, void *stream,
                                       nccl_exchange **exchange);
parscan_status parscan_nccl_wait(nccl_transport *transport, nccl_exchange *exchange,
                                 double seconds);

/* Frees the transport. It waits for no exchange; where ranks are processes of one host, until the others have
   closed the memory of this one, for a second at most. */
void parscan_nccl_release(void *transport);

/* The functions, with an nccl_transport as their `user`. */
parscan_comm_functions parscan_nccl_functions(void);

#endif
