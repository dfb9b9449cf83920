/* A thread that is asked to end (pthread_cancel()) before it calls the library. */
#ifndef PARSCAN_TESTS_CANCELLED_H
#define PARSCAN_TESTS_CANCELLED_H

#include <pthread.h>
#include <stdbool.h>

typedef struct cancelled {
    void (*run)(void *data);
    void *data;
    bool returned;
} cancelled;

static inline void *cancelled_thread(void *argument)
{
    cancelled *const c = argument;
    pthread_cancel(pthread_self());
    c->run(c->data);
    c->returned = true;
    pthread_testcancel();
    return NULL;
}

/* Runs a function on a thread of its own, which the first point of cancellation ends. Returns whether
   there was none before the function returned, and whether the request was still there then. */
static inline bool returns_before_it_is_cancelled(void (*run)(void *data), void *data)
{
    cancelled c = {.run = run, .data = data};
    pthread_t thread;
    void *result = NULL;
    return pthread_create(&thread, NULL, cancelled_thread, &c) == 0 &&
           pthread_join(thread, &result) == 0 && c.returned && result == PTHREAD_CANCELED;
}

#endif
