#define _GNU_SOURCE
#include "scan/cpu/wait.h"

#ifdef __linux__

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(atomic_uint) == 4, "a futex has 32 bits");

void parscan_wait_begin(wait_word *word, unsigned value)
{
    atomic_init(&word->value, value);
}

void parscan_wait_end(wait_word *word)
{
    (void)word;
}

void parscan_wait_while(wait_word *word, unsigned value)
{
    syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void parscan_wait_wake(wait_word *word, unsigned threads)
{
    syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

#else

void parscan_wait_begin(wait_word *word, unsigned value)
{
    atomic_init(&word->value, value);
    pthread_mutex_init(&word->mutex, NULL);
    pthread_cond_init(&word->changed, NULL);
}

void parscan_wait_end(wait_word *word)
{
    pthread_cond_destroy(&word->changed);
    pthread_mutex_destroy(&word->mutex);
}

void parscan_wait_while(wait_word *word, unsigned value)
{
    pthread_mutex_lock(&word->mutex);
    while (atomic_load(&word->value) == value)
        pthread_cond_wait(&word->changed, &word->mutex);
    pthread_mutex_unlock(&word->mutex);
}

/* The empty critical section orders the change of the word before the wake: a thread that saw the
   old value holds the mutex until it sleeps. */
void parscan_wait_wake(wait_word *word, unsigned threads)
{
    pthread_mutex_lock(&word->mutex);
    pthread_mutex_unlock(&word->mutex);
    for (; threads > 1; threads--)
        pthread_cond_signal(&word->changed);
    pthread_cond_signal(&word->changed);
}

#endif
