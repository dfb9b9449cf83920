/*
 * The CPU engine uses OpenMP's threads. OpenMP's runtime ends the process if the system refuses a
 * thread. So a context first asks the system how many it grants.
 */
#ifndef PARSCAN_SCAN_CONTEXT_THREADS_H
#define PARSCAN_SCAN_CONTEXT_THREADS_H

/* Starts up to `wanted` - 1 threads for a moment. Returns how many threads the system grants at
   once, at most `wanted`; the calling thread is one of them. */
unsigned parscan_threads_granted(unsigned wanted);

#endif
