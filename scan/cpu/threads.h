/*
 * The threads of the CPU engine are OpenMP's, whose runtime ends the process when the system refuses
 * it a thread. So a context asks the system first.
 */
#ifndef PARSCAN_SCAN_CONTEXT_THREADS_H
#define PARSCAN_SCAN_CONTEXT_THREADS_H

/* How many threads the system grants at once, the calling one included: at most `wanted`. */
unsigned parscan_threads_granted(unsigned wanted);

#endif
