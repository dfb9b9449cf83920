/* Ranks over the fake (fake_nccl.h) that are processes, or threads of several. */
#ifndef PARSCAN_TESTS_FORKED_RANKS_H
#define PARSCAN_TESTS_FORKED_RANKS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "tests/apps/nccl/fake_nccl.h"

/* What the ranks of a case share. */
typedef struct rank_state {
    atomic_int steps[FAKE_RANKS]; /* how far each is, where others wait for it */
} rank_state;

typedef struct ranks ranks;
struct ranks {
    void (*run)(const ranks *all, int rank);
    int size, threads;    /* threads: of each process */
    const char *function; /* what rank `at` is refused, and when */
    int at, nth;
    bool always;
    rank_state *state;
};

/* Runs a function in every rank. Returns how many allocations and events of the device remain. Ends the program
   if one fails. */
int run_ranks(ranks all);

/* How often this process has slept: who waits for long does, and a busy machine makes nobody do so. */
unsigned naps_of_this_process(void);

#endif
