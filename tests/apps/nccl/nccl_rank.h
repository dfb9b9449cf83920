/* A rank of the tests of libparscan_nccl: a GPU, in a thread or a process of its own. */
#ifndef PARSCAN_TESTS_NCCL_RANK_H
#define PARSCAN_TESTS_NCCL_RANK_H

#include <stdbool.h>

#include "parscan/comm_nccl.h"

enum { SKIPPED = 77 };

typedef struct nccl_rank {
    int rank, ranks, device;
    ncclComm_t nccl;
    parscan_context *context;
    parscan_comm *comm;
    char words[768]; /* what is wrong; "": nothing */
} nccl_rank;

/* Sets rank, ranks and device before. Collective; false with a message. */
bool nccl_rank_open(nccl_rank *self, ncclUniqueId id);

/* Every call against one process on the joined array, in host and in device memory. */
bool nccl_rank_run(nccl_rank *self);

/* The last rank does not come to a call, and the others find out. Afterwards the communicator can only
   be closed. */
bool nccl_rank_lose_one(nccl_rank *self);

/* Aborts the communicator, and frees everything in the order that comm_nccl.h asks for. */
void nccl_rank_close(nccl_rank *self);

#endif
