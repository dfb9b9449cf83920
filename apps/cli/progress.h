/*
 * A progress bar on standard error. It is shown only if that is a terminal and the program has run
 * for more than a second, and is erased before anything else is written.
 */
#ifndef PARSCAN_CLI_PROGRESS_H
#define PARSCAN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool enabled;
    bool quiet; /* no notes either */
    bool visible;
    const char *work; /* "reading" */
    uint64_t total;   /* bytes or elements; 0: unknown */
    double next;      /* the time of the next update */
} progress;

/* Seconds since some fixed time. */
double seconds_now(void);

void progress_init(progress *bar, bool quiet);

/* Begins a new piece of work. */
void progress_begin(progress *bar, const char *work, uint64_t total);

/* Says how much of the total is done. It is cheap enough for every few thousand elements. One
   thread at a time may call it. */
void progress_update(progress *bar, uint64_t done);

/* Erases the bar. */
void progress_end(progress *bar);

#endif
