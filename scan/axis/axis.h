/* A scan or a reduction along an axis (parscan/shape.h), as scan.c hands it to an engine. */
#ifndef PARSCAN_SCAN_AXIS_AXIS_H
#define PARSCAN_SCAN_AXIS_AXIS_H

#include <stdint.h>

#include "scan/scan_call.h"

/* The dimensions of an array; of the output of a reduction AXIS_N has one element. */
enum { AXIS_OUTER, AXIS_N, AXIS_INNER, AXES };

typedef struct parscan_axis {
    size_t outer, inner;
    int64_t in[AXES], out[AXES]; /* strides in bytes */
    /* The memory of the arrays, from the lowest address on; no bytes of an array without elements. */
    const char *in_low, *out_low;
    size_t in_bytes, out_bytes;
} parscan_axis;

/* Checks the caller's shape and the arrays of a call whose other options have been checked. Sets
   *axis, and call->axis, which stays NULL for one line without gaps. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_axis(parscan_scan_call *call, const parscan_shape *given,
                                  parscan_axis *axis);

#endif
