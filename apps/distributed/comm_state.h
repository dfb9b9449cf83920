/*
 * The contents of a comm, and the exchanges of which every parscan_dist_* function is made.
 *
 * Every exchange is collective. Statuses are agreed on: each function takes this rank's status so
 * far, a rank that has failed takes part nevertheless, and all ranks return the same error, the one
 * of the lowest rank that failed, with its words in parscan_comm_error(). So a call has the form
 *
 *     status = ...local work...
 *     status = parscan_gather(comm, status, &mine, sizeof mine, all);     // agrees
 *     if (status != PARSCAN_OK)
 *         return status;                                                  // on all ranks
 */
#ifndef PARSCAN_APPS_DISTRIBUTED_COMM_STATE_H
#define PARSCAN_APPS_DISTRIBUTED_COMM_STATE_H

#include <stdbool.h>

#include "parscan/comm.h"
#include "scan/context/context_state.h"

struct parscan_comm {
    parscan_context *context;
    unsigned rank, size;
    parscan_comm_functions functions;
    void *user;
    double timeout;
    bool broken; /* an exchange has failed: every later call returns DEVICE */
    parscan_memory gathered, staging; /* host memory, kept between calls; staging: pinned on CUDA */
    char error[512];
};

/* Checks comm itself, and that it is not broken; the first line of every public function. Local. */
parscan_status parscan_comm_check(parscan_comm *comm);

/* Gathers `bytes` bytes of every rank (at most 4096, in host memory) and agrees on `status`, in one
   exchange. bytes may be 0, with mine and all NULL. */
parscan_status parscan_gather(parscan_comm *comm, parscan_status status, const void *mine,
                              size_t bytes, void *all);

/* Agrees on a status. */
parscan_status parscan_agree(parscan_comm *comm, parscan_status status);

/* Sums arrays of 64-bit counts over the ranks, in host memory: counts[i] becomes the sum of all
   ranks' counts[i]. */
parscan_status parscan_sum_counts(parscan_comm *comm, uint64_t *counts, size_t n);

/* An exchange that is under way. Zero: none. */
typedef struct exchange {
    bool open;
    void *request;
    /* On CUDA with a transport for host memory: the staged parts (comm_stage.c). */
    void *staged;
} exchange;

/* Begins to move elements of `element_size` bytes: send_counts[r] elements from
   send + send_begin[r] to rank r, and receive_counts[r] elements of rank r to receive +
   receive_begin[r], all in elements. The arrays are memory of the context's engine (or host memory).
   It does not agree on a status: an error breaks the comm. */
parscan_status parscan_exchange_begin(parscan_comm *comm, exchange *exchange, size_t element_size,
                                      const void *send, const uint64_t *send_begin,
                                      const uint64_t *send_counts, void *receive,
                                      const uint64_t *receive_begin,
                                      const uint64_t *receive_counts);
parscan_status parscan_exchange_end(parscan_comm *comm, exchange *exchange);

#endif
