/* Recurrences along an axis (parscan/shape.h). On the CPU line by line, after lines with gaps have been copied to
   rows. */
#ifndef PARSCAN_APPS_SEGMENTED_RECURRENCE_AXIS_H
#define PARSCAN_APPS_SEGMENTED_RECURRENCE_AXIS_H

#include "apps/segmented/segmented_call.h"
#include "parscan/shape.h"
#include "scan/axis/axis.h"

/* Checks the shape, and the arrays of a call, whose n is the length of a line. *is_plain: it is one line without
   gaps, and its arrays are not checked. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_recurrence_axis(const recurrence_call *call,
                                             const parscan_shape *given, parscan_axis *axis,
                                             bool *is_plain);

/* Runs a checked call that is not plain; n > 0. Errors: UNSUPPORTED; OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_run_recurrence_axis(const recurrence_call *call, const parscan_axis *axis);
parscan_status parscan_recurrence_axis_cpu(const recurrence_call *call, const parscan_axis *axis);
parscan_status parscan_recurrence_axis_cuda(const recurrence_call *call, const parscan_axis *axis);

#endif
