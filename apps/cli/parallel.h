/*
 * A loop shared by threads that sleep while they wait, unlike those of OpenMP: reading and writing
 * files is full of waiting, and the machine may have other things to do.
 */
#ifndef PARSCAN_CLI_PARALLEL_H
#define PARSCAN_CLI_PARALLEL_H

#include <stddef.h>

/* One turn of the loop; thread, below the number of threads, runs no other turn meanwhile. */
typedef void parallel_task(size_t index, unsigned thread, void *user);

/* The most threads that parallel_for() runs when it is asked for so many. */
unsigned parallel_threads(unsigned threads, size_t count);

/* Runs the task for every index below count, begun in that order, and returns when all have ended.
   There may be fewer threads than asked for; the caller's is one of them. */
void parallel_for(unsigned threads, size_t count, parallel_task *task, void *user);

#endif
