/*
 * Calls along an axis that are made of calls of rows (PARSCAN_SEGMENTS_ROWS): some lines at a time are copied to
 * rows in scratch, a public function works on the rows, and its results are copied back. Where lines are rows
 * without gaps already, they stay where they are.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_ROWS_H
#define PARSCAN_SCAN_AXIS_AXIS_ROWS_H

#include "scan/axis/axis.h"
#include "scan/context/held_scratch.h"

typedef struct axis_rows axis_rows;

/* Some lines as rows. */
typedef struct axis_batch {
    const void *in, *in2; /* in2: NULL, there is no second input */
    void *out;            /* NULL: `out` of the call has no length */
    void *own;            /* axis_rows.own bytes for each line */
    size_t first, lines;
} axis_batch;

struct axis_rows {
    parscan_context *context;
    const parscan_axis *axis;
    axis_side in, out; /* out.length = 0: run() stores its results itself */
    const void *in2;   /* a second input that lies as in does; NULL: there is none */
    size_t own;        /* bytes of scratch of run(), for each line */
    bool in_place;     /* in and out of a batch may be the same rows */
    parscan_status (*run)(const axis_rows *rows, const axis_batch *batch);
    void *work; /* run()'s */
};

/* Lines between an array and rows. */
typedef struct lines_copy {
    const axis_rows *rows;
    char *array, *packed; /* element 0, 0, 0; the rows */
    const int64_t *strides;
    size_t size, length; /* of an element; of a row */
    size_t first, lines;
    bool to_rows;
} lines_copy;

/* Runs all lines. Errors: OUT_OF_MEMORY; those of run(); UNSUPPORTED on CUDA. */
parscan_status parscan_run_rows(const axis_rows *rows);

/* Copies lines, on the CPU. */
void parscan_copy_lines_cpu(const lines_copy *copy);

#endif
