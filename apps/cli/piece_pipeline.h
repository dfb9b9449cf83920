/*
 * Pieces of an array on their way through three stages: read, compute, write. The stages work at the
 * same time, each on another piece: reading and writing have threads of their own, the caller's
 * computes. Without these threads the caller does all.
 */
#ifndef PARSCAN_CLI_PIECE_PIPELINE_H
#define PARSCAN_CLI_PIECE_PIPELINE_H

#include <stdbool.h>

#include "apps/cli/failure.h"

/* The pieces that are on their way at one time. */
enum { PIPELINE_PIECES = 3 };

/* A stage gets the number of the piece, below PIPELINE_PIECES. When one fails, no more calls
   start. */
typedef struct pipeline {
    bool (*read)(void *user, unsigned piece, bool *ended, failure *why); /* *ended: there is none */
    bool (*compute)(void *user, unsigned piece, failure *why);
    bool (*write)(void *user, unsigned piece, failure *why);
    void (*interrupt)(void *user); /* a stage has failed: ends a read() that waits; any thread */
    void *user;
} pipeline;

/* Returns when every piece has been written, or a stage has failed: *why gets the message of the first
   failure. The threads have then ended. */
bool pipeline_run(const pipeline *stages, failure *why);

#endif
