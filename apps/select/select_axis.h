/* Selections along an axis (parscan/shape.h): as segments, after lines with gaps have been copied to rows; on CUDA
   extremes by a kernel of their own. */
#ifndef PARSCAN_APPS_SELECT_SELECT_AXIS_H
#define PARSCAN_APPS_SELECT_SELECT_AXIS_H

#include "apps/select/select_call.h"
#include "scan/axis/axis_rows.h"
#include "scan/context/call_lengths.h"

/* Results of all lines: outer x k x inner elements. */
typedef struct select_output {
    axis_result to;
    int64_t strides[AXES];
} select_output;

enum { AXIS_VALUES, AXIS_INDICES, AXIS_OUTPUTS };
_Static_assert((int)AXIS_OUTPUTS == (int)AXIS_RESULTS, "outputs are results");

typedef struct axis_selection axis_selection;

/* A checked selection. */
typedef struct select_lines {
    const axis_selection *selection;
    select_call call; /* its n is the length of a line */
    const parscan_axis *axis;
    select_output outputs[AXIS_OUTPUTS];
} select_lines;

struct axis_selection {
    const select_call *call;        /* its arrays are not checked */
    const char *name;               /* of the public function */
    bool options_fit;               /* there are no segments and counts beside the shape */
    const int64_t *indices_strides; /* NULL: indices have no gaps */
    /* Runs rows: lines * n elements, k results for each line. n is 0 only of an extreme, of one line. */
    parscan_status (*run)(const select_call *call, const void *in, size_t lines, size_t n, size_t k,
                          void *values, void *indices);
    parscan_status (*const *engines)(const select_lines *lines);
};

/* Checks the arrays, and runs all lines. Errors: INVALID_ARGUMENT; UNSUPPORTED; OUT_OF_MEMORY; on CUDA also
   DEVICE. */
parscan_status parscan_select_axis(const axis_selection *selection, const parscan_shape *given,
                                   call_lengths *lengths);

/* The engines. The first one is of the CPU, and on CUDA of selections that can be made of rows. */
parscan_status parscan_select_rows(const select_lines *lines);
parscan_status parscan_arg_reduce_axis_cuda(const select_lines *lines);

#endif
