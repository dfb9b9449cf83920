/* Selections along an axis (parscan/shape.h): as segments, after lines with gaps have been copied to rows. */
#ifndef PARSCAN_APPS_SELECT_SELECT_AXIS_H
#define PARSCAN_APPS_SELECT_SELECT_AXIS_H

#include "apps/select/select_call.h"
#include "scan/axis/axis_rows.h"
#include "scan/context/call_lengths.h"

typedef struct axis_selection {
    const select_call *call; /* its n is the length of a line; its arrays are not checked */
    /* Runs rows: lines * n elements, k results for each line. */
    parscan_status (*run)(const select_call *call, const void *in, size_t lines, size_t n,
                          void *values, void *indices);
} axis_selection;

/* options_fit: there are no segments and counts beside the shape. Checks the arrays, and runs all lines. Errors:
   INVALID_ARGUMENT; UNSUPPORTED; OUT_OF_MEMORY. */
parscan_status parscan_select_axis(const axis_selection *selection, const parscan_shape *given,
                                   bool options_fit, call_lengths *lengths);

#endif
