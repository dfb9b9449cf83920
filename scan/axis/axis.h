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

/* An array of a call along an axis. */
typedef struct axis_side {
    const char *name; /* for messages */
    const void *data; /* element 0, 0, 0 */
    size_t size;      /* of an element, in bytes */
    size_t length;    /* elements of a line; of an output 0: nothing is written */
    bool apart;       /* of an output: it may not be the input */
} axis_side;

/* The caller's strides of the arrays, NULL without gaps, and the names of these options for messages. */
typedef struct axis_strides {
    const int64_t *in, *out;
    const char *in_name, *out_name;
} axis_strides;

static inline axis_strides parscan_strides_of(const parscan_shape *shape)
{
    return (axis_strides){shape->in_strides, shape->out_strides, "in_strides", "out_strides"};
}

/* Reads the caller's shape, and sets the lengths of *axis. Errors: INVALID_ARGUMENT. */
parscan_status parscan_read_shape(parscan_context *context, const parscan_shape *given,
                                  parscan_shape *shape, parscan_axis *axis);

/* Checks the arrays of a call, and sets their strides in *axis, whose lengths are set. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_lines(parscan_context *context, const axis_strides *strides,
                                   const axis_side *in, const axis_side *out, parscan_axis *axis);

/* Both, of a scan or a reduction whose other options have been checked. Sets call->axis, which stays NULL for
   one line without gaps. */
parscan_status parscan_check_axis(parscan_scan_call *call, const parscan_shape *given,
                                  parscan_axis *axis);

#endif
