/*
 * Ranks that are threads of one process, each with a context and a comm of its own. Their transport
 * copies from the sender's array to the receiver's, once, by the receiver, when it waits: as MPI does
 * between processes of one machine.
 */
#ifndef PARSCAN_BENCH_RANK_THREADS_H
#define PARSCAN_BENCH_RANK_THREADS_H

#include <stddef.h>

#include "parscan/parscan.h"

enum { MOST_RANKS = 64 };

typedef struct rank_threads rank_threads;

/* What a rank does in a call; data is rank_threads_run()'s. */
typedef void rank_body(parscan_comm *comm, void *data);

/* Starts `ranks` threads, whose contexts have `threads` threads. Ends the program if it cannot. */
rank_threads *rank_threads_start(unsigned ranks, unsigned threads);

/* Runs the body on every rank, and waits for all. */
void rank_threads_run(rank_threads *ranks, rank_body *body, void *data);

/* One all_to_all alone, in bytes, without a parscan_dist_* function around it. For a body. */
void rank_exchange(parscan_comm *comm, rank_threads *ranks, const void *send, const size_t *counts,
                   const size_t *begins, void *receive);

unsigned rank_threads_count(const rank_threads *ranks);
void rank_threads_end(rank_threads *ranks);

#endif
