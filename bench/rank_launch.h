/* Ranks of a measurement on one host: threads of this process, or processes. */
#ifndef BENCH_RANK_LAUNCH_H
#define BENCH_RANK_LAUNCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { RANK_MOST_LAUNCHED = 16 };

/* Memory of zeros that this process and its children share. Ends the program if there is none. */
void *rank_shared_memory(size_t bytes);

/* Makes a barrier there. */
void rank_shared_barrier(pthread_barrier_t *barrier, int count);

/* Calls work(arguments[r]) in `count` ranks, and waits for them. False: a process has failed, and the others were
   ended. Before it, this process has used nothing that cannot fork. */
bool rank_launch(int count, bool processes, void *(*work)(void *), void *const *arguments);

#endif
