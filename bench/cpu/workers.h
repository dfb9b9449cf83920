/*
 * Threads of the benchmarks' own, for what is not parscan's: filling arrays, checking results,
 * copies. They take no runtime along, so that no other threads live beside parscan's. Workers that
 * have had nothing to do for a tenth of a millisecond sleep.
 */
#ifndef PARSCAN_BENCH_WORKERS_H
#define PARSCAN_BENCH_WORKERS_H

#include <stddef.h>

typedef struct workers workers;

/* Starts threads - 1 workers; the caller is the last one. Ends the program if the system refuses a
   thread. */
workers *workers_start(unsigned threads);

/* Ends and frees them. */
void workers_stop(workers *team);

/* The number given to workers_start(). */
unsigned workers_count(const workers *team);

/* Calls work(context, share) for each share below workers_count(), each on a thread of its own. */
void workers_run(workers *team, void (*work)(void *context, unsigned share), void *context);

/* Calls work(context, block) for each block below `blocks`. Threads take the next block when they
   are done with one. */
void workers_each(workers *team, size_t blocks, void (*work)(void *context, size_t block),
                  void *context);

/* Waits until all workers sleep. */
void workers_settle(const workers *team);
#endif
