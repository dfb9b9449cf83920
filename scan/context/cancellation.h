/*
 * Calls of the library are no points where a thread can be cancelled (pthread_cancel()). A thread that
 * ended inside of one would leave a lock locked, or parts of work that other threads still do on its
 * stack. A request that comes meanwhile stays, and takes effect after the call.
 *
 * Whatever waits, reads files or starts threads on the caller's thread stands between these two.
 */
#ifndef PARSCAN_SCAN_CONTEXT_CANCELLATION_H
#define PARSCAN_SCAN_CONTEXT_CANCELLATION_H

#include <pthread.h>

/* Returns what parscan_allow_cancellation() needs. Pairs may be nested. */
static inline int parscan_hold_cancellation(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void parscan_allow_cancellation(int before)
{
    int held;
    pthread_setcancelstate(before, &held);
}

#endif
