/* Subcommands along one axis of an npy array, which is read whole (--axis). */
#ifndef PARSCAN_CLI_AXIS_RUN_H
#define PARSCAN_CLI_AXIS_RUN_H

#include "apps/cli/session.h"
#include "parscan/shape.h"

/* The lines of an array along an axis, as they lie in memory: an array in Fortran order is one in C order
   whose dimensions are in the opposite order. */
typedef struct axis_lines {
    int axis;            /* of the npy array, from 0 on */
    size_t n;            /* elements of a line */
    parscan_shape shape; /* there are outer x n x inner elements */
} axis_lines;

/* Finds the lines. False with a message if the array does not have that axis. */
bool axis_find(const npy_shape *whole, const axis_option *axis, axis_lines *lines, failure *why);

/* Whether --axis goes with the format that the input is said to have. False with a message. */
bool axis_takes_format(const axis_option *axis, file_format format, failure *why);

/* Says that a file of that format has no axes. Returns false. */
bool axis_fail_format(const axis_option *axis, file_format format, failure *why);

/* Computes job->out, which has room, of job->in. */
typedef parscan_status axis_compute(session *job, void *user, const axis_lines *lines);

/* Is called when the lines are known, before their elements are read. Returns an exit status. */
typedef int axis_check(void *user, const axis_lines *lines, failure *why);

typedef struct axis_work {
    parscan_type out_type;
    bool new_memory;   /* out is never in's memory */
    bool drops;        /* the output has one element for each line, and the axis is gone */
    uint64_t most;     /* elements of a line of the output; 0: as many as the input has */
    axis_check *check; /* or NULL */
    axis_compute *compute;
    void *user;
} axis_work;

/* Reads the open input of the session whole, computes, writes the output, and prints the statistics.
   Returns an exit status. */
int axis_run(session *job, const axis_work *work, failure *why);

#endif
