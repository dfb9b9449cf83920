/*
 * A parallel loop whose threads sleep while they wait. Reading and writing files is mostly waiting,
 * and spinning would take the processor from other programs.
 */
#ifndef PARSCAN_CLI_PARALLEL_H
#define PARSCAN_CLI_PARALLEL_H

#include <stddef.h>

/* One iteration of the loop. `thread` is less than the number of threads, and runs no other
   iteration at the same time. */
typedef void parallel_task(size_t index, unsigned thread, void *user);

/* The largest number of threads that parallel_for() uses for these arguments. */
unsigned parallel_threads(unsigned threads, size_t count);

/* Runs the task for every index below count and returns when all have ended. They start in the
   order of their indices. There may be fewer threads than asked for; the caller's is one of them.
   */
void parallel_for(unsigned threads, size_t count, parallel_task *task, void *user);

#endif
