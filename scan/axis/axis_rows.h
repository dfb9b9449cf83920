/*
 * Calls along an axis that are made of calls of rows (PARSCAN_SEGMENTS_ROWS): lines are copied to rows in scratch, a
 * public function works on the rows, and its results are copied back. Where lines are rows without gaps already,
 * they stay where they are. On the CPU some lines are taken at a time, on CUDA all at once; there run() gets
 * addresses in device memory.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_ROWS_H
#define PARSCAN_SCAN_AXIS_AXIS_ROWS_H

#include "scan/axis/axis.h"

/* An output that run() writes. */
typedef struct axis_result {
    const char *name; /* for messages */
    void *data;       /* element 0, 0, 0; NULL: there is none */
    size_t size;      /* of an element, in bytes */
    const char *low;  /* its memory: `bytes` from there on */
    size_t bytes;
    bool keeps; /* some of it may stay as it is: gaps */
} axis_result;

enum { AXIS_RESULTS = 2 };

/* An input and an output with strides of their own. */
typedef struct axis_pair {
    const parscan_axis *axis; /* of the lengths of the call's */
    axis_side in, out;        /* out.length = 0: there is none */
} axis_pair;

typedef struct axis_rows axis_rows;

/* Some lines as rows. */
typedef struct axis_batch {
    const void *in, *in2;        /* in2: NULL, there is no second input */
    void *out, *out2;            /* NULL: `out` has no length */
    void *own;                   /* axis_rows.own bytes for each line */
    void *results[AXIS_RESULTS]; /* element 0, 0, 0 */
    size_t first, lines;
} axis_batch;

struct axis_rows {
    parscan_context *context;
    const char *name; /* of the public function; NULL: it has no shape on CUDA */
    const parscan_axis *axis;
    axis_side in, out;                 /* out.length = 0: run() stores its results itself, */
    axis_result results[AXIS_RESULTS]; /* here */
    const uint64_t
        *n_at; /* CUDA: the length of lines in device memory, at most in.length; NULL: it is that */
    const axis_pair *second; /* NULL: there is none */
    size_t own;              /* bytes of scratch of run(), for each line */
    bool in_place;           /* in and out of a batch may be the same rows; in2 and out2 too */
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

/* Runs all lines. Errors: OUT_OF_MEMORY; those of run(); on CUDA also DEVICE, and UNSUPPORTED, a length in device memory
   in a capture. */
parscan_status parscan_run_rows(const axis_rows *rows);
parscan_status parscan_run_rows_cpu(const axis_rows *rows);
parscan_status parscan_run_rows_cuda(const axis_rows *rows);

/* An input and an output of a call, and which are copied. */
typedef struct rows_pair {
    axis_pair arrays;
    bool copies_in, copies_out, shared; /* shared: out has the rows of in */
} rows_pair;

typedef struct rows_plan {
    const axis_rows *rows;
    rows_pair pairs[2];
    size_t all; /* lines */
} rows_plan;

rows_plan parscan_plan_rows(const axis_rows *rows);

/* Whether the lines of an array, of n elements, are rows without gaps, one after the other. */
bool parscan_are_rows(const parscan_axis *axis, const int64_t strides[AXES], size_t n, size_t size);

/* The bytes of scratch for so many lines at a time. */
size_t parscan_rows_room(const rows_plan *plan, size_t lines);

/* Runs all lines, so many at a time. */
parscan_status parscan_run_batches(const rows_plan *plan, size_t lines, char *scratch);

/* Copies lines, on the context's engine; on CUDA all lines of rows->axis. A context that measures copies nothing.
   Errors: DEVICE. */
parscan_status parscan_copy_lines(const lines_copy *copy);
parscan_status parscan_copy_lines_cpu(const lines_copy *copy);
parscan_status parscan_copy_lines_cuda(const lines_copy *copy);

#endif
