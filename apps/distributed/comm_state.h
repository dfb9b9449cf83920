/*
 * The contents of a comm, and the exchanges of which every parscan_dist_* function is made.
 *
 * Every exchange is collective. Statuses are agreed on: each function takes this rank's status so
 * far, a rank that has failed takes part nevertheless, and all ranks return the same error, the one
 * of the lowest rank that failed, with its message in parscan_comm_error(). So a call has the form
 *
 *     status = ...local work...
 *     status = parscan_comm_gather(comm, status, &mine, sizeof mine, all);     // agrees
 *     if (status != PARSCAN_OK)
 *         return status;                                                  // on all ranks
 *
 * A public function starts with parscan_comm_begin() and notes its arguments that must be the same
 * on all ranks. The first exchange after it compares them:
 *
 *     parscan_status status = parscan_comm_begin(comm, "parscan_dist_reduce");
 *     if (status != PARSCAN_OK)
 *         return status;
 *     parscan_comm_note(comm, &type, sizeof type);
 *     status = ...checks of arguments, local...
 *     status = parscan_comm_gather(comm, status, ...);
 *     ...
 *     status = parscan_comm_finish(comm, status); // the last exchange
 *     parscan_comm_end(comm);                     // on every way out
 *     return status;
 *
 * What each function does between its exchanges:
 *
 *     function               each rank does                           and tells the others
 *     scan, reduce           reduces its piece, folds the sums        the sum of its piece
 *                            before it, scans from there
 *     ... reproducible       evaluates the tree's blocks in its       elements of tiles that are cut,
 *     floats                 piece (dist_tree.c)                      its blocks
 *     segmented scan, reduce finds its first or last head, sums       whether segments start, keys at
 *                            what is beyond it (dist_borders.c)       its ends, that sum
 *     unique, run lengths    a local call; run lengths only of what   elements at its ends, lengths
 *                            follows the run of other ranks
 *     histogram              counts in 64 bits                        counts: each sums a share of them
 *     allocate               sums its sizes, allocates from where     its total
 *                            the ranks before end
 *     bin                    sorts its entries by bin, bins those     counts; bins and values to their
 *                            it has got                               owners
 *     rebalance                                                       lengths; elements to new ranks
 *
 * Arrays are moved after an agreement (parscan_exchange_begin()), so an error there is the transport's:
 * the comm is broken, on this rank at once and on the others by their time limit. The last exchange of
 * a function agrees on its status. A rank that fails after it is alone with that; the others learn of it
 * in their next call.
 *
 * No exchange takes memory: what it needs is taken when the comm is created, so that a rank without
 * memory can still tell the others. All functions here are called by all ranks, in the same order.
 */
#ifndef PARSCAN_APPS_DISTRIBUTED_COMM_STATE_H
#define PARSCAN_APPS_DISTRIBUTED_COMM_STATE_H

#include <stdbool.h>

#include "parscan/comm.h"
#include "scan/context/context_state.h"

/* The bytes of a rank in an exchange of small values: first, and then more, if there are more. And the
   most counts of all ranks that every rank gathers to add them up. */
enum { COMM_FIRST_BYTES = 128, COMM_SLICE_BYTES = 4096, COMM_FEW_COUNTS = 1 << 16 };

/* Pieces of memory that a comm keeps for its calls. */
enum { COMM_KEPT = 4 };

struct parscan_comm {
    parscan_context *context;
    unsigned rank, size;
    parscan_comm_functions functions;
    void *user;
    double timeout;
    int cancellation;        /* of the calling thread before the call */
    bool broken;             /* an exchange has failed: every later call returns DEVICE */
    const char *call;        /* the function that runs, as its name is known to users */
    uint64_t digest;         /* of the arguments noted since the last exchange; 0: there are none */
    parscan_status early;    /* of the call, until the first exchange tells the others */
    size_t *counts;          /* 4 arrays of `size` numbers: counts and displacements, in bytes */
    unsigned char *gathered; /* COMM_SLICE_BYTES of every rank */
    unsigned char mine[COMM_SLICE_BYTES];
    parscan_memory staging;         /* host memory, kept between calls */
    struct comm_block *blocks;      /* of parscan_comm_allocate(), a list */
    parscan_memory kept[COMM_KEPT]; /* parscan_comm_keep() */
    bool taken[COMM_KEPT];          /* by the call */
    void *lanes; /* on CUDA: what stages exchanges (comm_stage_cuda.c); NULL: nothing */
    char error[512];
};

/* The first step of a public function: checks comm, and that it is not broken; notes the name of
   the function. From then on the thread cannot be cancelled: it would leave the other ranks waiting, and
   the transport's locks locked. Local. */
parscan_status parscan_comm_begin(parscan_comm *comm, const char *name);

/* The last step, if begin was not an error: frees the memory of the call. */
void parscan_comm_end(parscan_comm *comm);

/* Notes an argument that must be the same on all ranks. The next exchange compares the arguments
   noted so far: if they differ, it is INVALID_ARGUMENT. bytes = 0: nothing is noted. */
void parscan_comm_note(parscan_comm *comm, const void *argument, size_t bytes);

/* At least `size` bytes of host memory of the comm, aligned to 64 bytes and kept between calls; the
   next call may move it. Local. Errors: OUT_OF_MEMORY. */
parscan_status parscan_comm_room(parscan_comm *comm, size_t size, void **memory);

