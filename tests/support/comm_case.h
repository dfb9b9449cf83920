/*
 * The calls of parscan/distributed.h over a transport, against one process on the joined array. One
 * case for all transports: run by every rank, with the same seed. Nothing here is shared by ranks, so that
 * they may be threads.
 */
#ifndef PARSCAN_TESTS_COMM_CASE_H
#define PARSCAN_TESTS_COMM_CASE_H

#include <stdbool.h>

#include "parscan/comm.h"

typedef struct comm_case {
    parscan_comm *comm;
    size_t n;           /* elements of the joined array */
    unsigned seed;      /* of the elements, and of where pieces are cut */
    bool engine_memory; /* arrays are memory of the context's engine, else host memory */
    char words[640];    /* what is wrong on this rank */
} comm_case;

/* Runs all functions; false with a message. */
bool comm_case_run(comm_case *test);

/* The last rank does not come to an exchange: on the others a call fails after a short time, and so does
   every later call. Collective; false with a message. */
bool comm_case_lose_rank(comm_case *test);

#endif
