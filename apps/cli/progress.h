/*
 * A progress bar on standard error: there only when that is a terminal and the program has run for
 * more than a second, and erased before anything else is written.
 */
#ifndef PARSCAN_CLI_PROGRESS_H
#define PARSCAN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool enabled;
    bool visible;
    const char *work; /* "reading" */
    uint64_t total;   /* bytes or elements; 0: not known */
    double next;      /* the time of the next redraw */
} progress;

/* Seconds since some moment. */
double seconds_now(void);

void progress_init(progress *bar, bool quiet);

/* A new piece of work begins. */
void progress_begin(progress *bar, const char *work, uint64_t total);

/* done of total is done; cheap enough for every few thousand elements. By one thread at a time. */
void progress_update(progress *bar, uint64_t done);

/* Erases the bar. */
void progress_end(progress *bar);

#endif