/* Memory of one call, of the context's engine or of the host, aligned to 64 bytes at least; size 0
   gives NULL. parscan_comm_end() frees it. Not if the comm is broken: then an exchange may still read
   and write the memory, and parscan_comm_destroy() frees it. What takes
   part in exchanges is this memory, or that of parscan_comm_keep(). Local. Errors: OUT_OF_MEMORY. */
typedef enum comm_place { COMM_ON_HOST, COMM_ON_ENGINE } comm_place;
parscan_status parscan_comm_allocate(parscan_comm *comm, comm_place place, size_t size,
                                     void **memory);

/* At least `size` bytes of memory of the context's engine for large arrays: piece number `piece`. The
   comm keeps it between calls, until one asks for more of the same piece, or for another piece, and
   memory is short. All pieces together are within the context's scratch_limit. Local. Errors:
   OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_comm_keep(parscan_comm *comm, unsigned piece, size_t size, void **memory);
void parscan_comm_release_kept(parscan_comm *comm);

/* The bytes of the pieces that this call has asked for. */
size_t parscan_comm_taken(const parscan_comm *comm);

/* Gathers `bytes` bytes of every rank, in host memory, and agrees on `status`. It is one exchange up
   to 112 bytes, and one more for every 4096 bytes beyond. bytes is the same on all ranks; it may be
   0, with mine and all NULL. all is written if the status is OK. */
parscan_status parscan_comm_gather(parscan_comm *comm, parscan_status status, const void *mine,
                                   size_t bytes, void *all);

/* Agrees on a status. */
parscan_status parscan_agree(parscan_comm *comm, parscan_status status);

/* The same at the end of a function: waits for the context's work first, and for the errors that
   only the device sees. */
parscan_status parscan_comm_finish(parscan_comm *comm, parscan_status status);

/* Sums arrays of 64-bit counts over the ranks, in host memory: counts[i] becomes the sum of all
   ranks' counts[i]. n is the same on all ranks. Uses parscan_comm_room() for more than 512
   counts. Errors, agreed on: OUT_OF_MEMORY. */
parscan_status parscan_sum_counts(parscan_comm *comm, uint64_t *counts, size_t n);

/* An exchange that is under way. Zero: none. */
typedef struct exchange {
    bool open;
    void *request;
    /* On CUDA with a transport for host memory: the staged parts (comm_stage_cuda.c). */
    void *staged;
} exchange;

/* Begins to move elements of `element_size` bytes: send_counts[r] elements from
   send + send_begin[r] to rank r, and receive_counts[r] elements of rank r to receive +
   receive_begin[r], all in elements. The arrays are memory of the context's engine, or host memory.
   send and receive do not overlap. Both ranks of a pair give the same count. The counts and begins
   may change once begin has returned; the arrays not before end has. It does not agree on a status,
   which must have been agreed on before: an error breaks the comm. Several exchanges may be under
   way; they end in the order in which they started, and no other exchange comes between. If begin
   fails, end need not be called: it then does nothing. */
parscan_status parscan_exchange_begin(parscan_comm *comm, exchange *under_way, size_t element_size,
                                      const void *send, const uint64_t *send_begin,
                                      const uint64_t *send_counts, void *receive,
                                      const uint64_t *receive_begin,
                                      const uint64_t *receive_counts);
parscan_status parscan_exchange_end(parscan_comm *comm, exchange *under_way);

/* Lends memory of the engine to kernels of the other ranks until parscan_exchange_end(), as the transport's function
   of that name. If it cannot, all of `lent` become NULL on all ranks, and nothing is under way. */
parscan_status parscan_lend(parscan_comm *comm, exchange *under_way, const void *memory,
                            const void **lent);

/* What an exchange moves. */
typedef struct exchange_part {
    size_t element_size;
    const uint64_t *send_begin, *send_counts, *receive_begin, *receive_counts;
} exchange_part;

/* What an engine implements for comms. */
typedef struct parscan_stage_engine {
    parscan_status (*begin)(parscan_comm *comm, exchange *under_way, const void *send,
                            void *receive, const exchange_part *part);
    parscan_status (*end)(parscan_comm *comm, exchange *under_way);
    /* As parscan_lend(); `lent` is NULL before. NULL: the engine cannot. */
    parscan_status (*lend)(parscan_comm *comm, exchange *under_way, const void *memory,
                           const void **lent);
    /* Whether the context can take part now; NULL: it can. Errors: UNSUPPORTED, in a capture. */
    parscan_status (*check)(parscan_comm *comm);
    void (*release)(parscan_comm *comm); /* frees comm->lanes; may be NULL */
} parscan_stage_engine;

/* Defined in comm_stage_cuda.c. */
extern const parscan_stage_engine parscan_stage_cuda;

/* Call the functions of the context's engine. */
parscan_status parscan_stage_check(parscan_comm *comm);
void parscan_stage_release(parscan_comm *comm);

/* One all_to_all of the transport, and its end. For engines. */
parscan_status parscan_exchange_to_all(parscan_comm *comm, exchange *under_way, const void *send,
                                       void *receive, const exchange_part *part,
                                       parscan_comm_memory memory, void *stream);
parscan_status parscan_exchange_wait(parscan_comm *comm, exchange *under_way);

/* Marks the comm as broken, with the transport's words, and returns DEVICE. Does nothing if status
   is OK. */
parscan_status parscan_comm_broke(parscan_comm *comm, parscan_status status, const char *what);

/* Fails on this rank alone, with the message in comm and context. For failures before an exchange
   could tell the others. */
__attribute__((format(printf, 3, 4))) parscan_status
parscan_comm_fail(parscan_comm *comm, parscan_status status, const char *format, ...);

#endif
