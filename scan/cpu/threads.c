#define _POSIX_C_SOURCE 200809L
#include "scan/cpu/threads.h"

#include <pthread.h>

#include "scan/context/check.h"

/* The thread lives until the gate opens, so that all threads are alive at once. */
static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

unsigned parscan_threads_granted(unsigned wanted)
{
    pthread_t others[PARSCAN_MAX_THREADS];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    unsigned granted = 1;
    pthread_mutex_lock(&gate);
    while (granted < wanted && pthread_create(&others[granted], NULL, wait_at, &gate) == 0)
        granted++;
    pthread_mutex_unlock(&gate);
    for (unsigned k = 1; k < granted; k++)
        pthread_join(others[k], NULL);
    pthread_mutex_destroy(&gate);
    return granted;
}
