#define _POSIX_C_SOURCE 200809L
#include "apps/cli/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct loop {
    parallel_task *task;
    void *user;
    size_t count;
    atomic_size_t next;
    atomic_uint threads;
} loop;

enum {
    MOST_THREADS = 64
}; /* more would not help: parsing and formatting are then faster than any disk */

static void *take_turns(void *user)
{
    loop *const shared = user;
    const unsigned thread = atomic_fetch_add(&shared->threads, 1);
    for (size_t index; (index = atomic_fetch_add(&shared->next, 1)) < shared->count;)
        shared->task(index, thread, shared->user);
    return NULL;
}

unsigned parallel_threads(unsigned threads, size_t count)
{
    const unsigned most = threads < MOST_THREADS ? threads : MOST_THREADS;
    return count < most ? (unsigned)count : most;
}

void parallel_for(unsigned threads, size_t count, parallel_task *task, void *user)
{
    loop shared = {.task = task, .user = user, .count = count};
    pthread_t helpers[MOST_THREADS];
    const unsigned most = parallel_threads(threads, count);
    unsigned started = 0;
    while (started + 1 < most && pthread_create(&helpers[started], NULL, take_turns, &shared) == 0)
        started++;
    take_turns(&shared);
    while (started > 0)
        pthread_join(helpers[--started], NULL);
}
