/* Sleeping until a word of memory changes: a futex on Linux, a condition variable elsewhere. */
#ifndef PARSCAN_SCAN_CPU_WAIT_H
#define PARSCAN_SCAN_CPU_WAIT_H

#include <stdatomic.h>

#ifndef __linux__
#include <pthread.h>
#endif

typedef struct wait_word {
    atomic_uint value;
#ifndef __linux__
    pthread_mutex_t mutex;
    pthread_cond_t changed;
#endif
} wait_word;

void parscan_wait_begin(wait_word *word, unsigned value);
void parscan_wait_end(wait_word *word);

/* Sleeps while the word has this value, or for a shorter time. */
void parscan_wait_while(wait_word *word, unsigned value);

/* Wakes up to `threads` threads that sleep at the word. Called after the word has changed. */
void parscan_wait_wake(wait_word *word, unsigned threads);

#endif
