/* Sorts along an axis (parscan/shape.h): as segments, after lines with gaps have been copied to rows. */
#ifndef PARSCAN_APPS_SORT_SORT_AXIS_H
#define PARSCAN_APPS_SORT_SORT_AXIS_H

#include "apps/sort/sort_call.h"
#include "parscan/sort.h"
#include "scan/axis/axis_rows.h"

typedef struct axis_sort {
    const sort_call *call;        /* its n is the length of a line */
    parscan_sort_options options; /* without the shape */
    parscan_type key_type;
    const parscan_shape *shape;
    axis_side in, out; /* keys, and keys or indices */
} axis_sort;

/* Checks the arrays and sorts them. most: of n, that the checks look at. Errors: INVALID_ARGUMENT;
   UNSUPPORTED; OUT_OF_MEMORY. */
parscan_status parscan_sort_axis(axis_sort *sort, size_t n);
parscan_status parscan_argsort_axis(axis_sort *sort, size_t n);

#endif
