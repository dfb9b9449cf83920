/* What apps/nccl/ uses of CUDA and NCCL, without a GPU: the memory of the device is the host's, streams
   are done at once, and ranks are threads that copy from each other. */
#ifndef PARSCAN_TESTS_FAKE_NCCL_H
#define PARSCAN_TESTS_FAKE_NCCL_H

#include <nccl.h>

enum { FAKE_RANKS = 8 };

/* Whether devices can read each other's memory. Set before ranks start. */
extern int fake_peers;

struct ncclComm {
    int rank, size;
};

#endif
