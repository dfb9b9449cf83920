/*
 * The board: memory that all ranks of one host see, whether they are threads of one process or processes. Each
 * rank has a slot there, which it writes alone, but for `users`. Ranks of other processes see the board at other
 * addresses: pointers in it are for the process that wrote them.
 *
 * It is a file without a name (memfd_create()), which rank 0 makes. The others open it by rank 0's number of it in /proc;
 * the kernel lets those do that which may look into rank 0's process. So nothing stays behind, whoever dies.
 */
#ifndef PARSCAN_APPS_NCCL_NCCL_BOARD_H
#define PARSCAN_APPS_NCCL_NCCL_BOARD_H

#include <stdatomic.h>
#include <sys/types.h>

#include "apps/nccl/nccl_transport.h"

/* Postings: more than the exchanges that a comm has under way. Buffers: as many as are under way at most.
   A part: bytes of host memory that an exchange of ranks in several processes shows at a time. */
enum { NCCL_POSTINGS = 16, NCCL_BUFFERS = NCCL_POSTINGS, NCCL_PART = 64 * 1024 };

/* Exchange number m has posting m % NCCL_POSTINGS of every slot. begun to ended: the number of the exchange that is so
   far, plus one. */
typedef struct nccl_posting {
    atomic_size_t begun;    /* what is below is of this exchange, and `ready` was recorded */
    atomic_size_t answered; /* `can` is of this exchange */
    atomic_size_t taken;    /* it has what it gets; device memory: `done` comes when it has */
    atomic_size_t ended;    /* and it reads nothing of other ranks any more */
    /* Host memory between processes goes step by step: steps that are in the part, and that are read of
       all other parts. */
    atomic_size_t shown, read;
    const char *lent; /* what is sent, for ranks that may read it where it is; or NULL */
    int buffer;       /* where what is sent is copied to, if lent is NULL. -1: nothing is sent */
    bool asks;        /* the ranks answer whether they can take part, before any goes on */
    bool can;
} nccl_posting;

/* A buffer of exchanges on the rank's device. */
typedef struct nccl_export {
    size_t generation; /* it has another memory with each; 0: none */
    char *memory;
    cudaIpcMemHandle_t handle; /* if ranks are in several processes */
} nccl_export;

typedef struct nccl_slot {
    atomic_uint users; /* ranks that may still use events and memory of this one */
    atomic_bool left;  /* its rank has gone */
    atomic_bool busy;  /* something may still use its memory for ever: it is not freed */
    nccl_posting postings[NCCL_POSTINGS];
    /* Of each posting. ready: what is sent is complete. done: what comes has come. */
    cudaEvent_t ready[NCCL_POSTINGS], done[NCCL_POSTINGS];
    cudaIpcEventHandle_t ready_handles[NCCL_POSTINGS];
    nccl_export exports[NCCL_BUFFERS];
} nccl_slot;

/* What the ranks of a communicator tell each other before their first exchange. */
typedef struct nccl_record {
    uint64_t host[3]; /* the same where processes can find each other by their numbers */
    int64_t process;
    int device;
    /* Of rank 0: the board. */
    int file; /* -1: none */
    uint64_t file_device, file_number;
} nccl_record;

typedef struct nccl_board {
    void *memory; /* NULL: none */
    int size;
} nccl_board;

/* The record of this rank; rank 0 makes a board for all, if there is memory for it. */
nccl_record parscan_board_record(const nccl_transport *transport);
void parscan_board_close(const nccl_record *own);

bool parscan_board_same_host(const nccl_record *a, const nccl_record *b);
bool parscan_board_same_process(const nccl_record *a, const nccl_record *b);

/* Maps the board of rank 0. False: this rank cannot. */
bool parscan_board_map(nccl_board *board, const nccl_record *records, int rank, int size);
void parscan_board_unmap(nccl_board *board);

nccl_slot *parscan_board_slot(const nccl_board *board, int rank);

/* Of a posting, for each rank: where what is sent to it begins, in lent or in the buffer. */
size_t *parscan_board_places(const nccl_board *board, int rank, size_t posting);

/* Of a rank: the generations of another rank's buffers that it has opened; 0: none. */
atomic_size_t *parscan_board_opened(const nccl_board *board, int rank, int other);

/* The part of a posting. */
char *parscan_board_part(const nccl_board *board, int rank, size_t posting);

#endif
