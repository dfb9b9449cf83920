/*
 * What apps/nccl/ uses of CUDA and NCCL, without a GPU. The memory of the device is the host's. Ranks are threads or
 * processes, which fork after fake_start().
 *
 * A stream does its work late: when somebody asks how far it is, and then not always. The fake stops the program
 * where CUDA's behaviour is undefined: memory and events that are freed while another process has them
 * open, or used by one that has not opened them.
 */
#ifndef PARSCAN_TESTS_FAKE_NCCL_H
#define PARSCAN_TESTS_FAKE_NCCL_H

#include <nccl.h>
#include <stdbool.h>

enum { FAKE_RANKS = 8, FAKE_COMMS = 2 };

/* Whether devices can read each other's memory. Set before ranks start. */
extern int fake_peers;

struct ncclComm {
    int rank, size, number; /* number: of the communicator, which its ranks share */
};

/* Makes what all ranks share. Before the first of them starts. */
void fake_start(void);

/* Lets this process refuse the call number `nth` (from 1) of a function of CUDA from now on, and those after it if
   `always`. NULL: none. fake_refused: asked by the functions, and by wrappers of others. */
void fake_refuse(const char *function, int nth, bool always);
bool fake_refused(const char *function);

/* The streams of this process do nothing from now on. */
void fake_stop_streams(void);

/* How often this process has refused. */
int fake_refusals(void);

/* Allocations and events of all processes that are there; and forgets them, when the processes have ended. */
int fake_remaining(void);
void fake_forget(void);

#endif
